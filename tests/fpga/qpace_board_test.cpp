// SPDX-License-Identifier: Apache-2.0
// Boards with a whole QPACE node, as they are synthesised, what is the vendor's modelled: their
// registers over the serial line, all 48 channels over cables of any length and skew, errors on
// them, and the cable pulled.
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>

#include "sim/board/tops.hpp"
#include "sw/common/registers.hpp"
#include "sw/qpace/registers.hpp"
#include "tests/fpga/cabled_board.hpp"
#include "tests/support/test_seed.hpp"

using Catch::Matchers::Contains;
using ht::test::CabledBoard;
namespace tester = ht::qpace::registers::tester;
namespace nwp = ht::qpace::registers::nwp;

namespace {

constexpr std::uint32_t enable = 1, clear = 4, traffic = 8, up = 2, lanes_up = 1;
constexpr unsigned ends = 6, node_address = 0xC0, node_value = 0xC1;

struct Kind {
  std::string name;
  std::unique_ptr<ht::board::Board> (*make)();
  std::uint32_t identity, sources;
  unsigned word;        ///< bits of a wire in a word of the link
  unsigned cycles;      ///< of the core in ten words
  unsigned skew_limit;  ///< of neighbouring wires, steps

  CabledBoard cabled(unsigned delay, unsigned skew) const { return {make(), delay, skew}; }
};

Kind any_kind() {
  return GENERATE(
      Kind{"ulx3s_qpace", ht::board::make_ulx3s_qpace, 0x48545150, HYPERTORUS_ULX3S_QPACE_HASH, 10,
           50, 160},
      Kind{"ecpix5", ht::board::make_ecpix5, 0x48545135, HYPERTORUS_ECPIX5_HASH, 40, 8, 1},
      Kind{"kcu105", ht::board::make_kcu105, 0x4854514B, HYPERTORUS_KCU105_HASH, 40, 10, 1});
}

unsigned end_at(unsigned link) {
  return 0x40 + 0x10 * link;
}

std::uint32_t node_read(CabledBoard& board, std::uint32_t address) {
  board.write(node_address, address);
  return board.read(node_value);
}

std::uint32_t state(CabledBoard& board, unsigned link) {
  return board.read(end_at(link) + tester::status) & 3;
}

/// Until all links are up: lanes train, then links.
void bring_up(CabledBoard& board, const Kind& kind) {
  board.wait_for_reset();
  for (unsigned l = 0; l < ends; ++l) board.write(end_at(l) + tester::control, enable);
  for (int i = 0; i < 20 && state(board, 0) != up; ++i) board.run(300 * kind.word);
  for (unsigned l = 0; l < ends; ++l) REQUIRE(state(board, l) == up);
  CHECK((board.read(end_at(0) + tester::lanes) & 7) == lanes_up);
}

void for_all(CabledBoard& board, unsigned reg, std::uint32_t value) {
  for (unsigned l = 0; l < ends; ++l) board.write(end_at(l) + reg, value);
}

/// Nothing is on its way any more, and all that was sent came, right.
void check_all(CabledBoard& board, const Kind& kind) {
  for_all(board, tester::control, enable);
  for (int i = 0; i < 40; ++i) {
    board.run(200 * kind.word);
    bool outstanding = false;
    for (unsigned l = 0; l < ends; ++l)
      outstanding = outstanding || (board.read(end_at(l) + tester::status) >> 8 & 0x3F) != 0;
    if (!outstanding) break;
  }
  for (unsigned l = 0; l < ends; ++l) {
    INFO("link " << l);
    CHECK(board.read(end_at(l) + tester::wrong) == 0);
    CHECK(board.read(end_at(l) + tester::checked) == board.read(end_at(l) + tester::sent));
    CHECK(board.read(end_at(l) + tester::tx_checksum) ==
          board.read(end_at(l) + tester::rx_checksum));
  }
}

}  // namespace

