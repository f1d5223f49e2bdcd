// SPDX-License-Identifier: Apache-2.0
// The serial ports, bit by bit.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/io/io_harness.hpp"

namespace {

using namespace ht::test;
namespace uart = ht::qpace::registers::uart;

constexpr std::uint32_t port_0 = 0, port_1 = 1;

struct Format {
  bool parity, even, two_stop;
  std::uint32_t control() const {
    return uart::control_parity.put(parity) | uart::control_even.put(even) |
           uart::control_two_stop.put(two_stop) | uart::control_trigger.put(1);
  }
  /// A character as bits on the line, first to last.
  std::vector<int> bits(unsigned c) const {
    std::vector<int> b{0};
    int ones = 0;
    for (unsigned i = 0; i < 8; ++i) {
      b.push_back(static_cast<int>(c >> i & 1));
      ones += b.back();
    }
    if (parity) b.push_back(even ? ones % 2 : 1 - ones % 2);
    b.push_back(1);
    if (two_stop) b.push_back(1);
    return b;
  }
};

const std::vector<Format> formats{
    {false, false, false}, {true, false, false}, {true, true, true}, {false, false, true}};

// Holds the line of port 0 at each level for `cycles`.
void drive(IoHarness& h, const std::vector<int>& bits, int cycles) {
  for (const int b : bits) {
    h.set_rxd(0, b != 0);
    h.run(cycles);
  }
  h.set_rxd(0, true);
}

TEST_CASE("uart: characters stand on the line bit by bit, back to back") {
  for (const Format& f : formats) {
    for (const int divisor : {8, 16, 21}) {
      IoHarness h;
      h.write(uart::divisor(port_1), static_cast<std::uint32_t>(divisor));
      h.write(uart::control(port_1), f.control());
      h.line[1].clear();
      for (const unsigned c : {0x00U, 0xFFU, 0x41U, 0xA7U}) h.write(uart::data(port_1), c);
      h.run(60 * divisor);
      std::vector<std::uint8_t> expected;
      for (const unsigned c : {0x00U, 0xFFU, 0x41U, 0xA7U}) {
        for (const int b : f.bits(c))
          expected.insert(expected.end(), static_cast<std::size_t>(divisor),
                          static_cast<std::uint8_t>(b));
      }
      std::size_t at = 0;
      while (at < h.line[1].size() && h.line[1][at] == 1) ++at;
      REQUIRE(h.line[1].size() >= at + expected.size());
      CHECK(std::equal(expected.begin(), expected.end(),
                       h.line[1].begin() + static_cast<std::ptrdiff_t>(at)));
      CHECK(std::count(h.line[0].begin(), h.line[0].end(), 0) == 0);
    }
  }
}

TEST_CASE("uart: every character comes back in loopback, and the line stays quiet") {
  for (const Format& f : formats) {
    IoHarness h;
    h.write(uart::divisor(port_0), 8);
    h.write(uart::control(port_0), f.control() | uart::control_loopback.mask);
    for (unsigned c = 0; c < 256; ++c) {
      h.write(uart::data(port_0), c);
      h.run_until([&] { return h.idle(); }, 200, "idle");
      h.run(4);
      CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | c));
    }
    CHECK(h.read(uart::error(port_0)) == 0);
    CHECK(h.read(uart::data(port_0)) == 0);
    CHECK(std::count(h.line[0].begin(), h.line[0].end(), 0) == 0);
  }
}

TEST_CASE("uart: a sender whose clock is 4 % off is understood") {
  for (const int cycles : {96, 100, 104}) {
    IoHarness h;
    h.write(uart::divisor(port_0), 100);
    for (const unsigned c : {0x55U, 0x00U, 0xFFU, 0x80U}) drive(h, formats[0].bits(c), cycles);
    h.run(20);
    for (const unsigned c : {0x55U, 0x00U, 0xFFU, 0x80U})
      CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | c));
    CHECK(h.read(uart::error(port_0)) == 0);
  }
}

