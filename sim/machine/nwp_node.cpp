// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/nwp_node.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {
namespace {

constexpr Picoseconds never = std::numeric_limits<Picoseconds>::max();
constexpr Picoseconds reset_time = 100'000;
constexpr int line_beats = 8;
// obs_idle looks at both clock domains; what is still on its way through a synchroniser has
// arrived after this many edges.
constexpr int settle_edges = 16;
constexpr std::uint32_t all_control = 0xFFFFFF;
constexpr std::uint32_t idle_data = 0x07070707;
// Compute phases this long count as progress for the watchdog, polls do not.
constexpr Picoseconds compute_step = 1'000'000;

}  // namespace

NwpNode::NwpNode(int rank, const NwpNodeOptions& options)
    : rank_(rank),
      options_(options),
      core_clock_(options.core_period, options.core_phase),
      link_clock_(options.link_period, options.link_phase),
      context_(std::make_unique<VerilatedContext>()),
      memory_(options.memory_bytes) {
  context_->traceEverOn(true);
  top_ = std::make_unique<Vqpace_nwp>(context_.get(), fmt::format("node{}", rank).c_str());
  core_edge_ = core_clock_.first_edge_from(0);
  link_edge_ = link_clock_.first_edge_from(0);
  top_->rst = 1;
  top_->link_rst = 1;
  top_->pw_out_ready = 1;
  for (int link = 0; link < links; ++link) top_->xgmii_rxd[link] = idle_data;
  top_->xgmii_rxc = all_control;
}

NwpNode::~NwpNode() {
  // The program, if one is left, still sees its hardware while it unwinds.
  fibre_.reset();
  close_trace();
  top_->final();
}