TEST_CASE("board with a QPACE node: who it is, what it refuses, the node's registers") {
  const Kind kind = any_kind();
  INFO(kind.name);
  CabledBoard board = kind.cabled(0, 0);
  board.wait_for_reset();
  board.check_line(kind.identity, kind.sources);
  CHECK(board.read(0xE0 + ht::common::registers::signal_capture::shape) >> 20 == 1);
  for (const unsigned none : {0x03u, 0x3Fu, 0x4Du, 0x4Fu, 0x9Du, 0xA0u, 0xBFu, 0xC2u, 0xDFu, 0xFFu})
    CHECK_THROWS_WITH(board.read(none), Contains("code 2"));
  for (unsigned l = 0; l < ends; ++l) {
    for (const unsigned fixed : {tester::status, tester::sent, tester::wrong, tester::lanes})
      CHECK_THROWS_WITH(board.write(end_at(l) + fixed, 1), Contains("code 2"));
    board.write(end_at(l) + tester::inject_period, 0x00ABCDEF - l);
  }
  for (unsigned l = 0; l < ends; ++l)
    CHECK(board.read(end_at(l) + tester::inject_period) == 0x00ABCDEF - l);
  board.write(end_at(1) + tester::inject_period, 63);
  CHECK(board.read(end_at(1) + tester::inject_period) == 64);
  // The node behind them.
  CHECK(node_read(board, nwp::id) == 0x51504E57);
  board.write(node_address, nwp::scratch);
  board.write(node_value, 0x12345678);
  CHECK(board.read(node_value) == 0x12345678);
  CHECK(node_read(board, nwp::base(5, 7)) == 47U << 15);
  CHECK(node_read(board, ht::qpace::registers::link::train_timeout(5)) == 0xFFFF00);
  board.write(node_address, 0x00A);  // there is none
  CHECK_THROWS_WITH(board.read(node_value), Contains("code 2"));
}

TEST_CASE(
    "board with a QPACE node: all channels of all links, cables of any length and skew, errors") {
  const std::uint64_t seed = ht::test::test_seed();
  std::mt19937_64 draw(seed);
  const Kind kind = any_kind();
  for (int i = 0; i < 2; ++i) {
    const auto delay = static_cast<unsigned>(draw() % 200);
    const auto skew = i == 0 ? 0 : static_cast<unsigned>(draw() % kind.skew_limit);
    INFO(kind.name << ", seed " << seed << ", delay " << delay << ", skew " << skew);
    CabledBoard board = kind.cabled(delay, skew);
    bring_up(board, kind);
    // A sound cable.
    for_all(board, tester::control, enable | clear);
    for_all(board, tester::control, enable | traffic);
    board.run(2000 * kind.word);
    for (unsigned l = 0; l < ends; ++l) {
      CHECK(board.read(end_at(l) + tester::injected) == 0);
      CHECK(board.read(end_at(l) + tester::damaged) == 0);
      CHECK(board.read(end_at(l) + tester::resent) == 0);
      CHECK(board.read(end_at(l) + tester::checked) > 30);
    }
    // One that flips bits.
    for (unsigned l = 0; l < ends; ++l)
      board.write(end_at(l) + tester::inject_period, (18 + 2 * l) * kind.cycles);
    board.run(3000 * kind.word);
    for_all(board, tester::inject_period, 0);
    check_all(board, kind);
    for (unsigned l = 0; l < ends; ++l) {
      INFO("link " << l);
      CHECK(board.read(end_at(l) + tester::injected) >= 9);
      CHECK(board.read(end_at(l) + tester::damaged) >= 5);
      CHECK(board.read(end_at(l) + tester::resent) > 0);
    }
    CHECK((board.leds() & 0x63) == 0x43);  // all UP, nothing wrong, out of reset
  }
}

TEST_CASE("board with a QPACE node: a channel's credits are renewed") {
  const Kind kind = any_kind();
  CabledBoard board = kind.cabled(3, 0);
  bring_up(board, kind);
  // Fewer packets to a credit than the board gives itself: it is the notification that counts.
  constexpr unsigned sender = 4, channel = 5;
  board.write(node_address, nwp::credit_cancel(sender, channel));
  board.write(node_value, 1);
  for (int i = 0; i < 2; ++i) {
    board.write(node_address, nwp::credit_post(sender, channel));
    board.write(node_value, 3);
  }
  for_all(board, tester::control, enable | clear);
  board.write(end_at(sender) + tester::control, enable | traffic);
  board.run(40 * 8 * 34 * kind.word);
  check_all(board, kind);
  CHECK(board.read(end_at(sender) + tester::checked) > 200);
  CHECK((node_read(board, nwp::credit_status(sender, channel)) & 0x7FFF) > 900);
}

