// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/gates/barrier_latency.hpp"
#include "sw/tofu/ranks/coordinates.hpp"
#include "verif/model/tofu/gates.hpp"

namespace ht::test {

/// Nodes with a barrier interface each, and programs that reach them as a driver does, without the
/// rest of a simulator: packets travel from gate to gate, and overtake one another as they like.
class GateMachine {
 public:
  virtual ~GateMachine() = default;
  virtual const tofu::Shape& shape() const = 0;
  int size() const { return shape().nodes(); }
  virtual host::HardwarePort& port(int node) = 0;
  virtual std::uint64_t register_accesses(int node) const = 0;

  /// Runs a program on every node until all have ended; what one throws is thrown here. Throws
  /// TimeoutError, naming who waits for what, if they do not end.
  virtual void run(const std::function<void(int node, host::HardwarePort& port)>& program) = 0;

  /// Looks at a packet as it is sent, and may change it; false loses it.
  std::function<bool(model::GatePacket&)> tamper;
};

/// What the tests run on: the reference model (model_machine.cpp), or Verilated barrier interfaces
/// (tbi_machine.cpp), whichever is linked. The order in which things happen depends on `seed`.
std::unique_ptr<GateMachine> make_machine(const tofu::Shape& shape, unsigned seed);

/// Verilated ones with packets that take the ways of the latency model (tbi_machine.cpp only).
std::unique_ptr<GateMachine> make_timed_machine(const tofu::Shape& shape,
                                                const tofu::BarrierTiming& timing);

/// Whether a measured latency is the model's. Exactly, where no two packets come to a node in the
/// same cycle; which of them goes first is nobody's to say, and may add a packet's length.
inline bool as_the_model(tofu::Algorithm algorithm, int ranks, std::int64_t cycles,
                         const tofu::BarrierTiming& timing) {
  const auto model =
      latency(tofu::BarrierPattern(algorithm, ranks), tofu::Shape::for_nodes(ranks), timing);
  const bool alone =
      algorithm == tofu::Algorithm::DoubleRing ||
      (algorithm == tofu::Algorithm::RecursiveDoubling && (ranks & (ranks - 1)) == 0);
  const std::int64_t slack = alone ? 0 : 2 * timing.beats;
  return cycles >= model.cycles - slack && cycles <= model.cycles + slack;
}

/// Numbers of nodes that are not too many for it.
std::vector<int> sizes();

}  // namespace ht::test
