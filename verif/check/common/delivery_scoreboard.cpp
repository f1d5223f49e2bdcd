// SPDX-License-Identifier: Apache-2.0
#include "verif/check/common/delivery_scoreboard.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ht::check {
namespace {

std::size_t hash(std::span<const std::byte> content) {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(content.data()), content.size()});
}

}  // namespace

const char* name(DeliveryScoreboard::Kind kind) {
  constexpr std::array<const char*, 6> names = {"delivered", "lost",       "doubled",
                                                "altered",   "misordered", "misrouted"};
  return names[static_cast<std::size_t>(kind)];
}

Deliveries& Deliveries::operator+=(const Deliveries& other) {
  sent += other.sent;
  delivered += other.delivered;
  lost += other.lost;
  doubled += other.doubled;
  altered += other.altered;
  misordered += other.misordered;
  misrouted += other.misrouted;
  return *this;
}

std::size_t DeliveryScoreboard::sent(std::size_t flow, std::uint64_t place,
                                     std::span<const std::byte> content) {
  const std::size_t number = packets_.size();
  flows_.at(flow).waiting.push_back(number);
  packets_.push_back({flow, place, {content.begin(), content.end()}, false});
  by_content_.emplace(hash(content), number);
  ++counts_.sent;
  return number;
}

DeliveryScoreboard::Kind DeliveryScoreboard::trouble(Kind kind, std::uint64_t& count,
                                                     std::size_t flow, std::size_t packet) {
  ++count;
  troubles_.push_back({kind, flow, packet});
  return kind;
}

// Of several packets of this content the first that has not arrived, on this flow if possible.
std::size_t DeliveryScoreboard::find(std::size_t flow, std::span<const std::byte> content) const {
  std::size_t best = kUnknown;
  const auto rank = [&](std::size_t p) {
    return (packets_[p].arrived ? 2 : 0) + (packets_[p].flow == flow ? 0 : 1);
  };
  const auto [first, last] = by_content_.equal_range(hash(content));
  for (auto it = first; it != last; ++it) {
    const std::size_t p = it->second;
    if (!std::ranges::equal(packets_[p].content, content)) continue;
    if (best == kUnknown || rank(p) < rank(best) || (rank(p) == rank(best) && p < best)) best = p;
  }
  return best;
}

DeliveryScoreboard::Kind DeliveryScoreboard::arrived(std::size_t flow, std::uint64_t place,
                                                     std::span<const std::byte> content) {
  const bool known = flow < flows_.size();
  std::deque<std::size_t>* waiting = known ? &flows_[flow].waiting : nullptr;
  // What came early, or elsewhere, is not waited for any more.
  while (known && !waiting->empty() && packets_[waiting->front()].arrived) waiting->pop_front();
  const std::size_t p = find(flow, content);
  if (p == kUnknown) {
    std::size_t instead = kUnknown;
    if (known && !waiting->empty()) {
      instead = waiting->front();
      packets_[instead].arrived = true;
    }
    return trouble(Kind::Altered, counts_.altered, flow, instead);
  }
  if (packets_[p].arrived) return trouble(Kind::Doubled, counts_.doubled, flow, p);
  packets_[p].arrived = true;
  if (!known || packets_[p].flow != flow || packets_[p].place != place)
    return trouble(Kind::Misrouted, counts_.misrouted, flow, p);
  if (waiting->front() != p) return trouble(Kind::Misordered, counts_.misordered, flow, p);
  waiting->pop_front();
  ++flows_[flow].delivered;
  ++counts_.delivered;
  return Kind::Delivered;
}

void DeliveryScoreboard::close() {
  for (std::size_t p = 0; p < packets_.size(); ++p) {
    if (packets_[p].arrived) continue;
    packets_[p].arrived = true;
    trouble(Kind::Lost, counts_.lost, packets_[p].flow, p);
  }
}

}  // namespace ht::check
