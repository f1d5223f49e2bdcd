// SPDX-License-Identifier: Apache-2.0
// What a QCDOC node refuses, each with its sticky cause; what happens to a machine of which one
// node stops.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>
#include <set>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned store_too = 1U << 8, enable = 1U << 31;

void expect_cause(QcdocTorus& t, int node, std::uint32_t cause, std::uint32_t info) {
  CAPTURE(node);
  CHECK(t.read(node, scu::error) == cause);
  CHECK(t.read(node, scu::error_first) == cause);
  CHECK(t.read(node, scu::error_info) == info);
  CHECK(t.nodes[static_cast<std::size_t>(node)]->dut().irq);
  t.write(node, scu::error, cause);
  CHECK(t.read(node, scu::error) == 0);
}

struct Word {
  std::uint32_t address;
  const ht::host::Register* reg;
};

/// Every register of a node.
std::vector<Word> all_words() {
  std::vector<Word> words;
  for (const auto& r : scu::all)
    for (std::uint32_t i = 0; i < r.count0; ++i)
      for (std::uint32_t j = 0; j < r.count1; ++j)
        words.push_back({r.address + i * r.stride0 + j * r.stride1, &r});
  for (std::uint32_t i = 0; i < scu::links; ++i)
    for (const auto& r : link_map::all) words.push_back({link_map::control(i) + r.address, &r});
  return words;
}

}  // namespace

TEST_CASE(
    "registers come up as the table says, and addresses without one, and writes of what is "
    "read-only, are refused") {
  using ht::host::Access;
  QcdocTorus t({1}, 10);
  std::set<std::uint32_t> known;
  for (const Word& w : all_words()) {
    CAPTURE(w.address, w.reg->name);
    known.insert(w.address);
    // What is only written reads as 0.
    const auto value = t.try_read(0, w.address);
    REQUIRE(value);
    if (!w.reg->is_volatile)
      REQUIRE(*value == (w.reg->access == Access::WriteOnly ? 0 : w.reg->reset));
  }
  for (const Word& w : all_words()) {
    if (w.reg->access != Access::ReadOnly) continue;
    CAPTURE(w.address, w.reg->name);
    REQUIRE(!t.try_write(0, w.address, 0xFFFFFFFF));
    expect_cause(t, 0, scu::error_register_read_only.mask, w.address);
  }
  for (std::uint32_t address = 0; address < 0x1000; ++address) {
    if (known.contains(address)) continue;
    CAPTURE(address);
    REQUIRE(!t.try_read(0, address));
    expect_cause(t, 0, scu::error_register_unknown.mask, address);
    REQUIRE(!t.try_write(0, address, 0));
    expect_cause(t, 0, scu::error_register_unknown.mask, address);
  }
}

TEST_CASE("numbers that a register cannot hold are refused, and nothing changes") {
  using ht::host::Access;
  QcdocTorus t({1}, 10);
  int limited = 0;
  for (const Word& w : all_words()) {
    if (w.reg->max == 0xFFFFFFFF) continue;
    CAPTURE(w.address, w.reg->name);
    const bool kept = w.reg->access == Access::ReadWrite;
    const std::uint32_t before = t.read(0, w.address);
    std::vector<std::uint32_t> values{0xFFFFFFFF};
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((w.reg->mask >> bit & 1) == 0) values.push_back(1U << bit);
    for (const std::uint32_t value : values) {
      CAPTURE(value);
      REQUIRE(!t.try_write(0, w.address, value));
      expect_cause(t, 0, scu::error_register_value.mask, w.address);
      REQUIRE(t.read(0, w.address) == before);
    }
    // The largest number it takes; a set that is enabled would want links.
    const std::uint32_t largest = w.reg->name == "GLOBAL_CONTROL" ? 0x10FU : w.reg->max;
    t.write(0, w.address, largest);
    CHECK(t.read(0, w.address) == (kept ? largest : 0));
    t.write(0, w.address, before);
    ++limited;
  }
  CHECK(limited == 7 + 2 * 3);
  CHECK(t.read(0, scu::partition_present) == 0);
  CHECK(t.read(0, scu::active) == 0);
}

