// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vgrid_node.h>
#include <Vgrid_node___024root.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "sim/machine/clocked_node.hpp"
#include "sim/machine/edge.hpp"
#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "waves.hpp"

namespace ht::grid {

/// How a node is built. Times in ps.
struct NodeOptions {
  sim::Clock clock{4000, 0};  ///< 250 MHz: 1 GB/s each way on each link
  std::size_t memory_bytes = std::size_t{64} << 20;
  bool skip_idle = true;  ///< jump over cycles in which nothing can change
};

/// One node: a Verilated grid_node, its memory behind it, four cables.
class Node final : public machine::ClockedNode {
 public:
  Node(int rank, const NodeOptions& options)
      : ClockedNode(rank, options.memory_bytes, {links, reset_time, "grid node"}, options.clock,
                    idle_period, options.skip_idle) {
    context_.threads(1);  // else every context keeps a thread pool
    context_.traceEverOn(true);
    top_ = std::make_unique<Vgrid_node>(&context_, fmt::format("node{}", rank).c_str());
    clk_ = HT_CLOCK_PIN(*top_, clk);
  }
  ~Node() override {
    abandon();
    close_trace();
    top_->final();
  }

  /// Plugs in a link: `out` carries what this node sends, `in` what it receives.
  void connect(int link, Cable& out, Cable& in) {
    out_[static_cast<std::size_t>(link)] = &out;
    in_[static_cast<std::size_t>(link)] = &in;
  }

  void trace(const machine::TraceOptions& options) override {
    std::array<std::string, links> cables;
    for (std::size_t link = 0; link < links; ++link) cables[link] = out_[link]->name();
    trace_ = std::make_unique<machine::NodeTrace>(trace_top(*top_), rank_, options, cables);
  }
  void close_trace() override { trace_.reset(); }
  bool interrupt() const override { return false; }  ///< a pulse, obs_done, ends waits

 private:
  static constexpr Picoseconds reset_time = 100'000;
  // A node at rest stays as it is from one cycle to the next; what a register write changed has
  // shown on obs_idle after so many edges.
  static constexpr int idle_period = 1, rest_time = 8;

  void step() override {
    const bool resets = now_ < reset_time;
    top_->rst = resets;
    const bool received = receive();
    std::ranges::copy(read_, &top_->mem_rdata[0]);
    if (clk_.needs_low()) {
      clk_.fall();
      top_->eval();
    }
    // What is looked at before the edge comes from registers, and so stands since the last one.
    const bool answered = top_->reg_valid && top_->reg_ack, refused = top_->reg_error;
    const std::uint32_t value = top_->reg_rdata;
    if (!resets) serve_memory();
    clk_.rise();
    top_->eval();
    if (trace_) trace_->dump(now_, true);
    ++cycles_.total;
    if (!resets) {  // before that, registers hold anything
      send();
      observe();
    }
    const bool busy = received || resets || !top_->obs_idle || top_->reg_valid;
    idle_edges_ = busy ? 0 : idle_edges_ + 1;
    if (answered) {
      top_->reg_valid = 0;
      end_access(value, refused);
    }
  }

  bool receive() {
    top_->rx_control = 0;
    bool any = false;
    for (unsigned link = 0; link < links; ++link) {
      const Word word = in_[link]->receive(edge_);
      any = any || word != Word{};
      top_->rx_data[link] = word.data;
      top_->rx_control = static_cast<std::uint16_t>(top_->rx_control | word.control << (4 * link));
    }
    return any;
  }
  void send() {
    for (unsigned link = 0; link < links && top_->tx_control != 0xffff; ++link) {
      const auto control = static_cast<std::uint8_t>(top_->tx_control >> (4 * link) & 0xf);
      out_[link]->send(edge_, {top_->tx_data[link], control});
    }
  }

  // Memory takes an address at every edge; what it reads is there after it.
  void serve_memory() {
    for (unsigned link = 0; link < links; ++link) {
      std::memcpy(&read_[link], word_at(top_->mem_raddress[link]), 4);
      if ((top_->mem_write >> link & 1) != 0)
        std::memcpy(word_at(top_->mem_waddress[link]), &top_->mem_wdata[link], 4);
    }
  }
  std::byte* word_at(std::uint32_t address) {
    const std::uint64_t offset = std::uint64_t{4} * address;
    if (offset + 4 > memory_.size())
      throw ProtocolError(
          fmt::format("{}: a link reached for offset {:#x}, outside the memory", name(), offset));
    return memory_.data() + offset;
  }

  void observe() {
    using enum sim::Complaint;
    static constexpr sim::Complaint causes[] = {Code, Framing, Check, Check};
    for (unsigned link = 0; link < links; ++link) {
      const auto bit = [link](unsigned pulses) { return (pulses >> link & 1) != 0; };
      const sim::Observation seen{.start = bit(top_->obs_rx_start),
                                  .ok = bit(top_->obs_rx_ok),
                                  .error = bit(top_->obs_rx_error),
                                  .complaint = causes[top_->obs_rx_cause >> (2 * link) & 3]};
      if (seen.start || seen.ok || seen.error) in_[link]->ledger().observe(edge_, seen);
      if (seen.error) note_error(link);
      if (bit(top_->obs_retransmit)) note_retransmission(link);
      if (bit(top_->obs_done)) notify();
      if (bit(top_->obs_done)) ++progress_;
    }
  }

  void begin_access(std::uint32_t address, bool write, std::uint32_t value) override {
    top_->reg_valid = 1;
    top_->reg_write = write;
    top_->reg_address = static_cast<std::uint8_t>(address & 0x7f);
    top_->reg_wdata = value;
  }
  bool rests() const override { return idle_edges_ >= rest_time; }
  Picoseconds next_arrival() const override {
    Picoseconds first = sim::kNever;
    for (const Cable* in : in_) first = std::min(first, in->next_arrival());
    return first;
  }
  std::string hardware_status() const override {
    static constexpr const char* states[] = {"down", "training", "up", "?"};
    std::string text = top_->obs_idle ? "nothing moves" : "busy";
    for (int link = 0; link < links; ++link)
      text += fmt::format(", {} {}", machine::link_name(link),
                          states[top_->obs_state >> (2 * link) & 3]);
    return text;
  }

  VerilatedContext context_;
  std::unique_ptr<Vgrid_node> top_;
  machine::ClockPin clk_;
  std::unique_ptr<machine::NodeTrace> trace_;
  std::array<Cable*, links> out_{}, in_{};
  std::array<std::uint32_t, links> read_{};  ///< by memory at the last edge
  int idle_edges_ = 0;                       ///< since the node was busy, or a word came
};

}  // namespace ht::grid
