// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/qmp/functional_torus.hpp"

namespace ht::qmp {

/// How the functional network keeps time, and what a node has. The times make no claim: they are
/// round numbers near those of real machines, so that overlap and latency show in the right order
/// of magnitude.
struct FunctionalOptions {
  Picoseconds latency = 500'000;     ///< of every hop, from the last byte out to the last byte in
  std::int64_t bytes_per_us = 1000;  ///< of a cable, each direction
  Picoseconds start_cost = 50'000;   ///< of starting a message
  Picoseconds poll_cost = 20'000;    ///< of asking in vain whether one is complete
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< a node; what is not touched costs nothing
  std::size_t stack_bytes = host::Fibre::default_stack_bytes;
  /// Seconds of this process' processor time, for each node that can go on, in which something must
  /// make progress: programs may poll memory for ever. 0: no limit.
  double processor_timeout = 0;
  bool routed = true;  ///< any-to-any messages, besides those to neighbours
  /// Before every node's turn; what it throws ends run().
  std::function<void()> on_turn = {};
};

/// A torus without any hardware: a Transport for each node, and their programs as fibres that take
/// turns on the calling thread, always in the same order. What the programs compute over a machine
/// must equal what they compute here.
///
/// * A message moves when both its ends have started; only then is its send complete. Programs that
///   rely on a network's buffers stop here, with an error.
/// * Simulated time: every node has its own clock; a message leaves when both its sender and the
///   cable are free, and arrives after its length over the rate plus the latency; messages of one
///   cable take it in the order in which their ends met. wait() moves the receiver's clock on.
class FunctionalMachine final : public FunctionalTorus {
 public:
  /// 1 to 6 axes. Throws UsageError for another number, a length below 1, or more nodes than a
  /// process can have stacks for.
  explicit FunctionalMachine(std::vector<int> shape, FunctionalOptions options = {});

  int nodes() const { return nodes_; }

  /// Runs `program` on every node of a machine fresh from the factory; exit codes by rank.
  ///
  /// Throws TimeoutError, with a list of who waits for what, when no node can go on; ProtocolError,
  /// naming both ends, when a message's lengths differ. If programs throw, the others get one more
  /// turn; then the first of them, by rank, is reported as an exception of the same type (if it is
  /// one of errors.hpp, or AbortError) whose message names the nodes that failed.
  std::vector<int> run(const Program& program) override;

  /// The same for an ordinary QMP main(); argv[0] is arguments[0].
  std::vector<int> run_main(int (*main)(int, char**), std::span<const std::string> arguments = {});

  Picoseconds elapsed() const override { return elapsed_; }

 private:
  std::vector<int> shape_;
  FunctionalOptions options_;
  int nodes_ = 1;
  Picoseconds elapsed_ = 0;
};

}  // namespace ht::qmp