TEST_CASE("of errors at the same time each is counted, and an engine's is the one that is named") {
  // From the start of an instruction without blocks to its error: every distance of another access.
  int together = 0;
  for (unsigned gap = 0; gap < 12; ++gap) {
    CAPTURE(gap);
    QcdocTorus t({1}, 10);
    store(t, 0, 0, 0, {8, 0});
    t.write(0, scu::start, 1);
    t.run(gap);
    CHECK(!t.try_read(0, 0x0F));
    t.run(50);
    const std::uint32_t empty = scu::error_dma_empty.mask;
    const std::uint32_t unknown = scu::error_register_unknown.mask;
    CHECK(t.read(0, scu::error) == (empty | unknown));
    CHECK(t.read(0, scu::error_count) == 2);
    const std::uint32_t first = t.read(0, scu::error_first);
    CHECK((first == empty || first == unknown));
    CHECK(t.read(0, scu::error_info) == (first == empty ? 1U : 0x0FU));
    together += first == empty;
  }
  // Later than its error comes at most; sooner, the access is first.
  CHECK(together > 2);
}

TEST_CASE("global sets that overlap, and settings of one in use, are refused") {
  QcdocTorus t({2}, 10);
  const std::uint32_t overlap = scu::error_global_overlap.mask;
  t.write(0, scu::global_outputs(0), 0x5);
  const auto refused = [&](unsigned address, std::uint32_t value) {
    CAPTURE(address, value);
    CHECK(!t.try_write(0, address, value));
    expect_cause(t, 0, overlap, address);
  };
  refused(scu::global_control(0), 0U | enable);   // its own input among its outputs
  refused(scu::global_control(0), 12U | enable);  // no such link
  t.write(0, scu::global_control(0), 1U | enable);
  refused(scu::global_outputs(0), 0x4);
  refused(scu::global_limit(0), 3);
  CHECK(t.read(0, scu::global_outputs(0)) == 0x5);
  CHECK(t.read(0, scu::global_limit(0)) == 0);
  t.write(0, scu::global_outputs(1), 0x8);
  refused(scu::global_control(1), 1U | enable);  // the other one's input
  t.write(0, scu::global_outputs(1), 0xC);
  refused(scu::global_control(1), 4U | enable);  // an output of the other one
  CHECK(t.read(0, scu::global_control(1)) == 0);
  t.write(0, scu::global_outputs(1), 0xA);
  t.write(0, scu::global_control(1), 4U | enable);
}

TEST_CASE("stored instructions that are none, and engines that are none, are refused") {
  QcdocTorus t({2}, 10);
  const std::uint32_t slot = scu::error_dma_slot.mask;
  CHECK(!t.try_write(0, scu::start, 1U | 1U << 28));
  expect_cause(t, 0, slot, scu::start);
  CHECK(!t.try_write(0, scu::dma_chain(5, 2), enable | 16));
  expect_cause(t, 0, slot, scu::dma_chain(5, 2));
  CHECK(!t.try_write(0, scu::dma_address(24, 0), 0));
  expect_cause(t, 0, scu::error_register_unknown.mask, scu::dma_address(24, 0));
  CHECK(t.read(0, scu::active) == 0);
}

TEST_CASE("an engine that walks out of memory is stopped before, at either end, and nothing else") {
  QcdocTorus t({2}, 10, 2048);
  REQUIRE(t.bring_up());
  for (int node : {0, 1}) t.write(node, scu::memory_bytes, 8 * 1024);
  for (std::size_t i = 0; i < 2048; ++i) t.nodes[1]->memory[i] = i;
  // The third word of four is outside: below 0 and at the end; sent, and received.
  store(t, 0, 0, 0, {8, 1, 4, -8});
  store(t, 1, 13, 0, {8 * 1022, 4});
  t.write(1, scu::start, 1U << 13);
  t.write(0, scu::start, 1U << 0);
  t.run(1000);
  expect_cause(t, 0, scu::error_dma_range.mask, 0U << 27 | 0x1FFFFFFF >> 2);
  CHECK(t.nodes[1]->writes == 2);
  store(t, 0, 0, 0, {0, 3});
  t.write(0, scu::start, 1U << 0);
  t.run(1000);
  expect_cause(t, 1, scu::error_dma_range.mask, 13U << 27 | 1024);
  CHECK(t.nodes[1]->writes == 2);
  for (std::size_t i = 1024; i < 2048; ++i) CHECK(t.nodes[1]->memory[i] == i);
  CHECK(t.read(0, scu::active) == 0);
  CHECK(t.read(1, scu::active) == 0);
}

