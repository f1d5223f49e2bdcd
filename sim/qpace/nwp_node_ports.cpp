// SPDX-License-Identifier: Apache-2.0
// A node's hardware at its pins: the posted-write ports and the cables. Time, the program and the
// clock edges: nwp_node.cpp.
#include <Vqpace_nwp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sim/machine/memory_stalls.hpp"
#include "sim/qpace/lane_word.hpp"
#include "sim/qpace/nwp_node.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {
namespace {

// obs_rx_* come two cycles after their word was on xgmii_rxd (rtl/qpace/README.md): the edge that
// sampled the word is the one before the edge after which they are seen.
constexpr std::int64_t observation_latency = 1;
// Transceivers come out of reset last: some 40 edges after its own, a link has agreed on it with
// the core's clock, and hears nothing before.
constexpr Picoseconds lanes_reset_time = 500'000;

}  // namespace

const std::size_t NwpNode::port_bytes =
    sizeof(std::remove_reference_t<decltype(Vqpace_nwp::pw_in_data)>);
const int NwpNode::line_beats = static_cast<int>(qpace::line_bytes / port_bytes);

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
      notify();
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
              memory_.data() + put.source + port_bytes * static_cast<std::size_t>(beat_),
              port_bytes);
  inputs_changed_ = true;
}

// ---------------------------------------------------------------------------------------------
// Posted writes out of the network

void NwpNode::stall_output(Picoseconds until) {
  stalled_until_ = std::max(stalled_until_, until);
  idle_edges_ = 0;  // an input is going to change
}

void NwpNode::reset_link(int link, Picoseconds until) {
  reset_until_[static_cast<std::size_t>(link)] = until;
  idle_edges_ = 0;
}

void NwpNode::drive_resets() {
  std::uint8_t resets = 0;
  for (std::size_t link = 0; link < reset_until_.size(); ++link)
    resets = static_cast<std::uint8_t>(resets | (now_ < reset_until_[link] ? 1U << link : 0));
  top_->link_rst = resets;
}

void NwpNode::drive_output() {
  const bool ready =
      now_ >= stalled_until_ && (in_line_ || lines_under_way_ < options_.write_lines) &&
      (options_.memory_stalls == 0 ||
       !memory_stalls(rank_, now_ / (64 * options_.core_clock.period), options_.memory_stalls));
  if (ready == (top_->pw_out_ready != 0)) return;
  top_->pw_out_ready = ready;
  inputs_changed_ = true;
}

void NwpNode::take_port_beat() {
  const std::uint64_t offset = top_->pw_out_addr;
  // A notification has 16 bytes, whatever the port has.
  const std::size_t bytes = top_->pw_out_notify ? 16 : port_bytes;
  if (offset + bytes > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: the network wrote to offset {:#x}, outside the {} MB "
                    "of memory",
                    rank_, offset, memory_.size() >> 20));
  if (watcher_)
    watcher_({now_, true, top_->pw_out_notify || offset % qpace::line_bytes == 0,
              top_->pw_out_last != 0, top_->pw_out_notify != 0});
  const std::int64_t due = write_times_.due(core_edge_);
  for (std::size_t at = 0; at < bytes; at += 16) {
    MemoryWrite write{due, offset + at, {}, top_->pw_out_last && at + 16 == bytes};
    std::memcpy(write.data.data(), &top_->pw_out_data[at / 4], 16);
    if (listener_ != nullptr)
      listener_->written(write.offset, write.data, write.last, top_->pw_out_notify != 0);
    if (top_->pw_out_notify) {
      // The processor sees it after the data that came before it.
      notifications_.push_back(
          {std::max(now_ + options_.notify_latency, options_.core_clock.edge(due)), offset,
           write.data});
      return;
    }
    writes_.push_back(write);
    if (!in_line_) ++lines_under_way_;
    in_line_ = !write.last;
    if (write.last) ++progress_;
  }
}

// Only the program and the DMA engine look at memory: it is brought up to date before they do.
void NwpNode::finish_writes() {
  while (!writes_.empty() && options_.core_clock.edge(writes_.front().due) <= now_) {
    const MemoryWrite& write = writes_.front();
    std::memcpy(memory_.data() + write.offset, write.data.data(), 16);
    if (write.last) --lines_under_way_;
    writes_.pop_front();
  }
}

void NwpNode::deliver_notifications() {
  while (!notifications_.empty() && notifications_.front().due <= now_) {
    const Notification& n = notifications_.front();
    std::memcpy(memory_.data() + n.offset, n.data.data(), 16);
    notifications_.pop_front();
    notify();
  }
  if (devices_->deliver(now_)) notify();
}

// ---------------------------------------------------------------------------------------------
// Cables

