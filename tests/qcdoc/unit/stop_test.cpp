// SPDX-License-Identifier: Apache-2.0
// QCDOC's DMA engines stopped and started at any moment: each word once, in order.
#include <Vqcdoc_scu.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

TEST_CASE("sends and receives stopped and started at random: what is sent arrives, once") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const RandomPowerOn power(seed);
    std::mt19937 random(static_cast<unsigned>(seed_of(seed)));
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
    const RandomPowerOn power(seed);
    std::mt19937 random(static_cast<unsigned>(seed_of(seed)));
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

TEST_CASE(
    "24 connections at full rate where memory takes up to 400 ns, also when it is often busy") {
  // 64 of 72 bits of each connection: 12 words received and 12 sent in 72 cycles.
  constexpr unsigned words = 60;
  for (const unsigned latency : {10U, 100U, 200U}) {
    for (const unsigned busy : {0U, 6U}) {
      CAPTURE(latency, busy);
      QcdocTorus t({1}, 10, 24 * words);
      REQUIRE(t.bring_up());
      QcdocNode& n = *t.nodes[0];
      n.read_latency = latency;
      n.busy_of_16 = busy;
      for (std::size_t i = 0; i < n.memory.size(); ++i) n.memory[i] = i * 0x9E3779B97F4A7C15U + 1;
      for (unsigned e = 0; e < 24; ++e) store(t, 0, e, 0, {e * words * 8, words});
      t.write(0, scu::start, 0xFFFFFF);
      REQUIRE(t.run_until([&] { return n.writes == 12 * words; }, 100'000));
      for (unsigned link = 0; link < 12; ++link)
        CHECK(std::equal(n.memory.begin() + link * words, n.memory.begin() + (link + 1) * words,
                         n.memory.begin() + (12 + (link ^ 1U)) * words));
      const double rate = 24.0 * 8 * (words - 1) / (2.0 * double(n.last_write - n.first_write));
      CHECK(rate > 1.32);
      CHECK(rate < 1.34);
    }
  }
}

TEST_CASE("words read ahead are void after STOP and a new session, those of a DONE send are not") {
  for (const unsigned latency : {10U, 150U, 400U}) {
    for (unsigned at = 0; at < 8; at += 3) {
      CAPTURE(latency, at);
      QcdocTorus t({2}, 10, 4096);
      REQUIRE(t.bring_up());
      t.nodes[0]->read_latency = latency;
      for (unsigned k = 0; k < 400; ++k) t.nodes[0]->memory[k] = 0x1000 + k;
      store(t, 0, 0, 0, {0, 2});         // done
      store(t, 0, 0, 1, {8 * 100, 50});  // stopped
      store(t, 0, 0, 2, {8 * 200, 20});
      store(t, 1, 13, 0, {8 * 1000, 400});
      t.write(0, scu::start, 1U);
      REQUIRE(t.run_until([&] { return (t.read(0, scu::done) & 1) != 0; }, 4000));
      t.write(0, scu::start, 1U | 1U << 24);
      t.run(100 + 61 * at);
      t.write(0, scu::stop, 1U);
      t.write(0, scu::start, 1U | 2U << 24);
      t.write(1, scu::start, 1U << 13);
      t.run(6000);
      // Two words of the first, some of the second in order, and all of the third.
      const auto& to = t.nodes[1]->memory;
      const std::uint64_t writes = t.nodes[1]->writes;
      REQUIRE(writes >= 22);
      CHECK(to[1000] == 0x1000);
      CHECK(to[1001] == 0x1001);
      for (std::uint64_t i = 2; i < writes - 20; ++i) CHECK(to[1000 + i] == 0x1000 + 100 + i - 2);
      for (std::uint64_t i = 0; i < 20; ++i) CHECK(to[1000 + writes - 20 + i] == 0x1000 + 200 + i);
      // Nobody receives: three words in the link, four beside it, which a new session forgets.
      t.write(1, scu::stop, 1U << 13);
      store(t, 0, 0, 3, {8 * 300, 40});
      t.write(0, scu::start, 1U | 3U << 24);
      t.run(1000 + 50 * at);
      t.write(0, scu::stop, 1U);
      for (const int node : {0, 1}) t.write(node, link_map::control(unsigned(node)), 0);
      t.run(200);
      for (const int node : {0, 1})
        t.write(node, link_map::control(unsigned(node)), link_map::control_new_session.mask);
      for (const int node : {0, 1}) t.write(node, link_map::control(unsigned(node)), 1);
      t.nodes[1]->writes = 0;
      store(t, 1, 13, 1, {8 * 2000, 20});
      t.write(1, scu::start, 1U << 13 | 1U << 24);
      t.write(0, scu::start, 1U | 2U << 24);
      t.run(12'000);
      CHECK(t.nodes[1]->writes == 20);
      for (unsigned i = 0; i < 20; ++i) CHECK(to[2000 + i] == 0x1000 + 200 + i);
      CHECK(t.read(0, link_map::tx_checksum(0)) == t.read(1, link_map::rx_checksum(1)));
    }
  }
}
