// SPDX-License-Identifier: Apache-2.0
// QCDOC links in trouble: what parity misses, cables pulled, ends reset, cables too long.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/words.hpp"

using namespace ht::test;

namespace {

constexpr std::uint64_t bit_times = 72;  // of a frame
// Cycles from the last bit of the header behind a word until the word is taken.
#ifdef HT_LINK_STAGES
constexpr std::uint64_t taken_after = 5;
#else
constexpr std::uint64_t taken_after = 2;
#endif

// Cycles from the first to the last of 200 words, both directions busy, per word beyond the first.
double cycles_a_word(unsigned delay, unsigned phase) {
  QcdocPair pair(delay, 9, 0, phase);
  REQUIRE(pair.bring_up());
  pair.a.to_send = words(200, 1);
  pair.b.to_send = words(200, 2);
  REQUIRE(pair.run_until(
      [&] { return pair.a.received.size() == 200 && pair.b.received.size() == 200; }, 100'000));
  return static_cast<double>(pair.b.last_taken - pair.b.first_taken) / 199;
}

}  // namespace

TEST_CASE("two flipped bits of one parity group pass the link, and the checksums differ") {
  // Any two of the 32 payload bits of a group; bit 0 of byte k is 7 bit times into it.
  for (unsigned distance : {2U, 8U, 30U, 62U}) {
    for (unsigned first = 0; first + distance < 64; first += 9) {
      CAPTURE(first, distance);
      QcdocPair pair(10, 3);
      REQUIRE(pair.bring_up());
      const auto sent = words(5, 7);
      // Where the third frame's payload begins, from an undamaged pair.
      std::uint64_t begin = 0;
      {
        QcdocPair probe(10, 3);
        REQUIRE(probe.bring_up());
        probe.a.to_send = sent;
        REQUIRE(probe.run_until([&] { return probe.b.received.size() == 3; }, 5000));
        // Its 64 bits, the header behind it.
        begin = probe.cycle - 1 - taken_after - 8 - 63;
      }
      pair.a.to_send = sent;
      pair.damage = [&](int d, std::uint64_t c, bool bit) {
        return d == 0 && (c == begin + first || c == begin + first + distance) ? !bit : bit;
      };
      REQUIRE(pair.run_until([&] { return pair.b.received.size() == 5; }, 5000));
      pair.run(500);
      std::uint64_t changed = 0;
      for (std::size_t i = 0; i < 5; ++i) changed |= pair.b.received[i] ^ sent[i];
      CHECK(__builtin_popcountll(changed) == 2);
      CHECK(pair.b.events.rx_error == 0);
      CHECK(pair.a.events.retransmitted == 0);
      CHECK(pair.a.dut().tx_checksum != pair.b.dut().rx_checksum);
    }
  }
}

TEST_CASE("a cable pulled and put back costs a training and no word") {
  for (bool level : {false, true}) {
    CAPTURE(level);
    QcdocPair pair(10, 4);
    REQUIRE(pair.bring_up());
    const auto a = words(300, 1), b = words(300, 2);
    pair.a.to_send = a;
    pair.b.to_send = b;
    const std::uint64_t from = pair.cycle + 3333, to = from + 40'000;
    pair.damage = [&](int, std::uint64_t c, bool bit) { return c >= from && c < to ? level : bit; };
    REQUIRE(pair.run_until(
        [&] { return pair.a.received.size() >= 300 && pair.b.received.size() >= 300; }, 200'000));
    CHECK((pair.b.received == listed(a)));
    CHECK((pair.a.received == listed(b)));
    CHECK(pair.a.events.retrain >= 1);
    CHECK(pair.b.events.retrain >= 1);
  }
}

TEST_CASE("a word that a dead cable cut short is never taken, whatever is left of its parity") {
  // The rest of the word is all equal bits then; its two parities are right one time in four.
  for (const bool level : {false, true}) {
    QcdocPair pair(10, 9, 0, level ? 5 : 2);
    REQUIRE(pair.bring_up());
    std::mt19937_64 random(level ? 1 : 2);
    std::size_t sent = 0;
    for (unsigned at = 0; at < 76; ++at)
      for (unsigned trial = 0; trial < 6; ++trial) {
        CAPTURE(level, at, trial);
        std::vector<std::uint64_t> a;
        for (int i = 0; i < 8; ++i) a.push_back(trial < 2 ? random() & random() : random());
        pair.a.to_send.insert(pair.a.to_send.end(), a.begin(), a.end());
        pair.b.received.clear();
        sent += a.size();
        const std::uint64_t from = pair.cycle + 150 + at, to = from + 72 + random() % 4000;
        pair.damage = [&](int d, std::uint64_t c, bool bit) {
          return d == 0 && c >= from && c < to ? level : bit;
        };
        REQUIRE(pair.run_until(
            [&] { return pair.cycle > to && pair.b.received.size() >= 8 && pair.a.idle(); },
            60'000));
        REQUIRE((pair.b.received == a));
        REQUIRE(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
      }
    CHECK(pair.b.events.accepted == sent);
    CHECK(pair.a.events.sent == sent);
  }
}

TEST_CASE("an end that was reset is not resumed") {
  QcdocPair pair(10, 5);
  REQUIRE(pair.bring_up());
  pair.a.to_send = words(50, 1);
  REQUIRE(pair.run_until([&] { return pair.b.received.size() == 50; }, 10'000));
  pair.b.dut().rst = 1;
  pair.run(20);
  pair.b.dut().rst = 0;
  bool peer_error = false;
  for (int i = 0; i < 60'000 && !peer_error; ++i) {
    pair.a.dut().eval();
    peer_error = pair.a.dut().error_peer;
    if (peer_error) {
      CHECK(pair.a.dut().disable_link);
      pair.a.dut().enable = 0;
    }
    pair.step();
  }
  CHECK(peer_error);
  pair.run(10);
  CHECK(pair.a.dut().state == 0);
  // A new session at the end that was not reset, and both go on from 0.
  pair.a.dut().new_session = 1;
  pair.step();
  pair.a.dut().new_session = 0;
  REQUIRE(pair.bring_up());
  const auto more = words(20, 2);
  pair.a.to_send = more;
  pair.b.received.clear();
  REQUIRE(pair.run_until([&] { return pair.b.received.size() == 20; }, 10'000));
  CHECK((pair.b.received == listed(more)));
  pair.run(500);
  CHECK(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
}

TEST_CASE("the longest cable at full rate") {
  // An acknowledgement has 144 bit times: twice the cable, 8 for the header by which a word is
  // believed, 8 for the header it rides in, the wait for that one, and a few in both ends. The wait
  // is up to a frame, by where the frames of one direction begin in those of the other. Here both
  // begin together, which suits longer cables; `bench qcdoc` looks at every phase.
  unsigned longest = 0, shortest = 1000;
  for (unsigned phase = 0; phase < 8; ++phase) {
    unsigned delay = 16;
    while (delay < 80 && cycles_a_word(delay + 1, phase) <= static_cast<double>(bit_times)) ++delay;
    longest = std::max(longest, delay);
    shortest = std::min(shortest, delay);
  }
  INFO("full rate up to " << shortest << " to " << longest << " bits, by phase");
  CHECK(shortest >= 20);  // 40 ns
  CHECK(longest <= (2 * bit_times - 8) / 2);
  // And where the rate goes beyond: three words a round trip.
  CHECK(cycles_a_word(150, 3) > 2 * 150 / 3);
  CHECK(cycles_a_word(150, 3) < (2 * 150 + 72 + 8 + 72) / 3.0);
}
