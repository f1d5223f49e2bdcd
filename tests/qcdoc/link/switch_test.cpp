// SPDX-License-Identifier: Apache-2.0
// QCDOC links switched off and on, told to train, with flipped bits and with bits lost and doubled,
// all at random: nothing of any class is lost or comes twice.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/qcdoc/link/pair.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

constexpr std::size_t words = 200, few = 12;

struct Traffic {
  std::vector<std::uint64_t> data, supervisor;
  std::vector<std::uint8_t> interrupts;
};

void run(std::uint64_t seed, bool slips) {
  CAPTURE(seed, slips);
  const RandomPowerOn power(seed);
  std::mt19937_64 random(seed_of(seed));
  QcdocPair pair((slips ? 60 : 1) + static_cast<unsigned>(random() % (slips ? 150 : 40)), seed, 0,
                 static_cast<unsigned>(seed % 8));
  REQUIRE(pair.bring_up());
  QcdocEnd* ends[2] = {&pair.a, &pair.b};
  Traffic traffic[2];
  for (int e : {0, 1}) {
    for (std::size_t i = 0; i < words; ++i) traffic[e].data.push_back(random());
    for (std::size_t i = 0; i < few; ++i) {
      traffic[e].supervisor.push_back(random());
      traffic[e].interrupts.push_back(static_cast<std::uint8_t>(random()));
    }
    ends[e]->to_send = {traffic[e].data.begin(), traffic[e].data.end()};
    ends[e]->sup_to_send = {traffic[e].supervisor.begin(), traffic[e].supervisor.end()};
    ends[e]->int_to_send = {traffic[e].interrupts.begin(), traffic[e].interrupts.end()};
    ends[e]->read_eagerness = 0.01;
    ends[e]->take_eagerness = seed % 3 != 0 ? 1 : 0.02;
    ends[e]->dut().retrain_limit = 15;
  }
  // An error costs twice the longest cable; without an end some seeds would not be done in time.
  const std::uint64_t trouble_end = pair.cycle + 200'000;
  std::uint64_t next[2] = {pair.cycle + 50, pair.cycle + 70};
  pair.damage = [&](int d, std::uint64_t c, bool bit) {
    if (c != next[d] || c > trouble_end) return bit;
    next[d] += 100 + random() % 1500;
    return !bit;
  };
  const auto all = [&] {
    for (const QcdocEnd* e : ends)
      if (e->received.size() < words || e->sup_received.size() < few ||
          e->int_received.size() < few)
        return false;
    return true;
  };
  std::uint64_t on[2] = {0, 0};
  bool down = false;
  for (std::uint64_t c = 0; c < 300'000 && !all(); ++c) {
    const bool trouble = pair.cycle < trouble_end;
    for (int e : {0, 1}) {
      auto& d = ends[e]->dut();
      d.retrain = 0;
      if (trouble && d.enable && random() % 4000 == 0) {
        d.enable = 0;
        on[e] = c + 1 + (random() % 2 != 0 ? random() % 20 : random() % 3000);
      } else if (!d.enable && c >= on[e]) {
        d.enable = 1;
      } else if (trouble && random() % 6000 == 0) {
        d.retrain = 1;
      }
      down = down || d.error_protocol || d.error_peer;
    }
    if (slips && trouble && random() % 9000 == 0) {
      const auto direction = static_cast<int>(random() % 2);
      if (random() % 2 != 0)
        pair.lose_bit(direction);
      else
        pair.double_bit(direction);
    }
    pair.step();
  }
  CHECK(!down);
  REQUIRE(all());
  for (int e : {0, 1}) {
    QcdocEnd& other = *ends[1 - e];
    // A bit lost inside a word escapes its parity in one case of four: altered, at its place.
    std::size_t altered = 0;
    REQUIRE(other.received.size() == words);
    for (std::size_t i = 0; i < words; ++i) altered += other.received[i] != traffic[e].data[i];
    CHECK(altered <= (slips ? 4U : 0U));
    CHECK((other.sup_received == traffic[e].supervisor));
    CHECK((other.int_received == traffic[e].interrupts));
    const bool same = ends[e]->dut().tx_checksum == other.dut().rx_checksum;
    CHECK(same == (altered == 0));
  }
}

}  // namespace

TEST_CASE("links switched off and on under traffic of all classes lose nothing") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) run(seed, false);
}

TEST_CASE("the same while bits are lost and doubled: at most single words are altered") {
  for (std::uint64_t seed = 100; seed < 112; ++seed) run(seed, true);
}
