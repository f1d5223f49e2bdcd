// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cable_account.hpp"

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

}  // namespace ht::machine
