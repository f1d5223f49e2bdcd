// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/cable_frames.hpp"
#include "sim/machine/pcapng.hpp"

namespace ht::machine {

class QpaceMachine;

/// Writes every packet, hello and command on chosen cables to a pcapng file, in order of time. Each
/// cable is an interface named by its + end; what that end sends is outbound. The data are a
/// pseudo-header and the words, laid out in sim/machine/README.md and read by hypertorus.lua.
class PacketCapture {
 public:
  /// Throws DataError if the file cannot be written. `machine` must outlive this.
  PacketCapture(QpaceMachine& machine, const std::string& file);
  /// Writes the rest; a file that cannot be written is told by finish() only.
  ~PacketCapture();
  PacketCapture(const PacketCapture&) = delete;
  PacketCapture& operator=(const PacketCapture&) = delete;

  /// The cable at this port, both directions; a second time is the same as once. Before the first
  /// run.
  void add(int node, int link);

  /// At a window's end: writes what was complete then.
  void collect(Picoseconds now);

  /// Writes everything that is left; throws DataError if that fails.
  void finish();

 private:
  struct End {
    int node, link;
  };
  struct Direction {
    End from, to;
    std::uint32_t interface;
    PcapngFile::Direction direction;
    std::unique_ptr<CableFrames> frames;
  };
  void add_direction(End from, End to, std::uint32_t interface, PcapngFile::Direction direction);
  void write_until(Picoseconds horizon);
  void write(const Direction& direction, const CableFrame& frame);

  QpaceMachine& machine_;
  PcapngFile file_;
  std::vector<Direction> directions_;
};

}  // namespace ht::machine
