// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/scu_node.hpp"

#include <Vqcdoc_scu.h>
#include <Vqcdoc_scu___024root.h>
#include <fmt/format.h>

#include <algorithm>

#include "sim/qcdoc/scu_waves.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/registers.hpp"

namespace ht::machine {

StateBits state_bits(Vqcdoc_scu& top);  // made by state_bits.py
namespace {

constexpr Picoseconds reset_time = 100'000;
constexpr unsigned address_bits = 12;  // of a register
// The unit's state returns to itself after so many cycles when it rests (rtl/qcdoc/README.md).
constexpr int idle_period = 8;
// It may be left alone when wires have repeated themselves for so long, and it has said that it
// rests for two periods: what software changed shows on a wire only with the next byte.
constexpr int quiet_time = 24, rest_time = 16;

#define HT_LINK_CLOCK(n) \
  HT_CLOCK_BEFORE(root, qcdoc_scu__DOT__g_link__BRA__##n##__KET____DOT__link_clk)

// The links' clocks.
template <class Root>
std::vector<std::uint8_t*> link_clocks(Root& root) {
  return {HT_LINK_CLOCK(0), HT_LINK_CLOCK(1), HT_LINK_CLOCK(2),  HT_LINK_CLOCK(3),
          HT_LINK_CLOCK(4), HT_LINK_CLOCK(5), HT_LINK_CLOCK(6),  HT_LINK_CLOCK(7),
          HT_LINK_CLOCK(8), HT_LINK_CLOCK(9), HT_LINK_CLOCK(10), HT_LINK_CLOCK(11)};
}

// Which unit of two a node has, where there are two.
void choose_unit(auto& top, bool routed) {
  if constexpr (requires { top.routed; })
    top.routed = routed;
  else if (routed)
    throw UsageError("this build has no routed unit: --far builds one that has");
}

Picoseconds reset_end(const ScuNodeOptions& o) {
  return reset_time + o.clock.cycles(o.byte_phase);
}

}  // namespace

ScuNode::ScuNode(int rank, const ScuNodeOptions& options)
    : VerilatedNode(rank, options.memory_bytes,
                    {links, reset_end(options), "serial communications unit"}, options.clock,
                    idle_period, options.skip_idle, address_bits, options.initial_state),
      options_(options),
      reset_time_(reset_end(options)),
      read_times_(options.memory_latency, options.memory_spread, options.clock.period,
                  static_cast<std::uint64_t>(rank)) {
  if (options_.byte_phase < 0 || options_.byte_phase >= idle_period)
    throw UsageError(fmt::format("byte phase {}: must be from 0 to 7", options_.byte_phase));
  if (options_.global_period < 4 * options_.clock.longest_cycle() || options_.global_skew < 0)
    throw UsageError(
        fmt::format("global clock of {} ps, {} ps late: its period must be four of "
                    "the node's clock at least, and it cannot come early",
                    options_.global_period, options_.global_skew));
  choose_unit(*top_, options_.routed);
  top_->mem_ready = 1;
  top_->global_count = 0;
  top_->link_rest = 0;
  top_->tx_pause = top_->lane_rx_strobe = top_->lane_rx_control = 0;
  for (std::size_t word = 0; word < 3; ++word) top_->lane_rx_data[word] = 0;
  clk_.followed_by(link_clocks(*(*top_).rootp), links);
  links_rest_ = options.skip_idle && clk_.rises_from_high();
}

ScuNode::~ScuNode() = default;

void ScuNode::compute(Picoseconds duration, double memory_share) {
  memory_share_ = memory_share;
  taken_ = 0;
  advance(duration);
  // More words come while the processor makes up for those before.
  while (taken_ >= 1) {
    const auto cycles = static_cast<std::int64_t>(taken_);
    taken_ -= static_cast<double>(cycles);
    advance(options_.clock.cycles(cycles));
  }
  memory_share_ = 0;
}

void ScuNode::connect(int link, sim::QcdocCable& out, sim::QcdocCable& in) {
  VerilatedNode::connect(link, out, in);
  if (!in.options().faults.empty()) watch_.watch(static_cast<unsigned>(link), &in.ledger());
}

// ---------------------------------------------------------------------------------------------
// Steps

bool ScuNode::rests() const {
  return quiet_edges_ >= quiet_time && idle_edges_ >= rest_time;
}

void ScuNode::set_inputs() {
  drive_inputs();
  if (lanes_)
    receive_bytes();
  else
    receive_symbols();
}

void ScuNode::take_outputs() {
  if (!lanes_) {
    send_symbols();
    if (!top_->rst) observe();
  }
  quiet_edges_ = symbols_ != 0 ? 0 : quiet_edges_ + 1;
  idle_edges_ = top_->obs_idle && !top_->reg_valid ? idle_edges_ + 1 : 0;
  if (links_rest_)
    resting_.edge(symbols_ | sent_symbols_, top_->rst ? 0U : top_->obs_rest, top_->obs_place);
}

// ---------------------------------------------------------------------------------------------
// Links at rest

// Links whose registers the next edge answers for: the unit sees that only when it is evaluated.
std::uint32_t ScuNode::accessed_links() const {
  constexpr std::uint32_t registers = 32;  // of a link
  const std::uint32_t offset = (*top_).reg_address - qcdoc::registers::scu::link_window(0);
  return (*top_).reg_valid && offset < links * registers ? 1U << offset / registers : 0;
}

void ScuNode::before_rise() {
  if (lanes_) send_bytes();
  if (!links_rest_) return;
  make_up(static_cast<std::uint32_t>(resting_.wake(symbols_ | accessed_links(), top_->obs_rest)));
  top_->link_rest = static_cast<std::uint16_t>(resting_.mask());
}

// Gives these links the edges of this byte that they were not given, with what was on their wires.
// The unit has none meanwhile: its clock stays high.
void ScuNode::make_up(std::uint32_t woken) {
  const int behind = resting_.behind();
  if (woken == 0 || behind == 0) return;
  const std::uint16_t now = top_->serial_in;
  top_->link_rest = static_cast<std::uint16_t>(~woken & 0xFFF);
  for (std::int64_t edge = edge_ - behind; edge < edge_; ++edge) {
    top_->serial_in = static_cast<std::uint16_t>(received_.bits(edge));
    clk_.raise_followers();
    top_->eval();
  }
  top_->serial_in = now;
}

// For who looks at registers, or changes them: all are what they are.
void ScuNode::stop_resting() {
  if (!links_rest_) return;
  make_up(static_cast<std::uint32_t>(resting_.stop()));
  top_->link_rest = 0;
  links_rest_ = false;
}

void ScuNode::watch_all_links() {
  for (unsigned link = 0; link < links; ++link) {
    if (watch_.receiver_of(link) == nullptr) watch_.watch(link, &plugs_[link].in->ledger());
  }
}

void ScuNode::tell_ledgers() {
  watch_.close(edge_ - 1);
}

StateBits ScuNode::state_bits() {
  stop_resting();
  return machine::state_bits(*top_);
}

TraceTop ScuNode::trace_top() {
  stop_resting();
  return scu_trace_top(*top_);
}

}  // namespace ht::machine
