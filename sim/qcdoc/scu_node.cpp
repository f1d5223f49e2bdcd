// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/scu_node.hpp"

#include <Vqcdoc_scu.h>
#include <Vqcdoc_scu___024root.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>

#include "sim/qcdoc/scu_waves.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

using sim::kNever;

constexpr Picoseconds reset_time = 100'000;
// The unit's state returns to itself after so many cycles when it rests (rtl/qcdoc/README.md).
constexpr int idle_period = 8;
// It may be left alone when wires have repeated themselves for so long, and it has said that it
// rests for two periods: what software changed shows on a wire only with the next byte.
constexpr int quiet_time = 24, rest_time = 16;

Picoseconds reset_end(const ScuNodeOptions& o) {
  return reset_time + o.byte_phase * o.clock.period;
}

}  // namespace

ScuNode::ScuNode(int rank, const ScuNodeOptions& options)
    : ClockedNode(rank, options.memory_bytes,
                  {links, reset_end(options), "serial communications unit"}, options.clock,
                  idle_period, options.skip_idle),
      options_(options),
      reset_time_(reset_end(options)),
      read_cycles_((options.read_latency + options.clock.period - 1) / options.clock.period),
      context_(std::make_unique<VerilatedContext>()) {
  if (options_.byte_phase < 0 || options_.byte_phase >= idle_period)
    throw UsageError(fmt::format("byte phase {}: must be from 0 to 7", options_.byte_phase));
  if (read_cycles_ < 1)
    throw UsageError(
        fmt::format("memory read latency {} ps: must be positive", options_.read_latency));
  if (options_.global_period < 4 * options_.clock.period || options_.global_skew < 0)
    throw UsageError(
        fmt::format("global clock of {} ps, {} ps late: its period must be four of "
                    "the node's clock at least, and it cannot come early",
                    options_.global_period, options_.global_skew));
  context_->threads(1);  // else every context keeps a thread pool
  context_->traceEverOn(true);
  top_ = std::make_unique<Vqcdoc_scu>(context_.get(), fmt::format("node{}", rank).c_str());
  clk_ = HT_CLOCK_PIN(*top_, clk);
  top_->rst = 1;
  top_->mem_ready = 1;
}

ScuNode::~ScuNode() {
  abandon();
  close_trace();
  top_->final();
  // A top with public variables takes leave of the context that its thread used last, which may be
  // a dead node's (Verilator 5.006).
  Verilated::threadContextp(context_.get());
}

void ScuNode::connect(int link, sim::QcdocCable& out, sim::QcdocCable& in) {
  plugs_[static_cast<std::size_t>(link)] = {&out, &in};
  if (!in.options().faults.empty()) watch_.watch(static_cast<unsigned>(link), &in.ledger());
}

// ---------------------------------------------------------------------------------------------
// Steps

Picoseconds ScuNode::next_arrival() const {
  Picoseconds first = kNever;
  for (const Plug& plug : plugs_) {
    if (const auto edge = plug.in->next_edge()) first = std::min(first, clock_.edge(*edge));
  }
  return first;
}

bool ScuNode::rests() const {
  return quiet_edges_ >= quiet_time && idle_edges_ >= rest_time;
}

void ScuNode::step() {
  drive_inputs();
  const bool symbols = receive_symbols();
  if (clk_.needs_low()) {
    clk_.fall();
    top_->eval();
  }
  // These come from registers, and so stand since the last edge, whatever the inputs are by now.
  const bool answered = top_->reg_valid && top_->reg_ack;
  const std::uint32_t value = top_->reg_rdata;
  const bool refused = top_->reg_error;
  if (top_->mem_rvalid) reads_.pop_front();
  if (top_->mem_valid && top_->mem_ready) take_memory_request();
  clk_.rise();
  top_->eval();
  if (trace_) trace_->dump(now_, true);
  ++cycles_.total;
  send_symbols();
  observe();
  quiet_edges_ = symbols ? 0 : quiet_edges_ + 1;
  idle_edges_ = top_->obs_idle && !top_->reg_valid ? idle_edges_ + 1 : 0;
  if (answered) {
    top_->reg_valid = 0;
    end_access(value, refused);
  }
  if (waits_for(Wait::Event) && top_->irq) notify();
}

// ---------------------------------------------------------------------------------------------
// Registers

void ScuNode::begin_access(std::uint32_t address, bool write, std::uint32_t value) {
  top_->reg_valid = 1;
  top_->reg_write = write;
  top_->reg_address = static_cast<std::uint16_t>(address & 0xFFF);
  top_->reg_wdata = value;
}

bool ScuNode::interrupt() const {
  return top_->irq;
}

// ---------------------------------------------------------------------------------------------
// What the kernel asks

std::string ScuNode::hardware_status() const {
  std::string text;
  for (unsigned link = 0; link < links; ++link) {
    static constexpr const char* states[] = {"down", "training", "up", "?"};
    const unsigned state = top_->obs_state >> (2 * link) & 3;
    if (state == 2) continue;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", "+-"[link % 2], "xyztuv"[link / 2],
                        states[state]);
  }
  if (text.empty()) text = "all links up";
  return text + (top_->obs_idle ? ", nothing moves" : ", busy");
}

void ScuNode::watch_all_links() {
  for (unsigned link = 0; link < links; ++link) {
    if (watch_.receiver_of(link) == nullptr) watch_.watch(link, &plugs_[link].in->ledger());
  }
}

void ScuNode::tell_ledgers() {
  watch_.close(edge_ - 1);
}

void ScuNode::trace(const TraceOptions& options) {
  std::array<std::string, links> cables;
  for (std::size_t link = 0; link < links; ++link) cables[link] = plugs_[link].out->name();
  trace_ = std::make_unique<NodeTrace>(scu_trace_top(*top_), rank_, options, cables);
}

void ScuNode::close_trace() {
  trace_.reset();
}

}  // namespace ht::machine
