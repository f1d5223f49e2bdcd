// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/node/nwp_harness.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <stdexcept>

#include "sw/qpace/registers.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {

namespace regs = ht::qpace::registers;

NwpHarness::NwpHarness(NwpClocks clocks)
    : clocks_(clocks),
      context_(power_on()),
      top_(std::make_unique<Vqpace_nwp>(context_.get(), "nwp")) {
  top_->pw_out_ready = 1;
  for (int i = 0; i < links; ++i) top_->xgmii_rxd[i] = WireWord{}.data;
  top_->xgmii_rxc = 0xFFFFFF;
  reset();
}

NwpHarness::~NwpHarness() {
  top_->final();
  Verilated::threadContextp(context_.get());  // as ~NwpNode
}

void NwpHarness::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{} ps (core cycle {}, link cycle {}): {}", now_,
                                       core_edges_, link_edges_, what));
}

void NwpHarness::reset(int cycles) {
  link_clock_runs = true;
  io_clock_runs = true;
  for (auto& queue : queues_) queue.clear();
  raw_.clear();
  line_beat_ = -1;
  out_stalled_ = false;
  out_beat_ = 0;
  top_->pw_in_valid = 0;
  top_->reg_valid = 0;
  top_->rst = 1;
  top_->link_rst = (1U << links) - 1;
  top_->io_rst = 1;
  top_->uart_rxd = 3;
  run_core(cycles);
  top_->rst = 0;
  top_->link_rst = 0;
  top_->io_rst = 0;
  beats.clear();
  first_beats_in.clear();
  retransmits = rx_errors = accepts = {};
}

void NwpHarness::reset_links(unsigned mask, int cycles) {
  top_->link_rst = static_cast<unsigned char>(mask);
  run_core(cycles);
  top_->link_rst = 0;
}

void NwpHarness::connect(int from, int to, int delay) {
  Wire& wire = wires_[static_cast<std::size_t>(to)];
  wire.from = from;
  wire.words.assign(static_cast<std::size_t>(delay), WireWord{});
}

void NwpHarness::disconnect(int to) {
  wires_[static_cast<std::size_t>(to)] = {};
}

void NwpHarness::connect_rings(int delay) {
  for (int i = 0; i < links; ++i) connect(i, peer(i), delay);
}

void NwpHarness::run_core(std::int64_t cycles) {
  const std::int64_t end = core_edges_ + cycles;
  while (core_edges_ < end) step();
}

void NwpHarness::run_until(const std::function<bool()>& done, std::int64_t cycles,
                           const std::string& what) {
  const std::int64_t end = core_edges_ + cycles;
  while (!done()) {
    if (core_edges_ >= end) fail(fmt::format("{} did not happen in {} core cycles", what, cycles));
    step();
  }
}

// ---------------------------------------------------------------------------------------------
// Clocks. Inputs are settled with the clocks low; handshakes are read just before an edge.

void NwpHarness::step() {
  const Picoseconds core = clocks_.core_phase + core_edges_ * clocks_.core_period;
  const Picoseconds link = clocks_.link_phase + link_edges_ * clocks_.link_period;
  now_ = std::min(core, link);
  top_->eval();
  if (core == now_) core_edge_before();
  top_->clk = core == now_;
  const bool link_edge = link == now_ && link_clock_runs;
  top_->link_clk = link_edge;
  top_->io_clk = link == now_ && io_clock_runs;
  top_->eth_rx_clk = top_->io_clk;
  top_->eval();
  if (core == now_) {
    ++core_edges_;
    core_edge_after();
  }
  if (link == now_) {
    ++link_edges_;
    if (link_edge) link_edge_after();
  }
  top_->clk = 0;
  top_->link_clk = 0;
  top_->io_clk = 0;
  top_->eth_rx_clk = 0;
  top_->eval();
}