TEST_CASE("board with a QPACE node: lines that are wrong are counted") {
  const Kind kind = any_kind();
  CabledBoard board = kind.cabled(0, 0);
  bring_up(board, kind);
  for_all(board, tester::control, enable | clear);
  // Another place for one channel's lines, from the credit behind this one on.
  constexpr unsigned sender = 2, channel = 3;
  board.write(node_address, nwp::credit_cancel(sender, channel));
  board.write(node_value, 1);
  board.write(node_address, nwp::credit_offset(sender, channel));
  board.write(node_value, 1);
  board.write(node_address, nwp::credit_post(sender, channel));
  board.write(node_value, 100);
  board.write(end_at(sender) + tester::control, enable | traffic);
  board.run(20 * 8 * 34 * kind.word);
  board.write(end_at(sender) + tester::control, enable);
  board.run(500 * kind.word);
  const std::uint32_t checked = board.read(end_at(sender) + tester::checked);
  CHECK(checked == board.read(end_at(sender) + tester::sent));
  // one line in eight is this channel's
  CHECK(board.read(end_at(sender) + tester::wrong) >= checked / 8);
  CHECK(board.read(end_at(sender) + tester::wrong) <= checked / 8 + 1);
  CHECK((board.leds() & 0x20) != 0);
}

TEST_CASE(
    "board with a QPACE node: two channels in each other's place are wrong from the first line "
    "on") {
  const Kind kind = any_kind();
  CabledBoard board = kind.cabled(0, 0);
  bring_up(board, kind);
  constexpr unsigned sender = 1;
  for (const unsigned channel : {0U, 1U}) {
    board.write(node_address, nwp::base(sender, channel));
    board.write(node_value, (8 * sender + (channel ^ 1)) << 15);
    board.write(node_address, nwp::credit_cancel(sender, channel));
    board.write(node_value, 1);
    board.write(node_address, nwp::credit_post(sender, channel));
    board.write(node_value, 1000);
  }
  for_all(board, tester::control, enable | clear);
  board.write(end_at(sender) + tester::control, enable | traffic);
  board.run(10 * 8 * 34 * kind.word);
  board.write(end_at(sender) + tester::control, enable);
  board.run(500 * kind.word);
  const std::uint32_t checked = board.read(end_at(sender) + tester::checked);
  CHECK(checked == board.read(end_at(sender) + tester::sent));
  // two in eight
  CHECK(board.read(end_at(sender) + tester::wrong) >= checked / 4 - 1);
  CHECK(board.read(end_at(sender) + tester::wrong) <= checked / 4 + 2);
}

TEST_CASE("board with a QPACE node: the cable is pulled and put back") {
  const Kind kind = any_kind();
  INFO(kind.name);
  CabledBoard board = kind.cabled(7, 11);
  bring_up(board, kind);
  for_all(board, tester::control, enable | clear);
  for_all(board, tester::control, enable | traffic);
  board.run(1000 * kind.word);
  board.plug(false);
  board.run(2000 * kind.word);
  CHECK(state(board, 0) == 1);
  CHECK((board.read(end_at(0) + tester::lanes) & 0x000F0F03) == 2);
  CHECK((board.leds() & 3) == 1);
  for (unsigned l = 1; l < ends; ++l) CHECK(state(board, l) == up);
  board.plug(true);
  for (int i = 0; i < 20 && state(board, 0) != up; ++i) board.run(300 * kind.word);
  CHECK(state(board, 0) == up);
  board.run(1000 * kind.word);
  check_all(board, kind);
  CHECK(board.read(end_at(0) + tester::retrains) > 0);
  CHECK(board.read(end_at(0) + tester::checked) > 40);
}

