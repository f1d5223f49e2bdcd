// SPDX-License-Identifier: Apache-2.0
// Boards' tops as they are synthesised, PLLs and pins modelled: their registers over the serial
// line, all link ends over cables of any length, errors on them, and the cables pulled.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "sim/board/tops.hpp"
#include "sw/common/registers.hpp"
#include "sw/qcdoc/registers.hpp"
#include "tests/fpga/cabled_board.hpp"

using Catch::Matchers::Contains;
using ht::test::CabledBoard;
namespace capture = ht::common::registers::signal_capture;
namespace tester = ht::qcdoc::registers::tester;

namespace {

constexpr std::uint32_t enable = 1, traffic = 2, up = 2;

struct Kind {
  std::string name;
  std::unique_ptr<ht::board::Board> (*make)();
  std::uint32_t identity, sources;
  std::vector<unsigned> ends;      ///< first registers of A, B, C, ...
  std::vector<unsigned> none;      ///< addresses without a register
  std::vector<unsigned> captures;  ///< first registers of what captures signals

  CabledBoard cabled(unsigned delay) const { return {make(), delay}; }
};

Kind any_kind() {
  return GENERATE(Kind{"hx8k",
                       ht::board::make_hx8k,
                       0x48545142,
                       HYPERTORUS_HX8K_HASH,
                       {0x40, 0x80},
                       {0x50, 0x70, 0x90, 0xB0},
                       {}},
                  Kind{"ulx3s",
                       ht::board::make_ulx3s,
                       0x48545155,
                       HYPERTORUS_ULX3S_HASH,
                       {0x40, 0x80, 0x50, 0x90, 0x60, 0xA0},
                       {},
                       {0x70, 0xB0}});
}

unsigned partner(const Kind& kind, std::size_t end) {
  return kind.ends[end ^ 1];
}

std::uint32_t state(CabledBoard& board, unsigned end) {
  return board.read(end + tester::status) & 3;
}

void bring_up(CabledBoard& board, const Kind& kind) {
  for (const unsigned end : kind.ends) board.write(end + tester::control, enable);
  board.run(3000);
  for (const unsigned end : kind.ends) REQUIRE(state(board, end) == up);
}

}  // namespace

TEST_CASE("board: who it is, what it refuses, and requests that are none") {
  const Kind kind = any_kind();
  INFO(kind.name);
  CabledBoard board = kind.cabled(0);
  CHECK(board.talk({'R', 0, 0, 0}, 9).empty());  // still in its reset
  board.wait_for_reset();
  board.check_line(kind.identity, kind.sources);
  CHECK_THROWS_WITH(board.read(0xC0), Contains("code 2"));
  for (const unsigned address : kind.none)
    CHECK_THROWS_WITH(board.read(address), Contains("code 2"));
  for (const unsigned end : kind.ends) {
    CHECK_THROWS_WITH(board.read(end + 0x0C), Contains("code 2"));
    CHECK_THROWS_WITH(board.write(end + tester::wrong, 1), Contains("code 2"));
    board.write(end + tester::inject_period, 0x00ABCDEF);
    CHECK(board.read(end + tester::inject_period) == 0x00ABCDEF);
  }
  for (const unsigned unit : kind.captures) {
    CHECK(board.read(unit + capture::shape) >> 20 == kind.ends.size() / 2);
    board.write(unit + capture::after, unit);
    CHECK_THROWS_WITH(board.write(unit + capture::signals, 1), Contains("code 2"));
  }
  for (const unsigned unit : kind.captures) CHECK(board.read(unit + capture::after) == unit);
  // A damaged one has no effect; noise before one does not matter.
  const auto answer = board.talk({'W', 2, 1, 2, 3, 4, 0, 0}, 9);
  REQUIRE(answer.size() == 7);
  CHECK(answer[0] == 'E');
  CHECK(answer[1] == 1);
  CHECK(board.read(2) == 0xDEADBEEF);
  CHECK(board.talk({'x', 0xFF, 0}, 9).empty());
  CHECK(board.read(2) == 0xDEADBEEF);
}

TEST_CASE("board: a request that stops in its midst is forgotten after a million cycles") {
  CabledBoard board = CabledBoard(ht::board::make_hx8k(), 0);
  board.wait_for_reset();
  board.write(2, 0xDEADBEEF);
  // A cycle takes as long as a wire's bit.
  CHECK(board.talk({'R', 2}, 0).empty());
  board.run(1'050'000);
  CHECK(board.read(2) == 0xDEADBEEF);
  // Not before: what follows is the rest of it, and damaged.
  CHECK(board.talk({'R', 2}, 0).empty());
  board.run(900'000);
  const auto answer = board.talk({'R', 2}, 9);
  REQUIRE(answer.size() == 7);
  CHECK(answer[0] == 'E');
  CHECK(answer[1] == 1);
}

TEST_CASE("board: traffic both ways over cables of any length, with flipped bits") {
  const Kind kind = any_kind();
  for (const unsigned delay : {0u, 1u, 2u, 3u, 7u, 30u, 101u, 200u}) {
    INFO(kind.name << ", cable of " << delay << " half samples");
    CabledBoard board = kind.cabled(delay);
    board.wait_for_reset();
    bring_up(board, kind);
    for (const unsigned end : kind.ends) board.write(end + tester::control, enable | traffic);
    board.run(10'000);
    for (const unsigned end : kind.ends) CHECK(board.read(end + tester::resent) == 0);
    for (const unsigned end : kind.ends) board.write(end + tester::inject_period, 2003);
    board.run(20'000);
    for (const unsigned end : kind.ends) board.write(end + tester::inject_period, 0);
    board.run(3000);
    for (const unsigned end : kind.ends) board.write(end + tester::control, enable);
    board.run(3000);
    for (std::size_t i = 0; i < kind.ends.size(); ++i) {
      const unsigned end = kind.ends[i], other = partner(kind, i);
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

TEST_CASE("board: the cable is pulled and put back") {
  const Kind kind = any_kind();
  INFO(kind.name);
  CabledBoard board = kind.cabled(5);
  board.wait_for_reset();
  bring_up(board, kind);
  for (const unsigned end : kind.ends) board.write(end + tester::control, enable | traffic);
  board.run(5000);
  board.plug(false);
  board.run(20'000);
  for (const unsigned end : kind.ends) CHECK(state(board, end) == 1);
  CHECK((board.leds() & 3) == 0);
  board.plug(true);
  board.run(20'000);
  for (const unsigned end : kind.ends) {
    CHECK(state(board, end) == up);
    CHECK(board.read(end + tester::wrong) == 0);
    CHECK(board.read(end + tester::retrains) > 0);
    CHECK(board.read(end + tester::checked) > 150);
  }
}
