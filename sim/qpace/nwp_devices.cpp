// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/nwp_devices.hpp"

#include <Vqpace_nwp.h>
#include <fmt/format.h>

#include <cstring>

#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

constexpr std::uint64_t line_bytes = 128, word_bytes = 16;
constexpr int line_words = 8;
// obs_eth_* come two cycles after their nibble was on rgmii_rxd, as the links' do.
constexpr std::int64_t observation_latency = 1;

}  // namespace

NwpDevices::NwpDevices(Vqpace_nwp& top, host::NodeMemory& memory, int rank, const Options& options)
    : top_(top),
      memory_(memory),
      rank_(rank),
      options_(options),
      console_(rank, options.console_bit_cycles) {
  top_.uart_rxd = 3;
  top_.mem_read_ready = 1;
  top_.mem_write_ready = 1;
  top_.io_rst = 1;
}

void NwpDevices::connect(sim::EthernetCable& out, sim::EthernetCable& in) {
  out_ = &out;
  in_ = &in;
}

void NwpDevices::check(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset + bytes > memory_.size())
    throw ProtocolError(fmt::format(
        "node {}: the Ethernet interface reached for offset {:#x}, outside the {} MB of "
        "memory",
        rank_, offset, memory_.size() >> 20));
}

void NwpDevices::take_memory_requests(Picoseconds now) {
  if (top_.mem_read_valid) {
    const std::uint64_t offset = line_bytes * top_.mem_read_line;
    check(offset, line_bytes);
    reads_.push_back({now + options_.read_latency, offset});
  }
  if (!top_.mem_write_valid) return;
  const std::uint64_t offset = word_bytes * top_.mem_write_word;
  check(offset, word_bytes);
  if (!top_.mem_write_last) {
    std::memcpy(memory_.data() + offset, &top_.mem_write_data[0], word_bytes);
    return;
  }
  Report report{now + options_.report_latency, offset, {}};
  std::memcpy(report.data.data(), &top_.mem_write_data[0], word_bytes);
  reports_.push_back(report);
  ++frames_;
}

bool NwpDevices::before_edge(std::int64_t edge, Picoseconds now, bool reset) {
  if (reset) wake();
  sim::EthernetNibble nibble;
  if (in_ != nullptr) nibble = in_->receive(edge);
  if (nibble != sim::EthernetNibble{}) wake();
  if (asleep()) return false;
  top_.io_rst = reset;
  if (!reset) take_memory_requests(now);  // before its reset it holds anything
  top_.rgmii_rxd = nibble.data;
  top_.rgmii_rx_ctl = nibble.valid;
  top_.mem_data_valid = !reads_.empty() && reads_.front().due <= now;
  if (top_.mem_data_valid) {
    std::memcpy(
        &top_.mem_data[0],
        memory_.data() + reads_.front().offset + word_bytes * static_cast<std::uint64_t>(beat_),
        word_bytes);
    beat_ = (beat_ + 1) % line_words;
    if (beat_ == 0) reads_.pop_front();
  }
  return true;
}

bool NwpDevices::after_edge(std::int64_t edge, Picoseconds now) {
  ++edges_;
  console_.sample((top_.uart_txd & 1) != 0, now);
  if (out_ != nullptr && !top_.io_rst && (top_.rgmii_tx_ctl || top_.rgmii_txd != 0))
    out_->send(edge, {top_.rgmii_txd, top_.rgmii_tx_ctl != 0});
  if (in_ != nullptr && !top_.io_rst &&
      (top_.obs_eth_rx_start | top_.obs_eth_rx_ok | top_.obs_eth_rx_error) != 0)
    in_->ledger().observe(
        edge - observation_latency,
        {top_.obs_eth_rx_start != 0, top_.obs_eth_rx_ok != 0, false, top_.obs_eth_rx_error != 0});
  const bool rests = top_.obs_io_idle && !top_.rgmii_rx_ctl && !top_.rgmii_tx_ctl;
  quiet_edges_ = rests ? quiet_edges_ + 1 : 0;
  return interrupt();
}

bool NwpDevices::deliver(Picoseconds now) {
  bool any = false;
  while (!reports_.empty() && reports_.front().due <= now) {
    std::memcpy(memory_.data() + reports_.front().offset, reports_.front().data.data(), word_bytes);
    reports_.pop_front();
    any = true;
  }
  return any;
}

bool NwpDevices::interrupt() const {
  return top_.io_irq != 0;
}

}  // namespace ht::machine
