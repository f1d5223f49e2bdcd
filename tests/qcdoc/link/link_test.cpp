// SPDX-License-Identifier: Apache-2.0
// One QCDOC link at both ends of a cable: words, supervisor words and interrupts arrive in order,
// each once, whatever single errors the cable makes.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/words.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

TEST_CASE("a link trains over any cable and at any byte phase") {
  for (unsigned delay : {1U, 2U, 3U, 9U, 10U, 64U}) {
    for (unsigned phase = 0; phase < 8; ++phase) {
      CAPTURE(delay, phase);
      QcdocPair pair(delay, 1, 0, phase);
      REQUIRE(pair.bring_up());
      CHECK(pair.a.dut().peer_port == 1);
      CHECK(pair.b.dut().peer_port == 0);
    }
  }
}

TEST_CASE("both directions busy carry 64 of every 72 bits, acknowledgements included") {
  QcdocPair pair(10, 2, 0, 5);
  REQUIRE(pair.bring_up());
  const auto a = random_words(1000, 1), b = random_words(1000, 2);
  pair.a.to_send = queue_of(a);
  pair.b.to_send = queue_of(b);
  REQUIRE(pair.run_until(
      [&] { return pair.a.received.size() == 1000 && pair.b.received.size() == 1000; }, 80'000));
  CHECK((pair.b.received == a));
  CHECK((pair.a.received == b));
  // From the first word to the last: 999 times nine bytes, to the cycle.
  CHECK(pair.a.last_taken - pair.a.first_taken == 999 * 72);
  CHECK(pair.b.last_taken - pair.b.first_taken == 999 * 72);
  CHECK(pair.a.events.retransmitted == 0);
}

TEST_CASE("idle receive holds three words and acknowledges none") {
  QcdocPair pair(10, 3);
  REQUIRE(pair.bring_up());
  pair.b.take_eagerness = 0;
  const auto words = random_words(10, 3);
  pair.a.to_send = queue_of(words);
  pair.run(100'000);
  CHECK(pair.a.events.sent == 3);
  CHECK(pair.a.events.retransmitted == 0);
  CHECK(pair.b.events.accepted == 3);
  CHECK(pair.a.dut().held);
  pair.b.take_eagerness = 1;
  REQUIRE(pair.run_until([&] { return pair.b.received.size() == 10; }, 2'000));
  CHECK((pair.b.received == words));
}

TEST_CASE("every single flipped bit of busy traffic is repaired") {
  // One error a run, at each of the bits of some two frames of either direction.
  std::uint64_t retransmitted = 0;
  for (std::uint64_t at = 0; at < 160; ++at) {
    for (int hit : {0, 1}) {
      CAPTURE(at, hit);
      QcdocPair pair(10, 4, 0, 3);
      REQUIRE(pair.bring_up());
      const auto a = random_words(12, at), b = random_words(12, at + 1000);
      pair.a.to_send = queue_of(a);
      pair.b.to_send = queue_of(b);
      pair.a.sup_to_send = {at};
      pair.b.int_to_send = {static_cast<std::uint8_t>(at)};
      const std::uint64_t when = pair.cycle + 100 + at;
      pair.damage = [&](int d, std::uint64_t c, bool bit) {
        return d == hit && c == when ? !bit : bit;
      };
      const bool done = pair.run_until(
          [&] {
            return pair.a.received.size() >= 12 && pair.b.received.size() >= 12 &&
                   !pair.b.sup_received.empty() && !pair.a.int_received.empty() && pair.a.idle() &&
                   pair.b.idle();
          },
          10'000);
      REQUIRE(done);
      REQUIRE((pair.b.received == a));
      REQUIRE((pair.a.received == b));
      CHECK(pair.b.sup_received == std::vector<std::uint64_t>{at});
      CHECK(pair.a.int_received == std::vector<std::uint8_t>{static_cast<std::uint8_t>(at)});
      CHECK(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
      CHECK(pair.b.dut().tx_checksum == pair.a.dut().rx_checksum);
      CHECK((pair.a.events.rx_error > 0 || pair.b.events.rx_error > 0));
      retransmitted += pair.a.events.retransmitted + pair.b.events.retransmitted;
    }
  }
  CHECK(retransmitted > 160);
}

TEST_CASE("random single errors, slow hosts, all three kinds of traffic") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const RandomPowerOn power(seed);
    QcdocPair pair(1 + static_cast<unsigned>(seed * 7 % 60), seed, 0,
                   static_cast<unsigned>(seed % 8));
    REQUIRE(pair.bring_up());
    std::mt19937_64 random(seed_of(seed));
    const QcdocMixture sent(pair, 300, 20, random);
    if (seed % 2) pair.a.take_eagerness = 0.02, pair.b.send_eagerness = 0.02;
    pair.b.read_eagerness = 0.001;
    // Errors at least a frame apart, so that no frame has two of them: those parity may miss.
    std::uint64_t next[2] = {pair.cycle + 50, pair.cycle + 70};
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      if (c != next[d]) return bit;
      next[d] += 100 + random() % 1500;
      return !bit;
    };
    const bool done = pair.run_until([&] { return sent.arrived(); }, 400'000);
    CAPTURE(pair.a.received.size(), pair.b.received.size(), pair.a.sup_received.size(),
            pair.b.sup_received.size(), pair.a.int_received.size(), pair.b.int_received.size());
    REQUIRE(done);
    CHECK((pair.b.received == sent.a));
    CHECK((pair.a.received == sent.b));
    sent.check_few();
    CHECK(pair.a.events.retrain == 0);
    CHECK(pair.a.events.retransmitted > 10);
  }
}

TEST_CASE("a lost or doubled bit costs a training, no word, and alters none unseen") {
  // The two parities see three of four slips inside a word, checksums see the others. Between
  // frames a slip costs nothing: a misread idle byte is no frame.
  int repaired = 0, seen_by_checksum = 0;
  for (unsigned at = 0; at < 144; ++at) {
    const bool idle = at >= 72;
    CAPTURE(at);
    QcdocPair pair(10, 6);
    REQUIRE(pair.bring_up());
    const auto a = random_words(60, at), b = random_words(60, at + 1000);
    pair.a.to_send = queue_of(a);
    pair.b.to_send = queue_of(b);
    if (idle) pair.a.to_send.resize(10);
    pair.run(1500 + at);
    at % 2 ? pair.double_bit(0) : pair.lose_bit(0);
    if (idle) {
      pair.run(100);
      for (std::size_t i = 10; i < a.size(); ++i) pair.a.to_send.push_back(a[i]);
    }
    REQUIRE(pair.run_until(
        [&] {
          return pair.a.received.size() >= 60 && pair.b.received.size() >= 60 && pair.a.idle() &&
                 pair.b.idle();
        },
        40'000));
    CHECK((pair.a.received == b));
    CHECK(pair.a.events.retrain + pair.b.events.retrain >= 2);
    const bool same = pair.b.received == a;
    const bool sums_agree = pair.a.dut().tx_checksum == pair.b.dut().rx_checksum;
    CHECK(same == sums_agree);
    if (idle) CHECK(same);
    if (!idle) (same ? repaired : seen_by_checksum)++;
  }
  CHECK(repaired > seen_by_checksum);
}
