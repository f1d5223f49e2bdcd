// SPDX-License-Identifier: Apache-2.0
// Nobody starves, whatever else an input has to send: rtl/tofu/README.md, "Nobody starves".
#include <catch2/catch.hpp>
#include <random>

#include "tests/tofu/router/overtaken.hpp"

using namespace ht::test;

namespace {

// With H heads at an output each may be looked at before, for 16 packets; between two heads that
// wait the output looks at 48 others, one a cycle, while packets of three beats are chosen.
unsigned bound(const Contention& c) {
  return (c.local + 1) * (16 + 17);
}

void check(const Contention& c) {
  const Overtaking seen = contend(c);
  INFO("in turn " << c.in_turn << ", local senders " << c.local << ", beats " << c.beats[0] << " "
                  << c.beats[1] << " " << c.beats[2] << ", phases " << c.phases[0] << " "
                  << c.phases[1] << " " << c.phases[2] << " " << c.phases[3]);
  CHECK(seen.worst <= bound(c));
  CHECK(seen.fewest > 0);
}

}  // namespace

TEST_CASE("tofu router: who sends elsewhere too gets onto a busy line, in any phase") {
  Contention c;
  c.in_turn = GENERATE(false, true);
  c.beats = {125, 125, 125};
  c.cycles = 5000;
  for (c.phases[0] = 0; c.phases[0] < 128; c.phases[0] += 9) check(c);
}

TEST_CASE(
    "tofu router: who sends elsewhere too gets onto a busy line, with packets of any length") {
  std::minstd_rand random(GENERATE(1, 2));
  for (unsigned i = 0; i < 12; ++i) {
    Contention c;
    c.in_turn = i % 2 == 1;
    c.local = 1 + i % 3;
    unsigned longest = 0;
    // Equal lengths lock in step.
    const bool equal = i % 4 == 0;
    for (unsigned& beats : c.beats) {
      beats = equal ? c.beats[0] : static_cast<unsigned>(random() % 126);
      if (equal && &beats == &c.beats[0]) beats = static_cast<unsigned>(random() % 126);
      longest = std::max(longest, beats + 3);
    }
    for (unsigned& phase : c.phases) phase = static_cast<unsigned>(random() % 256);
    c.cycles = 600 + 40 * c.local * longest;
    check(c);
  }
}
