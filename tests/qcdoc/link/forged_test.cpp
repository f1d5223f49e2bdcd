// SPDX-License-Identifier: Apache-2.0
// QCDOC links and bytes that look like something else: words that are none, payloads like training.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/pair.hpp"

using namespace ht::test;

namespace {

// A word that holds two training sequences with status byte s.
std::uint64_t sequences(unsigned s) {
  const std::uint64_t half = 0xF6U | 0x28U << 8 | s << 16 | (0xFFU & ~s) << 24;
  return half | half << 32;
}

}  // namespace

TEST_CASE("a word that the peer took for ours leaves nothing outstanding, and is counted") {
  QcdocPair pair(10, 1);
  REQUIRE(pair.bring_up());
  // A data header that acknowledges 0, and eight bytes of 0, where one of a's bytes begins.
  std::uint64_t from = 0;
  for (unsigned phase = 0; phase < 8 && pair.b.received.empty(); ++phase) {
    while (pair.cycle % 8 != phase) pair.step();
    from = pair.cycle;
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      if (d != 0 || c < from || c >= from + 72) return bit;
      return c < from + 8 && (0x05U >> (from + 7 - c) & 1U) != 0;
    };
    pair.run(6000);
  }
  pair.damage = nullptr;
  pair.run(20'000);
  REQUIRE(pair.b.received.size() == 1);
  CHECK(pair.a.up());
  CHECK(pair.a.dut().outstanding == 0);
  // The first word handed in stands for it: swallowed, counted as sent, and the sums differ.
  pair.a.to_send = {1, 2, 3};
  pair.run(5000);
  CHECK((pair.b.received == std::vector<std::uint64_t>{0, 2, 3}));
  CHECK(pair.a.dut().outstanding == 0);
  CHECK(pair.a.events.sent == pair.b.events.accepted);
  CHECK(pair.a.dut().tx_checksum != pair.b.dut().rx_checksum);
}

TEST_CASE("a payload is not taken for a peer that was reset, or speaks another version") {
  // S: version 2 without `session`; another version; by three ports.
  for (unsigned s : {0x00U, 0x01U, 0x07U, 0xC0U, 0x81U}) {
    CAPTURE(s);
    QcdocPair pair(10, 6);
    REQUIRE(pair.bring_up());
    for (int i = 0; i < 100; ++i) pair.a.to_send.push_back(sequences(s));
    bool error = false;
    for (int c = 0; c < 40'000; ++c) {
      pair.b.dut().retrain = c == 2000;
      pair.step();
      error = error || pair.b.dut().error_peer || pair.b.dut().error_version;
    }
    CHECK(!error);
    CHECK(pair.b.events.retrain == 1);
    CHECK(pair.b.received.size() == 100);
  }
}

TEST_CASE("nor when a bit is lost under such words") {
  for (unsigned at = 0; at < 72; at += 3) {
    CAPTURE(at);
    QcdocPair pair(10, 6);
    REQUIRE(pair.bring_up());
    for (int i = 0; i < 100; ++i) pair.a.to_send.push_back(sequences(0x00));
    pair.run(2000 + at);
    pair.lose_bit(0);
    bool error = false;
    for (int c = 0; c < 40'000 && !error && pair.b.received.size() < 100; ++c) {
      pair.step();
      error = pair.b.dut().error_peer || pair.a.dut().error_peer;
    }
    CHECK(!error);
  }
}

TEST_CASE("a peer of another version is reported, and the link goes on training") {
  QcdocPair pair(10, 6);
  // What b sends says another version: bit 7 of S, and of its complement.
  std::uint32_t last = 0;
  pair.carry = [&](int d, std::uint64_t, bool bit) {
    if (d == 0) return bit;
    last = last << 1 | (bit ? 1U : 0U);
    // The first bit of S follows F6 28, that of ~S eight bits later.
    const bool first = (last >> 1 & 0xFFFF) == 0xF628 || (last >> 9 & 0xFFFF) == 0xF628;
    return first ? !bit : bit;
  };
  pair.a.dut().enable = pair.b.dut().enable = 1;
  unsigned errors = 0;
  for (int c = 0; c < 3000; ++c) {
    pair.step();
    errors += pair.a.dut().error_version;
    CHECK(!pair.a.dut().disable_link);
  }
  CHECK(errors > 0);
  CHECK(pair.a.dut().state == 1);
}
