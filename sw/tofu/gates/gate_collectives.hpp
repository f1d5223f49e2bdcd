// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/gates/barrier_pattern.hpp"

namespace ht::tofu {

/// Group of the gates of a job; `use` distinguishes up to four uses of gates by one job.
constexpr std::uint8_t gate_group(int job, int use) {
  return static_cast<std::uint8_t>(4 * job + use);
}

/// Collective operations of a fixed set of nodes over one pattern of barrier gates: what a
/// message-passing library needs of them. One per node; calls block. Every node calls the same
/// operations in the same order.
///
/// A rank's gate 0 is the channel's, its gate g > 0 is `first_gate` + g - 1, at all nodes: so
/// which gates were given out need not be exchanged. All nodes must have made theirs before
/// any calls an operation: Transport::bring_up() sees to that.
class GateCollectives {
 public:
  struct Options {
    Algorithm algorithm = Algorithm::RecursiveDoubling;
    int channel = 1;
    int first_gate = channels_per_node;
    std::uint8_t group = 1;
    /// Paths from rank to rank, where not to the destination's own A, B, C.
    std::function<std::array<int, 3>(int from, int to)> path = {};
  };

  /// `ranks`: the node of each. Throws UsageError if there is no such rank, or the pattern needs
  /// more gates than there are from `first_gate` on.
  GateCollectives(BarrierInterface& interface, std::vector<Coordinates> ranks, int rank,
                  Options options);
  GateCollectives(BarrierInterface& interface, std::vector<Coordinates> ranks, int rank)
      : GateCollectives(interface, std::move(ranks), rank, Options{}) {}

  int gates() const { return static_cast<int>(used_.size()); }

  void barrier();
  /// And, Or, Xor, Max or Sum of 64-bit integers; all get the result.
  std::uint64_t reduce(GateOperation operation, std::uint64_t word);
  /// Whether all, or any, of the nodes say so.
  bool all(bool mine) { return reduce(GateOperation::And, mine ? 1 : 0) != 0; }
  bool any(bool mine) { return reduce(GateOperation::Or, mine ? 1 : 0) != 0; }
  /// Sum of doubles: the same bits whatever the pattern, the number of nodes and their order.
  double sum(double x);
  /// The same in two halves: the gates go on while the program does something else.
  void start_sum(double x);
  double finish_sum();
  /// Merges states of sums (model::OrderIndependentSum::Bytes), to be rounded by the caller.
  void sum(StateBytes& state);
  /// The root's bytes for everybody, 40 an operation.
  void broadcast(int root, void* bytes, std::size_t count);

  /// Frees the gates. Not done by the destructor, which must not wait for registers.
  void release();

 private:
  GateResult finish(const char* what);

  BarrierInterface& interface_;
  int rank_, ranks_;
  int channel_;
  std::vector<int> used_;
  double alone_ = 0;  ///< the sum of one rank
};

}  // namespace ht::tofu
