// SPDX-License-Identifier: Apache-2.0
// What a QCDOC link does at the edges of a frame: trainings begun in the middle of one, and what
// obs_idle promises.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/words.hpp"

using namespace ht::test;

TEST_CASE("a training that begins in the middle of a frame alters no word") {
  // Had the frame been cut, training bytes would stand for the rest of it, and two parities let one
  // in four of those pass.
  for (unsigned at = 0; at < 144; at += 3) {
    const bool disabled = at % 2 != 0;
    CAPTURE(at, disabled);
    QcdocPair pair(10, 7, 0, at % 8);
    REQUIRE(pair.bring_up());
    const auto a = words(40, at), b = words(40, at + 1000);
    pair.a.to_send = a;
    pair.b.to_send = b;
    pair.a.sup_to_send = words(20, at + 2000);
    const auto sup = listed(pair.a.sup_to_send);
    pair.run(1000 + at);
    (disabled ? pair.a.dut().enable : pair.a.dut().retrain) = !disabled;
    pair.step();
    pair.a.dut().retrain = 0;
    pair.run(100);
    pair.a.dut().enable = 1;
    REQUIRE(pair.run_until(
        [&] {
          return pair.a.received.size() >= 40 && pair.b.received.size() >= 40 &&
                 pair.b.sup_received.size() >= 20 && pair.a.idle() && pair.b.idle();
        },
        60'000));
    CHECK((pair.b.received == listed(a)));
    CHECK((pair.a.received == listed(b)));
    CHECK((pair.b.sup_received == sup));
    CHECK(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
    CHECK(pair.b.dut().tx_checksum == pair.a.dut().rx_checksum);
  }
}

TEST_CASE("a frame that a training cut short at its receiver does not go on behind it") {
  // The peer's marks come first then; one in the place of a last byte 80 would leave the parity
  // right.
  for (unsigned at = 0; at < 72; at += 4)
    for (unsigned phase = 0; phase < 8; ++phase) {
      CAPTURE(at, phase);
      QcdocPair pair(10, 8, 0, phase);
      REQUIRE(pair.bring_up());
      std::vector<std::uint64_t> sent;
      for (std::uint64_t i = 0; i < 40; ++i) sent.push_back(std::uint64_t{0x80} << 56 | i);
      pair.a.to_send = {sent.begin(), sent.end()};
      pair.run(1000 + at);
      pair.b.dut().retrain = 1;
      pair.step();
      pair.b.dut().retrain = 0;
      REQUIRE(pair.run_until([&] { return pair.b.received.size() >= 40; }, 60'000));
      CHECK((pair.b.received == sent));
    }
}

TEST_CASE("once obs_idle is high and the wire repeats itself, everything does") {
  // The wire is frozen into repeating its last eight bits wherever that is what it does already,
  // and what comes out is looked at from that very cycle.
  unsigned frozen = 0;
  for (std::uint64_t at = 0; at < 1600; ++at) {
    QcdocPair pair(3, at % 16, 0, 5);
    REQUIRE(pair.bring_up());
    pair.a.to_send = words(2, 1);
    pair.b.to_send = words(1, 2);
    pair.a.sup_to_send = words(2, 3);
    pair.b.sup_to_send = words(2, 4);
    pair.a.int_to_send = {0xE0, 0x55};
    pair.b.int_to_send = {0xE4, 0xAA};
    pair.a.take_eagerness = pair.a.read_eagerness = 0.02;
    std::deque<bool> heard;
    bool freeze = false;
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      if (d == 1 && c % 777 == 7 && !freeze && at > 450) bit = !bit;
      if (d != 1) return bit;
      if (freeze) bit = heard[heard.size() - 8];
      heard.push_back(bit);
      return bit;
    };
    pair.run(40 + at);
    bool repeats = pair.a.idle();
    for (std::size_t i = heard.size() - 16; i < heard.size(); ++i)
      repeats = repeats && heard[i] == heard[i - 8];
    // Nothing new from the host, either.
    if (!repeats || !pair.a.to_send.empty() || !pair.a.sup_to_send.empty() ||
        !pair.a.int_to_send.empty() || pair.a.dut().sup_arrived)
      continue;
    CAPTURE(at);
    ++frozen;
    freeze = true;
    std::vector<unsigned> seen;
    const auto said = [&] {
      Vqcdoc_link& d = pair.a.dut();
      return static_cast<unsigned>(d.serial_out | d.take_valid << 1 | d.sup_arrived << 2 |
                                   d.int_arrived << 3 | d.state << 4 | d.event_burst << 6 |
                                   d.event_request << 7 | d.event_retransmitted << 8 |
                                   d.event_header << 9 | d.obs_idle << 10 | d.event_bad_ack << 11);
    };
    for (int i = 0; i < 600; ++i) {
      seen.push_back(said());
      pair.step();
    }
    bool same = true;
    for (std::size_t i = 8; i < seen.size(); ++i) same = same && seen[i] == seen[i - 8];
    CHECK(same);
  }
  CHECK(frozen > 50);
}
