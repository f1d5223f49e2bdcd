// SPDX-License-Identifier: Apache-2.0
// Flipped bits in the memories of a QCDOC unit: one is corrected and counted, two are told and
// alter nothing.
#include <Vqcdoc_scu.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned kWords = 12;
constexpr unsigned kSender = 0, kReceiver = 13;  // engines: +x of node 0, -x of node 1
constexpr std::uint64_t kNothing = 0x5555'5555'5555'5555U;

/// A memory, by its number in INJECT.
struct Memory {
  std::string name;
  unsigned number;
  unsigned bits;   ///< of data; 8 check bits more
  int node;        ///< whose memory is hit
  unsigned where;  ///< bit of CORRECTED_WHERE
  int column = 0;  ///< of stored instructions
};

std::vector<Memory> memories() {
  std::vector<Memory> all = {
      {"words to be sent", 1, 64, 0, 0},  {"words that came", 2, 64, 1, 1},
      {"state that moves", 4, 64, 0, 17}, {"state that moves, of a receiver", 4, 64, 1, 17},
      {"state that stays", 5, 53, 0, 18}, {"state that stays, of a receiver", 5, 53, 1, 18},
      {"whose a read is", 6, 4, 0, 19},   {"words that wait for their link", 7, 64, 0, 20}};
  for (int column = 0; column < 4; ++column)
    all.push_back({"stored instructions, word " + std::to_string(column), 3, column == 3 ? 5U : 32U,
                   0, 16, column});
  return all;
}

bool instruction(const Memory& m) {
  return m.number == 3;
}

/// Two nodes; message after message of blocks from node 0 to node 1.
struct Traffic {
  explicit Traffic(unsigned seed) : random(seed) {
    REQUIRE(t.bring_up());
    t.nodes[0]->busy_of_16 = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 6 : 12;
    t.nodes[1]->busy_of_16 = seed % 2 == 0 ? 0 : 10;
    t.nodes[0]->read_latency = 10 + seed * 37 % 150;
  }

  QcdocTorus t{{2}, 10, 1024};
  std::mt19937_64 random;

  void arm(const Memory& m, unsigned bit, unsigned second) {
    const unsigned link = m.number == 2 ? 1 : 0;
    t.write(m.node, scu::inject, m.number | link << 4 | bit << 8 | second << 16);
  }

  /// Data anew, instructions in slots 0 and, chained behind it, 1; then both ends are started, and
  /// bits flip in what is stored some time after that (in an instruction: before).
  void message(const Memory& m, unsigned bit, unsigned second, unsigned later) {
    for (std::size_t i = 0; i < 1024; ++i) t.nodes[0]->memory[i] = random();
    std::fill(t.nodes[1]->memory.begin(), t.nodes[1]->memory.end(), kNothing);
    // three blocks of two words, twice
    store(t, 0, kSender, 0, {0, 2, 3, 24, 1});
    store(t, 0, kSender, 1, {8 * 100, 2, 3, 32, -1});
    store(t, 1, kReceiver, 0, {8 * 200, 3, 2, 40, 1});
    store(t, 1, kReceiver, 1, {8 * 300, 6, 1, 0, -1});
    if (instruction(m)) {
      arm(m, bit, second);
      const std::uint32_t again[4] = {0, 2U | 3U << 16, 24, 0x80000001U};
      t.write(0, scu::dma_address(kSender, 0) + static_cast<unsigned>(m.column), again[m.column]);
    }
    t.write(1, scu::start, 1U << kReceiver);
    if (!instruction(m) && later == 0) arm(m, bit, second);
    t.write(0, scu::start, 1U << kSender);
    if (!instruction(m) && later != 0) {
      t.run(later);
      arm(m, bit, second);
    }
  }

  /// How many words of a message are there; -1: something is there that was not sent to it.
  int arrived() const {
    const auto& from = t.nodes[0]->memory;
    const auto& to = t.nodes[1]->memory;
    const std::size_t sources[kWords] = {0, 1, 3, 4, 6, 7, 100, 101, 104, 105, 108, 109};
    const std::size_t places[kWords] = {200, 201, 202, 205, 206, 207, 300, 301, 302, 303, 304, 305};
    int count = 0;
    for (std::size_t i = 0; i < 1024; ++i) {
      const auto place = std::find(places, places + kWords, i);
      if (to[i] == kNothing) continue;
      if (place == places + kWords || to[i] != from[sources[place - places]]) return -1;
      ++count;
    }
    return count;
  }

  bool complete() const { return arrived() == static_cast<int>(kWords); }
  std::uint32_t errors(int node) {
    std::uint32_t all = t.read(node, scu::error);
    for (unsigned link = 0; link < 12; ++link) all |= t.read(node, link_map::error(link)) << 16;
    return all;
  }
};

}  // namespace