void NwpHarness::core_edge_before() {
  beat_taken_ = top_->pw_in_valid && top_->pw_in_ready;
  if (beat_taken_ && line_beat_ == 0) first_beats_in.push_back(now_);
  register_acked_ = top_->reg_ack;
  if (top_->rst != 0) return;  // before the first edge of its reset the hardware holds anything
  if (!top_->pw_out_valid) {
    if (out_stalled_) fail("pw_out_valid fell before the beat was taken");
    return;
  }
  PortBeat seen{top_->pw_out_addr, {}, top_->pw_out_last != 0, top_->pw_out_notify != 0};
  for (std::size_t i = 0; i < seen.data.size(); ++i) seen.data[i] = top_->pw_out_data[i];
  if (out_stalled_ && seen != stalled_) fail("pw_out changed while it waited");
  stalled_ = seen;
  out_stalled_ = !top_->pw_out_ready;
  if (out_stalled_) return;
  for (std::size_t at = 0; at < seen.data.size(); at += 4) {
    OutBeat beat{now_, seen.address + 4 * at, {}, seen.last, seen.notify};
    if (!beat.notify) beat.last = seen.last && at + 4 == seen.data.size();
    std::copy_n(&seen.data[at], 4, beat.data.begin());
    if (beat.notify && at > 0) {
      if (beat.data != beats.back().data) fail("the halves of a notification differ");
      continue;
    }
    check_out_beat(beat);
    beats.push_back(beat);
  }
}

void NwpHarness::check_out_beat(const OutBeat& beat) {
  if (beat.address % 16 != 0) fail(fmt::format("pw_out address {:#x}", beat.address));
  if (beat.notify) {
    if (out_beat_ != 0) fail("a notification in the middle of a line");
    if (!beat.last) fail("a notification without pw_out_last");
    return;
  }
  if (out_beat_ == 0) out_line_ = beat.address;
  if (out_line_ % 128 != 0 || beat.address != out_line_ + 16 * static_cast<unsigned>(out_beat_))
    fail(
        fmt::format("beat {} of line {:#x} has address {:#x}", out_beat_, out_line_, beat.address));
  if (beat.last != (out_beat_ == line_beats - 1))
    fail(fmt::format("pw_out_last is {} at beat {}", beat.last, out_beat_));
  out_beat_ = (out_beat_ + 1) % line_beats;
}

void NwpHarness::core_edge_after() {
  top_->pw_out_ready = sink_ready();
  drive_source();
}

void NwpHarness::link_edge_after() {
  for (int to = 0; to < links; ++to) {
    Wire& wire = wires_[static_cast<std::size_t>(to)];
    WireWord word;
    if (wire.from >= 0) {
      wire.words.push_back({top_->xgmii_txd[wire.from],
                            static_cast<std::uint8_t>(top_->xgmii_txc >> (4 * wire.from) & 0xF)});
      word = wire.words.front();
      wire.words.pop_front();
      if (on_wire) on_wire(to, word);
    }
    if (on_arrival) on_arrival(to, word);
    top_->xgmii_rxd[to] = word.data;
    top_->xgmii_rxc = (top_->xgmii_rxc & ~(0xFU << (4 * to))) |
                      static_cast<std::uint32_t>(word.control & 0xF) << (4 * to);
    const auto n = static_cast<std::size_t>(to);
    retransmits[n] += (top_->obs_retransmit | top_->obs_replay) >> to & 1;
    rx_errors[n] += top_->obs_rx_error >> to & 1;
    accepts[n] += top_->obs_accept >> to & 1;
  }
}

// ---------------------------------------------------------------------------------------------
// Posted writes in

void NwpHarness::put(const PutLine& line) {
  queues_.at(line.address >> 25 & 7).push_back(line);
}

std::size_t NwpHarness::unsent() const {
  std::size_t n = raw_.size() + (line_beat_ >= 0 ? 1 : 0);
  for (const auto& queue : queues_) n += queue.size();
  return n;
}

