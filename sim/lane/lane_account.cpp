// SPDX-License-Identifier: Apache-2.0
#include "sim/lane/lane_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ht::sim::lanes {
namespace {

/// Words kept: many times what is under way in lanes and on a cable, with the longest frame.
constexpr std::size_t kWords = 4096;

}  // namespace

void LaneAccount::sent(const Word& word) {
  if (word == idle_) return;
  sent_.push_back(word);
  if (sent_.size() <= kWords) return;
  sent_.pop_front();
  ++first_;
}

void LaneAccount::injected(std::size_t number, Picoseconds from, Picoseconds until) {
  const auto same = std::find_if(open_.rbegin(), open_.rend(),
                                 [number](const Open& o) { return o.number == number; });
  if (same == open_.rend())
    open_.push_back({number, from, until});
  else
    same->until = std::max(same->until, until);
}

void LaneAccount::received(std::int64_t edge, const Word& word) {
  if (word == idle_) return;
  got_.push_back({edge, word});
  if (got_.size() > kWords) got_.pop_front();
}

// All open errors may have done what is seen at that edge.
void LaneAccount::show(std::int64_t edge, Picoseconds now) {
  std::erase_if(open_, [&](const Open& o) { return o.until < now; });
  for (const Open& o : open_) {
    if (o.from <= now) ledger_.changed(o.number, edge);
  }
}

void LaneAccount::bad(std::int64_t edge, Picoseconds now) {
  show(edge, now);
  Observation seen;
  seen.error = true;
  seen.complaint = Complaint::Code;
  ledger_.observe(edge, seen);
}

void LaneAccount::show_accepted(std::int64_t edge, Picoseconds now) {
  const auto last = std::find_if(open_.rbegin(), open_.rend(),
                                 [&](const Open& o) { return o.from <= now && now <= o.until; });
  if (last == open_.rend())
    throw std::logic_error(
        fmt::format("{}: at edge {} the link accepted words that were not sent, and no injected "
                    "error answers for it",
                    ledger_.cable(), edge));
  ledger_.changed(last->number, edge);
}

// Whether what came at these edges is found among what was sent, not before `next`, which is then
// what follows it.
bool LaneAccount::was_sent(std::int64_t from, std::int64_t to, std::uint64_t& next,
                           bool (*same)(const Word& sent, const Word& got)) {
  const auto begin = std::lower_bound(got_.begin(), got_.end(), from,
                                      [](const Got& g, std::int64_t e) { return g.edge < e; });
  const auto end = std::upper_bound(got_.begin(), got_.end(), to,
                                    [](std::int64_t e, const Got& g) { return e < g.edge; });
  if (begin == end) return false;
  const auto from_word =
      sent_.begin() + static_cast<std::ptrdiff_t>(std::max(next, first_) - first_);
  const auto found =
      std::search(from_word, sent_.end(), begin, end,
                  [same](const Word& word, const Got& g) { return same(word, g.word); });
  if (found == sent_.end()) return false;
  next = first_ + static_cast<std::uint64_t>(found - sent_.begin() + (end - begin));
  return true;
}

void LaneAccount::observe(std::int64_t edge, Picoseconds now, const Observation& seen) {
  if (seen.start) start_ = edge;
  if (seen.error) show(edge, now);
  if (seen.command && !was_sent(edge, edge, next_command_, parts_.command))
    show_accepted(edge, now);
  if (seen.ok && !was_sent(start_ < 0 ? edge : start_, edge, next_frame_, parts_.frame))
    show_accepted(edge, now);
  if (seen.ok || seen.command) start_ = -1;
  ledger_.observe(edge, seen);
  const std::int64_t needed = start_ < 0 ? edge : start_;
  while (!got_.empty() && got_.front().edge < needed) got_.pop_front();
}

}  // namespace ht::sim::lanes