namespace {

namespace capture = ht::common::registers::signal_capture;
constexpr unsigned capture_at = 0xE0;

/// Whether a signal of the third word has this level in some cycle while the board runs for so many
/// bits of a wire.
bool comes(CabledBoard& board, unsigned bit, bool level, std::uint64_t bits) {
  const std::uint32_t place = 1U << (bit - 64);
  board.write(capture_at + capture::word, 2);
  board.write(capture_at + capture::value, level ? place : 0);
  board.write(capture_at + capture::mask, place);
  board.write(capture_at + capture::control, capture::control_arm.mask);
  board.run(bits);
  const std::uint32_t status = board.read(capture_at + capture::status);
  board.write(capture_at + capture::control, capture::control_stop.mask);
  return capture::status_state.get(status) == capture::status_state_full;
}

}  // namespace

TEST_CASE("board with a QPACE node: signals are captured under their names") {
  // Of rtl/qpace/tester/qpace_probe.toml: over a sound cable, and over one that flips bits.
  struct Signal {
    std::string name;
    unsigned bit;
    bool high, low, high_with_errors;
  };
  const Signal signals[] = {
      {"rx_start", 77, true, true, true},      {"rx_ok", 78, true, true, true},
      {"rx_command", 79, true, true, true},    {"rx_error", 80, false, true, true},
      {"accepted", 81, true, true, true},      {"resent", 82, false, true, true},
      {"flipped", 84, false, true, true},      {"lanes_up", 85, true, false, true},
      {"local_fault", 86, false, true, false}, {"remote_fault", 87, false, true, false},
      {"deskewed", 88, true, false, true},     {"bad_character", 89, false, true, true},
      {"lanes_lost", 92, false, true, false},
  };
  const Kind kind = any_kind();
  CabledBoard board = kind.cabled(5, 0);
  bring_up(board, kind);
  for_all(board, tester::control, enable | clear);
  for_all(board, tester::control, enable | traffic);
  board.run(100 * kind.word);
  for (const Signal& signal : signals) {
    INFO(kind.name << ", " << signal.name);
    CHECK(comes(board, signal.bit, true, 100 * kind.word) == signal.high);
    CHECK(comes(board, signal.bit, false, 100 * kind.word) == signal.low);
  }
  for_all(board, tester::inject_period, 20 * kind.cycles);
  for (const Signal& signal : signals) {
    INFO(kind.name << ", " << signal.name << ", with errors");
    CHECK(comes(board, signal.bit, true, 1000 * kind.word) == signal.high_with_errors);
  }
  // Nothing is sent any more: only the lanes are as they were.
  for_all(board, tester::inject_period, 0);
  for_all(board, tester::control, 0);
  board.run(200 * kind.word);
  for (const Signal& signal : signals) {
    INFO(kind.name << ", " << signal.name << ", at rest");
    CHECK(comes(board, signal.bit, true, 50 * kind.word) == !signal.low);
  }
}

// The board with one link.

namespace {

constexpr std::uint32_t link_identity = 0x4854514C;
constexpr unsigned link_end = 0x40;

/// Where the board has a register that a node has at `address`.
unsigned own(std::uint32_t address) {
  return 0x80 + (address & 0x3F);
}

CabledBoard looped_link() {
  CabledBoard board(ht::board::make_hx8k_qpace(), 0);
  board.wait_for_reset();
  return board;
}

void bring_up(CabledBoard& board) {
  board.write(link_end + tester::control, enable);
  board.run(2000);
  REQUIRE(state(board, 0) == up);
}

void wait_until_acknowledged(CabledBoard& board) {
  board.write(link_end + tester::control, enable);
  for (int i = 0; i < 20 && (board.read(link_end + tester::status) >> 8 & 0x3F) != 0; ++i)
    board.run(2000);
}

}  // namespace

