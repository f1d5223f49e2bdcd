// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/driver.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;
namespace link_regs = registers::link;

constexpr std::uint32_t unsigned_of(int i) {
  return static_cast<std::uint32_t>(i);
}

// A put's addresses carry 15 bits of remote offset, a credit 15 bits of packets: a longer message
// is cut into pieces that both ends cut alike.
constexpr std::uint64_t piece_lines = 32767;

constexpr std::uint64_t lines_of(std::uint64_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes;
}

constexpr std::uint64_t port_address(int link, int channel) {
  return static_cast<std::uint64_t>(link) << 25 | static_cast<std::uint64_t>(channel) << 22;
}

// "link +y, channel 3: " or as much of it as the offender of an error tells: a register number, or
// (causes WRITE_*) the address of a posted write.
std::string where(std::uint32_t causes, std::uint32_t info) {
  constexpr std::uint32_t writes =
      nwp::error_write_unaligned.mask | nwp::error_write_bad_link.mask |
      nwp::error_write_bad_address.mask | nwp::error_write_short.mask | nwp::error_write_long.mask;
  if ((causes & writes) != 0) {
    const std::uint32_t link = info >> 25 & 7, channel = info >> 22 & 7;
    return fmt::format("link {}, channel {}: ",
                       link < links ? link_name(static_cast<int>(link)) : std::to_string(link),
                       channel);
  }
  for (int link = 0; link < links; ++link) {
    const std::uint32_t l = unsigned_of(link);
    for (std::uint32_t c = 0; c < nwp::channels; ++c) {
      if ((info >= nwp::base(l, c) && info <= nwp::credit_status(l, c)) ||
          info == nwp::credit_cancel(l, c))
        return fmt::format("link {}, channel {}: ", link_name(link), c);
    }
    if (info >= nwp::link_window(l) && info < nwp::link_window(l) + 64)
      return fmt::format("link {}: ", link_name(link));
  }
  return "";
}

constexpr std::size_t notify_slot(int link, int channel) {
  return 16 * static_cast<std::size_t>(8 * link + channel);
}

}  // namespace

const char* link_name(int link) {
  static constexpr const char* names[links] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  return names[link];
}