void NwpHarness::drive_source() {
  if (beat_taken_ && ++line_beat_ == line_.beats) line_beat_ = -1;
  if (line_beat_ < 0 && !raw_.empty()) {
    line_ = raw_.front();
    raw_.pop_front();
    line_beat_ = 0;
  }
  for (int i = 1; i <= links && line_beat_ < 0; ++i) {
    const int n = (turn_ + i) % links;
    auto& queue = queues_[static_cast<std::size_t>(n)];
    if (queue.empty() || (top_->pw_in_room >> n & 1) == 0) continue;
    turn_ = n;
    line_ = queue.front();
    queue.pop_front();
    line_beat_ = 0;
  }
  // An offered beat stays until it is taken.
  const bool offered = top_->pw_in_valid && !beat_taken_;
  top_->pw_in_valid = line_beat_ >= 0 && (offered || !source_pauses());
  if (!top_->pw_in_valid) return;
  // Only the first beat's address counts; where a fault shows later, what shows it is told.
  constexpr std::uint32_t mixing = 0x9E3779B9;
  top_->pw_in_addr =
      line_.address ^
      (line_.beats == port_beats ? mixing * static_cast<std::uint32_t>(line_beat_) : 0);
  top_->pw_in_last = line_beat_ == line_.beats - 1;
  constexpr std::size_t words = HT_PORT_BYTES / 4;
  const std::size_t first = words * static_cast<std::size_t>(line_beat_ % port_beats);
  for (std::size_t i = 0; i < words; ++i) top_->pw_in_data[i] = line_.data[first + i];
}

// ---------------------------------------------------------------------------------------------
// Registers

RegisterReply NwpHarness::access(bool write, std::uint32_t address, std::uint32_t value) {
  top_->reg_valid = 1;
  top_->reg_write = write;
  top_->reg_address = static_cast<std::uint16_t>(address & 0xFFF);
  top_->reg_wdata = value;
  const std::int64_t start = core_edges_;
  register_acked_ = false;
  while (!register_acked_) {
    if (core_edges_ > start + 1000)
      fail(fmt::format("register {:#05x}: no acknowledge in 1000 core cycles", address));
    step();
  }
  // the values belong to the acknowledge, and stand until the next one
  top_->reg_valid = 0;
  return {top_->reg_rdata, top_->reg_error != 0, static_cast<int>(core_edges_ - start - 1)};
}

std::uint32_t NwpHarness::read(std::uint32_t address) {
  const RegisterReply reply = access(false, address);
  if (reply.error) fail(fmt::format("reading register {:#05x} was refused", address));
  return reply.value;
}

void NwpHarness::write(std::uint32_t address, std::uint32_t value) {
  if (access(true, address, value).error)
    fail(fmt::format("writing register {:#05x} was refused", address));
}

void NwpHarness::bring_up(unsigned mask) {
  for (std::uint32_t i = 0; i < links; ++i) {
    if ((mask >> i & 1) == 0) continue;
    write(regs::link::node(i), 1);
    write(regs::link::epoch(i), 1);
    write(regs::link::control(i), regs::link::control_enable.put(1));
  }
  for (int tries = 0; tries < 1000; ++tries) {
    if ((regs::nwp::link_status_up.get(read(regs::nwp::link_status)) & mask) == mask) return;
  }
  fail("the links did not come up");
}

void NwpHarness::post_credit(int link, int vc, std::uint32_t offset, std::uint32_t packets) {
  const auto l = static_cast<std::uint32_t>(link);
  const auto v = static_cast<std::uint32_t>(vc);
  write(regs::nwp::credit_offset(l, v), offset);
  write(regs::nwp::credit_post(l, v), packets);
}

bool NwpHarness::interrupt() const {
  return top_->irq;
}
bool NwpHarness::idle() const {
  return top_->obs_idle;
}
unsigned NwpHarness::phy_select() const {
  return top_->phy_select;
}
unsigned NwpHarness::room() const {
  return top_->pw_in_room;
}
bool NwpHarness::in_ready() const {
  return top_->pw_in_ready;
}

}  // namespace ht::test