TEST_CASE("every flipped bit of every memory, at any time in traffic, is corrected and counted") {
  unsigned seed = 0;
  for (const Memory& m : memories()) {
    CAPTURE(m.name);
    const RandomPowerOn power(++seed);
    Traffic traffic(seed);
    QcdocTorus& t = traffic.t;
    std::uint32_t corrected = 0;
    unsigned found = 0;
    for (unsigned bit = 0; bit < m.bits + 8; ++bit) {
      CAPTURE(bit);
      // Of a state that is over by then nothing is left to correct.
      const unsigned later = static_cast<unsigned>(traffic.random() % 5 * 60);
      traffic.message(m, bit, bit, m.number == 5 ? 0 : later);
      REQUIRE(t.run_until([&] { return traffic.complete(); }, 20'000));
      t.run(200);
      REQUIRE(traffic.complete());
      const std::uint32_t now = t.read(m.node, scu::corrected);
      REQUIRE(now - corrected <= 1);
      found += now - corrected;
      corrected = now;
      CHECK((t.read(0, scu::done) & 1U << kSender) != 0);
      CHECK((t.read(1, scu::done) & 1U << kReceiver) != 0);
    }
    INFO("corrected " << found << " of " << m.bits + 8);
    if (m.number == 4)
      CHECK(10 * found >= 8 * (m.bits + 8));
    else
      CHECK(found == m.bits + 8);
    CHECK(t.read(m.node, scu::corrected_where) == 1U << m.where);
    t.write(m.node, scu::corrected_where, 1U << m.where);
    CHECK(t.read(m.node, scu::corrected_where) == 0);
    CHECK(t.read(1 - m.node, scu::corrected) == 0);
    for (int node : {0, 1}) CHECK(traffic.errors(node) == 0);
    CHECK(t.read(0, link_map::tx_checksum(0)) == t.read(1, link_map::rx_checksum(1)));
  }
}

TEST_CASE("two flipped bits of a word in any memory are told, and no altered word goes anywhere") {
  std::mt19937_64 random(7);
  unsigned seed = 0, silent = 0, all = 0;
  for (const Memory& m : memories())
    for (int pair = 0; pair < 8; ++pair) {
      const unsigned width = m.bits + 8;
      const auto bit = static_cast<unsigned>(random() % width);
      const auto second = (bit + 1 + static_cast<unsigned>(random() % (width - 1))) % width;
      CAPTURE(m.name, bit, second, ++seed);
      Traffic traffic(seed);
      QcdocTorus& t = traffic.t;
      traffic.message(m, bit, second, m.number == 5 ? 0 : static_cast<unsigned>(pair) * 40);
      t.run(10'000);
      ++all;
      const int arrived = traffic.arrived();
      REQUIRE(arrived >= 0);
      const bool link = m.number <= 2;
      const std::uint32_t told = traffic.errors(m.node);
      if (told == 0) {
        // the state was over: nobody looked
        REQUIRE(m.number == 4);
        REQUIRE(traffic.complete());
        ++silent;
        continue;
      }
      CHECK(arrived < static_cast<int>(kWords));
      CHECK(t.nodes[static_cast<std::size_t>(m.node)]->dut().irq != 0);
      CHECK(t.read(m.node, scu::corrected) == 0);
      if (link) {
        CHECK(told == link_map::error_memory.mask << 16);
        const unsigned number = m.number == 2 ? 1 : 0;
        CHECK(link_map::status_state.get(t.read(m.node, link_map::status(number))) == 0);
        // Both ends begin a new session, and the next message is whole.
        for (int node : {0, 1}) {
          const auto own = static_cast<unsigned>(node);
          t.write(node, scu::stop, 0xFFFFFF);
          t.write(node, link_map::control(own), 0);
          REQUIRE(t.run_until(
              [&] { return link_map::status_state.get(t.read(node, link_map::status(own))) == 0; },
              100));
        }
        for (int node : {0, 1}) {
          const auto own = static_cast<unsigned>(node);
          t.write(node, link_map::control(own), 4);
          t.run(100);
          t.write(node, link_map::error(own), link_map::error_memory.mask);
          CHECK(t.read(node, link_map::error(own)) == 0);
        }
        for (int node : {0, 1}) t.write(node, link_map::control(static_cast<unsigned>(node)), 1);
        REQUIRE(t.run_until([&] { return t.idle(); }, 20'000));
        traffic.message({"nothing", 0, 0, 0, 0}, 0, 0, 0);
        CHECK(t.run_until([&] { return traffic.complete(); }, 20'000));
        continue;
      }
      const std::uint32_t cause =
          m.number >= 6 ? scu::error_dma_blocked.mask : scu::error_engine_memory.mask;
      CHECK(told == cause);
      const unsigned engine = m.node == 0 ? kSender : kReceiver;
      const unsigned named = m.number == 6 ? 31 : engine;
      CHECK(t.read(m.node, scu::error_info) >> 27 == named);
      CHECK((t.read(m.node, scu::done) & 1U << engine) ==
            (m.number >= 6 ? t.read(0, scu::done) & 1U : 0));
      CHECK((t.read(m.node, scu::active) & 1U << engine) ==
            (m.number >= 6 ? t.read(0, scu::active) & 1U : 0));
      if (m.number >= 6) {
        // Nothing moves until reset, whoever starts what.
        const auto writes = t.nodes[1]->writes;
        t.write(0, scu::stop, 0xFFFFFF);
        t.write(0, scu::start, 1U << kSender);
        t.run(2'000);
        CHECK(t.nodes[1]->writes == writes);
      } else {
        // The engine works again with its next start.
        t.write(m.node, scu::error, cause);
        for (int node : {0, 1}) t.write(node, scu::stop, 0xFFFFFF);
        t.run(2'000);
      }
    }
  INFO(silent << " of " << all << " were told to nobody, because nobody looked");
  CHECK(silent * 10 < all);
}
