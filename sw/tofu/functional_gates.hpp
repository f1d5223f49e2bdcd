// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/barrier_latency.hpp"
#include "sw/tofu/coordinates.hpp"
#include "verif/model/tofu_gates.hpp"

namespace ht::tofu {

/// How a machine without hardware keeps time.
struct FunctionalGatesOptions {
  /// Of gates and packets; a packet's beats are those of a barrier's, or of one with data.
  BarrierTiming timing;
  Picoseconds register_cost = 100'000;  ///< of an access over the processor's bus
  /// If given, time means nothing: programs, packets and results take turns in a random order that
  /// this decides, so that packets overtake one another as they like.
  std::optional<unsigned> shuffle;
  std::size_t memory_bytes = std::size_t{1} << 20;
  std::size_t stack_bytes = std::size_t{1} << 18;
};

/// Nodes with a barrier interface each, without any hardware: the reference model of the gates
/// behind a HardwarePort for each node, and their programs as fibres that take turns on the calling
/// thread. Packets take the time of BarrierTiming, without contention.
class FunctionalGates {
 public:
  using Program = std::function<void(int node, host::HardwarePort& port)>;

  explicit FunctionalGates(const Shape& shape, FunctionalGatesOptions options = {});
  ~FunctionalGates();

  const Shape& shape() const { return shape_; }
  host::HardwarePort& port(int node);
  std::uint64_t register_accesses(int node) const;

  /// Runs a program on every node until all have ended; what one throws is thrown here. Throws
  /// TimeoutError, naming who waits for what, when nothing moves any more.
  void run(const Program& program);

  /// Looks at a packet as it is sent, and may change it; false loses it.
  std::function<bool(model::GatePacket&)> tamper;

 private:
  class Port;
  /// Something on its way: a packet to a node, or a result to its host.
  struct Event {
    Picoseconds due;
    std::uint64_t number;  ///< among events of the same time, the first comes first
    std::size_t node;
    std::optional<model::GatePacket> packet;
    std::uint32_t channel = 0;
  };
  void post(std::size_t node, Picoseconds due, std::optional<model::GatePacket> packet,
            std::uint32_t channel);
  void carry(Event event);
  [[noreturn]] void give_up();

  Shape shape_;
  FunctionalGatesOptions options_;
  std::vector<std::unique_ptr<Port>> nodes_;
  std::vector<Event> events_;  ///< a heap by time, unless shuffled
  std::uint64_t posted_ = 0;
};

}  // namespace ht::tofu
