// SPDX-License-Identifier: Apache-2.0
// Retransmissions over cables of every legal length, at every byte phase: a link that waits for the
// answer to its request does not ask again, so resends never feed on themselves.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/words.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

constexpr std::size_t count = 20;
constexpr unsigned longest = 500;  // bits: 1 us

// Words both ways; `hit`: the direction that has one flipped bit, or -1.
void exchange(unsigned delay, unsigned phase, int hit, std::uint64_t seed) {
  CAPTURE(delay, phase, hit, seed);
  const RandomPowerOn power(seed);
  QcdocPair pair(delay, seed, 0, phase);
  // Words wait when the links come up, or come later.
  if (seed % 3 != 0) REQUIRE(pair.bring_up());
  pair.a.dut().enable = pair.b.dut().enable = 1;
  const auto a = random_words(count, seed), b = random_words(count, seed + 1000);
  pair.a.to_send = queue_of(a);
  pair.b.to_send = queue_of(b);
  std::mt19937_64 random(seed_of(seed));
  const std::uint64_t when = pair.cycle + delay + 20 + random() % (72 * 6);
  if (hit >= 0)
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      return d == hit && c == when ? !bit : bit;
    };
  REQUIRE(pair.run_until(
      [&] {
        return pair.a.received.size() >= count && pair.b.received.size() >= count &&
               pair.a.idle() && pair.b.idle();
      },
      60'000));
  pair.run(2 * delay + 3'000);  // whatever is still under way
  CHECK((pair.b.received == a));
  CHECK((pair.a.received == b));
  CHECK(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
  CHECK(pair.b.dut().tx_checksum == pair.a.dut().rx_checksum);
  // The law: a request is answered once, with three words at most; an error makes one request, and
  // each end's first record is one.
  const std::uint64_t errors = hit >= 0 ? 1 : 0;
  CHECK(pair.a.events.request + pair.b.events.request <= 2 + errors);
  CHECK(pair.a.events.retransmitted + pair.b.events.retransmitted <= 3 * errors);
}

// Cycles that so many words take each way, with one bit flipped in each direction, the second one
// `apart` cycles behind the first; or without errors.
std::uint64_t busy(unsigned delay, unsigned phase, std::size_t words, bool errors, unsigned apart) {
  QcdocPair pair(delay, 1, 0, phase);
  REQUIRE(pair.bring_up());
  const auto a = random_words(words, 1), b = random_words(words, 2);
  pair.a.to_send = queue_of(a);
  pair.b.to_send = queue_of(b);
  const std::uint64_t begin = pair.cycle, first = begin + delay + 400, second = first + apart;
  if (errors)
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      return c == (d == 0 ? first : second) ? !bit : bit;
    };
  REQUIRE(pair.run_until(
      [&] { return pair.a.received.size() == words && pair.b.received.size() == words; },
      100 * 72 * words));
  CHECK((pair.b.received == a));
  CHECK((pair.a.received == b));
  return pair.cycle - begin;
}

}  // namespace

TEST_CASE("errors in both directions, whose requests may cross, cost no more than a few records") {
  constexpr std::size_t words = 60;
  for (unsigned delay : {0u, 1u, 3u, 8u, 20u, 45u, 100u, 300u, longest}) {
    for (unsigned phase = 0; phase < 8; ++phase) {
      const std::uint64_t without = busy(delay, phase, words, false, 0);
      for (unsigned apart = 0; apart <= 2 * delay + 240; apart += 23 + delay / 4) {
        CAPTURE(delay, phase, apart);
        // Two errors: each a request and its answer over the cable, marks and record (15 bytes)
        // both ways, behind a frame (9), and three words again. A damaged record is asked for
        // again.
        const std::uint64_t once = 2 * delay + 2 * (15 + 9) * 8 + 3 * 72;
        const std::uint64_t again = (512 / 4 + 64) * 8;
        CHECK(busy(delay, phase, words, true, apart) <= without + 2 * (once + again));
      }
    }
  }
}

TEST_CASE(
    "cables of up to 1 us: no error, no word twice, and a flipped bit costs three words at most") {
  std::uint64_t seed = 1;
  for (unsigned delay = 0; delay <= longest; delay += delay < 20 ? 10 : 60) {
    for (unsigned phase = 0; phase < 8; ++phase) {
      exchange(delay, phase, -1, seed++);
      exchange(delay, phase, static_cast<int>(seed % 2), seed);
      ++seed;
    }
  }
}

TEST_CASE("a record that is lost on the longest cable is asked for again, once") {
  // The error, then one in the marks of the request, or of the answer.
  for (int second : {0, 1}) {
    for (unsigned phase = 0; phase < 8; ++phase) {
      CAPTURE(second, phase);
      QcdocPair pair(longest, 70 + phase, 0, phase);
      REQUIRE(pair.bring_up());
      const auto a = random_words(count, phase);
      pair.a.to_send = queue_of(a);
      std::uint64_t requests = pair.b.events.request, bursts = pair.a.events.burst, since = 0;
      bool first = false, hurt = false;
      pair.damage = [&](int d, std::uint64_t, bool bit) {
        if (!first && d == 0 && pair.b.received.size() == 5) return first = true, !bit;
        const bool under_way =
            second == 1 ? pair.b.events.request > requests : pair.a.events.burst > bursts;
        if (!first || hurt || d != second || !under_way) return bit;
        // The record has left the end, and is still on the cable.
        if (++since == longest) return hurt = true, !bit;
        return bit;
      };
      REQUIRE(
          pair.run_until([&] { return pair.b.received.size() >= count && pair.a.idle(); }, 60'000));
      pair.run(8'000);
      CHECK(hurt);
      CHECK((pair.b.received == a));
      CHECK(pair.b.events.request <= requests + 2);
      CHECK(pair.a.events.retransmitted <= 6);
    }
  }
}
