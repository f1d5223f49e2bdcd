// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/axi/puts_bench.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "sw/bus/registers.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::test {
namespace {

namespace control_map = bus::registers::control;
namespace puts_map = bus::registers::puts;
namespace nwp = qpace::registers::nwp;
namespace link_map = qpace::registers::link;

constexpr std::uint64_t base = 0x1'2345'6000;
constexpr std::uint32_t buses = 0x1000;  // number of their first register
constexpr std::uint32_t idle_data = 0x07070707, all_control = 0xFFFFFF;
constexpr int patience = 20'000;
constexpr std::uint32_t line_words = 32;

std::uint32_t address_of(unsigned link, unsigned channel, std::uint32_t offset) {
  return link << 25 | channel << 22 | offset << 7;
}

}  // namespace

PutsBench::PutsBench(std::uint64_t seed, double stall)
    : memory_({base, memory_bytes, 16, 2, 8, stall}, seed), random_(seed), pause_(stall) {
  context_->randReset(2);
  context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
  top_ = std::make_unique<Vqpace_axi>(context_.get(), "puts");
  lite_ = std::make_unique<machine::LiteManager<Vqpace_axi>>(*top_);
  top_->aresetn = 0;
  top_->link_reset = 0;
  top_->signal_in = 0;
  top_->uart_rxd = 3;
  top_->rgmii_rxd = top_->rgmii_rx_ctl = 0;
  top_->s_axis_tvalid = 0;
  for (unsigned link = 0; link < links; ++link) top_->xgmii_rxd[link] = idle_data;
  top_->xgmii_rxc = all_control;
  machine::put_axi_reply(*top_, memory_.reply());
  run(40);
  top_->aresetn = 1;
  run(4);
}

PutsBench::~PutsBench() {
  top_->final();
}

void PutsBench::step() {
  const bool reset = top_->aresetn == 0;
  top_->aclk = top_->link_clk = top_->io_clk = top_->eth_rx_clk = 0;
  top_->eval();
  lite_->sample();
  memory_.edge(machine::axi_request(*top_), reset);
  const bool moved = top_->s_axis_tvalid && top_->s_axis_tready;
  std::array<std::uint32_t, links> data{};
  std::uint32_t control = 0;
  for (unsigned link = 0; link < links; ++link) {
    data[link] = top_->xgmii_txd[link ^ 1];
    control |= (top_->xgmii_txc >> (4 * (link ^ 1)) & 0xF) << (4 * link);
  }
  top_->aclk = top_->link_clk = top_->io_clk = top_->eth_rx_clk = 1;
  top_->eval();
  ++cycle_;
  top_->link_beat = cycle_ / 1024 & 1;
  machine::put_axi_reply(*top_, memory_.reply());
  if (!reset) {
    for (unsigned link = 0; link < links; ++link) top_->xgmii_rxd[link] = data[link];
    top_->xgmii_rxc = control;
  }
  if (moved) {
    stream_.pop_front();
    top_->s_axis_tvalid = 0;
  }
  if (!top_->s_axis_tvalid) {  // else it stands
    const bool some = !stream_.empty() && !chance(pause_);
    top_->s_axis_tvalid = some;
    // Without a beat anything may be there.
    top_->s_axis_tuser = some ? stream_.front().address : static_cast<std::uint32_t>(random_());
    top_->s_axis_tlast = some ? stream_.front().last : chance(0.5);
    for (unsigned i = 0; i < 4; ++i)
      top_->s_axis_tdata[i] =
          some ? stream_.front().tag + i : static_cast<std::uint32_t>(random_());
  }
  answer_ = lite_->drive();
}

void PutsBench::run(int cycles) {
  while (cycles-- > 0) step();
}

std::optional<machine::LiteManager<Vqpace_axi>::Answer> PutsBench::access() {
  for (int i = 0; i < patience; ++i) {
    step();
    if (answer_) return answer_;
  }
  return std::nullopt;
}

std::uint32_t PutsBench::read(std::uint32_t number) {
  lite_->read(4 * number);
  const auto answer = access();
  if (!answer || answer->refused)
    throw std::runtime_error(
        fmt::format("register {:#x}: {}", number, answer ? "refused" : "not answered"));
  return answer->value;
}

bool PutsBench::refuses(std::uint32_t number, std::uint32_t value) {
  lite_->write(4 * number, value);
  const auto answer = access();
  if (!answer) throw std::runtime_error(fmt::format("register {:#x}: not answered", number));
  return answer->refused;
}

void PutsBench::write(std::uint32_t number, std::uint32_t value) {
  if (refuses(number, value))
    throw std::runtime_error(fmt::format("register {:#x}: writing was refused", number));
}

void PutsBench::start() {
  while (read(buses + control_map::control) != control_map::control_hold.mask) {
  }
  write(buses + control_map::base_low, static_cast<std::uint32_t>(base));
  write(buses + control_map::base_high, static_cast<std::uint32_t>(base >> 32));
  write(buses + control_map::pages, memory_bytes / 4096);
  write(buses + control_map::control, 0);
  while (read(buses + control_map::control) != 0) {
  }
  for (std::uint32_t link = 0; link < links; ++link) {
    write(link_map::node(link), link + 1);
    write(link_map::epoch(link), 1);
    write(link_map::control(link), link_map::control_enable.mask);
  }
  constexpr std::uint32_t all_up = 0x3F;
  for (int i = 0; (read(nwp::link_status) & all_up) != all_up; ++i) {
    if (i > patience) throw std::runtime_error("links did not come up");
  }
  write(nwp::notify_base, 0x180);
}

void PutsBench::hold() {
  write(buses + control_map::control, control_map::control_hold.mask);
}

void PutsBench::credit(unsigned link, unsigned channel, std::uint32_t line, std::uint32_t packets) {
  write(nwp::base(link, channel), line);
  write(nwp::credit_offset(link, channel), 0);
  write(nwp::credit_post(link, channel), packets);
}

void PutsBench::put(unsigned link, unsigned channel, std::uint32_t source, std::uint32_t lines) {
  write(buses + puts_map::source(link), source);
  write(buses + puts_map::target(link), address_of(link, channel, 0));
  write(buses + puts_map::lines(link), lines);
}

std::uint32_t PutsBench::left(unsigned link) {
  return read(buses + puts_map::lines(link));
}

void PutsBench::send(unsigned link, unsigned channel, std::uint32_t offset, std::uint32_t tag) {
  for (std::uint32_t beat = 0; beat < 8; ++beat)
    stream_.push_back({address_of(link, channel, offset), tag + 4 * beat, beat == 7});
}

void PutsBench::drop_stream() {
  stream_.clear();
  top_->s_axis_tvalid = 0;
}

void PutsBench::fill(std::uint32_t line, std::uint32_t tag) {
  for (std::uint32_t i = 0; i < line_words; ++i) {
    const std::uint32_t word = tag + i;
    std::memcpy(&memory_.bytes[4 * (std::size_t{line} * line_words + i)], &word, sizeof word);
  }
}

bool PutsBench::is(std::uint32_t line, std::uint32_t tag) const {
  for (std::uint32_t i = 0; i < line_words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory_.bytes[4 * (std::size_t{line} * line_words + i)], sizeof word);
    if (word != tag + i) return false;
  }
  return true;
}

std::uint32_t PutsBench::bus_errors() {
  return read(buses + control_map::error);
}

std::uint32_t PutsBench::errors() {
  return read(nwp::error) | bus_errors();
}

}  // namespace ht::test
