// SPDX-License-Identifier: Apache-2.0
// QCDOC's DMA engines stopped and started at any moment: each word once, in order.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

TEST_CASE("sends and receives stopped and started at random: what is sent arrives, once") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    QcdocTorus t({2}, 10, 8192);
    REQUIRE(t.bring_up());
    t.nodes[0]->busy_of_16 = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 8 : 15;
    t.nodes[1]->busy_of_16 = seed % 2 != 0 ? 14 : 0;
    t.nodes[0]->read_latency = 10 + seed * 9 % 200;
    unsigned at = 0, whole = 0;
    std::vector<unsigned> words;
    for (unsigned k = 0; k < 16; ++k) {
      words.push_back(1 + static_cast<unsigned>(random() % 12));
      store(t, 0, 0, k, {8 * at, words[k]});
      store(t, 1, 13, k, {8 * 40 * k, 40});
      at += words[k];
    }
    for (unsigned k = 0; k < 16; ++k) {
      t.write(1, scu::stop, 1U << 13);
      t.write(1, scu::start, 1U << 13 | k << 24);
      t.run(random() % 150);
      t.write(0, scu::start, 1U | k << 24);
      t.run(random() % 700);
      if (k % 2 != 0) {
        t.write(1, scu::stop, 1U << 13);
        t.run(random() % 30);
        t.write(1, scu::start, 1U << 13 | k << 24);
        t.run(random() % 300);
      }
      t.write(0, scu::stop, 1U);
      if ((t.read(0, scu::done) & 1) != 0) whole += words[k];
      t.run(random() % 20);
    }
    t.run(4000);
    CHECK(t.read(0, link_map::tx_checksum(0)) == t.read(1, link_map::rx_checksum(1)));
    const unsigned sent = t.read(0, link_map::count_sent(0));
    CHECK(sent == t.read(1, link_map::count_accepted(1)));
    CHECK(sent == t.nodes[1]->writes);
    CHECK(sent >= whole);
    CHECK(sent < at);  // some were stopped
    for (int node : {0, 1}) CHECK(t.read(node, scu::error) == 0);
  }
}

TEST_CASE("what random stops let through is the beginning of each instruction, in order") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    QcdocTorus t({2}, 10, 8192);
    REQUIRE(t.bring_up());
    t.nodes[0]->busy_of_16 = seed % 2 != 0 ? 14 : 0;
    t.nodes[1]->busy_of_16 = seed % 3 != 0 ? 12 : 0;
    for (unsigned k = 0; k < 4096; ++k) t.nodes[0]->memory[k] = k;
    store(t, 1, 13, 0, {0, 2000});
    t.write(1, scu::start, 1U << 13);
    // Slot k sends words 16 k and on.
    for (unsigned k = 0; k < 16; ++k)
      store(t, 0, 0, k, {8 * 16 * k, 1 + static_cast<unsigned>(random() % 12)});
    for (unsigned k = 0; k < 40; ++k) {
      t.write(0, scu::start, 1U | k % 16 << 24);
      t.run(random() % 500);
      t.write(0, scu::stop, 1U);
      if (random() % 2 != 0) t.run(random() % 30);
    }
    t.run(4000);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < t.nodes[1]->writes; ++i, ++expected) {
      const std::uint64_t word = t.nodes[1]->memory[i];
      if (word % 16 == 0) expected = word;
      REQUIRE(word == expected);
    }
    CHECK(t.nodes[1]->writes > 20);
  }
}
