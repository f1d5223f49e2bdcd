// SPDX-License-Identifier: Apache-2.0
// A QCDOC node's unit at its pins: memory, global clock, serial wires, observation. Time, the
// program and registers: scu_node.cpp.
#include <Vqcdoc_scu.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/machine/memory_stalls.hpp"
#include "sim/qcdoc/scu_node.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

constexpr std::uint64_t word_bytes = 8;

}  // namespace

// ---------------------------------------------------------------------------------------------
// Memory

// Before an edge: what memory answers, and the count of the global clock.
void ScuNode::drive_inputs() {
  top_->rst = now_ < reset_time_;
  top_->mem_rvalid = !reads_.empty() && reads_.front().due <= edge_;
  if (top_->mem_rvalid) top_->mem_rdata = reads_.front().data;
  if (options_.memory_stalls != 0)
    top_->mem_ready = !memory_stalls(rank_, edge_ / 8, options_.memory_stalls);
  if (now_ >= next_tick_) {
    const Picoseconds heard = now_ - options_.global_skew;
    const Picoseconds ticks = heard < 0 ? 0 : heard / options_.global_period;
    top_->global_count = static_cast<std::uint16_t>(ticks & 0xFFFF);
    next_tick_ = (heard < 0 ? 0 : (ticks + 1) * options_.global_period) + options_.global_skew;
  }
}

void ScuNode::take_requests() {
  if (top_->mem_rvalid) reads_.pop_front();
  // Before the first edge of its reset the unit holds anything.
  if (top_->rst || !top_->mem_valid || !top_->mem_ready) return;
  const std::uint64_t offset = word_bytes * top_->mem_address;
  if (offset + word_bytes > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: the unit reached for offset {:#x}, outside the {} MB of memory: was "
                    "MEMORY_BYTES set?",
                    rank_, offset, memory_.size() >> 20));
  std::uint64_t data = top_->mem_wdata;
  if (top_->mem_write) {
    std::memcpy(memory_.data() + offset, &data, word_bytes);
  } else {
    std::memcpy(&data, memory_.data() + offset, word_bytes);
    in_the_way_ += memory_share_ * options_.line_cycles;
    const auto later = static_cast<std::int64_t>(in_the_way_);
    in_the_way_ -= static_cast<double>(later);
    reads_.push_back({read_times_.due(edge_, later), data});
  }
  taken_ += memory_share_ * options_.word_cycles;
  ++progress_;
  if (watcher_) watcher_({now_, top_->mem_write != 0, offset, data});
}

// ---------------------------------------------------------------------------------------------
// Cables

// Bytes from the lanes; what the links have for them is known when these are on their inputs.
void ScuNode::receive_bytes() {
  std::uint32_t strobes = 0, controls = 0, pauses = 0;
  for (unsigned link = 0; link < links; ++link) {
    const auto got = plugs_[link].lanes->receive(edge_, now_);
    strobes |= (got.strobe ? 1U : 0U) << link;
    controls |= got.word.control << link;
    pauses |= (got.pause ? 1U : 0U) << link;
    std::memcpy(reinterpret_cast<char*>(&top_->lane_rx_data) + link, got.word.data.data(), 1);
  }
  top_->lane_rx_strobe = static_cast<std::uint16_t>(strobes);
  top_->lane_rx_control = static_cast<std::uint16_t>(controls);
  top_->tx_pause = static_cast<std::uint16_t>(pauses);
}

// Links answer to a byte in the cycle in which it comes, so that their outputs, and what they say
// of it, are looked at before the edge.
void ScuNode::send_bytes() {
  clk_.fall();
  top_->eval();
  for (unsigned link = 0; link < links; ++link) {
    sim::lanes::Word word;
    std::memcpy(word.data.data(), reinterpret_cast<const char*>(&top_->lane_data) + link, 1);
    word.control = top_->lane_control >> link & 1U;
    plugs_[link].lanes->send(edge_, now_, word, top_->rst != 0, top_->lane_slot != 0);
  }
  if (!top_->rst) observe();
}

void ScuNode::receive_symbols() {
  std::uint32_t symbols = 0;
  for (unsigned link = 0; link < links; ++link)
    symbols |= static_cast<std::uint32_t>(plugs_[link].in->receive(edge_)) << link;
  watch_.received(edge_, symbols);
  top_->serial_in = static_cast<std::uint16_t>(received_.bits(edge_, symbols));
  symbols_ = symbols;
}

void ScuNode::send_symbols() {
  std::uint32_t symbols =
      sent_.symbols(edge_, top_->serial_out, static_cast<std::uint32_t>(resting_.mask()));
  sent_symbols_ = symbols;
  for (; symbols != 0; symbols &= symbols - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(symbols));
    plugs_[link].out->send(edge_, 1);
  }
}

void ScuNode::observe() {
  for (std::uint32_t again = top_->obs_retransmit; again != 0; again &= again - 1)
    note_retransmission(static_cast<unsigned>(std::countr_zero(again)));
  for (std::uint32_t error = top_->obs_rx_error; error != 0; error &= error - 1)
    note_error(static_cast<unsigned>(std::countr_zero(error)));
  if (lanes_) {
    const std::uint32_t any = top_->obs_rx_start | top_->obs_rx_ok | top_->obs_rx_error;
    for (std::uint32_t some = any; some != 0; some &= some - 1) {
      const auto link = static_cast<unsigned>(std::countr_zero(some));
      sim::Observation seen;
      seen.start = (top_->obs_rx_start >> link & 1) != 0;
      seen.ok = (top_->obs_rx_ok >> link & 1) != 0;
      seen.error = (top_->obs_rx_error >> link & 1) != 0;
      plugs_[link].lanes->observe(edge_, now_, seen);
    }
  } else if (watch_.watches())
    watch_.observed(edge_, top_->obs_state, top_->obs_rx_start, top_->obs_rx_ok,
                    top_->obs_rx_error);
}

}  // namespace ht::machine