TEST_CASE("a node that stops stalls the ring within a few words, and all go on with it") {
  constexpr int n = 5;
  constexpr unsigned words = 120;
  QcdocTorus t({n}, 10);
  REQUIRE(t.bring_up());
  // Every node hands on what it got: a program that waits for its neighbour, word by word.
  for (int i = 0; i < n; ++i) {
    auto& memory = t.nodes[static_cast<std::size_t>(i)]->memory;
    for (unsigned k = 0; k < words; ++k) memory[k] = 1000U * static_cast<unsigned>(i) + k;
    store(t, i, 13, 0, {8 * 1000, words});
    t.write(i, scu::start, 1U << 13);
    store(t, i, 0, 0, {0, words});
    if (i > 0) {
      // What comes goes on as it comes.
      t.write(i, scu::global_outputs(0), 1U);
      t.write(i, scu::global_control(0), 1U | store_too | enable);
    }
  }
  t.write(0, scu::start, 1U);
  t.run(2500);
  t.nodes[3]->busy_of_16 = 17;  // its memory takes nothing
  t.run(3000);
  std::uint64_t stalled[n];
  for (std::size_t i = 0; i < n; ++i) stalled[i] = t.nodes[i]->writes;
  t.run(20'000);
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(t.nodes[i]->writes == stalled[i]);
    CHECK(stalled[i] < words);
  }
  CHECK(stalled[1] > 10);
  // While data stand still, a supervisor word comes through, and interrupts the neighbour.
  t.write(1, link_map::supervisor_send_low(0), 77);
  t.write(1, link_map::supervisor_send_high(0), 78);
  REQUIRE(t.run_until([&] { return t.nodes[2]->dut().irq; }, 400));
  CHECK(t.read(2, link_map::supervisor_low(1)) == 77);
  t.write(2, link_map::supervisor_read(1), 0);
  t.nodes[3]->busy_of_16 = 0;
  REQUIRE(t.run_until([&] { return t.nodes[0]->writes == words; }, 30'000));
  for (int i = 1; i < n; ++i)
    for (unsigned k = 0; k < words; ++k)
      REQUIRE(t.nodes[static_cast<std::size_t>(i)]->memory[1000 + k] == k);
}

TEST_CASE("a window too short for the partition is a sticky error, one that covers it is not") {
  for (const unsigned log2_ticks : {4U, 7U}) {
    QcdocTorus t({6}, 10);
    REQUIRE(t.bring_up());
    for (int i = 0; i < 6; ++i) {
      t.write(i, scu::partition_links, 0x3);
      t.write(i, scu::partition_window, enable | log2_ticks);
    }
    t.write(0, scu::partition_raise, 0x5);
    t.run(10'000);
    unsigned late = 0, presented = 0;
    for (int i = 0; i < 6; ++i) {
      late += t.read(i, scu::error) == scu::error_partition_late.mask;
      presented += t.read(i, scu::partition_present) == 0x5;
    }
    CAPTURE(log2_ticks, late, presented);
    CHECK((late == 0) == (log2_ticks == 7));
    if (log2_ticks == 7) CHECK(presented == 6);
  }
}

TEST_CASE("a set with NONE forwards nothing and stores all") {
  QcdocTorus t({3}, 10);
  REQUIRE(t.bring_up());
  for (unsigned k = 0; k < 6; ++k) t.nodes[0]->memory[k] = 5 + k;
  store(t, 0, 0, 0, {0, 6});
  store(t, 1, 13, 0, {800, 6});
  t.write(1, scu::global_outputs(0), 1U);
  t.write(1, scu::global_limit(0), 1U << 31 | 4);
  t.write(1, scu::global_control(0), 1U | store_too | enable);
  t.write(1, scu::start, 1U << 13);
  t.write(0, scu::start, 1U);
  t.run(1500);
  CHECK(t.nodes[1]->writes == 6);
  CHECK(t.nodes[1]->memory[105] == 10);
  CHECK(t.read(1, scu::global_count(0)) == 0);
  CHECK(t.read(2, link_map::count_accepted(1)) == 0);
}