bool NwpNode::lanes_reset(unsigned link) const {
  return (top_->link_rst >> link & 1) != 0 || now_ < lanes_reset_time;
}

// The lanes have the link's clock: they take what it has put out since the last edge.
model::Word NwpNode::pass_lanes(unsigned link) {
  const model::Word sent{top_->xgmii_txd[link],
                         static_cast<std::uint8_t>(top_->xgmii_txc >> 4 * link & 0xF)};
  const bool reset = lanes_reset(link);
  const auto got = plug(link).lanes->clock(link_edge_, now_, sim::lane_word(sent), reset);
  const auto pause = static_cast<std::uint8_t>(1U << link);
  top_->tx_pause =
      static_cast<std::uint8_t>(got.pause ? top_->tx_pause | pause : top_->tx_pause & ~pause);
  return reset ? model::kIdleWord : sim::word_of(got.word);
}

void NwpNode::receive_symbols() {
  if (redundant_) {
    // What arrives at the interface that is not selected goes nowhere.
    for (unsigned link = 0; link < links; ++link) {
      const Plug& other = other_plug(link);
      if (other.in != nullptr) other.in->receive(link_edge_);
      // Lanes there keep in step with their peer, and carry nothing.
      if (other.lanes)
        other.lanes->clock(link_edge_, now_, sim::lane_word(model::kIdleWord), lanes_reset(link));
    }
  }
  for (unsigned link = 0; link < links; ++link) {
    const Plug& own = plug(link);
    const model::Word word = own.lanes           ? pass_lanes(link)
                             : own.in != nullptr ? own.in->receive(link_edge_)
                                                 : model::kIdleWord;
    if (listener_ != nullptr && word != model::kIdleWord && (top_->link_rst >> link & 1) == 0)
      listener_->received(static_cast<int>(link), link_edge_, word);
    const unsigned shift = 4 * link;
    top_->xgmii_rxd[link] = word.data;
    top_->xgmii_rxc = (top_->xgmii_rxc & ~(0xFU << shift)) |
                      static_cast<std::uint32_t>(word.control & 0xF) << shift;
  }
}

void NwpNode::send_symbols() {
  for (unsigned link = 0; link < links; ++link) {
    const model::Word word{top_->xgmii_txd[link],
                           static_cast<std::uint8_t>(top_->xgmii_txc >> (4 * link) & 0xF)};
    // A PHY that is reset with its link sends idle.
    sim::QpaceCable* const out = plug(link).out;
    if (word != model::kIdleWord && (top_->link_rst >> link & 1) == 0 && out != nullptr)
      out->send(link_edge_, word);
  }
}

void NwpNode::receive_signal() {
  const std::uint8_t level = signal_down_->receive(now_);
  signal_due_ = signal_down_->next_change();
  if (level == top_->signal_in) return;
  top_->signal_in = level;
  idle_edges_ = 0;  // it passes a synchroniser before obs_idle knows of it
  ++progress_;
}

void NwpNode::send_signal() {
  signal_sent_ = top_->signal_out;
  if (signal_up_ != nullptr) signal_up_->send(now_, signal_sent_);
}

void NwpNode::observe() {
  if (const std::uint32_t again =
          static_cast<std::uint32_t>(top_->obs_retransmit) | top_->obs_replay;
      again != 0) {
    for (unsigned link = 0; link < links; ++link) {
      if ((again >> link & 1) == 0) continue;
      if ((top_->obs_replay >> link & 1) != 0)
        note_replay(link);
      else
        note_retransmission(link);
      if (listener_ != nullptr) listener_->retransmits(static_cast<int>(link), link_edge_);
    }
  }
  const std::uint32_t any = static_cast<std::uint32_t>(top_->obs_rx_start) | top_->obs_rx_ok |
                            top_->obs_rx_command | top_->obs_rx_error;
  if (any == 0) return;
  const auto bit = [](std::uint32_t pulses, unsigned link) { return (pulses >> link & 1) != 0; };
  for (unsigned link = 0; link < links; ++link) {
    if (!bit(any, link)) continue;
    if (bit(top_->obs_rx_error, link)) note_error(link);
    sim::Observation seen{bit(top_->obs_rx_start, link), bit(top_->obs_rx_ok, link),
                          bit(top_->obs_rx_command, link), bit(top_->obs_rx_error, link),
                          sim::Complaint::None};
    const std::int64_t edge = link_edge_ - observation_latency;
    if (listener_ != nullptr)
      seen.complaint = listener_->observed(static_cast<int>(link), edge, seen);
    const Plug& own = plug(link);
    if (own.lanes)
      own.lanes->observe(edge, now_, seen);
    else if (own.in != nullptr)
      own.in->ledger().observe(edge, seen);
  }
}

}  // namespace ht::machine
