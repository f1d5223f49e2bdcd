// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_result.hpp"

#include <fmt/format.h>

namespace ht::cli {

bool RunResult::bit_exact() const {
  return !interrupted && !failed && words_compared > 0 && words_different == 0 && cables_good();
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
