// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/node.hpp"

#include <Vtofu_icc.h>
#include <Vtofu_icc___024root.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/machine/memory_stalls.hpp"
#include "sim/tofu/waves.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/links.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::machine {

StateBits state_bits(Vtofu_icc& top);  // made by state_bits.py
namespace {

constexpr Picoseconds reset_time = 100'000;
// The controller's state stays as it is while it rests; what a register write changed has shown
// on obs_idle after so many edges.
constexpr int idle_period = 1, rest_time = 8;
// obs_rx_* come so many edges after their beat was on rxd (rtl/tofu/README.md), seen after the
// edge.
constexpr std::int64_t observation_latency = 0;
// The controller's time is in ticks of so many edges; obs_period says so if no time limit runs.
constexpr std::int64_t tick_edges = 64;
constexpr unsigned no_time_limit = 31;
constexpr std::uint64_t line_bytes = 16;
constexpr unsigned address_bits = 36;   // of memory
constexpr unsigned register_bits = 16;  // of a register's address

// The address of a port among several in the wide pins of the top.
template <class Pins>
std::uint64_t address_of(const Pins& pins, unsigned port) {
  std::uint64_t address = 0;
  for (unsigned i = 0; i < address_bits; ++i) {
    const unsigned at = address_bits * port + i;
    address |= std::uint64_t{pins[at / 32] >> (at % 32) & 1U} << i;
  }
  return address;
}

// Of each reading port.
std::vector<MemoryTimes> read_times(int rank, const TofuNodeOptions& o) {
  std::vector<MemoryTimes> times;
  for (unsigned port = 0; port < TofuNode::read_ports; ++port)
    times.emplace_back(o.memory_latency, o.memory_spread, o.clock.period,
                       TofuNode::read_ports * static_cast<std::uint64_t>(rank) + port);
  return times;
}

}  // namespace

TofuNode::TofuNode(int rank, const TofuNodeOptions& options)
    : VerilatedNode(rank, options.memory_bytes, {links, reset_time, "interconnect controller"},
                    options.clock, idle_period, options.skip_idle, register_bits,
                    options.initial_state),
      options_(options),
      read_times_(read_times(rank, options)) {
  top_->rd_rvalid = 0;
  top_->rd_ready = (1U << read_ports) - 1;
  top_->wr_ready = (1U << write_ports) - 1;
  for (unsigned link = 0; link < links; ++link) put_beat(link, model::kIdleBeat);
}

TofuNode::~TofuNode() = default;

// ---------------------------------------------------------------------------------------------
// Steps

bool TofuNode::rests() const {
  return idle_edges_ >= rest_time;
}

// A time limit ends at a multiple of its period: the controller must see that edge.
Picoseconds TofuNode::asleep_until() const {
  const Picoseconds asleep = VerilatedNode::asleep_until();
  const unsigned period = (*top_).obs_period;
  if (period == no_time_limit || asleep <= now_) return asleep;
  const std::int64_t edges = tick_edges << period;
  return std::min(asleep, clock_.edge((edge_ + edges - 1) / edges * edges));
}

void TofuNode::set_inputs() {
  top_->rst = now_ < reset_time;
  top_->tick_count = static_cast<std::uint16_t>(edge_ / tick_edges);
  answer_reads();
  drive_ready();
  receive_beats();
}

void TofuNode::take_outputs() {
  const bool sent = send_beats();
  if (!top_->rst) observe();  // before that, registers hold anything
  const bool quiet = top_->obs_idle && !top_->reg_valid && !received_ && !sent && !top_->rst;
  idle_edges_ = quiet ? idle_edges_ + 1 : 0;
}

// ---------------------------------------------------------------------------------------------
// Memory

// Before an edge: what memory answers.
void TofuNode::answer_reads() {
  if (top_->rd_rvalid == 0 && reads_waiting_ == 0) return;
  unsigned valid = 0;
  for (unsigned port = 0; port < read_ports; ++port) {
    auto& reads = reads_[port];
    if (reads.empty() || reads.front().due > edge_) continue;
    valid |= 1U << port;
    std::memcpy(&top_->rd_data[4 * port], reads.front().data.data(), line_bytes);
    reads.pop_front();
    --reads_waiting_;
  }
  top_->rd_rvalid = static_cast<std::uint8_t>(valid);
}

// Every port stalls by itself.
void TofuNode::drive_ready() {
  if (options_.memory_stalls == 0) return;
  const auto ready = [this](unsigned first, unsigned ports) {
    unsigned pins = 0;
    for (unsigned port = 0; port < ports; ++port) {
      const int number =
          rank_ * static_cast<int>(read_ports + write_ports) + static_cast<int>(first + port);
      pins |= memory_stalls(number, edge_ / 16, options_.memory_stalls) ? 0 : 1U << port;
    }
    return static_cast<std::uint8_t>(pins);
  };
  top_->rd_ready = ready(0, read_ports);
  top_->wr_ready = ready(read_ports, write_ports);
}