TEST_CASE("uart: wrong parity, no stop bit, break, and a start bit that is none") {
  IoHarness h;
  h.write(uart::divisor(port_0), 16);
  h.write(uart::control(port_0), Format{true, true, false}.control());
  drive(h, {0, 1, 0, 0, 0, 0, 0, 0, 0, /*parity*/ 0, 1}, 16);
  h.run(16);
  CHECK(h.read(uart::error(port_0)) == uart::error_parity.mask);
  CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | uart::data_parity.mask | 1));
  h.write(uart::error(port_0), uart::error_parity.mask);
  CHECK(h.read(uart::error(port_0)) == 0);

  drive(h, {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, /*stop*/ 0}, 16);
  h.run(32);
  CHECK(h.read(uart::error(port_0)) == uart::error_framing.mask);
  CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | uart::data_framing.mask | 1));
  h.write(uart::error(port_0), ~0U);

  drive(h, std::vector<int>(40, 0), 16);  // one break, not several
  h.run(32);
  CHECK(h.read(uart::error(port_0)) == (uart::error_framing.mask | uart::error_break.mask));
  CHECK(h.read(uart::data(port_0)) ==
        (uart::data_valid.mask | uart::data_framing.mask | uart::data_break.mask));
  CHECK(h.read(uart::data(port_0)) == 0);
  h.write(uart::error(port_0), ~0U);

  h.set_rxd(0, false);
  h.run(5);
  h.set_rxd(0, true);
  h.run(400);
  CHECK(h.read(uart::status(port_0)) == (uart::status_tx_empty.mask | uart::status_tx_idle.mask));
  CHECK(h.read(uart::error(port_0)) == 0);
  drive(h, Format{true, true, false}.bits(0x5A), 16);
  h.run(8);
  CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | 0x5A));
}

TEST_CASE("uart: FIFOs of 16, and what comes on top is lost and told") {
  IoHarness h;
  h.write(uart::divisor(port_0), 8);
  for (unsigned c = 0; c < 17; ++c) drive(h, formats[0].bits(c), 8);
  h.run(16);
  CHECK(h.read(uart::error(port_0)) == uart::error_overrun.mask);
  CHECK(uart::status_rx_level.get(h.read(uart::status(port_0))) == 16);
  for (unsigned c = 0; c < 16; ++c)
    CHECK(h.read(uart::data(port_0)) == (uart::data_valid.mask | c));
  CHECK(h.read(uart::data(port_0)) == 0);
  h.write(uart::error(port_0), ~0U);

  // One on the line, 16 in the FIFO; the 18th is too many.
  h.write(uart::divisor(port_0), 4000);
  for (unsigned c = 0; c < 17; ++c) h.write(uart::data(port_0), c);
  CHECK(h.read(uart::error(port_0)) == 0);
  CHECK((h.read(uart::status(port_0)) & uart::status_tx_full.mask) != 0);
  h.write(uart::data(port_0), 99);
  CHECK(h.read(uart::error(port_0)) == uart::error_tx_overrun.mask);
  CHECK(uart::status_tx_level.get(h.read(uart::status(port_0))) == 16);
}

TEST_CASE("uart: interrupts, each from its cause alone") {
  IoHarness h;
  h.write(uart::divisor(port_0), 8);
  h.write(uart::control(port_0), uart::control_trigger.put(3));
  CHECK(h.irq() == 0);
  h.write(uart::interrupt_enable(port_0), uart::interrupt_enable_received.mask);
  for (unsigned c = 0; c < 3; ++c) {
    h.run(16);
    CHECK(h.irq() == 0);
    drive(h, formats[0].bits(c), 8);
  }
  h.run(16);
  CHECK(h.irq() == 1);
  h.read(uart::data(port_0));
  h.run(4);
  CHECK(h.irq() == 0);

  h.write(uart::interrupt_enable(port_0), uart::interrupt_enable_tx_empty.mask);
  CHECK(h.irq() == 1);
  h.write(uart::data(port_0), 1);
  h.write(uart::data(port_0), 2);
  CHECK(h.irq() == 0);
  h.run(8 * 11);
  CHECK(h.irq() == 1);  // empty when the last one is on the line

  h.write(uart::interrupt_enable(port_0), uart::interrupt_enable_error.mask);
  CHECK(h.irq() == 0);
  drive(h, std::vector<int>(20, 0), 8);
  h.run(16);
  CHECK(h.irq() == 1);
  h.write(uart::error(port_0), ~0U);
  CHECK(h.irq() == 0);

  h.write(uart::interrupt_enable(port_1), uart::interrupt_enable_tx_empty.mask);
  CHECK(h.irq() == 2);
}

