// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/io/io_harness.hpp"
#include "tests/support/power_on.hpp"

#include <Vqpace_io.h>
#include <fmt/format.h>
#include <verilated.h>
#include <zlib.h>

#include <cstring>
#include <random>

namespace ht::test {

Bytes WireFrame::bytes() const {
  if (nibbles.size() < 16 || nibbles.size() % 2 != 0)
    throw std::runtime_error(fmt::format("a frame of {} nibbles", nibbles.size()));
  for (std::size_t i = 0; i < 16; ++i) {
    if (nibbles[i] != (i == 15 ? 0xD : 0x5)) throw std::runtime_error("a bad preamble");
  }
  Bytes out;
  for (std::size_t i = 16; i < nibbles.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(nibbles[i] | nibbles[i + 1] << 4));
  return out;
}

Bytes with_fcs(Bytes frame) {
  if (frame.size() < 60) frame.resize(60);
  const auto crc = crc32(0, frame.data(), static_cast<uInt>(frame.size()));
  for (int i = 0; i < 4; ++i) frame.push_back(static_cast<std::uint8_t>(crc >> (8 * i)));
  return frame;
}

Bytes make_frame(std::uint64_t to, std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  Bytes frame(length - 4);
  for (auto& b : frame) b = static_cast<std::uint8_t>(random());
  for (std::size_t i = 0; i < 6; ++i) frame[i] = static_cast<std::uint8_t>(to >> (8 * i));
  return with_fcs(frame);
}

IoHarness::IoHarness(int rx_phase)
    : context_(power_on()),
      top_(std::make_unique<Vqpace_io>(context_.get(), "io")),
      rx_phase_(rx_phase) {
  top_->uart_rxd = 3;
  top_->rst = 1;
  top_->io_rst = 1;
  run(10);
  top_->rst = 0;
  top_->io_rst = 0;
  run(30);
  for (auto& l : line) l.clear();
}

IoHarness::~IoHarness() {
  top_->final();
}

void IoHarness::step() {
  const std::int64_t core = core_cycles_ * 4800;
  const std::int64_t io = io_cycles_ * 4000;
  const std::int64_t rx = rx_cycles_ * 4000 + rx_phase_;
  const std::int64_t now = std::min({core, io, rx});
  top_->eval();
  if (core == now && top_->reg_ack) {
    acked_ = true;
    reply_ = {top_->reg_rdata, top_->reg_error != 0};
  }
  if (io == now) io_edge_before();
  top_->clk = core == now;
  top_->io_clk = io == now;
  top_->eth_rx_clk = rx == now;
  top_->eval();
  if (core == now) {
    ++core_cycles_;
    top_->reg_valid = 0;
  }
  if (io == now) {
    ++io_cycles_;
    io_edge_after();
  }
  if (rx == now) {
    ++rx_cycles_;
    rx_edge_after();
  }
  top_->clk = 0;
  top_->io_clk = 0;
  top_->eth_rx_clk = 0;
  top_->eval();
}

void IoHarness::run(std::int64_t cycles) {
  const std::int64_t end = io_cycles_ + cycles;
  while (io_cycles_ < end) step();
}

void IoHarness::run_until(const std::function<bool()>& done, std::int64_t cycles,
                          const std::string& what) {
  const std::int64_t end = io_cycles_ + cycles;
  while (!done()) {
    if (io_cycles_ >= end)
      throw std::runtime_error(fmt::format("{} did not happen in {} cycles", what, cycles));
    step();
  }
}

IoReply IoHarness::access(bool write, std::uint32_t address, std::uint32_t value) {
  while (core_cycles_ * 4800 > io_cycles_ * 4000) step();  // just before an edge of clk
  top_->reg_valid = 1;
  top_->reg_write = write;
  top_->reg_address = address & 0x7F;
  top_->reg_wdata = value;
  acked_ = false;
  run_until([&] { return acked_; }, 100, fmt::format("the answer of register {:#x}", address));
  return reply_;
}

std::uint32_t IoHarness::read(std::uint32_t address) {
  const IoReply r = access(false, address);
  if (r.refused) throw std::runtime_error(fmt::format("reading {:#x} was refused", address));
  return r.value;
}

void IoHarness::write(std::uint32_t address, std::uint32_t value) {
  if (access(true, address, value).refused)
    throw std::runtime_error(fmt::format("writing {:#x} was refused", address));
}

// ---------------------------------------------------------------------------------------------
// Memory

void IoHarness::check_offer(Offer& before, bool valid, bool ready, Offer now, const char* what) {
  now.waits = true;
  if (before.waits && !valid) throw std::runtime_error(fmt::format("{} was withdrawn", what));
  if (before.waits && !(now == before))
    throw std::runtime_error(fmt::format("{} changed while it waited", what));
  before = valid && !ready ? now : Offer{};
}

void IoHarness::io_edge_before() {
  if (!top_->io_rst) {
    check_offer(read_offer_, top_->mem_read_valid, top_->mem_read_ready,
                {.place = top_->mem_read_line}, "a request to read memory");
    Offer write{.place = top_->mem_write_word, .last = top_->mem_write_last != 0};
    std::memcpy(write.data.data(), &top_->mem_write_data[0], 16);
    check_offer(write_offer_, top_->mem_write_valid, top_->mem_write_ready, write,
                "a write to memory");
    // Its clock may be stopped while it is idle.
    if (top_->obs_idle && (top_->mem_read_valid || top_->mem_write_valid || !lines_.empty()))
      throw std::runtime_error("idle while memory is asked for something");
  }
  if (top_->mem_read_valid && top_->mem_read_ready)
    lines_.push_back(
        {io_cycles_ + read_latency, std::uint64_t{top_->mem_read_line} * 128 % memory.size()});
  if (top_->mem_write_valid && top_->mem_write_ready) {
    const std::uint64_t at = std::uint64_t{top_->mem_write_word} * 16;
    if (at + 16 > memory.size()) throw std::runtime_error("a write outside the memory");
    std::memcpy(&memory[at], &top_->mem_write_data[0], 16);
    if (top_->mem_write_last) descriptors_written.push_back(at);
  }
}

void IoHarness::io_edge_after() {
  top_->mem_read_ready = read_ready();
  top_->mem_write_ready = write_ready();
  top_->mem_data_valid = !lines_.empty() && lines_.front().due <= io_cycles_ && data_ready(beat_);
  if (top_->mem_data_valid) {
    std::memcpy(&top_->mem_data[0],
                &memory[lines_.front().address + 16 * static_cast<std::size_t>(beat_)], 16);
    beat_ = (beat_ + 1) % 8;
    if (beat_ == 0) lines_.pop_front();
  }
  for (std::size_t port = 0; port < 2; ++port) line[port].push_back(top_->uart_txd >> port & 1);
  if (top_->rgmii_tx_ctl) {
    if (!in_frame_) sent.push_back({io_cycles_, 0, {}});
    sent.back().nibbles.push_back(top_->rgmii_txd);
    sent.back().end = io_cycles_ + 1;
  }
  in_frame_ = top_->rgmii_tx_ctl;
  if (loopback)
    receive.push_back(static_cast<std::uint8_t>(top_->rgmii_txd | (top_->rgmii_tx_ctl ? 16 : 0)));
}

void IoHarness::rx_edge_after() {
  if (top_->obs_eth_rx_start) rx_starts.push_back(rx_cycles_);
  if (top_->obs_eth_rx_ok) rx_oks.push_back(rx_cycles_);
  if (top_->obs_eth_rx_error) rx_errors.push_back(rx_cycles_);
  top_->rgmii_rxd = 0;
  top_->rgmii_rx_ctl = 0;
  if (receive.empty()) return;
  top_->rgmii_rxd = receive.front() & 15;
  top_->rgmii_rx_ctl = receive.front() >> 4;
  receive.pop_front();
}

void IoHarness::queue(const Bytes& bytes, int gap) {
  for (int i = 0; i < 16; ++i) receive.push_back(static_cast<std::uint8_t>(i == 15 ? 0x1D : 0x15));
  for (const std::uint8_t b : bytes) {
    receive.push_back(static_cast<std::uint8_t>(16 | (b & 15)));
    receive.push_back(static_cast<std::uint8_t>(16 | b >> 4));
  }
  for (int i = 0; i < gap; ++i) receive.push_back(0);
}

void IoHarness::set_rxd(int port, bool level) {
  const unsigned bit = 1U << port;
  top_->uart_rxd = static_cast<std::uint8_t>(level ? top_->uart_rxd | bit : top_->uart_rxd & ~bit);
}

unsigned IoHarness::irq() const {
  return top_->irq;
}
bool IoHarness::idle() const {
  return top_->obs_idle;
}

}  // namespace ht::test
