// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/nwp_node.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>

#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {
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
constexpr std::uint32_t idle_data = 0x07070707;
// Compute phases this long count as progress for the watchdog, polls do not.
constexpr Picoseconds compute_step = 1'000'000;

}  // namespace

NwpNode::NwpNode(int rank, const NwpNodeOptions& options)
    : rank_(rank),
      options_(options),
      context_(std::make_unique<VerilatedContext>()),
      memory_(options.memory_bytes) {
  context_->threads(1);  // else every context keeps a thread pool
  context_->traceEverOn(true);
  top_ = std::make_unique<Vqpace_nwp>(context_.get(), fmt::format("node{}", rank).c_str());
  first_retransmission_.fill(kNever);
  first_error_.fill(kNever);
  options_.core_clock.check();
  options_.link_clock.check();
  top_->rst = 1;
  top_->link_rst = 1;
  top_->pw_out_ready = 1;
  for (int link = 0; link < links; ++link) top_->xgmii_rxd[link] = idle_data;
  top_->xgmii_rxc = all_control;
  NwpDevices::Options devices;
  devices.read_latency = options_.put_latency + options_.notify_latency;
  devices.report_latency = options_.notify_latency;
  devices.console_bit_cycles = options_.console_bit_cycles;
  devices_ = std::make_unique<NwpDevices>(*top_, memory_, rank_, devices);
}

NwpNode::~NwpNode() {
  abandon();
  close_trace();
  top_->final();
}

void NwpNode::connect(int link, sim::QpaceCable& out, sim::QpaceCable& in, Socket socket) {
  plugs_[socket][static_cast<std::size_t>(link)] = {&out, &in};
  redundant_ = redundant_ || socket == Redundant;
}

void NwpNode::connect_signals(sim::LevelCable& up, sim::LevelCable& down) {
  signal_up_ = &up;
  signal_down_ = &down;
}

void NwpNode::connect_ethernet(sim::EthernetCable& out, sim::EthernetCable& in) {
  devices_->connect(out, in);
}

void NwpNode::start(std::function<void()> program) {
  if (wait_ != Wait::Finished)
    throw std::logic_error(fmt::format("node {} is still running a program", rank_));
  fibre_ = std::make_unique<host::Fibre>(std::move(program));
  wait_ = Wait::Time;
  wake_ = std::max(now_, reset_time);
  event_ = false;
  waiting_for_ = "reset";
  waiting_since_ = now_;
}

void NwpNode::abandon() {
  abandoned_ = true;
  fibre_.reset();
  abandoned_ = false;
  wait_ = Wait::Finished;
}

void NwpNode::trace(const TraceOptions& options) {
  std::array<std::string, links> cables;
  for (std::size_t link = 0; link < links; ++link)
    cables[link] = plug(static_cast<unsigned>(link)).out->name();
  trace_ = std::make_unique<NodeTrace>(*top_, rank_, options, cables);
}

void NwpNode::close_trace() {
  trace_.reset();
}

// ---------------------------------------------------------------------------------------------
// Time

