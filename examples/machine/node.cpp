// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <Vgrid_node.h>
#include <Vgrid_node___024root.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>

#include "sw/host/errors.hpp"

namespace ht::grid {
namespace {

constexpr Picoseconds reset_time = 100'000;
// A node at rest stays as it is from one cycle to the next; what a register write changed has shown
// on obs_idle after so many edges.
constexpr int idle_period = 1, rest_time = 8;

}  // namespace

Node::Node(int rank, const NodeOptions& options)
    : ClockedNode(rank, options.memory_bytes, {links, reset_time, "grid node"}, options.clock,
                  idle_period, options.skip_idle),
      context_(std::make_unique<VerilatedContext>()) {
  context_->threads(1);  // else every context keeps a thread pool
  context_->traceEverOn(true);
  top_ = std::make_unique<Vgrid_node>(context_.get(), fmt::format("node{}", rank).c_str());
  clk_ = HT_CLOCK_PIN(*top_, clk);
  top_->rst = 1;
}

Node::~Node() {
  abandon();
  close_trace();
  top_->final();
}

void Node::connect(int link, Cable& out, Cable& in) {
  plugs_[static_cast<std::size_t>(link)] = {&out, &in};
}

void Node::step() {
  top_->rst = now_ < reset_time;
  bool busy = receive();
  std::ranges::copy(read_, &top_->mem_rdata[0]);
  if (clk_.needs_low()) {
    clk_.fall();
    top_->eval();
  }
  // What is read here comes from registers, and so stands since the last edge.
  const bool answered = top_->reg_valid && top_->reg_ack;
  const std::uint32_t value = top_->reg_rdata;
  const bool refused = top_->reg_error;
  serve_memory();
  clk_.rise();
  top_->eval();
  if (trace_) trace_->dump(now_, true);
  ++cycles_.total;
  if (!top_->rst) {  // before that, registers hold anything
    busy = send() || busy;
    observe();
  }
  busy = busy || top_->rst || !top_->obs_idle || top_->reg_valid;
  idle_edges_ = busy ? 0 : idle_edges_ + 1;
  if (answered) {
    top_->reg_valid = 0;
    end_access(value, refused);
  }
}

bool Node::receive() {
  bool any = false;
  unsigned control = 0;
  for (unsigned link = 0; link < links; ++link) {
    const Word word = plugs_[link].in->receive(edge_);
    any = any || word != Word{};
    top_->rx_data[link] = word.data;
    control |= static_cast<unsigned>(word.control) << (4 * link);
  }
  top_->rx_control = static_cast<std::uint16_t>(control);
  return any;
}

bool Node::send() {
  if (top_->tx_control == 0xffff) return false;
  for (unsigned link = 0; link < links; ++link) {
    const auto control = static_cast<std::uint8_t>(top_->tx_control >> (4 * link) & 0xf);
    plugs_[link].out->send(edge_, {top_->tx_data[link], control});
  }
  return true;
}

std::byte* Node::word_at(std::uint32_t address) {
  const std::uint64_t offset = std::uint64_t{4} * address;
  if (offset + 4 > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: a link reached for offset {:#x}, outside the {} MB of memory", rank_,
                    offset, memory_.size() >> 20));
  return memory_.data() + offset;
}

// Memory takes an address at every edge; what it reads is there after it.
void Node::serve_memory() {
  for (unsigned link = 0; link < links && !top_->rst; ++link) {
    std::memcpy(&read_[link], word_at(top_->mem_raddress[link]), 4);
    if ((top_->mem_write >> link & 1) != 0)
      std::memcpy(word_at(top_->mem_waddress[link]), &top_->mem_wdata[link], 4);
  }
}

void Node::observe() {
  const unsigned any = top_->obs_rx_start | top_->obs_rx_ok | top_->obs_rx_error |
                       top_->obs_retransmit | top_->obs_done;
  for (unsigned link = 0; any >> link != 0; ++link) {
    const auto bit = [link](unsigned pulses) { return (pulses >> link & 1) != 0; };
    if (bit(top_->obs_rx_error)) note_error(link);
    if (bit(top_->obs_retransmit)) note_retransmission(link);
    if (bit(top_->obs_done)) notify();
    static constexpr sim::Complaint causes[] = {sim::Complaint::Code, sim::Complaint::Framing,
                                                sim::Complaint::Check, sim::Complaint::Check};
    const sim::Observation seen{.start = bit(top_->obs_rx_start),
                                .ok = bit(top_->obs_rx_ok),
                                .error = bit(top_->obs_rx_error),
                                .complaint = causes[top_->obs_rx_cause >> (2 * link) & 3]};
    if (seen.ok) ++progress_;
    if (seen.start || seen.ok || seen.error) plugs_[link].in->ledger().observe(edge_, seen);
  }
}

void Node::begin_access(std::uint32_t address, bool write, std::uint32_t value) {
  top_->reg_valid = 1;
  top_->reg_write = write;
  top_->reg_address = static_cast<std::uint8_t>(address & 0x7f);
  top_->reg_wdata = value;
}

bool Node::rests() const {
  return idle_edges_ >= rest_time;
}

Picoseconds Node::next_arrival() const {
  Picoseconds first = sim::kNever;
  for (const Plug& plug : plugs_) {
    if (const auto edge = plug.in->next_edge()) first = std::min(first, clock_.edge(*edge));
  }
  return first;
}

std::string Node::hardware_status() const {
  static constexpr const char* states[] = {"down", "training", "up", "?"};
  std::string text;
  for (unsigned link = 0; link < links; ++link)
    text += fmt::format("{}{} {}, ", "+-"[link % 2], "xy"[link / 2],
                        states[top_->obs_state >> (2 * link) & 3]);
  return text + (top_->obs_idle ? "nothing moves" : "busy");
}

void Node::trace(const machine::TraceOptions& options) {
  std::array<std::string, links> cables;
  for (std::size_t link = 0; link < links; ++link) cables[link] = plugs_[link].out->name();
  trace_ = std::make_unique<machine::NodeTrace>(trace_top(*top_), rank_, options, cables);
}

}  // namespace ht::grid
