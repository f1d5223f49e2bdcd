// SPDX-License-Identifier: Apache-2.0
// Bits lost and doubled on a QCDOC link's wires, anywhere and with everything in flight: no word
// is lost, doubled or out of order. One that parity let pass damaged is seen by the checksums.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/words.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

/// Words in the wrong place: their own is near by.
unsigned displaced(const std::vector<std::uint64_t>& sent,
                   const std::vector<std::uint64_t>& received) {
  unsigned count = 0;
  for (std::size_t i = 0; i < received.size(); ++i)
    for (std::size_t j = i < 20 ? 0 : i - 20; j < std::min(sent.size(), i + 20); ++j)
      if (j != i && received[i] == sent[j]) ++count;
  return count;
}

unsigned altered(const std::vector<std::uint64_t>& sent,
                 const std::vector<std::uint64_t>& received) {
  unsigned count = 0;
  for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
    if (received[i] != sent[i]) ++count;
  return count;
}

}  // namespace

TEST_CASE("slips and flipped bits in both directions lose, double and displace no word") {
  unsigned slips = 0, repaired = 0, seen_by_checksum = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const RandomPowerOn power(seed);
    std::mt19937_64 random(seed_of(seed));
    QcdocPair pair(25 + static_cast<unsigned>(random() % 30), seed, 0,
                   static_cast<unsigned>(seed % 8));
    REQUIRE(pair.bring_up());
    constexpr std::size_t count = 200, few = 12;
    const QcdocMixture sent(pair, count, few, random);
    // Busy, half silent, and mostly silent lines; takers that make the other side wait.
    pair.a.send_eagerness = seed % 3 == 0 ? 0.01 : 1;
    pair.b.send_eagerness = seed % 3 == 1 ? 0.005 : 1;
    pair.a.take_eagerness = seed % 4 == 0 ? 0.005 : 1;
    pair.b.take_eagerness = seed % 5 == 0 ? 0.01 : 1;
    pair.a.read_eagerness = pair.b.read_eagerness = 0.01;
    std::uint64_t next_slip = pair.cycle + 300 + random() % 2000;
    std::uint64_t next_flip[2] = {pair.cycle + 100, pair.cycle + 200};
    pair.damage = [&](int d, std::uint64_t c, bool bit) {
      if (c < next_flip[d]) return bit;
      next_flip[d] = c + 150 + random() % 3000;
      return !bit;
    };
    bool up = true;
    for (int i = 0; i < 600'000 && !sent.arrived(); ++i) {
      if (pair.cycle == next_slip) {
        // A training takes some 12,000 cycles; some slips come during one.
        next_slip = pair.cycle + 1 + random() % (random() % 4 == 0 ? 300 : 20'000);
        const int direction = static_cast<int>(random() % 2);
        random() % 2 ? pair.lose_bit(direction) : pair.double_bit(direction);
        ++slips;
      }
      pair.step();
      up = up && !pair.a.dut().disable_link && !pair.b.dut().disable_link;
    }
    CAPTURE(pair.cycle, pair.a.received.size(), pair.b.received.size());
    CAPTURE(pair.a.sup_received.size(), pair.b.sup_received.size());
    CAPTURE(pair.a.int_received.size(), pair.b.int_received.size());
    CHECK(up);
    REQUIRE(sent.arrived());
    pair.damage = nullptr;
    pair.run_until([&] { return pair.a.up() && pair.b.up() && pair.a.idle() && pair.b.idle(); },
                   100'000);
    CHECK(pair.a.received.size() == count);
    CHECK(pair.b.received.size() == count);
    CHECK(displaced(sent.a, pair.b.received) == 0);
    CHECK(displaced(sent.b, pair.a.received) == 0);
    sent.check_few();
    const bool same_b = altered(sent.a, pair.b.received) == 0;
    const bool same_a = altered(sent.b, pair.a.received) == 0;
    CHECK(altered(sent.a, pair.b.received) + altered(sent.b, pair.a.received) < 12);
    CHECK(same_b == (pair.a.dut().tx_checksum == pair.b.dut().rx_checksum));
    CHECK(same_a == (pair.b.dut().tx_checksum == pair.a.dut().rx_checksum));
    (same_a && same_b ? repaired : seen_by_checksum)++;
  }
  CAPTURE(slips, repaired, seen_by_checksum);
  CHECK(slips > 200);
  CHECK(repaired > 5);
}

TEST_CASE("two bits and more lost at once among equal words displace none, and sums tell") {
  for (int lost = 1; lost <= 4; ++lost)
    for (std::uint64_t w : {0x1ULL, 0ULL, 3ULL, 0xC000000000000000ULL, 0x4000000000000001ULL}) {
      CAPTURE(lost, w);
      QcdocPair pair(10, 6);
      REQUIRE(pair.bring_up());
      for (int i = 0; i < 400; ++i) pair.a.to_send.push_back(w);
      pair.run(72 * 30 + 37);
      for (int i = 0; i < lost; ++i) pair.lose_bit(0);
      REQUIRE(pair.run_until(
          [&] { return pair.b.received.size() >= 400 && pair.a.idle() && pair.b.idle(); }, 80'000));
      CHECK(pair.b.received.size() == 400);
      bool altered = false;
      for (std::uint64_t r : pair.b.received) altered = altered || r != w;
      CHECK((pair.a.dut().tx_checksum != pair.b.dut().rx_checksum) == altered);
    }
}
