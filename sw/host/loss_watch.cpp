// SPDX-License-Identifier: Apache-2.0
#include "sw/host/loss_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ht::host {
namespace {
constexpr std::size_t most_links = 32;
/// In place of the time since which a link is missing.
constexpr Picoseconds unknown = -1, was_up = -2;
}  // namespace

LossWatch::LossWatch(HardwarePort& port, int node, LossProbe& probe,
                     std::function<std::uint64_t()> progress, LossTimes times)
    : port_(port),
      node_(node),
      probe_(probe),
      progress_(std::move(progress)),
      times_(times),
      missing_since_(most_links, unknown),
      last_progress_(progress_()),
      progress_time_(port.now()) {}

void LossWatch::add(const SilentLink& link) {
  const auto at = std::lower_bound(silent_.begin(), silent_.end(), link);
  if (at == silent_.end() || *at != link) silent_.insert(at, link);
}

// A link that was up once counts as enabled: one that gave up is disabled by the hardware.
void LossWatch::look_at_links() {
  const std::uint32_t enabled = probe_.enabled_links(), up = probe_.links_up();
  for (std::size_t link = 0; link < most_links; ++link) {
    Picoseconds& since = missing_since_[link];
    if ((up >> link & 1U) != 0) {
      since = was_up;
    } else if (since == unknown && (enabled >> link & 1U) == 0) {
      continue;
    } else if (since < 0) {
      since = port_.now();
    } else if (port_.now() - since >= times_.silent) {
      add({node_, static_cast<int>(link)});
    }
  }
}

void LossWatch::look() {
  for (const SilentLink& link : probe_.heard()) add(link);
  look_at_links();
  if (!silent_.empty())
    throw LossNotice(fmt::format("node {}: a part of the machine is gone", node_));
  if (const std::uint64_t progress = progress_(); progress != last_progress_) {
    last_progress_ = progress;
    progress_time_ = port_.now();
  }
  if (port_.now() - progress_time_ > times_.patience)
    throw LossNotice(
        fmt::format("node {}: nothing has come for {} us", node_, times_.patience / 1'000'000));
}

void LossWatch::leave() {
  const std::uint32_t enabled = probe_.enabled_links();
  for (std::size_t link = 0; link < most_links; ++link) {
    if ((enabled >> link & 1U) != 0) probe_.leave(static_cast<int>(link));
  }
}

LossStatement LossWatch::farewell(std::string why) {
  const Picoseconds end = port_.now() + times_.farewell;
  std::size_t turn = 0;
  while (port_.now() < end) {
    // The hardware is in trouble: what it refuses now changes nothing.
    try {
      for (const SilentLink& link : probe_.heard()) add(link);
      look_at_links();
      if (!silent_.empty()) probe_.tell(silent_[turn++ % silent_.size()]);
    } catch (const std::exception&) {
    }
    port_.advance(times_.between_tells);
  }
  return {port_.now(), silent_, std::move(why)};
}

}  // namespace ht::host
