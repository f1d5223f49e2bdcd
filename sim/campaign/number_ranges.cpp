// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/number_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "sw/host/errors.hpp"

namespace ht::campaign {
namespace {

// Beyond what any campaign counts: sums of two stay within 64 bits.
constexpr std::uint64_t most = 1'000'000'000'000;

// Digits and nothing else; moves `at` behind them.
bool read(const char*& at, const char* end, std::uint64_t& number) {
  if (at == end || *at < '0' || *at > '9') return false;
  const auto [next, error] = std::from_chars(at, end, number);
  at = next;
  return error == std::errc{} && number < most;
}

}  // namespace

NumberRanges::NumberRanges(const std::vector<std::size_t>& numbers) {
  for (const std::size_t n : numbers) add(n);
}

NumberRanges NumberRanges::parse(const std::string& option, const std::string& text) {
  NumberRanges set;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint64_t first = 0;
    bool good = read(at, end, first);
    std::uint64_t last = first;
    if (good && at != end && *at == '-') good = read(++at, end, last) && first <= last;
    if (good && at != end) good = *at++ == ',' && at != end;
    if (!good)
      throw UsageError(
          fmt::format("{} {}: write numbers and ranges of them, as in 0,3,17-220", option, text));
    const std::uint64_t before = set.size();
    set.add(first, last);
    if (set.size() != before + (last - first + 1))
      throw UsageError(fmt::format("{} {}: it names numbers of {}-{} twice; write each once",
                                   option, text, first, last));
  }
  return set;
}

void NumberRanges::add(std::uint64_t first, std::uint64_t last) {
  auto it = ranges_.upper_bound(first);
  if (it != ranges_.begin() && std::prev(it)->second + 1 >= first) --it;
  while (it != ranges_.end() && it->first <= last + 1) {
    first = std::min(first, it->first);
    last = std::max(last, it->second);
    it = ranges_.erase(it);
  }
  ranges_.emplace(first, last);
}

bool NumberRanges::contains(std::uint64_t number) const {
  const auto it = ranges_.upper_bound(number);
  return it != ranges_.begin() && std::prev(it)->second >= number;
}

std::uint64_t NumberRanges::size() const {
  std::uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += last - first + 1;
  return count;
}

std::string NumberRanges::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace ht::campaign
