// SPDX-License-Identifier: Apache-2.0
// The QCDOC communications unit, a few nodes in a torus: DMA, global operations, partition
// interrupts.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;

namespace {

unsigned sender(int link) {
  return static_cast<unsigned>(link);
}
unsigned receiver(int link) {
  return static_cast<unsigned>(link) + 12;
}

void fill(QcdocTorus& t, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto& node : t.nodes)
    for (auto& w : node->memory) w = random();
}

std::vector<std::uint64_t> part(const QcdocNode& n, std::size_t from, std::size_t words) {
  const auto at = n.memory.begin() + static_cast<std::ptrdiff_t>(from);
  return {at, at + static_cast<std::ptrdiff_t>(words)};
}

}  // namespace

TEST_CASE("all 24 connections of a node at once carry 64 of 72 bits") {
  QcdocTorus t({2, 2, 2, 2, 2, 2}, 10);
  REQUIRE(t.bring_up());
  fill(t, 1);
  const int other_of[12] = {1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32};
  constexpr unsigned words = 40;
  const std::vector<std::uint64_t> before = t.nodes[0]->memory;
  for (int link = 0; link < 12; ++link) {
    const auto l = static_cast<unsigned>(link);
    store(t, 0, sender(link), 3, {8 * 64 * l, words});
    store(t, 0, receiver(link), 3, {8 * (2048 + 64 * l), words});
    store(t, other_of[link], sender(link ^ 1), 3, {8 * 64 * l, words});
    store(t, other_of[link], receiver(link ^ 1), 3, {8 * (2048 + 64 * l), words});
  }
  for (int link = 0; link < 12; link += 2) {
    const unsigned both = 3U << link;
    t.write(other_of[link], scu::start, both | both << 12 | 3U << 24);
  }
  t.nodes[0]->writes = 0;
  t.write(0, scu::start, 0xFFFFFFU | 3U << 24);
  REQUIRE(t.run_until([&] { return t.nodes[0]->writes == 12 * words; }, 20'000));
  // From the first word of the first link to the last of the last: 39 frames and the byte phases.
  const std::uint64_t took = t.nodes[0]->last_write - t.nodes[0]->first_write;
  CHECK(took >= (words - 1) * 72);
  CHECK(took < (words - 1) * 72 + 40);
  t.run(200);
  CHECK(t.read(0, scu::done) == 0xFFFFFF);
  CHECK(t.read(0, scu::error) == 0);
  for (int link = 0; link < 12; ++link) {
    const std::size_t at = 64 * static_cast<std::size_t>(link);
    const QcdocNode& other = *t.nodes[static_cast<std::size_t>(other_of[link])];
    CHECK((part(*t.nodes[0], 2048 + at, words) == part(other, at, words)));
    CHECK((part(other, 2048 + at, words) ==
           std::vector<std::uint64_t>(before.begin() + static_cast<std::ptrdiff_t>(at),
                                      before.begin() + static_cast<std::ptrdiff_t>(at + words))));
  }
}

TEST_CASE("blocks, pitches and chains gather and scatter") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  fill(t, 2);
  // Send 3 blocks of 2 words 40 bytes apart, then 2 blocks of 1 word backwards; receive as 4 blocks
  // of 2.
  store(t, 0, sender(0), 0, {8 * 10, 2, 3, 40, 9});
  store(t, 0, sender(0), 9, {8 * 100, 1, 2, -16});
  store(t, 1, receiver(1), 1, {8 * 500, 2, 4, 24});
  t.write(1, scu::start, 1U << receiver(1) | 1U << 24);
  t.write(0, scu::start, 1U << sender(0));
  REQUIRE(t.run_until([&] { return t.nodes[1]->writes == 8; }, 5000));
  const auto& from = t.nodes[0]->memory;
  const auto& to = t.nodes[1]->memory;
  const std::size_t sources[8] = {10, 11, 15, 16, 20, 21, 100, 98};
  for (std::size_t i = 0; i < 8; ++i) CHECK(to[500 + 3 * (i / 2) + i % 2] == from[sources[i]]);
  t.run(10);
  CHECK(t.read(0, scu::done) == 1U << sender(0));
  CHECK(t.read(1, scu::done) == 1U << receiver(1));
}

TEST_CASE("one word from memory to memory: worst of all byte phases") {
  // 20 ns of cable, 20 ns to read memory, 144 ns on the wire.
  std::uint64_t worst = 0, best = 1000;
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  store(t, 0, sender(0), 0, {0, 1});
  store(t, 1, receiver(1), 0, {64, 1});
  for (unsigned phase = 0; phase < 8; ++phase) {
    t.write(1, scu::start, 1U << receiver(1));
    t.run(300);
    while (t.cycle % 8 != phase) t.step();
    t.nodes[1]->writes = 0;
    const std::uint64_t before = t.cycle;
    t.write(0, scu::start, 1U << sender(0));
    REQUIRE(t.run_until([&] { return t.nodes[1]->writes == 1; }, 1000));
    const std::uint64_t took = t.nodes[1]->last_write - before;
    worst = std::max(worst, took);
    best = std::min(best, took);
  }
  INFO("best " << best << " cycles, worst " << worst);
  CHECK(worst - best <= 7);
  CHECK(2 * worst <= 245);  // ns
}

TEST_CASE("a ring's words circulate and are stored by every node") {
  constexpr int n = 4;
  QcdocTorus t({n}, 10);
  REQUIRE(t.bring_up());
  fill(t, 3);
  // Own word at 0; words of the others at 100... in the order in which they come: from -1, -2, -3.
  for (int i = 0; i < n; ++i) {
    store(t, i, sender(0), 0, {0, 1});
    store(t, i, receiver(1), 0, {800, n - 1});
    t.write(i, scu::global_outputs(0), 1U << 0);
    t.write(i, scu::global_limit(0), n - 2);
    t.write(i, scu::global_control(0), 1U | 1U << 8 | 1U << 31);
  }
  for (int i = 0; i < n; ++i) t.write(i, scu::start, 1U << sender(0) | 1U << receiver(1));
  REQUIRE(t.run_until(
      [&] {
        for (auto& node : t.nodes)
          if (node->writes != n - 1) return false;
        return true;
      },
      5000));
  for (int i = 0; i < n; ++i)
    for (int k = 1; k < n; ++k)
      CHECK(t.nodes[static_cast<std::size_t>(i)]->memory[static_cast<std::size_t>(99 + k)] ==
            t.nodes[static_cast<std::size_t>((i - k + n) % n)]->memory[0]);
}

TEST_CASE("a broadcast passes through: a hop costs a header and a few bits") {
  constexpr int n = 6;
  QcdocTorus t({n}, 10);
  REQUIRE(t.bring_up());
  fill(t, 4);
  store(t, 0, sender(0), 0, {0, 1});
  for (int i = 1; i < n; ++i) {
    store(t, i, receiver(1), 0, {800, 1});
    t.write(i, scu::global_outputs(0), i < n - 1 ? 1U : 0U);
    t.write(i, scu::global_control(0), 1U | 1U << 8 | 1U << 31);
    t.write(i, scu::start, 1U << receiver(1));
  }
  for (auto& node : t.nodes) node->writes = 0;
  t.write(0, scu::start, 1U << sender(0));
  REQUIRE(t.run_until([&] { return t.nodes[n - 1]->writes == 1; }, 2000));
  for (int i = 1; i < n; ++i)
    CHECK(t.nodes[static_cast<std::size_t>(i)]->memory[100] == t.nodes[0]->memory[0]);
  for (std::size_t i = 2; i < n; ++i) {
    const std::uint64_t hop = t.nodes[i]->last_write - t.nodes[i - 1]->last_write - 10;
    INFO("hop " << hop);
    CHECK(hop >= 10);
    CHECK(hop <= 20);
  }
}

TEST_CASE("a partition interrupt floods within its window and is presented by all at once") {
  QcdocTorus t({4, 2}, 10);
  REQUIRE(t.bring_up());
  for (int i = 0; i < 8; ++i) {
    t.write(i, scu::partition_links, 0xF);
    t.write(i, scu::partition_window, 1U << 31 | 6);
  }
  t.write(5, scu::partition_raise, 0x11);
  std::vector<std::uint64_t> when(8, 0);
  REQUIRE(t.run_until(
      [&] {
        bool all = true;
        for (std::size_t i = 0; i < 8; ++i) {
          if (when[i] == 0 && t.nodes[i]->dut().irq) when[i] = t.cycle;
          all = all && when[i] != 0;
        }
        return all;
      },
      5000));
  for (auto w : when) CHECK(w == when[0]);
  for (int i = 0; i < 8; ++i) {
    CHECK(t.read(i, scu::partition_present) == 0x11);
    t.write(i, scu::partition_present, 0x11);
    CHECK(t.read(i, scu::partition_present) == 0);
    CHECK(t.read(i, scu::error) == 0);
  }
}

TEST_CASE("bad descriptors, starts and sets are refused with a sticky cause") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  t.write(0, scu::memory_bytes, 4096 * 8);
  const auto expect = [&](std::uint32_t cause, std::uint32_t info) {
    CHECK(t.read(0, scu::error) == cause);
    CHECK(t.read(0, scu::error_first) == cause);
    CHECK(t.read(0, scu::error_info) == info);
    t.write(0, scu::error, cause);
    CHECK(t.read(0, scu::error) == 0);
  };
  store(t, 0, 4, 0, {8 * 4095, 2});
  t.write(0, scu::start, 1U << 4);
  t.run(2000);
  expect(scu::error_dma_range.mask, 4U << 27 | 4096);
  store(t, 0, 5, 0, {4, 1});
  t.write(0, scu::start, 1U << 5);
  t.run(50);
  expect(scu::error_dma_alignment.mask, 5U << 27);
  store(t, 0, 6, 0, {8, 0});
  t.write(0, scu::start, 1U << 6);
  t.run(50);
  expect(scu::error_dma_empty.mask, 6U << 27 | 1);
  store(t, 0, 20, 0, {8, 1});
  t.write(0, scu::start, 1U << 20);
  CHECK(!t.try_write(0, scu::start, 1U << 20));
  expect(scu::error_dma_busy.mask, scu::start);
  t.write(0, scu::stop, 1U << 20);
  CHECK(t.read(0, scu::active) == 0);
  t.write(0, scu::global_outputs(0), 0x2);
  CHECK(!t.try_write(0, scu::global_control(0), 1U | 1U << 31));
  expect(scu::error_global_overlap.mask, scu::global_control(0));
  t.write(0, scu::global_control(0), 0U | 1U << 31);
  t.write(0, scu::global_outputs(1), 0x2);
  CHECK(!t.try_write(0, scu::global_control(1), 5U | 1U << 31));
  expect(scu::error_global_overlap.mask, scu::global_control(1));
  CHECK(!t.try_write(0, scu::id, 1));
  expect(scu::error_register_read_only.mask, scu::id);
  CHECK(!t.try_write(0, 0x700, 1));
  expect(scu::error_register_unknown.mask, 0x700);
}