void NwpNode::run(Picoseconds /*from*/, Picoseconds to) {
  if (signal_down_ != nullptr) signal_due_ = signal_down_->next_change();
  for (;;) {
    deliver_notifications();
    if (run_program()) continue;
    if (options_.skip_idle) skip_to(std::min({to, asleep_until(), next_arrival()}));
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

// Resumes the program if it can go on now; true if it ran.
bool NwpNode::run_program() {
  if (program_due() > now_) return false;
  wait_ = Wait::Ready;
  waiting_for_ = {};
  fibre_->resume();
  if (fibre_->finished()) {
    wait_ = Wait::Finished;
    ++progress_;
  }
  return true;
}

Picoseconds NwpNode::program_due() const {
  switch (wait_) {
    case Wait::Ready:
      return now_;
    case Wait::Time:
      return wake_;
    case Wait::Event:
      return event_ ? now_ : kNever;
    case Wait::Register:
    case Wait::Finished:
      return kNever;
  }
  return kNever;
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
  if (idle_edges_ < settle_edges || wait_ == Wait::Register || !devices_->asleep()) return now_;
  Picoseconds until = std::min(program_due(), devices_->next_report());
  if (!notifications_.empty()) until = std::min(until, notifications_.front().due);
  for (const PutQueue& queue : put_queues_) {
    if (!queue.puts.empty()) until = std::min(until, queue.puts.front().eligible);
  }
  return std::max(until, now_);
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
}

// ---------------------------------------------------------------------------------------------
// Clock edges

void NwpNode::evaluate() {
  top_->eval();
  if (trace_) trace_->dump(now_);
}

void NwpNode::step(bool core, bool link) {
  // Edges need their clock low before, and handshakes are read after inputs have settled.
  if ((core && (top_->clk || inputs_changed_)) || (link && top_->link_clk)) {
    if (core) top_->clk = 0;
    if (link) top_->link_clk = top_->io_clk = top_->eth_rx_clk = 0;
    top_->eval();
    inputs_changed_ = false;
  }
  const bool beat_taken = core && top_->pw_in_valid && top_->pw_in_ready;
  const bool register_done = core && top_->dcr_req && top_->dcr_ack;
  if (register_done) {
    register_value_ = top_->dcr_rdata;
    register_failed_ = top_->dcr_error;
  }
  if (beat_taken && watcher_) watcher_({now_, false, beat_ == 0, beat_ == line_beats - 1, false});
  if (core && top_->pw_out_valid && top_->pw_out_ready) take_port_beat();
  if (core) {
    top_->rst = now_ < reset_time;
    if (now_ >= signal_due_) receive_signal();
  }
  if (link) {
    top_->link_rst = now_ < reset_time;
    receive_symbols();
  }
  const bool devices = link && devices_->before_edge(link_edge_, now_, now_ < reset_time);
  top_->clk = core;
  top_->link_clk = link;
  top_->io_clk = devices;
  top_->eth_rx_clk = devices;
  evaluate();
  if (devices && devices_->after_edge(link_edge_, now_) && wait_ == Wait::Event) event_ = true;
  if (core) {
    if (register_done) {
      top_->dcr_req = 0;
      inputs_changed_ = true;
      wait_ = Wait::Ready;
    }
    if (beat_taken) ++beat_;
    drive_port();
    drive_output();
    if (top_->signal_out != signal_sent_) send_signal();
    select_ = top_->phy_select;
    if (top_->irq && wait_ == Wait::Event) event_ = true;
  }
  if (link) {
    ++cycles_.total;
    send_symbols();
    observe();
    const bool rests = top_->obs_idle && !top_->dcr_req && !line_active_ && now_ >= stalled_until_;
    idle_edges_ = rests ? idle_edges_ + 1 : 0;
  }
}

// ---------------------------------------------------------------------------------------------
// What the program calls

void NwpNode::suspend(Wait reason) {
  if (abandoned_) return;
  wait_ = reason;
  waiting_since_ = now_;
  host::Fibre::suspend();
}

void NwpNode::advance(Picoseconds duration) {
  if (duration <= 0) return;
  wake_ = now_ + duration;
  waiting_for_ = duration >= compute_step ? "computing" : "polling";
  if (duration >= compute_step) ++progress_;
  suspend(Wait::Time);
}

void NwpNode::wait(std::string_view what) {
  waiting_for_ = what;
  if (!event_) suspend(Wait::Event);
  event_ = false;
}

std::uint32_t NwpNode::access_register(std::uint32_t address, bool write, std::uint32_t value) {
  top_->dcr_req = 1;
  top_->dcr_write = write;
  top_->dcr_addr = static_cast<std::uint16_t>(address & 0xFFF);
  top_->dcr_wdata = value;
  inputs_changed_ = true;
  waiting_for_ = "register access";
  if (is_device(address)) devices_->wake();
  suspend(Wait::Register);
  if (register_failed_)
    throw HardwareError(
        fmt::format("node {}: {} register {:#05x} was refused by the network "
                    "processor",
                    rank_, write ? "writing" : "reading", address));
  return register_value_;
}

std::uint32_t NwpNode::read_register(std::uint32_t address) {
  return access_register(address, false, 0);
}

void NwpNode::write_register(std::uint32_t address, std::uint32_t value) {
  access_register(address, true, value);
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

bool NwpNode::posted_done(unsigned queue, std::uint64_t ticket) const {
  return put_queues_[queue].completed >= ticket;
}

bool NwpNode::interrupt() const {
  return top_->irq;
}

// ---------------------------------------------------------------------------------------------
// What the kernel asks

std::string NwpNode::name() const {
  return fmt::format("node {}", rank_);
}

std::string NwpNode::status() const {
  std::string text;
  if (wait_ != Wait::Finished)
    text = fmt::format("{} since {:.3f} us; ", waiting_for_.empty() ? "running" : waiting_for_,
                       static_cast<double>(waiting_since_) * 1e-6);
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
  return text + (links_text.empty() ? "all links up and empty" : links_text);
}

}  // namespace ht::machine
