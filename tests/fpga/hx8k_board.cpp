// SPDX-License-Identifier: Apache-2.0
#include "tests/fpga/hx8k_board.hpp"

#include <Vhx8k_qcdoc.h>
#include <fmt/format.h>
#include <verilated.h>

#include <boost/crc.hpp>
#include <stdexcept>

namespace ht::test {
namespace {

// A bit of a link is two periods of the sampling clock.
constexpr int halves_a_bit = 4;
constexpr int halves_a_character_bit = halves_a_bit * Hx8kBoard::baud_cycles;

}  // namespace

// All bits are 0 when a bitstream has come, as --x-initial 0 has it.
Hx8kBoard::Hx8kBoard(unsigned delay)
    : context_(std::make_unique<VerilatedContext>()),
      dut_(std::make_unique<Vhx8k_qcdoc>(context_.get())),
      to_a_(delay + 1, false),
      to_b_(delay + 1, false) {
  dut_->rxd = 1;
  dut_->clk12 = 0;
  dut_->eval();
}

Hx8kBoard::~Hx8kBoard() {
  dut_->final();
}

void Hx8kBoard::half() {
  to_a_.push_back(dut_->b_out != 0);
  to_b_.push_back(dut_->a_out != 0);
  dut_->a_in = to_a_.front() && plugged_;
  dut_->b_in = to_b_.front() && plugged_;
  to_a_.pop_front();
  to_b_.pop_front();
  dut_->clk12 = !dut_->clk12;
  dut_->eval();
  const bool line = dut_->txd != 0;
  if (bits_ == 0 && line_ && !line) {
    bits_ = 10;
    left_ = halves_a_character_bit / 2;
  } else if (bits_ > 0 && --left_ == 0) {
    left_ = halves_a_character_bit;
    shift_ = shift_ >> 1 | (line ? 1u << 9 : 0);
    if (--bits_ == 0) heard_.push_back(static_cast<std::uint8_t>(shift_ >> 1));
  }
  line_ = line;
}

void Hx8kBoard::run(std::uint64_t bits) {
  for (std::uint64_t i = 0; i < halves_a_bit * bits; ++i) half();
}

void Hx8kBoard::wait_for_reset() {
  run((1u << 16) + 16);
}

unsigned Hx8kBoard::leds() const {
  return dut_->led;
}

std::vector<std::uint8_t> Hx8kBoard::talk(const std::vector<std::uint8_t>& request,
                                          int characters) {
  heard_.clear();
  for (const std::uint8_t character : request) {
    const unsigned frame = 1u << 9 | static_cast<unsigned>(character) << 1;
    for (int bit = 0; bit < 10; ++bit) {
      dut_->rxd = frame >> bit & 1;
      for (int i = 0; i < halves_a_character_bit; ++i) half();
    }
  }
  for (int i = 0; i < 10 * halves_a_character_bit * characters; ++i) half();
  return heard_;
}

std::uint32_t Hx8kBoard::ask(std::vector<std::uint8_t> request) {
  const auto crc = [](const std::vector<std::uint8_t>& bytes, std::size_t n) {
    boost::crc_ccitt_type sum;
    sum.process_bytes(bytes.data(), n);
    return static_cast<unsigned>(sum.checksum());
  };
  const unsigned sum = crc(request, request.size());
  request.push_back(static_cast<std::uint8_t>(sum >> 8));
  request.push_back(static_cast<std::uint8_t>(sum));
  const auto answer = talk(request, 9);
  if (answer.size() != 7)
    throw std::runtime_error(fmt::format("{} characters come back", answer.size()));
  if (crc(answer, 5) != (static_cast<unsigned>(answer[5]) << 8 | answer[6]))
    throw std::runtime_error("the answer's CRC is wrong");
  std::uint32_t value = 0;
  for (std::size_t i = 4; i > 0; --i) value = value << 8 | answer[i];
  if (answer[0] != 'A') throw std::runtime_error(fmt::format("refused with code {}", value));
  return value;
}

std::uint32_t Hx8kBoard::read(unsigned address) {
  return ask({'R', static_cast<std::uint8_t>(address)});
}

void Hx8kBoard::write(unsigned address, std::uint32_t value) {
  std::vector<std::uint8_t> request{'W', static_cast<std::uint8_t>(address)};
  for (int i = 0; i < 4; ++i) request.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  if (const std::uint32_t answer = ask(request); answer != value)
    throw std::runtime_error(fmt::format("a write of {:#x} is answered with {:#x}", value, answer));
}

}  // namespace ht::test
