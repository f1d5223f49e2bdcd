// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/tally.hpp"

#include <algorithm>
#include <numeric>

namespace ht::campaign {

const char* name(Class c) {
  constexpr std::array<const char*, kClasses> names = {
      "code",    "framing", "crc",      "command_crc", "gap",
      "timeout", "retrain", "harmless", "undetected",  "caught_by_checksum",
      "header",  "parity",  "marks",    "training",    "link_down",
      "passed",  "link"};
  return names[static_cast<std::size_t>(c)];
}

std::uint64_t Classes::total() const {
  return std::accumulate(count.begin(), count.end(), std::uint64_t{0});
}

Classes& Classes::operator+=(const Classes& other) {
  for (std::size_t i = 0; i < kClasses; ++i) count[i] += other.count[i];
  return *this;
}

// The order of runs does not matter.
Detection& Detection::operator+=(const Detection& other) {
  if (other.errors == 0) return *this;
  if (errors == 0 || other.longest > longest) longest_run = other.longest_run;
  if (errors > 0 && other.longest == longest)
    longest_run = std::min(longest_run, other.longest_run);
  errors += other.errors;
  sum += other.sum;
  longest = std::max(longest, other.longest);
  return *this;
}

Detection Tally::detection() const {
  Detection all;
  for (const Detection& d : noticed) all += d;
  return all;
}

Classes Tally::errors() const {
  Classes all;
  for (const Classes& c : by_kind) all += c;
  return all;
}

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t i = 0; i < sim::kErrorKinds; ++i) by_kind[i] += other.by_kind[i];
  for (std::size_t i = 0; i < sim::kErrorKinds; ++i) noticed[i] += other.noticed[i];
  for (const auto& [place, classes] : other.by_place) by_place[place] += classes;
  packets += other.packets;
  forced += other.forced;
  forced_delivered += other.forced_delivered;
  for (const auto& [counter, value] : other.counters) counters[counter] += value;
  return *this;
}

std::string upset_counter(bool memory, Upset fate) {
  constexpr std::array<const char*, kUpsets> names = {"harmless", "noticed", "unnoticed"};
  return std::string(memory ? "upsets of memories " : "upsets of registers ") +
         names[static_cast<std::size_t>(fate)];
}

std::uint64_t upsets(const Tally& tally, Upset fate) {
  std::uint64_t n = 0;
  for (const bool memory : {false, true}) {
    const auto it = tally.counters.find(upset_counter(memory, fate));
    if (it != tally.counters.end()) n += it->second;
  }
  return n;
}

}  // namespace ht::campaign
