// SPDX-License-Identifier: Apache-2.0
// Messages: declared, started, complete.
#include "sw/qpace/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "sw/host/errors.hpp"
#include "sw/qpace/driver_layout.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;

constexpr std::uint64_t lines_of(std::uint64_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes;
}

constexpr std::uint64_t port_address(int link, int channel) {
  return static_cast<std::uint64_t>(link) << 25 | static_cast<std::uint64_t>(channel) << 22;
}

constexpr std::size_t notify_slot(int link, int channel) {
  return 16 * static_cast<std::size_t>(8 * link + channel);
}

}  // namespace

Driver::Driver(host::HardwarePort& port, Place place, DriverOptions options)
    : MessageDriver(port, {.memory_unit = line_bytes,
                           .message_unit = line_bytes,
                           .start_cost = options.start_cost,
                           .poll_cost = options.poll_cost,
                           .copy_bytes_per_us = options.copy_bytes_per_us,
                           .guard_receives = options.guard_receives}),
      place_(std::move(place)),
      options_(options),
      registers_(
          port, [this] { return name(); }, error_registers()) {
  if (place_.shape.empty() || place_.shape.size() > 3)
    throw UsageError(
        fmt::format("QPACE is a torus of 1 to 3 axes, not {}; put further axes inside "
                    "the node",
                    place_.shape.size()));
}

Driver::~Driver() = default;

std::string Driver::description() const {
  return fmt::format("QPACE torus {}", fmt::join(place_.shape, "x"));
}

std::string Driver::name() const {
  return fmt::format("node {}", place_.node);
}

Message Driver::address(qmp::Direction direction, qmp::Channel channel, bool send) {
  if (direction < 0 || direction >= 2 * static_cast<int>(place_.shape.size()))
    throw UsageError(fmt::format("node {}: direction {} on a torus of {} axes", place_.node,
                                 direction, place_.shape.size()));
  Message m;
  m.send = send;
  m.link = direction;
  m.channel = channel;
  m.far_end = fmt::format("{}, channel {}", link_name(direction), static_cast<int>(channel));
  return m;
}

void Driver::launch(qmp::MessageId, Message& m) {
  const std::uint64_t lines = lines_of(m.bytes);
  const std::size_t parts = parts_of(m.channel, lines, slot_lines_);
  if (m.send) {
    post_parts(m, lines, parts);
    return;
  }
  m.awaited.clear();
  for (std::size_t p = 0; p < parts; ++p) {
    const Part part = part_of(m.channel, lines, p, parts);
    ChannelState& channel = state_of(m.link, part.channel);
    for (std::uint64_t line = 0; line < part.lines; line += piece_lines) {
      channel.unposted.push_back(
          {static_cast<std::uint32_t>(m.offset / line_bytes + part.first + line),
           static_cast<std::uint32_t>(std::min(piece_lines, part.lines - line))});
      ++channel.queued;
    }
    m.awaited.push_back({part.channel, channel.queued});
    post_credits(m.link, part.channel);
  }
}

// One put if all goes over one channel; else one a line, the channels in turn.
void Driver::post_parts(Message& m, std::uint64_t lines, std::size_t parts) {
  const std::uint64_t step = parts == 1 ? piece_lines : 1;
  const std::uint64_t longest = part_of(m.channel, lines, 0, parts).lines;
  for (std::uint64_t line = 0; line < longest; line += step) {
    for (std::size_t p = 0; p < parts; ++p) {
      const Part part = part_of(m.channel, lines, p, parts);
      if (line >= part.lines) continue;
      m.ticket =
          port_.post_write(static_cast<unsigned>(m.link),
                           port_address(m.link, part.channel) + line % piece_lines * line_bytes,
                           m.offset + (part.first + line) * line_bytes,
                           std::min(step, part.lines - line) * line_bytes);
    }
  }
}

std::uint32_t Driver::completed(int link, int channel) {
  std::uint32_t count = 0;
  std::memcpy(&count, notify_ + notify_slot(link, channel), sizeof count);
  return count;
}

// Hands the hardware as many credits as its queue takes; the rest follows as messages complete.
void Driver::post_credits(int link, int channel) {
  ChannelState& c = state_of(link, channel);
  while (!c.unposted.empty() && c.posted - completed(link, channel) < credit_depth_) {
    const Credit credit = c.unposted.front();
    c.unposted.pop_front();
    ++c.posted;
    write(nwp::credit_offset(unsigned_of(link), unsigned_of(channel)), credit.local_offset);
    write(nwp::credit_post(unsigned_of(link), unsigned_of(channel)), credit.packets);
  }
}

bool Driver::received(const Message& m) {
  // Counts wrap after 2^32 messages, so compare by difference.
  return std::all_of(m.awaited.begin(), m.awaited.end(), [&](const Message::Awaited& a) {
    return static_cast<std::int32_t>(completed(m.link, a.channel) - a.last_credit) >= 0;
  });
}

// The hardware compares a credit with those queued in its channel; what it cannot see is a receive
// into memory that another channel writes, or that still waits in the driver.
void Driver::check_start(const Message& m) {
  if (m.send) return;
  for (const auto& [id, other] : messages_) {
    if (&other == &m || other.send || !other.started || received(other)) continue;
    if (std::less<>()(m.buffer, other.buffer + other.bytes) &&
        std::less<>()(other.buffer, m.buffer + m.bytes))
      throw ProtocolError(fmt::format(
          "node {}: link {}, channel {}: a receive of {} bytes overlaps one of {} bytes in flight "
          "on link {}, channel {}; wait for that one first, or give each a buffer of its own",
          place_.node, link_name(m.link), static_cast<int>(m.channel), m.bytes, other.bytes,
          link_name(other.link), static_cast<int>(other.channel)));
  }
}

bool Driver::landed(const Message& m) {
  return m.send ? port_.posted_done(static_cast<unsigned>(m.link), m.ticket) : received(m);
}

void Driver::look(const Message& m) {
  for (const Message::Awaited& a : m.awaited) post_credits(m.link, a.channel);
  check_hardware();
}

// A waiting program keeps all its receives supplied with credits, not just one.
void Driver::progress() {
  for (int link = 0; link < links; ++link) {
    for (const int channel : used_channels) post_credits(link, channel);
  }
  check_hardware();
}

}  // namespace ht::qpace
