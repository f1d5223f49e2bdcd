// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/packet_lines.hpp"

#include <cstring>
#include <utility>

#include "sw/qpace/driver.hpp"
#include "sw/qpace/driver_layout.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;

constexpr std::size_t head_bytes = 8;

std::uint32_t word_at(const std::byte* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::byte* line(std::byte* memory, std::uint32_t number) {
  return memory + number * line_bytes;
}

}  // namespace

std::size_t PacketLines::packet_bytes() const {
  return line_bytes - head_bytes;
}

PacketLines::PacketLines(host::HardwarePort& port, Registers registers, Picoseconds start_cost)
    : port_(port), registers_(std::move(registers)), start_cost_(start_cost) {}

void PacketLines::open(int link) {
  Link& l = at(link);
  std::byte* memory = l.memory;
  if (memory == nullptr)
    memory = static_cast<std::byte*>(
        port_.memory().allocate((credits + lines) * line_bytes, line_bytes));
  l = Link{};
  l.open = true;
  l.memory = memory;
  l.base = registers_.completed(link);
  registers_.write(nwp::base(unsigned_of(link), unsigned_of(packet_channel)), 0);
  post(link);
}

void PacketLines::post(int link) {
  Link& l = at(link);
  const std::uint64_t offset = *port_.memory().offset_of(line(l.memory, l.posted++ % credits));
  registers_.write(nwp::credit_offset(unsigned_of(link), unsigned_of(packet_channel)),
                   static_cast<std::uint32_t>(offset / line_bytes));
  registers_.write(nwp::credit_post(unsigned_of(link), unsigned_of(packet_channel)), 1);
}

// Where it would be written, nothing waits to leave.
bool PacketLines::can_write(int link) {
  const Link& l = at(link);
  return l.written < lines ||
         port_.posted_done(static_cast<unsigned>(link), l.tickets[l.written % lines]);
}

void PacketLines::write(int link, std::span<const std::byte> packet) {
  Link& l = at(link);
  const std::uint32_t slot = l.written++ % lines;
  std::byte* const to = line(l.memory, credits + slot);
  const auto length = static_cast<std::uint32_t>(packet.size());
  std::memset(to, 0, line_bytes);
  std::memcpy(to, &l.taken, sizeof l.taken);
  std::memcpy(to + sizeof l.taken, &length, sizeof length);
  if (length > 0) std::memcpy(to + head_bytes, packet.data(), length);
  l.told = l.taken;
  port_.advance(start_cost_);
  l.tickets[slot] =
      port_.post_write(static_cast<unsigned>(link),
                       static_cast<std::uint64_t>(link) << 25 | std::uint64_t{packet_channel} << 22,
                       *port_.memory().offset_of(to), line_bytes);
}

// All lines that came: what they report must not wait until the packets before are taken.
void PacketLines::look(int link) {
  Link& l = at(link);
  while (l.open && l.received != registers_.completed(link) - l.base) {
    const std::byte* const in = line(l.memory, l.received++ % credits);
    l.taken_there = word_at(in);
    const std::size_t length = word_at(in + sizeof l.taken);
    if (length > 0) l.waiting.emplace_back(in + head_bytes, in + head_bytes + length);
    while (l.posted - l.received < credits) post(link);
  }
}

bool PacketLines::try_send(qmp::Direction way, std::span<const std::byte> packet) {
  look(way);
  Link& l = at(way);
  if (!l.open || l.sent - l.taken_there >= window || !can_write(way)) return false;
  ++l.sent;
  write(way, packet);
  return true;
}

std::size_t PacketLines::try_receive(qmp::Direction from, std::span<std::byte> packet) {
  look(from);
  Link& l = at(from);
  if (l.waiting.empty()) return 0;
  const std::vector<std::byte> first = std::move(l.waiting.front());
  l.waiting.pop_front();
  ++l.taken;
  std::memcpy(packet.data(), first.data(), first.size());
  return first.size();
}

void PacketLines::flush() {
  for (int link = 0; link < static_cast<int>(links_.size()); ++link) {
    const Link& l = at(link);
    if (l.open && l.taken != l.told && can_write(link)) write(link, {});
  }
}

}  // namespace ht::qpace
