// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "sw/host/held_file.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

/// A pcapng file (draft-ietf-opsawg-pcapng): one section, its interfaces and their packets.
/// Time is in ns since 0, as finer resolutions are rounded by Wireshark anyway.
class PcapngFile {
 public:
  enum class Direction : std::uint32_t { Inbound = 1, Outbound = 2 };

  /// Throws DataError if the file cannot be written, or another process writes it.
  PcapngFile(const std::string& file, const std::string& application);

  /// Ethernet frames have their check sequence; USER0 is ours (sim/machine/README.md).
  enum LinkType : std::uint16_t { Ethernet = 1, User0 = 147 };

  /// Returns the interface's number, from 0. All before the first packet.
  std::uint32_t add_interface(const std::string& name, const std::string& description,
                              LinkType type = User0);

  /// `comment` may be empty. Throws DataError if what came before did not fit.
  void write(std::uint32_t interface, Picoseconds time, Direction direction,
             const std::vector<std::uint8_t>& data, const std::string& comment);

  /// Writes what is buffered; throws DataError if not all of it could be written.
  void flush();

 private:
  class Block;
  void put(const Block& block);
  std::string unwritten() const;

  std::string name_;
  host::HeldFile held_;
  std::ofstream out_;
  std::uint32_t interfaces_ = 0;
};

}  // namespace ht::machine
