// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/node/nwp_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ht::test {
namespace {

[[noreturn]] void fail(const OutBeat& beat, const std::string& what) {
  throw std::runtime_error(fmt::format("{} ps: beat at {:#x}: {}", beat.time, beat.address, what));
}

// 39 address bits, so 32 bits of lines.
std::uint64_t byte_address(std::uint32_t lines) {
  return static_cast<std::uint64_t>(lines) * 128;
}

}  // namespace

PutLine NwpReference::packet(int sender_link, int link, int vc, int offset, std::uint32_t seed) {
  Sent sent{link, vc, {offset, {}}};
  std::uint32_t x = seed * 2654435761U + next_number_;
  for (std::uint32_t& word : sent.packet.data) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    word = x;
  }
  sent.packet.data[0] = next_number_;
  channel(link, vc).packets.push_back(next_number_);
  sent_.emplace(next_number_, sent);
  ++next_number_;
  return {put_address(sender_link, vc, offset), sent.packet.data};
}

void NwpReference::credit(int link, int vc, std::uint32_t base, std::uint32_t local,
                          std::uint32_t packets) {
  channel(link, vc).credits.push_back({base + local, packets});
}

void NwpReference::check(const std::vector<OutBeat>& beats) {
  while (checked_ < beats.size()) {
    const OutBeat& beat = beats[checked_];
    if (beat.notify) {
      notification(beat);
      ++checked_;
    } else {
      if (beats.size() - checked_ < line_beats) return;
      line(&beats[checked_]);
      checked_ += line_beats;
    }
  }
}

void NwpReference::line(const OutBeat* beats) {
  if (notify_due_ >= 0) fail(*beats, "a line where a notification was due");
  const auto found = sent_.find(beats[0].data[0]);
  if (found == sent_.end()) fail(*beats, "a packet nobody sent");
  const Sent& sent = found->second;
  Channel& c = channel(sent.link, sent.vc);
  if (c.packets.empty() || c.packets.front() != found->first)
    fail(*beats, fmt::format("packet {} of link {} channel {} twice or out of order", found->first,
                             sent.link, sent.vc));
  if (c.credits.empty()) fail(*beats, "a packet without a credit");
  const std::uint64_t expected =
      byte_address(c.credits.front().destination + static_cast<std::uint32_t>(sent.packet.offset));
  if (beats[0].address != expected)
    fail(*beats,
         fmt::format("link {} channel {}: expected at {:#x}", sent.link, sent.vc, expected));
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint32_t got = beats[i / 4].data[i % 4];
    if (got != sent.packet.data[i])
      fail(beats[i / 4],
           fmt::format("word {}: expected {:#x}, got {:#x}", i, sent.packet.data[i], got));
  }
  c.packets.pop_front();
  if (--c.credits.front().left == 0) {
    c.credits.pop_front();
    ++c.completed;
    notify_due_ = sent.link * channels + sent.vc;
  }
  ++lines_;
  ++c.lines;
  ++lines_of_[static_cast<std::size_t>(sent.link)];
}

void NwpReference::notification(const OutBeat& beat) {
  if (notify_due_ < 0) fail(beat, "a notification that was not due");
  const int link = notify_due_ / channels;
  const int vc = notify_due_ % channels;
  const std::uint64_t expected = byte_address(notify_base_ + static_cast<std::uint32_t>(link)) +
                                 16 * static_cast<unsigned>(vc);
  if (beat.address != expected) fail(beat, fmt::format("notification expected at {:#x}", expected));
  const std::array<std::uint32_t, 4> data{
      channels_[static_cast<std::size_t>(notify_due_)].completed,
      static_cast<std::uint32_t>(link << 8 | vc), 0, 0};
  if (beat.data != data)
    fail(beat, fmt::format("notification of link {} channel {}: expected count {}, got {:#x} {:#x}",
                           link, vc, data[0], beat.data[0], beat.data[1]));
  notify_due_ = -1;
  ++notifications_;
}

bool NwpReference::idle(int link) const {
  const auto* first = &channels_[static_cast<std::size_t>(link * channels)];
  return notify_due_ < 0 &&
         std::all_of(first, first + channels, [](const Channel& c) { return c.packets.empty(); });
}

bool NwpReference::complete() const {
  return notify_due_ < 0 && std::all_of(channels_.begin(), channels_.end(), [](const Channel& c) {
           return c.packets.empty() && c.credits.empty();
         });
}

}  // namespace ht::test
