// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sw/host/memory.hpp"
#include "sw/tofu/functional/functional_network.hpp"
#include "verif/model/tofu/tni.hpp"

namespace ht::tofu {

/// The network interfaces of a node without hardware: their reference model behind the
/// registers, and when packets leave and arrive. An interface sends and takes a beat a cycle; links
/// have room for everything.
class FunctionalInterfaces {
 public:
  FunctionalInterfaces(FunctionalNetwork& network, std::size_t node, host::NodeMemory& memory);

  /// Whether a register is one of theirs.
  bool has(std::uint32_t address) const;
  /// Throw HardwareError for what is refused.
  std::uint32_t read(std::uint32_t address);
  /// Whether anything was written into memory at once.
  bool write(std::uint32_t address, std::uint32_t value, Picoseconds now);
  bool interrupt();

  /// A packet comes; when it is carried out.
  Picoseconds receive(const model::TniPacket& packet, Picoseconds due);

 private:
  struct Way {
    Picoseconds in = 0, out = 0;  ///< busy until
  };
  void send(Picoseconds now);

  FunctionalNetwork& network_;
  model::TofuTni interfaces_;
  std::array<Way, model::TofuTni::kMostInterfaces> ways_{};
};

}  // namespace ht::tofu