std::byte* TofuNode::line(std::uint64_t address) {
  const std::uint64_t offset = line_bytes * address;
  if (offset + line_bytes > memory_.size())
    throw ProtocolError(
        fmt::format("node {}: the controller reached for offset {:#x}, outside the {} MB of memory",
                    rank_, offset, memory_.size() >> 20));
  ++progress_;
  return memory_.data() + offset;
}

void TofuNode::take_requests() {
  if (top_->rst) return;  // before its first edge the controller holds anything
  for (unsigned reads = top_->rd_valid & top_->rd_ready; reads != 0; reads &= reads - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(reads));
    Read read{read_times_[port].due(edge_), {}};
    std::memcpy(read.data.data(), line(address_of(top_->rd_address, port)), line_bytes);
    reads_[port].push_back(read);
    ++reads_waiting_;
  }
  for (unsigned writes = top_->wr_valid & top_->wr_ready; writes != 0; writes &= writes - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(writes));
    std::byte* const to = line(address_of(top_->wr_address, port));
    std::array<std::byte, line_bytes> data;
    std::memcpy(data.data(), &top_->wr_data[4 * port], line_bytes);
    const std::uint32_t strobe = top_->wr_strobe[port / 2] >> (16 * (port & 1));
    for (std::size_t i = 0; i < line_bytes; ++i) {
      if ((strobe >> i & 1) != 0) to[i] = data[i];
    }
    notify();
  }
}

// ---------------------------------------------------------------------------------------------
// Cables

void TofuNode::put_beat(unsigned link, const model::Beat& beat) {
  std::memcpy(&top_->rxd[4 * link], beat.word.data(), line_bytes);
  // 16 control bits a link, two links a word.
  const unsigned shift = 16 * (link & 1);
  std::uint32_t& control = top_->rxc[link / 2];
  control = (control & ~(0xFFFFU << shift)) | std::uint32_t{beat.control} << shift;
}

void TofuNode::receive_beats() {
  received_ = false;
  for (unsigned link = 0; link < links; ++link) {
    if (plugs_[link].in == nullptr) continue;
    const model::Beat beat = plugs_[link].in->receive(edge_);
    const bool busy = beat != model::kIdleBeat;
    if (busy || busy_[link]) {
      put_beat(link, beat);
      if (listener_ != nullptr) listener_->received(static_cast<int>(link), edge_, beat);
      received_ = true;
    }
    busy_[link] = busy;
    hello_[link] = beat.is(0, model::tofu::kHello);
  }
}

bool TofuNode::send_beats() {
  bool any = false;
  for (unsigned link = 0; link < links; ++link) {
    model::Beat beat;
    std::memcpy(beat.word.data(), &top_->txd[4 * link], line_bytes);
    beat.control = static_cast<std::uint16_t>(top_->txc[link / 2] >> (16 * (link & 1)));
    if (beat == model::kIdleBeat) continue;
    any = true;
    // A PHY that is reset with its node sends idle.
    if (plugs_[link].out != nullptr && !top_->rst) plugs_[link].out->send(edge_, beat);
  }
  return any;
}

void TofuNode::observe() {
  for (std::uint32_t again = top_->obs_retransmit; again != 0; again &= again - 1)
    note_retransmission(static_cast<unsigned>(std::countr_zero(again)));
  std::uint32_t any = static_cast<std::uint32_t>(top_->obs_rx_start) | top_->obs_rx_ok |
                      top_->obs_rx_command | top_->obs_rx_error | top_->obs_rx_command_error;
  for (; any != 0; any &= any - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(any));
    const auto bit = [link](std::uint32_t pulses) { return (pulses >> link & 1) != 0; };
    const bool command_error = bit(top_->obs_rx_command_error);
    if (bit(top_->obs_rx_error) || command_error) note_error(link);
    if (plugs_[link].in == nullptr) continue;
    sim::Observation seen{bit(top_->obs_rx_start), bit(top_->obs_rx_ok), bit(top_->obs_rx_command),
                          bit(top_->obs_rx_error), sim::Complaint::None};
    seen.command_error = command_error;
    const std::int64_t edge = edge_ - observation_latency;
    if (listener_ != nullptr)
      seen.complaint = listener_->observed(static_cast<int>(link), edge, seen,
                                           top_->obs_state >> (2 * link) & 3);
    // A hello is a frame of one beat, whatever broken packet is before it.
    seen.start = seen.start || (seen.ok && hello_[link]);
    plugs_[link].in->ledger().observe(edge, seen);
  }
}

StateBits TofuNode::state_bits() {
  return machine::state_bits(*top_);
}

TraceTop TofuNode::trace_top() {
  return tofu_trace_top(*top_);
}

}  // namespace ht::machine
