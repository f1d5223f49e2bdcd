// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/time.hpp"

namespace ht::qcdoc {

/// What decides how long a window of partition interrupts has to be.
struct PartitionTiming {
  Picoseconds bit = 2'000;     ///< of the serial links, and a cycle of the unit
  Picoseconds cable = 20'000;  ///< the longest in the partition
  Picoseconds tick = 25'000;   ///< of the global clock: "around 40 MHz" ([QCDOC2004] section 2.4)
  /// Between the earliest and the latest node's tick.
  Picoseconds skew = 25'000;
  /// Packets on one way through the partition that an error on a wire may hit.
  int resends = 1;
};

/// "This global clock period is set so that during the transmit window, any node that sets an
/// interrupt will know it has been received by all other nodes" ([QCDOC2004] section 2.2): the
/// least length of a window, in ps, of a partition of that diameter (hops):
///
///   diameter hops, each behind a frame that has begun
///   + the acknowledgement of the last one
///   + resends, each with both bursts of marks and a request that is repeated
///   + skew
///
/// A retraining within a window (1024 bytes without alignment) is not covered: it is reported as
/// late. Throws UsageError for a diameter below 0.
Picoseconds least_partition_window(int diameter, const PartitionTiming& timing = {});

/// The least n so that windows of 2^n ticks are as long as that: what the register takes. Throws
/// UsageError if there is none (15 at most).
int least_partition_window_log2_ticks(int diameter, const PartitionTiming& timing = {});

}  // namespace ht::qcdoc
