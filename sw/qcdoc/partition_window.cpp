// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/partition_window.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {
namespace {

// In bits, which are cycles; see the wire format in rtl/qcdoc/README.md.
constexpr Picoseconds slot = 8;        // bytes of all links begin together
constexpr Picoseconds frame = 72;      // a word's: what may stand before a packet
constexpr Picoseconds packet = 16;     // header and code
constexpr Picoseconds bare = 8;        // an acknowledgement by itself
constexpr Picoseconds burst = 12 * 8;  // ten marks, resume number, request
constexpr Picoseconds retry = 64 * 8;  // until an unanswered request is repeated
constexpr Picoseconds pipeline = 16;   // registers at both ends and in between
constexpr int most_log2_ticks = 15;

}  // namespace

Picoseconds least_partition_window(int diameter, const PartitionTiming& timing) {
  if (diameter < 0)
    throw UsageError(fmt::format("a partition of a diameter of {} hops: at least 0", diameter));
  const Picoseconds hop = (slot + frame + packet + pipeline) * timing.bit + timing.cable;
  const Picoseconds answer = (slot + frame + bare + pipeline) * timing.bit + timing.cable;
  // The receiver asks, unheard once; the sender answers with marks, an interrupt goes first.
  const Picoseconds resend =
      (retry + 2 * (slot + frame + burst + pipeline) + packet) * timing.bit + 2 * timing.cable;
  return diameter * hop + (diameter > 0 ? answer + timing.resends * resend : 0) + timing.skew;
}

int least_partition_window_log2_ticks(int diameter, const PartitionTiming& timing) {
  const Picoseconds least = least_partition_window(diameter, timing);
  for (int n = 0; n <= most_log2_ticks; ++n) {
    if ((timing.tick << n) >= least) return n;
  }
  throw UsageError(
      fmt::format("a partition of a diameter of {} hops needs a window of {} ns, and 2^{} ticks of "
                  "{} ns are the longest",
                  diameter, least / 1000, most_log2_ticks, timing.tick / 1000));
}

}  // namespace ht::qcdoc
