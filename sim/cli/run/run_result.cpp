// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ht::cli {

std::uint64_t RunResult::retransmissions() const {
  std::uint64_t sum = 0;
  for (const auto& link : links) sum += link.retransmitted;
  return sum;
}

std::uint64_t RunResult::replays() const {
  std::uint64_t sum = 0;
  for (const auto& link : links) sum += link.replayed;
  return sum;
}

std::size_t RunResult::checksum_mismatches() const {
  return static_cast<std::size_t>(
      std::count_if(links.begin(), links.end(),
                    [](const machine::LinkReport& l) { return !l.checksums_agree(); }));
}

bool RunResult::bit_exact() const {
  return !interrupted && !failed && words_compared > 0 && words_different == 0 &&
         checksum_mismatches() == 0 && errors.balanced() && errors.undetected == 0;
}

std::string RunResult::verdict() const {
  if (losses && !continued) return "lost";
  if (failed) return "failed";
  if (stopped) return "stopped";
  if (interrupted) return "interrupted";
  return bit_exact() ? "bit-exact" : "mismatch";
}

std::string RunResult::grounds() const {
  std::string text = fmt::format("{} of {} words of the solution differ from the functional run's",
                                 words_different, words_compared);
  if (!links.empty())
    text += fmt::format(", {} of {} link checksums disagree, {} errors undetected",
                        checksum_mismatches(), links.size(), errors.undetected);
  return text;
}

}  // namespace ht::cli
