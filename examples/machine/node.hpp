// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>

#include "sim/machine/verilated_node.hpp"
#include "sw/host/errors.hpp"
#include "waves.hpp"

namespace ht::grid {

/// How a node is built. Times in ps.
struct NodeOptions {
  sim::Clock clock{4000, 0};  ///< 250 MHz: 1 GB/s each way on each link
  std::size_t memory_bytes = std::size_t{64} << 20;
  bool skip_idle = true;  ///< jump over cycles in which nothing can change
  /// Registers and memories come up with random bits drawn from this; nothing: with zeros.
  std::optional<std::uint32_t> initial_state;
};

/// One node: a Verilated grid_node between its memory and four cables.
class Node final : public machine::VerilatedNode<Vgrid_node, Cable> {
 public:
  Node(int number, const NodeOptions& o)
      : VerilatedNode(number, o.memory_bytes, {links, reset_time, "grid node"}, o.clock,
                      idle_period, o.skip_idle, register_bits, o.initial_state) {}

 private:
  static constexpr Picoseconds reset_time = 100'000;
  static constexpr unsigned register_bits = 7;
  // An idle node does not change from one cycle to the next; what a register write changed has
  // shown on obs_idle after this many edges.
  static constexpr int idle_period = 1, rest_time = 8;

  // Before an edge.
  void set_inputs() override {
    top_->rst = now_ < reset_time;
    std::ranges::copy(read_, &top_->mem_rdata[0]);
    unsigned control = 0;
    received_ = false;
    for (unsigned link = 0; link < links; ++link) {
      const Word word = plugs_[link].in->receive(edge_);
      received_ = received_ || word != Word{};
      top_->rx_data[link] = word.data;
      control |= static_cast<unsigned>(word.control) << (4 * link);
    }
    top_->rx_control = static_cast<std::uint16_t>(control);
  }
  // Memory takes an address at every edge; what it reads is there after it.
  void take_requests() override {
    for (unsigned link = 0; link < links && !top_->rst; ++link) {
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
  // After an edge.
  void take_outputs() override {
    for (unsigned link = 0; link < links && !top_->rst; ++link) {
      const auto control = static_cast<std::uint8_t>(top_->tx_control >> (4 * link) & 0xf);
      plugs_[link].out->send(edge_, {top_->tx_data[link], control});
      observe(link);
    }
    const bool busy = received_ || top_->rst || !top_->obs_idle || top_->reg_valid;
    idle_edges_ = busy ? 0 : idle_edges_ + 1;
  }
  void observe(unsigned link) {
    using enum sim::Complaint;
    static constexpr sim::Complaint causes[] = {Code, Framing, Check, Check};
    const auto bit = [link](unsigned pulses) { return (pulses >> link & 1) != 0; };
    const sim::Observation seen{.start = bit(top_->obs_rx_start),
                                .ok = bit(top_->obs_rx_ok),
                                .error = bit(top_->obs_rx_error),
                                .complaint = causes[top_->obs_rx_cause >> (2 * link) & 3]};
    if (seen.start || seen.ok || seen.error) plugs_[link].in->ledger().observe(edge_, seen);
    if (seen.error) note_error(link);
    if (bit(top_->obs_retransmit)) note_retransmission(link);
    if (bit(top_->obs_done)) notify();
    if (bit(top_->obs_done)) ++progress_;
  }
  bool rests() const override { return idle_edges_ >= rest_time; }
  machine::TraceTop trace_top() override { return grid::trace_top(*top_); }

  std::array<std::uint32_t, links> read_{};  ///< by memory at the last edge
  bool received_ = false;                    ///< a word that is not idle at this edge
  int idle_edges_ = 0;                       ///< since the node was busy, or a word came
};

}  // namespace ht::grid
