// SPDX-License-Identifier: Apache-2.0
// The driver's part for links and registers: up, down, and what went wrong.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/link_wait.hpp"
#include "sw/qpace/driver.hpp"
#include "sw/qpace/driver_layout.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;
namespace link_regs = registers::link;

// "link +y, channel 3: " or as much of it as the offender of an error shows: a register number, or
// (causes WRITE_*, PACKET_OUTSIDE) the address of a posted write.
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

}  // namespace

host::CheckedRegisters::ErrorRegisters Driver::error_registers() {
  return {nwp::error,
          nwp::error_first,
          nwp::error_info,
          nwp::error_causes,
          "the network processor refused a request",
          where};
}

const char* link_name(int link) {
  static constexpr const char* names[links] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  return names[link];
}

void Driver::bring_up() {
  if (notify_ == nullptr) set_up();
  write(nwp::interface_select, nwp::interface_select_redundant.put(place_.redundant));
  for (int link = 0; link < links; ++link) {
    write(link_regs::node(unsigned_of(link)), unsigned_of(place_.node));
    write(link_regs::epoch(unsigned_of(link)), options_.epoch);
    write(link_regs::control(unsigned_of(link)), link_regs::control_enable.mask);
  }
  wait_for_links();
  forward_over(packets(), options_.forward_queue);
}

// The packets of the links to neighbours, all of which are open then; null if there are none.
PacketLines* Driver::packets() {
  while (open_packets()) {
  }
  return packets_.get();
}

// One more link's; false if there is none.
bool Driver::open_packets() {
  if (!options_.forwards) return false;
  for (int link = 0; link < 2 * static_cast<int>(place_.shape.size()); ++link) {
    if (place_.shape[static_cast<std::size_t>(link / 2)] == 1) continue;
    if (packets_ == nullptr)
      packets_ = std::make_unique<PacketLines>(
          port_,
          PacketLines::Registers{
              [this](std::uint32_t address, std::uint32_t value) { write(address, value); },
              [this](int l) { return completed(l, packet_channel); }},
          options_.start_cost);
    if (packets_->is_open(link)) continue;
    packets_->open(link);
    return true;
  }
  return false;
}

void Driver::set_up() {
  notify_ = static_cast<std::byte*>(port_.memory().allocate(links * 8 * 16, line_bytes));
  std::memset(notify_, 0, links * 8 * 16);
  const std::uint64_t notify = *port_.memory().offset_of(notify_);
  const std::uint32_t version = read(nwp::version);
  credit_depth_ = nwp::version_credit_depth.get(version);
  slot_lines_ = nwp::version_rx_slots.get(version);
  if (slot_lines_ == 0) slot_lines_ = 16;  // the field has four bits
  write(nwp::notify_base, static_cast<std::uint32_t>(notify / line_bytes));
  write(nwp::notify_control, nwp::notify_control_enable.mask);
  write(nwp::credit_limit, static_cast<std::uint32_t>(port_.memory().size() / line_bytes));
  for (int link = 0; link < links; ++link) {
    // Bases stay at the start of the node's memory: credits carry the whole offset.
    for (const int channel : used_channels)
      write(nwp::base(unsigned_of(link), unsigned_of(channel)), 0);
  }
}

void Driver::wait_for_links() {
  host::LinkWait wait(port_, name(), {link_name, link_regs::error}, options_.link_up_timeout,
                      500'000);
  wait.until_up(
      [this]() -> std::optional<int> {
        const int link = std::countr_one(nwp::link_status_up.get(read(nwp::link_status)));
        return link < links ? std::optional(link) : std::nullopt;
      },
      [this] {
        // Three take less time than lies between two looks: nobody waits for them.
        for (int i = 0; i < 3; ++i) open_packets();
      });
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
  stop_forwarding();
  bool closed = false;
  for (int link = 0; link < links; ++link) closed = close_packets(link) || closed;
  if (closed) port_.advance(options_.settle_time);
}

// An interrupt means a sticky error. A cable that was pulled, or silent, and came back lost nothing
// and is only noted by the hardware's counters; everything else ends the program.
void Driver::check_hardware() {
  if (!port_.interrupt()) return;
  check_signals();
  if (!port_.interrupt()) return;  // a vote's result: not worth asking the links
  check_errors();
}

void Driver::check_errors() {
  if (read(nwp::error) != 0) registers_.throw_error();
  for (int link = 0; link < links; ++link) {
    const std::uint32_t error = read(link_regs::error(unsigned_of(link)));
    const std::uint32_t fatal =
        error & ~(link_regs::error_signal_lost.mask | link_regs::error_silent.mask);
    if (fatal != 0)
      throw ProtocolError(fmt::format("node {}: link {}: {} (register ERROR {:#x})", place_.node,
                                      link_name(link), host::causes(link_regs::error_causes, fatal),
                                      error));
    if (error != 0) write(link_regs::error(unsigned_of(link)), error);
  }
}

void Driver::recover(int link) {
  const std::uint32_t l = unsigned_of(link);
  write(link_regs::error(l), 0xFFFFFFFF);
  // A link that was reset by itself, or gave up, went down.
  if (link_regs::control_enable.get(read(link_regs::control(l))) == 0)
    write(link_regs::control(l), link_regs::control_enable.mask);
  std::vector<int> channels(used_channels.begin(), used_channels.end());
  if (close_packets(link)) channels.push_back(packet_channel);
  for (const int channel : channels) write(nwp::credit_cancel(l, unsigned_of(channel)), 1);
  port_.advance(options_.settle_time);
  // A packet carries its place in the message: a dump has to take any of them.
  std::byte* const dump =
      static_cast<std::byte*>(allocate((piece_lines + 1) * line_bytes, line_bytes));
  const std::uint64_t offset = *port_.memory().offset_of(dump);
  for (const int channel : channels) {
    const std::uint32_t status = nwp::credit_status(l, unsigned_of(channel));
    if (nwp::credit_status_waiting.get(read(status)) != 0) {
      // As long as a message can be: a credit takes no packet beyond its end, and this one never
      // ends.
      write(nwp::credit_offset(l, unsigned_of(channel)),
            static_cast<std::uint32_t>(offset / line_bytes));
      write(nwp::credit_post(l, unsigned_of(channel)), static_cast<std::uint32_t>(piece_lines));
      while (nwp::credit_status_waiting.get(read(status)) != 0) port_.advance(options_.settle_time);
      write(nwp::credit_cancel(l, unsigned_of(channel)), 1);
      port_.advance(options_.settle_time);
    }
    ChannelState& state = state_of(link, channel);
    state.unposted.clear();
    state.posted = state.queued = completed(link, channel);
  }
  release(dump);
  if (channels.back() == packet_channel) packets_->open(link);
  for (auto& [id, m] : messages_) {
    if (!m.send && m.link == link) m.started = false;
  }
}

// The neighbour, old or new, does the same: what was under way is forgotten.
bool Driver::close_packets(int link) {
  if (packets_ == nullptr || !packets_->is_open(link)) return false;
  write(nwp::credit_cancel(unsigned_of(link), unsigned_of(packet_channel)), 1);
  packets_->close(link);
  return true;
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
  c.replayed = read(link_regs::count_replayed(l));
  c.silent = read(link_regs::count_silent(l));
  c.tx_checksum = read(link_regs::tx_checksum(l));
  c.rx_checksum = read(link_regs::rx_checksum(l));
  return c;
}

}  // namespace ht::qpace
