// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sw/host/errors.hpp"

namespace ht::grid {
namespace {

// Registers of a link (README.md); a queue of messages has two, where and how many frames.
enum Register : unsigned { control = 1, status = 2, timeout = 3, messages = 4, counters = 16 };
constexpr std::uint32_t state_mask = 3, state_up = 2;
constexpr unsigned active_shift = 4;

std::uint32_t address_of(std::size_t link, unsigned reg) {
  return static_cast<std::uint32_t>(32 * link) + reg;
}
std::size_t lines_of(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes;
}
std::size_t queue_of(bool receives, int channel) {
  return (receives ? 2U : 0U) + static_cast<std::size_t>(channel);
}

}  // namespace

Driver::Driver(host::HardwarePort& port, Place place, DriverOptions options)
    : port_(port),
      place_(std::move(place)),
      options_(options),
      messages_([this] { return fmt::format("node {}", place_.rank); }) {}

std::string Driver::description() const {
  return fmt::format("Grid torus {}", fmt::join(place_.shape, "x"));
}

void Driver::bring_up() {
  for (std::size_t link = 0; link < links; ++link) {
    port_.write_register(address_of(link, timeout), options_.ack_timeout);
    port_.write_register(address_of(link, control), options_.session << 8 | 1);
  }
  const Picoseconds end = port_.now() + options_.link_up_timeout;
  for (std::size_t link = 0; link < links; ++link) {
    while ((port_.read_register(address_of(link, status)) & state_mask) != state_up) {
      if (port_.now() > end)
        throw TimeoutError(fmt::format(
            "node {}: link {}{} did not come up; {} frames of another version or session",
            place_.rank, "+-"[link % 2], "xy"[link / 2],
            read_counters(static_cast<int>(link)).strangers));
      port_.advance(1'000'000);
    }
  }
}

LinkCounters Driver::read_counters(int link) {
  std::array<std::uint32_t, sizeof(LinkCounters) / 4> values;
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = port_.read_register(address_of(static_cast<std::size_t>(link), counters + i));
  return std::bit_cast<LinkCounters>(values);
}

void* Driver::allocate(std::size_t bytes, std::size_t alignment) {
  // Whole lines, so that no other allocation shares a line that a link writes.
  return port_.memory().allocate(lines_of(bytes) * line_bytes, std::max(alignment, line_bytes));
}

qmp::MessageId Driver::declare_send(qmp::Direction direction, qmp::Channel channel,
                                    const void* buffer, std::size_t bytes) {
  // Never written through: a send's buffer is only read.
  auto* const read = static_cast<std::byte*>(const_cast<void*>(buffer));
  return declare({false, direction, static_cast<int>(channel), read, bytes});
}

qmp::MessageId Driver::declare_receive(qmp::Direction direction, qmp::Channel channel, void* buffer,
                                       std::size_t bytes) {
  return declare(
      {true, direction, static_cast<int>(channel), static_cast<std::byte*>(buffer), bytes});
}

qmp::MessageId Driver::declare(Message m) {
  if (m.link < 0 || m.link >= 2 * static_cast<int>(place_.shape.size()) || m.bytes == 0)
    throw UsageError(fmt::format("node {}: a message of {} bytes in direction {}", place_.rank,
                                 m.bytes, m.link));
  const auto offset = port_.memory().offset_of(m.buffer, m.bytes);
  if (offset && *offset % line_bytes == 0 && m.bytes % line_bytes == 0) {
    m.offset = *offset;
  } else {
    m.bounce = static_cast<std::byte*>(allocate(m.bytes, line_bytes));
    m.offset = *port_.memory().offset_of(m.bounce);
  }
  m.waiting_for =
      fmt::format("{} {} bytes, link {}{}, channel {}", m.receives ? "receiving" : "sending",
                  m.bytes, "+-"[m.link % 2], "xy"[m.link / 2], m.channel);
  return messages_.add(std::move(m));
}

void Driver::undeclare(qmp::MessageId id) {
  progress();
  const Message& m = messages_.at(id);
  if (m.started) messages_.in_flight("freed", m.waiting_for);
  if (m.bounce != nullptr) release(m.bounce);
  messages_.remove(id);
}

void Driver::start(qmp::MessageId id) {
  Message& m = messages_.at(id);
  if (m.started) progress();
  if (m.started) messages_.in_flight("started again", m.waiting_for);
  port_.advance(options_.start_cost);
  if (m.bounce != nullptr && !m.receives) {
    std::memcpy(m.bounce, m.buffer, m.bytes);
    charge_copy(m.bytes);
  }
  m.started = true;
  auto& queue = queues_[static_cast<std::size_t>(m.link)][queue_of(m.receives, m.channel)];
  queue.push_back(&m);
  if (queue.size() == 1) launch(m);
}

void Driver::launch(const Message& m) {
  const auto queue = static_cast<unsigned>(queue_of(m.receives, m.channel));
  const std::uint32_t line = address_of(static_cast<std::size_t>(m.link), messages + 2 * queue);
  port_.write_register(line, static_cast<std::uint32_t>(m.offset / line_bytes));
  port_.write_register(line + 1, static_cast<std::uint32_t>(lines_of(m.bytes)));
}

// Ends messages that links are done with, and gives them the next ones.
void Driver::progress() {
  for (std::size_t link = 0; link < links; ++link) {
    Queues& queues = queues_[link];
    if (std::ranges::all_of(queues, [](const auto& queue) { return queue.empty(); })) continue;
    const std::uint32_t active = port_.read_register(address_of(link, status)) >> active_shift;
    for (std::size_t i = 0; i < queues.size(); ++i) {
      if (queues[i].empty() || (active >> i & 1) != 0) continue;
      Message& m = *queues[i].front();
      queues[i].pop_front();
      if (!queues[i].empty()) launch(*queues[i].front());
      if (m.bounce != nullptr && m.receives) {
        std::memcpy(m.buffer, m.bounce, m.bytes);
        charge_copy(m.bytes);
      }
      m.started = false;
    }
  }
}

bool Driver::is_complete(qmp::MessageId id) {
  progress();
  if (!messages_.at(id).started) return true;
  port_.advance(options_.poll_cost);
  return false;
}

void Driver::wait(qmp::MessageId id) {
  const Message& m = messages_.at(id);
  for (progress(); m.started; progress()) port_.wait(m.waiting_for);
}

}  // namespace ht::grid
