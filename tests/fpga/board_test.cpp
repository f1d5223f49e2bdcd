// SPDX-License-Identifier: Apache-2.0
// The HX8K board's top as it is synthesised, PLLs and pins modelled: its registers over the serial
// line, both link ends over a cable of any length, errors on it, and the cable pulled.
#include <catch2/catch.hpp>

#include "sw/qcdoc/registers.hpp"
#include "tests/fpga/hx8k_board.hpp"

using Catch::Matchers::Contains;
using ht::test::Hx8kBoard;
namespace tester = ht::qcdoc::registers::tester;

namespace {

constexpr unsigned end_a = 0x40, end_b = 0x80;
constexpr std::uint32_t enable = 1, traffic = 2, up = 2;

std::uint32_t state(Hx8kBoard& board, unsigned end) {
  return board.read(end + tester::status) & 3;
}

void bring_up(Hx8kBoard& board) {
  for (const unsigned end : {end_a, end_b}) board.write(end + tester::control, enable);
  board.run(3000);
  REQUIRE(state(board, end_a) == up);
  REQUIRE(state(board, end_b) == up);
}

}  // namespace

TEST_CASE("HX8K board: who it is, what it refuses, and requests that are none") {
  Hx8kBoard board(0);
  CHECK(board.talk({'R', 0, 0, 0}, 9).empty());  // still in its reset
  board.wait_for_reset();
  CHECK(board.read(0) == 0x48545142);
  CHECK(board.read(1) == HYPERTORUS_HX8K_HASH);
  board.write(2, 0xDEADBEEF);
  CHECK(board.read(2) == 0xDEADBEEF);
  CHECK_THROWS_WITH(board.write(0, 1), Contains("code 2"));
  CHECK_THROWS_WITH(board.read(3), Contains("code 2"));
  CHECK_THROWS_WITH(board.read(0xC0), Contains("code 2"));
  for (const unsigned end : {end_a, end_b}) {
    CHECK_THROWS_WITH(board.read(end + 0x0C), Contains("code 2"));
    CHECK_THROWS_WITH(board.read(end + 0x10), Contains("code 2"));
    CHECK_THROWS_WITH(board.write(end + tester::wrong, 1), Contains("code 2"));
    board.write(end + tester::inject_period, 0x00ABCDEF);
    CHECK(board.read(end + tester::inject_period) == 0x00ABCDEF);
  }
  // A damaged one has no effect; noise before one does not matter.
  const auto answer = board.talk({'W', 2, 1, 2, 3, 4, 0, 0}, 9);
  REQUIRE(answer.size() == 7);
  CHECK(answer[0] == 'E');
  CHECK(answer[1] == 1);
  CHECK(board.read(2) == 0xDEADBEEF);
  CHECK(board.talk({'x', 0xFF, 0}, 9).empty());
  CHECK(board.read(2) == 0xDEADBEEF);
}

TEST_CASE("HX8K board: traffic both ways over cables of any length, with flipped bits") {
  for (const unsigned delay : {0u, 1u, 2u, 3u, 7u, 30u, 101u, 200u}) {
    INFO("cable of " << delay << " half samples");
    Hx8kBoard board(delay);
    board.wait_for_reset();
    bring_up(board);
    for (const unsigned end : {end_a, end_b}) board.write(end + tester::control, enable | traffic);
    board.run(10'000);
    for (const unsigned end : {end_a, end_b}) CHECK(board.read(end + tester::resent) == 0);
    for (const unsigned end : {end_a, end_b}) board.write(end + tester::inject_period, 2003);
    board.run(20'000);
    for (const unsigned end : {end_a, end_b}) board.write(end + tester::inject_period, 0);
    board.run(3000);
    for (const unsigned end : {end_a, end_b}) board.write(end + tester::control, enable);
    board.run(3000);
    for (const unsigned end : {end_a, end_b}) {
      const unsigned other = end_a + end_b - end;
      CHECK(board.read(end + tester::injected) >= 9);
      CHECK(board.read(end + tester::resent) > 0);
      CHECK(board.read(end + tester::wrong) == 0);
      CHECK(board.read(end + tester::checked) > 300);
      CHECK(board.read(end + tester::checked) == board.read(other + tester::sent));
      CHECK(board.read(end + tester::rx_checksum) == board.read(other + tester::tx_checksum));
    }
    CHECK((board.leds() & 0x73) == 0x43);  // both UP, nothing wrong, ready
  }
}

TEST_CASE("HX8K board: the cable is pulled and put back") {
  Hx8kBoard board(5);
  board.wait_for_reset();
  bring_up(board);
  for (const unsigned end : {end_a, end_b}) board.write(end + tester::control, enable | traffic);
  board.run(5000);
  board.plug(false);
  board.run(20'000);
  CHECK(state(board, end_a) == 1);
  CHECK(state(board, end_b) == 1);
  CHECK((board.leds() & 3) == 0);
  board.plug(true);
  board.run(20'000);
  CHECK(state(board, end_a) == up);
  CHECK(state(board, end_b) == up);
  for (const unsigned end : {end_a, end_b}) {
    CHECK(board.read(end + tester::wrong) == 0);
    CHECK(board.read(end + tester::retrains) > 0);
    CHECK(board.read(end + tester::checked) > 150);
  }
}
