// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sim/kernel/clock.hpp"

namespace ht::sim {

/// A node as the kernel sees it. All calls come from the node's own thread, or while no thread
/// runs.
class SimNode {
 public:
  virtual ~SimNode() = default;

  /// "node (1,0,0)" or the like.
  virtual std::string name() const = 0;

  /// Runs all clock edges and whatever else happens at times t with from <= t < to. Sends to and
  /// receives from its cables. Windows follow one another without gap. What it throws ends the run.
  virtual void run(Picoseconds from, Picoseconds to) = 0;

  /// True once the node's program has ended. (Its hardware goes on.)
  virtual bool finished() const = 0;

  /// Earliest time at which this node would do anything if no symbol arrives any more: its present
  /// time while it is busy, kNever if only an arrival can wake it. Must not depend on whether the
  /// node skips idle cycles. Symbols already queued in its cables are the kernel's business.
  virtual Picoseconds asleep_until() const = 0;

  /// Time of the hardware's next own event that is no progress: a keep-alive on a cable, a
  /// check whether the peer's have come. The node is run then, to the cycle, and nothing waits for
  /// it: a node that sleeps for ever but for these is idle.
  virtual Picoseconds next_housekeeping() const { return kNever; }

  /// Grows whenever the program gets something done (a blocking call returned, data were
  /// delivered). Polling and retransmissions are not progress.
  virtual std::uint64_t progress() const = 0;

  /// Grows whenever the program lets time pass between looks at something that it gives a time
  /// limit of its own, as links that train: no progress, and that limit is not the watchdog's.
  virtual std::uint64_t pauses() const { return 0; }

  /// End of the compute time being charged to the program, if it is in one; not taken for a
  /// standstill.
  virtual Picoseconds computing_until() const { return 0; }

  /// What the program waits for and since when, and the states of its links, for the watchdog's
  /// list; may have several lines.
  virtual std::string status() const = 0;

  /// True if it takes next to no time beside the others: threads get equal shares of those.
  virtual bool light() const { return false; }

  struct Cycles {
    std::uint64_t total = 0, skipped = 0;
  };
  /// Clock cycles passed so far, and how many of them were skipped as idle.
  virtual Cycles cycles() const { return {}; }
};

}  // namespace ht::sim
