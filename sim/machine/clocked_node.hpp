// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sim/kernel/clock.hpp"
#include "sim/machine/program_node.hpp"

namespace ht::machine {

/// A node of one clock, at whose every edge its hardware takes a step. Edges at which nothing can
/// change are left out. A node of several clocks has a run() of its own.
class ClockedNode : public ProgramNode {
 public:
  void run(Picoseconds from, Picoseconds to) override;
  Picoseconds asleep_until() const override;

  sim::Clock clock() const { return clock_; }

 protected:
  /// `idle_period`: what rests returns to its state after so many edges; edges are left out in
  /// multiples of it, if `skip_idle`. Throws UsageError for a clock that cannot be.
  ClockedNode(int rank, std::size_t memory_bytes, const Traits& traits, const sim::Clock& clock,
              int idle_period, bool skip_idle);

  /// The hardware at edge edge_, at time now_.
  virtual void step() = 0;
  /// With nothing on its inputs but what idle cables bring, the hardware stays as it is.
  virtual bool rests() const = 0;
  /// The next symbol of a cable that has to be taken, or kNever.
  virtual Picoseconds next_arrival() const = 0;
  /// Edges were left out: nothing changes before `until`, the time of the next one.
  virtual void rested(Picoseconds /*until*/) {}

  const sim::Clock clock_;
  std::int64_t edge_ = 0;  ///< number of the next one

 private:
  void skip_to(Picoseconds target);

  int idle_period_;
  bool skip_idle_;
};

}  // namespace ht::machine
