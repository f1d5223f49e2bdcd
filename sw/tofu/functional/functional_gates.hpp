// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "sw/host/memory.hpp"
#include "sw/tofu/functional/functional_network.hpp"

namespace ht::tofu {

/// The barrier interface of a node without hardware: the gates' reference model behind the
/// registers, and when things happen. Packets take the time of BarrierTiming, without contention.
class FunctionalGates {
 public:
  /// The barrier interface of that number: of a network interface, where there are several.
  FunctionalGates(FunctionalNetwork& network, std::size_t node, std::uint32_t interface,
                  host::NodeMemory& memory);

  /// Register accesses, addresses from the beginning of the barrier interface. Throw HardwareError
  /// for what is refused.
  std::uint32_t read(std::uint32_t address) const;
  void write(std::uint32_t address, std::uint32_t value, Picoseconds now);
  bool interrupt() const { return error_ != 0; }

  /// A packet comes; when it is in.
  Picoseconds receive(const model::GatePacket& packet, Picoseconds due);
  /// A result gets to where the host sees it; whether that is memory.
  bool show(std::uint32_t channel);

 private:
  std::uint32_t status(std::uint32_t channel) const;
  bool write_gate(std::uint32_t address, std::uint32_t value);
  std::optional<model::GateWiring> wiring(std::uint32_t gate, std::uint32_t value) const;
  bool write_channel(std::uint32_t address, std::uint32_t value, Picoseconds now);
  void start(std::uint32_t channel, std::uint32_t value, Picoseconds now);
  void settle(std::uint32_t gate);
  void take_errors(std::uint32_t who);
  void send(model::GatePacket packet);
  std::int64_t beats(const model::GatePacket& packet) const;
  void look_at_channel(std::uint32_t channel);

  FunctionalNetwork& network_;
  std::size_t node_;
  std::uint32_t interface_;
  host::NodeMemory& memory_;
  model::TofuGates gates_;
  bool refused_ = false;
  std::uint32_t error_ = 0;
  std::uint32_t info_ = 0;  ///< ERROR_INFO
  std::array<model::GateAddress, 64> source_{};
  std::array<std::uint32_t, 64> destination_{};
  std::array<std::optional<model::GateWiring>, 64> wirings_;
  std::array<model::GateData, 8> operand_{};
  std::array<std::uint32_t, 8> result_address_{};
  std::array<model::TofuGates::Channel, 8> ended_{};  ///< as the host sees them
  std::array<std::uint64_t, 8> seen_{};
  // When things happened: a channel's start, a gate's firing, a packet's last beat by bank.
  std::array<Picoseconds, 8> started_{};
  std::array<Picoseconds, 64> fires_{};
  std::array<std::array<Picoseconds, 2>, 64> arrived_{};
  std::array<std::uint64_t, 64> fired_{};
  Picoseconds last_in_ = 0, out_free_ = 0;  ///< between the gates and the router
};

}  // namespace ht::tofu