TEST_CASE("registers of serial ports and Ethernet: only a read that is not refused has a value") {
  namespace gmac = ht::qpace::registers::gmac;
  IoHarness h;
  const struct {
    std::uint32_t writable, value, other, constant, nowhere;
  } blocks[] = {
      {uart::divisor(port_0), 100, 200, uart::status(port_0), uart::data(port_0) + 7},
      {uart::divisor(port_1), 300, 400, uart::status(port_1), uart::data(port_1) + 7},
      {gmac::max_frame(0), 1518, 2000, gmac::max_frame(0), gmac::count_rx_false(0) + 1},
  };
  for (const auto& block : blocks) {
    INFO("block of register " << block.writable);
    h.write(block.writable, block.value);
    CHECK(h.read(block.writable) == block.value);
    // a good write, one that is refused, and a read of what is not there
    const IoReply good = h.access(true, block.writable, block.other);
    CHECK_FALSE(good.refused);
    CHECK(good.value == 0);
    const IoReply bad = h.access(true, block.writable, 1);
    CHECK(bad.refused);
    CHECK(bad.value == 0);
    const IoReply constant = h.access(true, block.constant, 1);
    CHECK(constant.refused);
    CHECK(constant.value == 0);
    const IoReply nowhere = h.access(false, block.nowhere);
    CHECK(nowhere.refused);
    CHECK(nowhere.value == 0);
    CHECK(h.read(block.writable) == block.other);
  }
}

TEST_CASE("uart: what cannot be is refused, and changes nothing") {
  IoHarness h;
  CHECK(h.access(true, uart::divisor(port_0), 7).refused);
  for (const std::uint32_t cycles : {0U, 0x10000U, 70'000U, 0xFFFF0008U})
    CHECK(h.access(true, uart::divisor(port_0), cycles).refused);
  CHECK(h.read(uart::divisor(port_0)) == 16);
  h.write(uart::divisor(port_0), 65'535);
  CHECK(h.read(uart::divisor(port_0)) == 65'535);
  const std::uint32_t line = uart::control_parity.mask | uart::control_trigger.put(16);
  h.write(uart::control(port_0), line);
  for (const std::uint32_t trigger : {0U, 17U, 24U, 31U})
    CHECK(h.access(true, uart::control(port_0), uart::control_trigger.put(trigger)).refused);
  for (const std::uint32_t bits : {0x20U, 0x80U, 0x2000U, 0x80000000U})
    CHECK(h.access(true, uart::control(port_0), uart::control_trigger.put(1) | bits).refused);
  CHECK(h.read(uart::control(port_0)) == line);
  CHECK(h.access(true, uart::interrupt_enable(port_0), 8).refused);
  CHECK(h.access(true, uart::interrupt_enable(port_0), 0x10007).refused);
  CHECK(h.read(uart::interrupt_enable(port_0)) == 0);
  CHECK(h.access(true, uart::status(port_0), 1).refused);
  CHECK(h.access(true, uart::interrupt_cause(port_0), 1).refused);
  CHECK(h.access(false, uart::data(port_0) + 7).refused);
  CHECK(h.access(false, 0x600).refused);
  CHECK(uart::status_tx_idle.get(h.read(uart::status(port_0))) == 1);
  h.write(uart::divisor(port_0), 16);
  h.write(uart::control(port_0), uart::control_send_break.mask | uart::control_trigger.put(1));
  h.line[0].clear();
  h.run(10);
  CHECK(std::count(h.line[0].begin(), h.line[0].end(), 0) == 10);
}

}  // namespace
