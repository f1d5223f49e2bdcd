// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/partition_window.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {
namespace {

// In bits, which are cycles; see the wire format in rtl/qcdoc/README.md.
constexpr Picoseconds slot = 8;  // bytes of all links begin together
constexpr Picoseconds frame =
    13 * 8;  // a supervisor word's, with its idle bytes: what may stand before a packet
constexpr Picoseconds packet = 24;   // header, code and check byte
constexpr Picoseconds sure = 3 * 8;  // idle bytes after it
constexpr Picoseconds belief =
    3 * 72 + frame;  // headers after an acknowledgement: of words, one supervisor word's
constexpr Picoseconds bare = 8;         // an acknowledgement by itself
constexpr Picoseconds burst = 15 * 8;   // ten marks, record
constexpr Picoseconds retry = 192 * 8;  // until an unanswered record is repeated
constexpr Picoseconds pipeline = 16;    // registers at both ends and in between
constexpr int most_log2_ticks = 15;

}  // namespace

Picoseconds least_partition_window(int diameter, const PartitionTiming& timing) {
  if (diameter < 0)
    throw UsageError(fmt::format("a partition of a diameter of {} hops: at least 0", diameter));
  const Picoseconds hop = (slot + frame + packet + sure + pipeline) * timing.bit + timing.cable;
  const Picoseconds answer = (slot + frame + bare + belief + pipeline) * timing.bit + timing.cable;
  // The receiver asks, unheard once; the sender answers with marks, an interrupt goes first.
  const Picoseconds resend =
      (retry + 2 * (slot + frame + burst + pipeline) + packet + sure) * timing.bit +
      2 * timing.cable;
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
