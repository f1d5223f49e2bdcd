// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/nwp_node.hpp"

#include <Vqpace_nwp.h>
#include <Vqpace_nwp___024root.h>
#include <fmt/format.h>

#include <algorithm>

#include "sim/qpace/nwp_waves.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {

StateBits state_bits(Vqpace_nwp& top);  // made by state_bits.py
namespace {

using sim::kNever;

constexpr Picoseconds reset_time = 100'000;
// obs_idle looks at both clock domains; what is still on its way through a synchroniser has
// arrived after this many edges.
constexpr int settle_edges = 16;
// Registers of the serial ports and of Ethernet (rtl/qpace/README.md).
constexpr bool is_device(std::uint32_t address) {
  return address >= 0x620 && address < 0x680;
}
constexpr std::uint32_t all_control = 0xFFFFFF;
// Time as the node's input has it: link_beat changes at every mark.
constexpr std::int64_t mark_edges = 1024;
constexpr std::uint8_t all_links = (1U << NwpNode::links) - 1;
constexpr std::uint32_t idle_data = 0x07070707;

}  // namespace

NwpNode::NwpNode(int rank, const NwpNodeOptions& options)
    : ProgramNode(rank, options.memory_bytes, {links, reset_time, "network processor"}),
      options_(options),
      top_(fmt::format("node{}", rank), options.initial_state),
      write_times_(options.memory_latency, options.memory_spread, options.core_clock.period,
                   static_cast<std::uint64_t>(rank)) {
  clk_ = HT_CLOCK_PIN(*top_, clk);
  link_clk_ = HT_CLOCK_PIN(*top_, link_clk);
  io_clk_ = HT_CLOCK_PIN(*top_, io_clk);
  eth_rx_clk_ = HT_CLOCK_PIN(*top_, eth_rx_clk);
  reset_until_.fill(reset_time);
  options_.core_clock.check();
  options_.link_clock.check();
  top_->rst = 1;
  top_->link_rst = all_links;
  top_->pw_out_ready = 1;
  top_->pw_in_valid = 0;
  top_->reg_valid = 0;
  top_->signal_in = 0;
  for (int link = 0; link < links; ++link) top_->xgmii_rxd[link] = idle_data;
  top_->xgmii_rxc = all_control;
  top_->tx_pause = 0;
  NwpDevices::Options devices;
  devices.read_latency = options_.put_latency + options_.notify_latency;
  devices.report_latency = options_.notify_latency;
  devices.console_bit_cycles = options_.console_bit_cycles;
  devices_ = std::make_unique<NwpDevices>(*top_, memory_, rank_, devices);
}

NwpNode::~NwpNode() {
  abandon();
  close_trace();
}

void NwpNode::connect(int link, sim::QpaceCable& out, sim::QpaceCable& in, Socket socket) {
  plugs_[socket][static_cast<std::size_t>(link)] = {&out, &in, nullptr};
  redundant_ = redundant_ || socket == Redundant;
}

void NwpNode::connect_lanes(int link, sim::lanes::LaneCable& out, sim::lanes::LaneCable& in,
                            Socket socket) {
  std::optional<std::uint32_t> state = options_.initial_state;
  if (state) *state += 1 + static_cast<std::uint32_t>(link + links * socket);
  plugs_[socket][static_cast<std::size_t>(link)].lanes =
      std::make_unique<sim::lanes::LaneEnd>(out, in, state);
  lanes_ = true;
  redundant_ = redundant_ || socket == Redundant;
}

void NwpNode::connect_signals(sim::LevelCable& up, sim::LevelCable& down) {
  signal_up_ = &up;
  signal_down_ = &down;
}

void NwpNode::connect_ethernet(sim::EthernetCable& out, sim::EthernetCable& in) {
  devices_->connect(out, in);
}

void NwpNode::trace(const TraceOptions& options) {
  std::array<std::string, links> cables;
  for (std::size_t link = 0; link < links; ++link) {
    const Plug& own = plug(static_cast<unsigned>(link));
    cables[link] = own.lanes ? own.lanes->out().name() : own.out->name();
  }
  trace_ = std::make_unique<NodeTrace>(nwp_trace_top(*top_), rank_, options, cables);
}

StateBits NwpNode::state_bits() {
  return machine::state_bits(*top_);
}

