// SPDX-License-Identifier: Apache-2.0
#include "tests/fpga/cabled_board.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <catch2/catch.hpp>
#include <stdexcept>

namespace ht::test {

CabledBoard::CabledBoard(std::unique_ptr<board::Board> board, unsigned delay, unsigned skew)
    : board_(std::move(board)) {
  for (unsigned end = 0; end < board_->shape().ends; ++end)
    wires_.emplace_back(delay + 1 + skew * end, false);
}

void CabledBoard::step() {
  const std::uint32_t out = board_->out();
  std::uint32_t in = 0;
  for (unsigned end = 0; end < wires_.size(); ++end) {
    wires_[end].push_back((out >> board_->partner(end) & 1) != 0);
    if (wires_[end].front() && plugged_) in |= 1U << end;
    wires_[end].pop_front();
  }
  board_->step(in);
  ++steps_;
}

void CabledBoard::run(std::uint64_t bits) {
  for (std::uint64_t i = 0; i < static_cast<unsigned>(board_->shape().steps_a_bit) * bits; ++i)
    step();
}

void CabledBoard::wait_for_reset() {
  for (unsigned i = 0; i < board_->shape().reset_steps; ++i) step();
}

std::vector<std::uint8_t> CabledBoard::talk(const std::vector<std::uint8_t>& request,
                                            int characters) {
  board_->take_received();
  for (const std::uint8_t character : request) board_->send(character);
  const int steps = board_->steps_a_character() * (characters + static_cast<int>(request.size()));
  for (int i = 0; i < steps; ++i) step();
  return board_->take_received();
}

std::uint32_t CabledBoard::ask(std::vector<std::uint8_t> request) {
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

std::uint32_t CabledBoard::read(unsigned address) {
  return ask({'R', static_cast<std::uint8_t>(address)});
}

void CabledBoard::write(unsigned address, std::uint32_t value) {
  std::vector<std::uint8_t> request{'W', static_cast<std::uint8_t>(address)};
  for (int i = 0; i < 4; ++i) request.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  if (const std::uint32_t answer = ask(request); answer != value)
    throw std::runtime_error(fmt::format("a write of {:#x} is answered with {:#x}", value, answer));
}

void CabledBoard::check_line(std::uint32_t identity, std::uint32_t sources) {
  using Catch::Matchers::Contains;
  CHECK(read(0) == identity);
  CHECK(read(1) == sources);
  CHECK(read(2) == 0);
  for (const std::uint32_t value : {0x21524110U, 0xDEADBEEFU}) {
    write(2, value);
    CHECK(read(2) == value);
  }
  for (const unsigned fixed : {0U, 1U}) CHECK_THROWS_WITH(write(fixed, 1), Contains("code 2"));
  CHECK_THROWS_WITH(read(3), Contains("code 2"));
  CHECK_THROWS_WITH(write(3, 1), Contains("code 2"));
  CHECK(read(2) == 0xDEADBEEF);
}

}  // namespace ht::test
