// SPDX-License-Identifier: Apache-2.0
// What node.hpp declares: for the source that instantiates it for a top, whose headers and
// state_bits() come before this one.
#pragma once
#include "sim/tofu/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "sim/machine/memory_stalls.hpp"
#include "sim/tofu/waves_impl.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/links.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::machine {

namespace node_detail {

inline constexpr Picoseconds reset_time = 100'000;
// The controller's state stays as it is while it rests; what a register write changed has shown
// on obs_idle after so many edges.
inline constexpr int idle_period = 1, rest_time = 8;
// obs_rx_* come so many edges after their beat was on rxd (rtl/tofu/README.md), seen after the
// edge.
inline constexpr std::int64_t observation_latency = 0;
// The controller's time is in ticks of so many edges; obs_period says so if no time limit runs.
inline constexpr std::int64_t tick_edges = 64;
inline constexpr unsigned no_time_limit = 31;
inline constexpr std::uint64_t line_bytes = 16;
inline constexpr unsigned address_bits = 36;   // of memory
inline constexpr unsigned register_bits = 16;  // of a register's address

// 32 bits of pins, of which Verilator makes one number if they are few.
template <class Pins>
std::uint32_t word_of(const Pins& pins, unsigned word) {
  if constexpr (std::is_integral_v<Pins>)
    return static_cast<std::uint32_t>(std::uint64_t{pins} >> (32 * word));
  else
    return pins[word];
}

// The address of a port among several in the wide pins of the top.
template <class Pins>
std::uint64_t address_of(const Pins& pins, unsigned port) {
  std::uint64_t address = 0;
  for (unsigned i = 0; i < address_bits; ++i) {
    const unsigned at = address_bits * port + i;
    address |= std::uint64_t{word_of(pins, at / 32) >> (at % 32) & 1U} << i;
  }
  return address;
}

// Places of parts in the mask of those at rest, as in tofu_icc.v.
inline constexpr unsigned network_part = 10, barrier_part = 16, input_part = 22;
// Something that came shows on obs_rest within so many edges.
inline constexpr int rest_period = 8;

#define HT_LINK_CLOCK(n) \
  HT_CLOCK_BEFORE(root, tofu_icc__DOT__g_link__BRA__##n##__KET____DOT__link_clk)
#define HT_NETWORK_CLOCK(n) \
  HT_CLOCK_BEFORE(root, tofu_icc__DOT__g_tni__BRA__##n##__KET____DOT__tni_clk)
#define HT_BARRIER_CLOCK(n) \
  HT_CLOCK_BEFORE(root, tofu_icc__DOT__g_tbi__BRA__##n##__KET____DOT__tbi_clk)
#define HT_LINK_INPUT_CLOCK(n) \
  HT_CLOCK_BEFORE(root, tofu_icc__DOT__router__DOT__gen_link__BRA__##n##__KET____DOT__input_clk)
#define HT_INTERFACE_INPUT_CLOCK(n) \
  HT_CLOCK_BEFORE(root,             \
                  tofu_icc__DOT__router__DOT__gen_interface__BRA__##n##__KET____DOT__input_clk)
#define HT_TEN(clock) \
  clock(0), clock(1), clock(2), clock(3), clock(4), clock(5), clock(6), clock(7), clock(8), clock(9)

// The parts' clocks; null where a controller has fewer.
template <class Root>
std::vector<std::uint8_t*> part_clocks(Root& root) {
  return {
      HT_TEN(HT_LINK_CLOCK),       HT_TEN(HT_NETWORK_CLOCK),         HT_TEN(HT_BARRIER_CLOCK),
      HT_TEN(HT_LINK_INPUT_CLOCK), HT_TEN(HT_INTERFACE_INPUT_CLOCK), HT_INTERFACE_INPUT_CLOCK(10),
      HT_INTERFACE_INPUT_CLOCK(11)};
}

#undef HT_TEN
#undef HT_INTERFACE_INPUT_CLOCK
#undef HT_LINK_INPUT_CLOCK
#undef HT_BARRIER_CLOCK
#undef HT_NETWORK_CLOCK
#undef HT_LINK_CLOCK

// Of each reading port.
inline std::vector<MemoryTimes> read_times(int rank, const TofuNodeOptions& o, unsigned ports) {
  std::vector<MemoryTimes> times;
  for (unsigned port = 0; port < ports; ++port)
    times.emplace_back(o.memory_latency, o.memory_spread, o.clock.period,
                       ports * static_cast<std::uint64_t>(rank) + port);
  return times;
}

}  // namespace node_detail

template <class Top>
TofuNodeOf<Top>::TofuNodeOf(int rank, const TofuNodeOptions& options)
    : Base(rank, options.memory_bytes, {links, node_detail::reset_time, "interconnect controller"},
           options.clock, node_detail::idle_period, options.skip_idle, node_detail::register_bits,
           options.initial_state),
      options_(options),
      read_times_(node_detail::read_times(rank, options, read_ports)) {
  top_->rd_rvalid = 0;
  top_->rd_ready = (1U << read_ports) - 1;
  top_->wr_ready = (1U << write_ports) - 1;
  top_->wr_pending = 0;
  top_->wr_passed = 0;
  top_->mem_look = 0;
  top_->mem_stopped = 0;
  for (unsigned link = 0; link < links; ++link) put_beat(link, model::kIdleBeat);
  top_->rest = 0;
  top_->tx_pause = 0;
  // Links and the router's inputs from them; interfaces, and those from them.
  this->clk_.followed_by(node_detail::part_clocks(*(*top_).rootp), 2 * links + 2 * write_ports);
  parts_rest_ = options.skip_idle && this->clk_.rises_from_high();
}

template <class Top>
TofuNodeOf<Top>::~TofuNodeOf() = default;

// ---------------------------------------------------------------------------------------------
// Steps

template <class Top>
bool TofuNodeOf<Top>::rests() const {
  return idle_edges_ >= node_detail::rest_time;
}

// A time limit ends at a multiple of its period: the controller must see that edge.
template <class Top>
Picoseconds TofuNodeOf<Top>::asleep_until() const {
  const Picoseconds asleep = Base::asleep_until();
  const unsigned period = (*top_).obs_period;
  if (period == node_detail::no_time_limit || asleep <= now_) return asleep;
  const std::int64_t edges = node_detail::tick_edges << period;
  return std::min(asleep, clock_.edge((edge_ + edges - 1) / edges * edges));
}

template <class Top>
void TofuNodeOf<Top>::set_inputs() {
  top_->rst = now_ < node_detail::reset_time;
  top_->tick_count = static_cast<std::uint16_t>(edge_ / node_detail::tick_edges);
  answer_reads();
  drive_ready();
  receive_beats();
}

template <class Top>
void TofuNodeOf<Top>::take_outputs() {
  const bool sent = send_beats();
  if (!top_->rst) observe();  // before that, registers hold anything
  const bool quiet = top_->obs_idle && !top_->reg_valid && !received_ && !sent && !top_->rst;
  idle_edges_ = quiet ? idle_edges_ + 1 : 0;
  if (parts_rest_)
    resting_.edge(moved_, top_->rst ? 0 : top_->obs_rest,
                  static_cast<int>((edge_ + 1) % node_detail::rest_period));
}

// ---------------------------------------------------------------------------------------------
// Parts at rest

// Those whose registers are read or written: they know only when they are evaluated.
template <class Top>
std::uint64_t TofuNodeOf<Top>::accessed_parts() const {
  if (!(*top_).reg_valid) return 0;
  const std::uint32_t address = (*top_).reg_address;
  const auto part = [](unsigned first, std::uint32_t number) {
    return std::uint64_t{1} << (first + number);
  };
  if (address >> 10 == 1 && (address >> 6 & 15) < links) return part(0, address >> 6 & 15);
  if (address >> 11 == 4 && (address >> 8 & 7) < read_ports)
    return part(node_detail::network_part, address >> 8 & 7);
  // What the registers of all say, place and shape above all, is looked at by everybody.
  return ~std::uint64_t{0};
}

template <class Top>
void TofuNodeOf<Top>::before_rise() {
  if (!parts_rest_) return;
  resting_.wake(moved_ | accessed_parts(), top_->obs_rest);
  // All see how time goes on.
  top_->rest = edge_ % node_detail::tick_edges == 0 ? 0 : resting_.mask();
}

// For who looks at registers, or changes them: all are evaluated from now on.
template <class Top>
void TofuNodeOf<Top>::stop_resting() {
  resting_.stop();
  top_->rest = 0;
  parts_rest_ = false;
}

// ---------------------------------------------------------------------------------------------
// Memory

// Before an edge: what memory answers.
template <class Top>
void TofuNodeOf<Top>::answer_reads() {
  if (top_->rd_rvalid == 0 && reads_waiting_ == 0) return;
  unsigned valid = 0;
  for (unsigned port = 0; port < read_ports; ++port) {
    auto& reads = reads_[port];
    if (reads.empty() || reads.front().due > edge_) continue;
    valid |= 1U << port;
    std::memcpy(&top_->rd_data[4 * port], reads.front().data.data(), node_detail::line_bytes);
    reads.pop_front();
    --reads_waiting_;
  }
  top_->rd_rvalid = static_cast<std::uint8_t>(valid);
}

// Every port stalls by itself.
template <class Top>
void TofuNodeOf<Top>::drive_ready() {
  if (options_.memory_stalls == 0) return;
  const auto ready = [this](unsigned first, unsigned ports) {
    unsigned pins = 0;
    for (unsigned port = 0; port < ports; ++port) {
      const int number =
          rank_ * static_cast<int>(read_ports + write_ports) + static_cast<int>(first + port);
      pins |= memory_stalls(number, edge_ / 16, options_.memory_stalls) ? 0 : 1U << port;
    }
    return pins;
  };
  using Writes = std::remove_reference_t<decltype(top_->wr_ready)>;
  top_->rd_ready = static_cast<std::uint8_t>(ready(0, read_ports));
  top_->wr_ready = static_cast<Writes>(ready(read_ports, write_ports));
}

template <class Top>
std::uint64_t TofuNodeOf<Top>::line(std::uint64_t address) {
  const std::uint64_t offset = node_detail::line_bytes * address;
  if (offset + node_detail::line_bytes > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: the controller reached for offset {:#x}, outside the {} MB of memory",
                    rank_, offset, memory_.size() >> 20));
  ++progress_;
  return offset;
}

template <class Top>
void TofuNodeOf<Top>::take_requests() {
  if (top_->rst) return;  // before its first edge the controller holds anything
  for (unsigned reads = top_->rd_valid & top_->rd_ready; reads != 0; reads &= reads - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(reads));
    Read read{read_times_[port].due(edge_), {}};
    memory_.read(line(node_detail::address_of(top_->rd_address, port)),
                 std::as_writable_bytes(std::span(read.data)));
    reads_[port].push_back(read);
    ++reads_waiting_;
  }
  for (unsigned writes = top_->wr_valid & top_->wr_ready; writes != 0; writes &= writes - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(writes));
    const std::uint64_t to = line(node_detail::address_of(top_->wr_address, port));
    std::array<std::byte, node_detail::line_bytes> data;
    std::memcpy(data.data(), &top_->wr_data[4 * port], node_detail::line_bytes);
    const std::uint32_t strobe =
        node_detail::word_of(top_->wr_strobe, port / 2) >> (16 * (port & 1));
    // Runs of bytes that are strobed: one, but for what a fault does.
    for (std::uint32_t left = strobe & 0xFFFF; left != 0;) {
      const auto begin = static_cast<std::size_t>(std::countr_zero(left));
      const auto bytes = static_cast<std::size_t>(std::countr_one(left >> begin));
      memory_.write(to + begin, std::span<const std::byte>(data).subspan(begin, bytes));
      left &= ~(((1U << bytes) - 1) << begin);
    }
    notify();
  }
}

// ---------------------------------------------------------------------------------------------
// Cables

template <class Top>
void TofuNodeOf<Top>::put_beat(unsigned link, const model::Beat& beat) {
  std::memcpy(&top_->rxd[4 * link], beat.word.data(), node_detail::line_bytes);
  // 16 control bits a link, two links a word.
  const unsigned shift = 16 * (link & 1);
  std::uint32_t& control = top_->rxc[link / 2];
  control = (control & ~(0xFFFFU << shift)) | std::uint32_t{beat.control} << shift;
}

template <class Top>
model::Beat TofuNodeOf<Top>::sent_beat(unsigned link) const {
  model::Beat beat;
  std::memcpy(beat.word.data(), &top_->txd[4 * link], node_detail::line_bytes);
  beat.control = static_cast<std::uint16_t>(top_->txc[link / 2] >> (16 * (link & 1)));
  return beat;
}

// The lanes have the controller's clock: they take what it has put out since the last edge.
template <class Top>
model::Beat TofuNodeOf<Top>::pass_lanes(unsigned link) {
  const auto got =
      plugs_[link].lanes->clock(edge_, now_, sim::lane_word(sent_beat(link)), top_->rst != 0);
  const auto pause = static_cast<std::uint16_t>(1U << link);
  if (((top_->tx_pause & pause) != 0) != got.pause) {
    top_->tx_pause = static_cast<std::uint16_t>(top_->tx_pause ^ pause);
    moved_ |= std::uint64_t{1} << link;
  }
  // Nothing is heard of lanes that are reset.
  return top_->rst ? model::kIdleBeat : sim::beat_of(got.word);
}

template <class Top>
void TofuNodeOf<Top>::receive_beats() {
  received_ = false;
  moved_ = 0;
  for (unsigned link = 0; link < links; ++link) {
    if (!plugs_[link].plugged()) continue;
    const model::Beat beat =
        plugs_[link].lanes ? pass_lanes(link) : plugs_[link].in->receive(edge_);
    const bool busy = beat != model::kIdleBeat;
    if (busy || busy_[link]) {
      put_beat(link, beat);
      if (listener_ != nullptr) listener_->received(static_cast<int>(link), edge_, beat);
      received_ = true;
      moved_ |= std::uint64_t{1} << link;
    }
    busy_[link] = busy;
    hello_[link] = beat.is(0, model::tofu::kHello);
  }
}

template <class Top>
bool TofuNodeOf<Top>::send_beats() {
  bool any = false;
  for (unsigned link = 0; link < links; ++link) {
    const model::Beat beat = sent_beat(link);
    if (beat == model::kIdleBeat) continue;
    any = true;
    // A PHY that is reset with its node sends idle.
    if (plugs_[link].out != nullptr && !top_->rst) plugs_[link].out->send(edge_, beat);
  }
  return any;
}

template <class Top>
void TofuNodeOf<Top>::observe() {
  for (std::uint32_t again = top_->obs_retransmit; again != 0; again &= again - 1)
    this->note_retransmission(static_cast<unsigned>(std::countr_zero(again)));
  std::uint32_t any = static_cast<std::uint32_t>(top_->obs_rx_start) | top_->obs_rx_ok |
                      top_->obs_rx_command | top_->obs_rx_error | top_->obs_rx_command_error;
  for (; any != 0; any &= any - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(any));
    const auto bit = [link](std::uint32_t pulses) { return (pulses >> link & 1) != 0; };
    const bool command_error = bit(top_->obs_rx_command_error);
    if (bit(top_->obs_rx_error) || command_error) this->note_error(link);
    if (!plugs_[link].plugged()) continue;
    sim::Observation seen{bit(top_->obs_rx_start), bit(top_->obs_rx_ok), bit(top_->obs_rx_command),
                          bit(top_->obs_rx_error), sim::Complaint::None};
    seen.command_error = command_error;
    const std::int64_t edge = edge_ - node_detail::observation_latency;
    if (listener_ != nullptr)
      seen.complaint = listener_->observed(static_cast<int>(link), edge, seen,
                                           top_->obs_state >> (2 * link) & 3);
    // A hello is a frame of one beat, whatever broken packet is before it.
    seen.start = seen.start || (seen.ok && hello_[link]);
    if (plugs_[link].lanes)
      plugs_[link].lanes->observe(edge, now_, seen);
    else
      plugs_[link].in->ledger().observe(edge, seen);
  }
}

template <class Top>
StateBits TofuNodeOf<Top>::state_bits() {
  stop_resting();
  return machine::state_bits(*top_);
}

template <class Top>
TraceTop TofuNodeOf<Top>::trace_top() {
  stop_resting();
  return tofu_trace_top(*top_);
}

}  // namespace ht::machine