void NwpNode::close_trace() {
  trace_.reset();
}

// ---------------------------------------------------------------------------------------------
// Time

void NwpNode::run(Picoseconds /*from*/, Picoseconds to) {
  if (signal_down_ != nullptr) signal_due_ = signal_down_->next_change();
  for (;;) {
    finish_writes();
    deliver_notifications();
    if (run_program()) continue;
    if (options_.skip_idle)
      skip_to(std::min({to, asleep_until(), next_arrival(), next_housekeeping()}));
    const Picoseconds core = options_.core_clock.edge(core_edge_);
    const Picoseconds link = options_.link_clock.edge(link_edge_);
    const Picoseconds due =
        std::min({program_due(), notifications_.empty() ? kNever : notifications_.front().due,
                  devices_->next_report()});
    const Picoseconds next = std::min({core, link, due});
    if (next >= to) {
      now_ = to;
      return;
    }
    now_ = next;
    if (due == next) continue;  // the program acts before the edge at the same time
    step(core == now_, link == now_);
    if (core == now_) ++core_edge_;
    if (link == now_) ++link_edge_;
  }
}

Picoseconds NwpNode::next_arrival() const {
  Picoseconds first = signal_due_;
  for (const Plugs& socket : plugs_) {
    for (const Plug& plug : socket) {
      if (plug.in == nullptr) continue;
      if (const auto edge = plug.in->next_edge())
        first = std::min(first, options_.link_clock.edge(*edge));
    }
    if (!redundant_) break;
  }
  if (const auto edge = devices_->next_edge())
    first = std::min(first, options_.link_clock.edge(*edge));
  return first;
}

// While the hardware is busy every edge counts; at rest, only the program, the DMA engine and what
// is on its way to memory can start something.
Picoseconds NwpNode::asleep_until() const {
  if (idle_edges_ < settle_edges || waits_for(Wait::Register) || !devices_->asleep()) return now_;
  Picoseconds until = std::min(program_due(), devices_->next_report());
  if (!notifications_.empty()) until = std::min(until, notifications_.front().due);
  for (const PutQueue& queue : put_queues_) {
    if (!queue.puts.empty()) until = std::min(until, queue.puts.front().eligible);
  }
  return std::max(until, now_);
}

// Links that are UP say that they are there, and look whether their peers are. Lanes send at every
// edge.
Picoseconds NwpNode::next_housekeeping() const {
  if (lanes_) return options_.link_clock.edge(link_edge_);
  constexpr std::uint32_t up = 2;
  for (int link = 0; link < links; ++link) {
    if ((top_->obs_state >> (4 * link) & 3U) == up)
      return options_.link_clock.edge((link_edge_ + mark_edges - 1) / mark_edges * mark_edges);
  }
  return kNever;
}

// Leaves out the edges before `target`, at which a resting hardware sees idle inputs only.
void NwpNode::skip_to(Picoseconds target) {
  if (target <= now_) return;
  core_edge_ = std::max(core_edge_, options_.core_clock.first_edge(target));
  const std::int64_t edge = std::max(link_edge_, options_.link_clock.first_edge(target));
  const auto skipped = static_cast<std::uint64_t>(edge - link_edge_);
  link_edge_ = edge;
  cycles_.total += skipped;
  cycles_.skipped += skipped;
  if (trace_)
    trace_->rest(
        std::min(options_.core_clock.edge(core_edge_), options_.link_clock.edge(link_edge_)));
}

// ---------------------------------------------------------------------------------------------
// Clock edges

void NwpNode::evaluate() {
  top_->eval();
  inputs_changed_ = false;
}