void NwpNode::connect(int link, QpaceCable& out, QpaceCable& in) {
  plugs_[static_cast<std::size_t>(link)] = {&out, &in};
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

void NwpNode::trace(const std::string& file, Picoseconds from, Picoseconds to) {
  trace_ = std::make_unique<NodeTrace>(*top_, file, from, to);
}

void NwpNode::close_trace() {
  trace_.reset();
}

// ---------------------------------------------------------------------------------------------
// Time

void NwpNode::run_until(Picoseconds end) {
  for (;;) {
    deliver_notifications();
    if (run_program()) continue;
    const Picoseconds quiet = quiet_time(end);
    if (quiet > std::min(core_edge_, link_edge_)) skip_to(quiet);
    const Picoseconds due =
        std::min(program_due(), notifications_.empty() ? never : notifications_.front().due);
    const Picoseconds next = std::min({core_edge_, link_edge_, due});
    if (next >= end) {
      now_ = end;
      return;
    }
    now_ = next;
    if (due == next) continue;  // the program acts before the edge at the same time
    const bool core = core_edge_ == now_;
    const bool link = link_edge_ == now_;
    step(core, link);
    if (core) core_edge_ += options_.core_period;
    if (link) link_edge_ += options_.link_period;
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
  idle_edges_ = 0;
  return true;
}

Picoseconds NwpNode::program_due() const {
  switch (wait_) {
    case Wait::Ready:
      return now_;
    case Wait::Time:
      return wake_;
    case Wait::Event:
      return event_ ? now_ : never;
    case Wait::Register:
    case Wait::Finished:
      return never;
  }
  return never;
}

Picoseconds NwpNode::next_arrival() const {
  Picoseconds first = never;
  for (const Plug& plug : plugs_) {
    if (plug.in != nullptr) first = std::min(first, plug.in->next_arrival());
  }
  return first;
}

// Until when no clock edge can change anything: now_ unless the hardware rests and nobody will
// touch it before.
Picoseconds NwpNode::quiet_time(Picoseconds end) const {
  if (!options_.skip_idle || idle_edges_ < settle_edges || wait_ == Wait::Register) return now_;
  Picoseconds quiet = std::min({end, program_due(), next_arrival()});
  for (const PutQueue& queue : put_queues_) {
    if (!queue.puts.empty()) quiet = std::min(quiet, queue.puts.front().eligible);
  }
  return quiet;
}

Picoseconds NwpNode::quiet_until() const {
  return quiet_time(never);
}

void NwpNode::skip_to(Picoseconds target) {
  // An arrival is sampled by the first edge not before it, so edges before `target` see idle.
  core_edge_ = std::max(core_edge_, core_clock_.first_edge_from(target));
  const Picoseconds edge = std::max(link_edge_, link_clock_.first_edge_from(target));
  const auto skipped = static_cast<std::uint64_t>((edge - link_edge_) / options_.link_period);
  link_edge_ = edge;
  cycles_ += skipped;
  skipped_ += skipped;
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
    if (link) top_->link_clk = 0;
    top_->eval();
    inputs_changed_ = false;
  }
  const bool beat_taken = core && top_->pw_in_valid && top_->pw_in_ready;
  const bool register_done = core && top_->dcr_req && top_->dcr_ack;
  if (register_done) {
    register_value_ = top_->dcr_rdata;
    register_failed_ = top_->dcr_error;
  }
  if (core && top_->pw_out_valid && top_->pw_out_ready) take_port_beat();
  if (core) top_->rst = now_ < reset_time;
  if (link) {
    top_->link_rst = now_ < reset_time;
    receive_symbols();
  }
  top_->clk = core;
  top_->link_clk = link;
  evaluate();
  if (core) {
    if (register_done) {
      top_->dcr_req = 0;
      inputs_changed_ = true;
      wait_ = Wait::Ready;
    }
    if (beat_taken) ++beat_;
    drive_port();
    if (top_->irq && wait_ == Wait::Event) event_ = true;
  }
  if (link) {
    ++cycles_;
    send_symbols();
    observe();
    const bool rests = top_->obs_idle && !top_->dcr_req && !line_active_;
    idle_edges_ = rests ? idle_edges_ + 1 : 0;
  }
}

// ---------------------------------------------------------------------------------------------
// Posted writes into the network

// Picks the next queue, after the last one served, whose put may start and whose link has room.
bool NwpNode::next_line() {
  for (unsigned i = 1; i <= links; ++i) {
    const unsigned queue = (turn_ + i) % links;
    const PutQueue& q = put_queues_[queue];
    if (q.puts.empty() || q.puts.front().eligible > now_) continue;
    const unsigned link = q.puts.front().address >> 25 & 7;
    if (link < links && (top_->pw_in_room >> link & 1) == 0) continue;
    turn_ = queue;
    return true;
  }
  return false;
}

void NwpNode::drive_port() {
  if (line_active_ && beat_ == line_beats) {
    line_active_ = false;
    ++progress_;
    PutQueue& q = put_queues_[turn_];
    Put& put = q.puts.front();
    put.address += qpace::line_bytes;
    put.source += qpace::line_bytes;
    put.bytes -= qpace::line_bytes;
    if (put.bytes == 0) {
      q.completed = put.ticket;
      q.puts.pop_front();
      event_ = true;
    }
  }
  if (!line_active_) {
    beat_ = 0;
    line_active_ = !top_->rst && next_line();
    if (!line_active_) {
      if (top_->pw_in_valid) {
        top_->pw_in_valid = 0;
        inputs_changed_ = true;
      }
      return;
    }
  }
  const Put& put = put_queues_[turn_].puts.front();
  top_->pw_in_valid = 1;
  top_->pw_in_addr = static_cast<std::uint32_t>(put.address);
  top_->pw_in_last = beat_ == line_beats - 1;
  std::memcpy(&top_->pw_in_data[0],
              memory_.data() + put.source + 16 * static_cast<std::size_t>(beat_), 16);
  inputs_changed_ = true;
}

// ---------------------------------------------------------------------------------------------
// Posted writes out of the network

void NwpNode::take_port_beat() {
  const std::uint64_t offset = top_->pw_out_addr;
  if (offset + 16 > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: the network wrote to offset {:#x}, outside the {} MB "
                    "of memory",
                    rank_, offset, memory_.size() >> 20));
  if (!top_->pw_out_notify) {
    std::memcpy(memory_.data() + offset, &top_->pw_out_data[0], 16);
    if (top_->pw_out_last) ++progress_;
    return;
  }
  Notification n{now_ + options_.notify_latency, offset, {}};
  std::memcpy(n.data.data(), &top_->pw_out_data[0], 16);
  notifications_.push_back(n);
}

void NwpNode::deliver_notifications() {
  while (!notifications_.empty() && notifications_.front().due <= now_) {
    const Notification& n = notifications_.front();
    std::memcpy(memory_.data() + n.offset, n.data.data(), 16);
    notifications_.pop_front();
    event_ = true;
  }
}

// ---------------------------------------------------------------------------------------------
// Cables

void NwpNode::receive_symbols() {
  for (std::size_t link = 0; link < links; ++link) {
    const auto word = plugs_[link].in->take(now_);
    const unsigned shift = 4 * static_cast<unsigned>(link);
    top_->xgmii_rxd[link] = word ? word->data : idle_data;
    const std::uint32_t control = word ? word->control : 0xF;
    top_->xgmii_rxc = (top_->xgmii_rxc & ~(0xFU << shift)) | control << shift;
  }
}

void NwpNode::send_symbols() {
  for (std::size_t link = 0; link < links; ++link) {
    const std::uint32_t data = top_->xgmii_txd[link];
    const auto control =
        static_cast<std::uint8_t>(top_->xgmii_txc >> (4 * static_cast<unsigned>(link)) & 0xF);
    if (data == idle_data && control == 0xF) continue;
    plugs_[link].out->send(now_, {data, control});
  }
}

void NwpNode::observe() {
  const std::uint32_t any = static_cast<std::uint32_t>(top_->obs_rx_start) | top_->obs_rx_ok |
                            top_->obs_rx_command | top_->obs_rx_error;
  if (any == 0) return;
  // Pulses come a fixed number of cycles after the word was sampled.
  const Picoseconds at = now_ - QpaceCable::observation_latency * options_.link_period;
  for (std::size_t link = 0; link < links; ++link) {
    if ((any >> link & 1) == 0) continue;
    QpaceCable& in = *plugs_[link].in;
    if (top_->obs_rx_error >> link & 1) in.observed_error(at);
    if (top_->obs_rx_start >> link & 1) in.observed_start(at);
    if (top_->obs_rx_ok >> link & 1) in.observed_frame(at);
    if (top_->obs_rx_command >> link & 1) in.observed_command(at);
  }
}

// ---------------------------------------------------------------------------------------------
// What the program calls

void NwpNode::suspend(Wait reason) {
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

bool NwpNode::finished() const {
  if (wait_ != Wait::Finished || idle_edges_ < settle_edges || !notifications_.empty())
    return false;
  return std::all_of(put_queues_.begin(), put_queues_.end(),
                     [](const PutQueue& q) { return q.puts.empty(); });
}

std::string NwpNode::status() const {
  std::string text = fmt::format("node {}: ", rank_);
  if (wait_ == Wait::Finished) {
    text += "program finished";
  } else {
    text += fmt::format("{} since {:.3f} us", waiting_for_.empty() ? "running" : waiting_for_,
                        static_cast<double>(waiting_since_) * 1e-6);
  }
  for (int link = 0; link < links; ++link) {
    const PutQueue& q = put_queues_[static_cast<std::size_t>(link)];
    if (!q.puts.empty())
      text += fmt::format("; {}: {} puts queued", qpace::link_name(link), q.puts.size());
    const unsigned state = (top_->obs_state >> (4 * static_cast<unsigned>(link))) & 0xF;
    text += fmt::format("; {} state {}", qpace::link_name(link), state);
  }
  return text;
}

}  // namespace ht::machine