TEST_CASE("every link's counters and checksums agree with what it carried") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  fill(t, 5);
  constexpr unsigned words = 100;
  store(t, 0, sender(0), 0, {0, words});
  store(t, 1, receiver(1), 0, {8 * 1000, words});
  namespace link = ht::qcdoc::registers::link;
  for (int node : {0, 1})
    for (int l : {0, 1})
      t.write(node, link::control(static_cast<unsigned>(l)), 1 | link::control_clear_counters.mask);
  t.run(100);
  // Some single errors on the way, at least a frame apart.
  unsigned damaged = 0;
  t.damage = [&](int node, int l, bool bit) {
    if (node != 1 || l != 1 || t.cycle % 977 != 5 || damaged == 5) return bit;
    ++damaged;
    return !bit;
  };
  t.write(0, scu::start, 1U << sender(0));
  t.write(1, scu::start, 1U << receiver(1));
  REQUIRE(t.run_until([&] { return t.nodes[1]->writes == words; }, 30'000));
  t.damage = nullptr;
  t.run(2'000);
  CHECK((part(*t.nodes[0], 0, words) == part(*t.nodes[1], 1000, words)));
  CHECK(damaged == 5);
  CHECK(t.read(0, link::count_sent(static_cast<unsigned>(0))) == words);
  CHECK(t.read(1, link::count_accepted(static_cast<unsigned>(1))) == words);
  CHECK(t.read(1, link::count_header_error(static_cast<unsigned>(1))) +
            t.read(1, link::count_parity_error(static_cast<unsigned>(1))) +
            t.read(1, link::count_marker_error(static_cast<unsigned>(1))) ==
        damaged);
  CHECK(t.read(0, link::count_retransmitted(static_cast<unsigned>(0))) >= damaged);
  CHECK(t.read(1, link::count_request(static_cast<unsigned>(1))) >= damaged);
  CHECK(t.read(0, link::tx_checksum(static_cast<unsigned>(0))) ==
        t.read(1, link::rx_checksum(static_cast<unsigned>(1))));
  // The same sum, computed from memory.
  std::uint32_t sum = 0;
  for (std::uint64_t w : part(*t.nodes[0], 0, words))
    for (std::uint32_t half : {static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(w >> 32)})
      sum = (sum << 1 | sum >> 31) + (half ^ 0x9E3779B9);
  CHECK(t.read(0, link::tx_checksum(static_cast<unsigned>(0))) == sum);
}
