// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cable_account.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ht::machine {

std::uint64_t CableAccount::retransmissions() const {
  std::uint64_t sum = 0;
  for (const LinkReport& link : links) sum += link.retransmitted;
  return sum;
}

std::uint64_t CableAccount::replays() const {
  std::uint64_t sum = 0;
  for (const LinkReport& link : links) sum += link.replayed;
  return sum;
}

std::size_t CableAccount::checksum_mismatches() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(links, [](const LinkReport& link) { return !link.checksums_agree(); }));
}

bool CableAccount::cables_good() const {
  return checksum_mismatches() == 0 && errors.balanced() && errors.undetected == 0;
}

std::vector<std::string> CableAccount::cable_faults() const {
  std::vector<std::string> lines;
  for (const std::string& error : undetected) lines.push_back("went undetected: " + error);
  for (const LinkReport& l : links) {
    if (!l.checksums_agree())
      lines.push_back(
          fmt::format("checksums disagree: node {} {} to node {}, {:08x} sent, {:08x} received",
                      l.from, l.name, l.to, l.tx_checksum, l.rx_checksum));
  }
  constexpr std::size_t most = 8;
  if (lines.size() > most) {
    const std::size_t more = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("and {} more, which --json lists", more));
  }
  return lines;
}

}  // namespace ht::machine