void NwpNode::step(bool core, bool link) {
  // Handshakes are read after inputs have settled. Mostly an edge of the other clock in between has
  // seen to that.
  if ((core && (inputs_changed_ || clk_.needs_low())) || (link && link_clk_.needs_low())) {
    for (ClockPin* pin : {&clk_, &link_clk_, &io_clk_, &eth_rx_clk_}) pin->fall();
    evaluate();
  }
  const bool beat_taken = core && top_->pw_in_valid && top_->pw_in_ready;
  const bool register_done = core && top_->reg_valid && top_->reg_ack;
  const std::uint32_t register_value = top_->reg_rdata;
  const bool register_failed = top_->reg_error;
  if (beat_taken && watcher_) watcher_({now_, false, beat_ == 0, beat_ == line_beats - 1, false});
  // Before the first edge of its reset the hardware holds anything.
  if (core && !top_->rst && top_->pw_out_valid && top_->pw_out_ready) take_port_beat();
  if (core) {
    top_->rst = now_ < reset_time;
    if (now_ >= signal_due_) receive_signal();
  }
  if (link) {
    drive_resets();
    top_->link_beat = link_edge_ / mark_edges & 1;
    receive_symbols();
  }
  const bool devices = link && devices_->before_edge(link_edge_, now_, now_ < reset_time);
  clk_.set(core);
  link_clk_.set(link);
  io_clk_.set(devices);
  eth_rx_clk_.set(devices);
  evaluate();
  if (trace_) trace_->dump(now_, link);
  if (devices && devices_->after_edge(link_edge_, now_) && waits_for(Wait::Event)) notify();
  if (core) {
    if (register_done) {
      top_->reg_valid = 0;
      inputs_changed_ = true;
      end_access(register_value, register_failed);
    }
    if (beat_taken) ++beat_;
    finish_writes();
    drive_port();
    drive_output();
    if (!top_->rst) {
      if (top_->signal_out != signal_sent_) send_signal();
      select_ = top_->phy_select;
    }
    if (top_->irq && waits_for(Wait::Event)) notify();
  }
  if (link) {
    ++cycles_.total;
    send_symbols();
    if (top_->link_rst != all_links) observe();
    const bool rests = top_->obs_idle && !top_->reg_valid && !line_active_ &&
                       now_ >= stalled_until_ && top_->link_rst == 0;
    idle_edges_ = rests ? idle_edges_ + 1 : 0;
  }
}

// ---------------------------------------------------------------------------------------------
// What the program calls

void NwpNode::begin_access(std::uint32_t address, bool write, std::uint32_t value) {
  top_->reg_valid = 1;
  top_->reg_write = write;
  top_->reg_address = static_cast<std::uint16_t>(address & 0xFFF);
  top_->reg_wdata = value;
  inputs_changed_ = true;
  if (is_device(address)) devices_->wake();
}

std::uint64_t NwpNode::post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                                  std::uint64_t bytes) {
  if (queue >= links || bytes == 0 || bytes % qpace::line_bytes != 0 ||
      source % qpace::line_bytes != 0 || source + bytes > memory_.size())
    throw UsageError(
        fmt::format("node {}: put of {} bytes from offset {:#x}: QPACE puts are whole "
                    "128-byte lines inside the node's memory",
                    rank_, bytes, source));
  PutQueue& q = put_queues_[queue];
  q.puts.push_back({address, source, bytes, ++q.issued, now_ + options_.put_latency});
  return q.issued;
}

void NwpNode::drop_puts(unsigned queue) {
  PutQueue& q = put_queues_[queue];
  if (q.puts.empty()) return;
  const std::uint64_t last = q.puts.back().ticket;
  if (line_active_ && turn_ == queue) {
    q.puts.resize(1);
    q.puts.front().bytes = qpace::line_bytes;
    q.puts.front().ticket = last;
  } else {
    q.puts.clear();
    q.completed = last;
  }
}

bool NwpNode::posted_done(unsigned queue, std::uint64_t ticket) const {
  return put_queues_[queue].completed >= ticket;
}

bool NwpNode::interrupt() const {
  return top_->irq;
}

// ---------------------------------------------------------------------------------------------
// What the kernel asks

std::string NwpNode::hardware_status() const {
  std::string links_text;
  for (unsigned link = 0; link < links; ++link) {
    static constexpr const char* states[] = {"down", "training", "up", "?"};
    const unsigned state = top_->obs_state >> (4 * link) & 3;
    const std::size_t queued = put_queues_[link].puts.size();
    const bool full = (top_->pw_in_room >> link & 1) == 0;
    if (state == 2 && queued == 0 && !full) continue;
    links_text += fmt::format("{}{} {}{}", links_text.empty() ? "" : ", ",
                              qpace::link_name(static_cast<int>(link)), states[state],
                              full ? ", transmit FIFO full" : "");
    if (queued > 0) links_text += fmt::format(", {} puts queued", queued);
  }
  return links_text.empty() ? "all links up and empty" : links_text;
}

}  // namespace ht::machine