TEST_CASE("board with a QPACE link: who it is, what it refuses, the link's registers") {
  CabledBoard board = looped_link();
  board.check_line(link_identity, HYPERTORUS_HX8K_QPACE_HASH);
  for (const unsigned none : {0x03u, 0x3Fu, 0x4Du, 0x4Fu, 0x50u, 0x7Fu, 0xC0u, 0xE0u, 0xFFu})
    CHECK_THROWS_WITH(board.read(none), Contains("code 2"));
  for (const unsigned fixed : {tester::status, tester::sent, tester::wrong, tester::lanes})
    CHECK_THROWS_WITH(board.write(link_end + fixed, 1), Contains("code 2"));
  CHECK(board.read(link_end + tester::lanes) == 0);
  // The link's own, beside the end's.
  namespace link = ht::qpace::registers::link;
  board.write(own(link::ack_timeout(0)), 1234);
  CHECK(board.read(own(link::ack_timeout(0))) == 1234);
  CHECK_THROWS_WITH(board.write(own(link::status(0)), 1), Contains("code 2"));
  bring_up(board);
  CHECK(board.read(own(link::status(0))) == board.read(link_end + tester::status));
  CHECK((board.leds() & 0x67) == 0x43);  // out of reset, nothing wrong, UP
}

TEST_CASE("board with a QPACE link: all channels, errors") {
  const std::uint64_t seed = ht::test::test_seed();
  std::mt19937_64 draw(seed);
  CabledBoard board = looped_link();
  bring_up(board);
  board.write(link_end + tester::control, enable | clear);
  board.write(link_end + tester::control, enable | traffic);
  board.run(40000);
  CHECK((board.leds() & 0x08) == 0);  // changes after 8,192 packets
  CHECK(board.read(link_end + tester::injected) == 0);
  CHECK(board.read(link_end + tester::damaged) == 0);
  CHECK(board.read(link_end + tester::resent) == 0);
  // The wire is as good as full.
  CHECK(board.read(link_end + tester::checked) > 40000 / 38);
  const auto period = static_cast<std::uint32_t>(64 + draw() % 400);
  INFO("seed " << seed << ", period " << period);
  board.write(link_end + tester::inject_period, period);
  board.run(60000);
  board.write(link_end + tester::inject_period, 0);
  wait_until_acknowledged(board);
  CHECK(board.read(link_end + tester::injected) > 60000 / period);
  CHECK(board.read(link_end + tester::damaged) > 0);
  CHECK(board.read(link_end + tester::resent) > 0);
  CHECK(board.read(link_end + tester::wrong) == 0);
  CHECK(board.read(link_end + tester::checked) == board.read(link_end + tester::sent));
  CHECK(board.read(link_end + tester::tx_checksum) == board.read(link_end + tester::rx_checksum));
}

TEST_CASE("board with a QPACE link: packets that are given up are missed") {
  CabledBoard board = looped_link();
  bring_up(board);
  board.write(link_end + tester::control, enable | clear);
  board.write(link_end + tester::control, enable | traffic);
  board.run(5000);
  // One that meets another peer, which itself is with another epoch, gives up what waits in its
  // transmit FIFO.
  board.write(link_end + tester::control, traffic);
  board.run(2000);
  board.write(own(ht::qpace::registers::link::epoch(0)), 77);
  CHECK((board.leds() & 0x20) == 0);
  board.write(link_end + tester::control, enable | traffic);
  board.run(20000);
  wait_until_acknowledged(board);
  CHECK(board.read(link_end + tester::wrong) > 0);
  CHECK(board.read(link_end + tester::wrong) <= 8);  // once in each channel
  CHECK((board.leds() & 0x20) != 0);
}

TEST_CASE("board with a QPACE link: bits are flipped as far apart as it was told") {
  CabledBoard board = looped_link();
  constexpr unsigned period = 64, steps_a_cycle = 2;
  board.write(link_end + tester::inject_period, period);
  const std::uint64_t from = board.steps();
  board.run(20000);
  board.write(link_end + tester::inject_period, 0);
  const std::uint64_t cycles = (board.steps() - from) / steps_a_cycle;
  const std::uint32_t injected = board.read(link_end + tester::injected);
  CHECK(injected >= cycles / period - 1);
  CHECK(injected <= cycles / period + 1);
}