Driver::Driver(host::HardwarePort& port, Place place, DriverOptions options)
    : port_(port),
      place_(std::move(place)),
      options_(options),
      messages_([this] { return fmt::format("node {}", place_.rank); }) {
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

void Driver::take_down() {
  for (int link = 0; link < links; ++link) write(link_regs::control(unsigned_of(link)), 0);
  const std::uint32_t all = (1U << links) - 1;
  while (nwp::interface_status_down.get(read(nwp::interface_status)) != all)
    port_.advance(options_.poll_cost);
}

void Driver::move(Place place) {
  place_ = std::move(place);
  ++options_.epoch;
}

void Driver::bring_up() {
  if (notify_ == nullptr) set_up();
  write(nwp::interface_select, nwp::interface_select_redundant.put(place_.redundant));
  for (int link = 0; link < links; ++link) {
    write(link_regs::node(unsigned_of(link)), unsigned_of(place_.number()));
    write(link_regs::epoch(unsigned_of(link)), options_.epoch);
    write(link_regs::control(unsigned_of(link)), link_regs::control_enable.mask);
  }
  wait_for_links();
}

void Driver::set_up() {
  notify_ = static_cast<std::byte*>(port_.memory().allocate(links * 8 * 16, line_bytes));
  std::memset(notify_, 0, links * 8 * 16);
  const std::uint64_t notify = *port_.memory().offset_of(notify_);
  credit_depth_ = nwp::version_credit_depth.get(read(nwp::version));
  write(nwp::notify_base, static_cast<std::uint32_t>(notify / line_bytes));
  write(nwp::notify_control, nwp::notify_control_enable.mask);
  write(nwp::credit_limit, static_cast<std::uint32_t>(port_.memory().size() / line_bytes));
  for (int link = 0; link < links; ++link) {
    for (const qmp::Channel channel : {qmp::Channel::User, qmp::Channel::Collective}) {
      // Bases stay at the start of the node's memory: credits carry the whole offset.
      write(nwp::base(unsigned_of(link), unsigned_of(static_cast<int>(channel))), 0);
    }
  }
}

void Driver::wait_for_links() {
  const Picoseconds deadline = port_.now() + options_.link_up_timeout;
  const std::uint32_t all_up = (1U << links) - 1;
  for (;;) {
    const std::uint32_t up = nwp::link_status_up.get(read(nwp::link_status));
    if (up == all_up) return;
    if (port_.now() > deadline) {
      int link = 0;
      while (up >> link & 1) ++link;
      throw TimeoutError(fmt::format(
          "node {}: link {} did not come up within {} us (ERROR {:#x}): is its cable plugged in, "
          "and does its peer speak the same protocol version?",
          place_.rank, link_name(link), options_.link_up_timeout / 1'000'000,
          read(link_regs::error(unsigned_of(link)))));
    }
    port_.advance(500'000);
  }
}

void* Driver::allocate(std::size_t bytes, std::size_t alignment) {
  // Whole lines, so that no other allocation shares a line the network writes.
  return port_.memory().allocate(lines_of(bytes) * line_bytes, std::max(alignment, line_bytes));
}

void Driver::release(void* pointer) {
  port_.memory().release(pointer);
}

qmp::MessageId Driver::declare_send(qmp::Direction direction, qmp::Channel channel,
                                    const void* buffer, std::size_t bytes) {
  // Never written through: a send's buffer is only read.
  return declare(true, direction, channel, static_cast<std::byte*>(const_cast<void*>(buffer)),
                 bytes);
}

qmp::MessageId Driver::declare_receive(qmp::Direction direction, qmp::Channel channel, void* buffer,
                                       std::size_t bytes) {
  return declare(false, direction, channel, static_cast<std::byte*>(buffer), bytes);
}

qmp::MessageId Driver::declare(bool send, qmp::Direction direction, qmp::Channel channel,
                               std::byte* buffer, std::size_t bytes) {
  if (direction < 0 || direction >= 2 * static_cast<int>(place_.shape.size()))
    throw UsageError(fmt::format("node {}: direction {} on a torus of {} axes", place_.rank,
                                 direction, place_.shape.size()));
  if (bytes == 0) throw UsageError(fmt::format("node {}: a message of no bytes", place_.rank));
  Message m;
  m.send = send;
  m.link = direction;
  m.channel = static_cast<int>(channel);
  m.buffer = buffer;
  m.bytes = bytes;
  const auto offset = port_.memory().offset_of(buffer, bytes);
  if (offset && *offset % line_bytes == 0 && bytes % line_bytes == 0) {
    m.offset = *offset;
  } else {
    m.bounce = static_cast<std::byte*>(allocate(bytes, line_bytes));
    m.offset = *port_.memory().offset_of(m.bounce);
  }
  m.waiting_for = fmt::format("{} {} bytes {} {}, channel {}", send ? "sending" : "receiving",
                              bytes, send ? "to" : "from", link_name(direction), m.channel);
  return messages_.add(std::move(m));
}

void Driver::undeclare(qmp::MessageId id) {
  Message& m = messages_.at(id);
  if (!done(m)) messages_.in_flight("freed", m.waiting_for);
  if (m.bounce != nullptr) release(m.bounce);
  messages_.remove(id);
}

void Driver::charge_copy(std::size_t bytes) {
  port_.advance(static_cast<Picoseconds>(bytes) * 1'000'000 / options_.copy_bytes_per_us);
}

void Driver::start(qmp::MessageId id) {
  Message& m = messages_.at(id);
  if (!done(m)) messages_.in_flight("started again", m.waiting_for);
  if (!m.send) check_overlap(m);
  port_.advance(options_.start_cost);
  m.state = State::Started;
  const std::uint64_t lines = lines_of(m.bytes);
  if (m.send) {
    if (m.bounce != nullptr) {
      std::memcpy(m.bounce, m.buffer, m.bytes);
      charge_copy(m.bytes);
    }
    for (std::uint64_t first = 0; first < lines; first += piece_lines) {
      m.ticket = port_.post_write(static_cast<unsigned>(m.link), port_address(m.link, m.channel),
                                  m.offset + first * line_bytes,
                                  std::min(piece_lines, lines - first) * line_bytes);
    }
    return;
  }
  ChannelState& channel =
      channels_[static_cast<std::size_t>(m.link)][static_cast<std::size_t>(m.channel)];
  for (std::uint64_t first = 0; first < lines; first += piece_lines) {
    channel.unposted.push_back({static_cast<std::uint32_t>(m.offset / line_bytes + first),
                                static_cast<std::uint32_t>(std::min(piece_lines, lines - first))});
    ++channel.queued;
  }
  m.last_credit = channel.queued;
  post_credits(m.link, m.channel);
}

std::uint32_t Driver::completed(int link, int channel) {
  std::uint32_t count = 0;
  std::memcpy(&count, notify_ + notify_slot(link, channel), sizeof count);
  return count;
}

// Hands the hardware as many credits as its queue takes; the rest follows as messages complete.
void Driver::post_credits(int link, int channel) {
  ChannelState& c = channels_[static_cast<std::size_t>(link)][static_cast<std::size_t>(channel)];
  while (!c.unposted.empty() && c.posted - completed(link, channel) < credit_depth_) {
    const Credit credit = c.unposted.front();
    c.unposted.pop_front();
    ++c.posted;
    write(nwp::credit_offset(unsigned_of(link), unsigned_of(channel)), credit.local_offset);
    write(nwp::credit_post(unsigned_of(link), unsigned_of(channel)), credit.packets);
  }
}

bool Driver::landed(const Message& m) {
  // Counts wrap after 2^32 messages, so compare by difference.
  return static_cast<std::int32_t>(completed(m.link, m.channel) - m.last_credit) >= 0;
}

// The hardware compares a credit with those queued in its channel; what it cannot see is a receive
// into memory that another channel writes, or that still waits in the driver.
void Driver::check_overlap(const Message& m) {
  for (const auto& [id, other] : messages_) {
    if (&other == &m || other.send || other.state != State::Started || landed(other)) continue;
    if (std::less<>()(m.buffer, other.buffer + other.bytes) &&
        std::less<>()(other.buffer, m.buffer + m.bytes))
      throw ProtocolError(fmt::format(
          "node {}: link {}, channel {}: a receive of {} bytes overlaps one of {} bytes in flight "
          "on link {}, channel {}; wait for that one first, or give each a buffer of its own",
          place_.rank, link_name(m.link), m.channel, m.bytes, other.bytes, link_name(other.link),
          other.channel));
  }
}

bool Driver::done(Message& m) {
  if (m.state != State::Started) return true;
  if (m.send) {
    if (!port_.posted_done(static_cast<unsigned>(m.link), m.ticket)) return false;
    m.state = State::Idle;
    return true;
  }
  if (!landed(m)) return false;
  m.state = State::Idle;
  if (m.bounce != nullptr) {
    std::memcpy(m.buffer, m.bounce, m.bytes);
    charge_copy(m.bytes);
  }
  return true;
}

bool Driver::is_complete(qmp::MessageId id) {
  Message& m = messages_.at(id);
  post_credits(m.link, m.channel);
  check_hardware();
  if (done(m)) return true;
  port_.advance(options_.poll_cost);
  return false;
}

void Driver::wait(qmp::MessageId id) {
  for (;;) {
    // A waiting program keeps all its receives supplied with credits, not just this one.
    for (int link = 0; link < links; ++link) {
      for (const qmp::Channel channel : {qmp::Channel::User, qmp::Channel::Collective})
        post_credits(link, static_cast<int>(channel));
    }
    check_hardware();
    Message& m = messages_.at(id);
    if (done(m)) return;
    port_.wait(m.waiting_for);
  }
}

std::uint32_t Driver::read(std::uint32_t address) {
  try {
    return port_.read_register(address);
  } catch (const HardwareError&) {
    throw_refused();
  }
}

void Driver::write(std::uint32_t address, std::uint32_t value) {
  try {
    port_.write_register(address, value);
  } catch (const HardwareError&) {
    throw_refused();
  }
}

void Driver::throw_refused() {
  const std::uint32_t cause = port_.read_register(nwp::error);
  const std::uint32_t first = port_.read_register(nwp::error_first);
  const std::uint32_t info = port_.read_register(nwp::error_info);
  throw HardwareError(fmt::format(
      "node {}: {}the network processor refused a request: {} (registers ERROR {:#x}, "
      "ERROR_INFO {:#x})",
      place_.rank, where(first, info), host::causes(nwp::error_causes, cause), cause, info));
}

// An interrupt means a sticky error. A cable that was pulled and came back lost nothing and is
// only noted by the hardware's counters; everything else ends the program.
void Driver::check_hardware() {
  if (!port_.interrupt()) return;
  check_signals();
  if (!port_.interrupt()) return;  // a vote's result: not worth asking the links
  if (read(nwp::error) != 0) throw_refused();
  for (int link = 0; link < links; ++link) {
    const std::uint32_t error = read(link_regs::error(unsigned_of(link)));
    const std::uint32_t fatal = error & ~link_regs::error_signal_lost.mask;
    if (fatal != 0)
      throw ProtocolError(fmt::format("node {}: link {}: {} (register ERROR {:#x})", place_.rank,
                                      link_name(link), host::causes(link_regs::error_causes, fatal),
                                      error));
    if (error != 0) write(link_regs::error(unsigned_of(link)), error);
  }
}

void Driver::recover(int link) {
  const std::uint32_t l = unsigned_of(link);
  write(link_regs::error(l), 0xFFFFFFFF);
  for (const qmp::Channel c : {qmp::Channel::User, qmp::Channel::Collective})
    write(nwp::credit_cancel(l, unsigned_of(static_cast<int>(c))), 1);
  port_.advance(options_.settle_time);
  // A packet carries its place in the message: a dump has to take any of them.
  std::byte* const dump =
      static_cast<std::byte*>(allocate((piece_lines + 1) * line_bytes, line_bytes));
  const std::uint64_t offset = *port_.memory().offset_of(dump);
  for (const qmp::Channel c : {qmp::Channel::User, qmp::Channel::Collective}) {
    const int channel = static_cast<int>(c);
    const std::uint32_t status = nwp::credit_status(l, unsigned_of(channel));
    while (nwp::credit_status_waiting.get(read(status)) != 0) {
      write(nwp::credit_offset(l, unsigned_of(channel)),
            static_cast<std::uint32_t>(offset / line_bytes));
      write(nwp::credit_post(l, unsigned_of(channel)), 1);
      port_.advance(options_.settle_time);
    }
    ChannelState& state =
        channels_[static_cast<std::size_t>(link)][static_cast<std::size_t>(channel)];
    state.unposted.clear();
    state.posted = state.queued = completed(link, channel);
  }
  release(dump);
  for (auto& [id, m] : messages_) {
    if (m.state == State::Started && !m.send && m.link == link) m.state = State::Idle;
  }
}

LinkCounters Driver::read_counters(int link) {
  const std::uint32_t l = unsigned_of(link);
  LinkCounters c;
  c.sent = read(link_regs::count_sent(l));
  c.retransmitted = read(link_regs::count_retransmitted(l));
  c.acknowledged = read(link_regs::count_acknowledged(l));
  c.accepted = read(link_regs::count_accepted(l));
  c.duplicates = read(link_regs::count_duplicate(l));
  c.crc_errors = read(link_regs::count_crc_error(l));
  c.code_errors = read(link_regs::count_code_error(l));
  c.framing_errors = read(link_regs::count_framing_error(l));
  c.command_errors = read(link_regs::count_command_error(l));
  c.nacks_sent = read(link_regs::count_nack_sent(l));
  c.nacks_received = read(link_regs::count_nack_received(l));
  c.busy_sent = read(link_regs::count_busy_sent(l));
  c.busy_received = read(link_regs::count_busy_received(l));
  c.timeouts = read(link_regs::count_timeout(l));
  c.retrains = read(link_regs::count_retrain(l));
  c.flushed = read(link_regs::count_flushed(l));
  c.tx_checksum = read(link_regs::tx_checksum(l));
  c.rx_checksum = read(link_regs::rx_checksum(l));
  return c;
}

}  // namespace ht::qpace
