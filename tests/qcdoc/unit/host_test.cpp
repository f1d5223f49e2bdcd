// SPDX-License-Identifier: Apache-2.0
// What the host of a QCDOC node does at awkward moments, and 2x2 nodes with everything random.
#include <Vqcdoc_scu.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"
#include "verif/model/qcdoc/wire.hpp"

using namespace ht;
using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

// The words an instruction touches, in order: what the paper says a block-strided move is.
void touch(const Instruction& i, std::vector<std::size_t>& places) {
  for (unsigned b = 0; b < i.blocks; ++b)
    for (unsigned w = 0; w < i.words; ++w)
      places.push_back((i.address + static_cast<unsigned>(static_cast<int>(b) * i.pitch)) / 8 + w);
}

// A chain of instructions of `total` words inside [base, base + room) words, no word twice;
// returns the places.
std::vector<std::size_t> random_chain(QcdocTorus& t, int node, unsigned engine, unsigned base,
                                      unsigned total, std::mt19937_64& random) {
  std::vector<std::size_t> places;
  unsigned slot = static_cast<unsigned>(random() % 16), at = base;
  const unsigned first = slot;
  while (total > 0) {
    Instruction i;
    const bool last = (slot + 1) % 16 == (first + 15) % 16;
    i.words = last ? total : 1 + static_cast<unsigned>(random() % std::min(total, 6U));
    i.blocks = last ? 1 : 1 + static_cast<unsigned>(random() % std::min(total / i.words, 5U));
    const unsigned pitch = i.words + static_cast<unsigned>(random() % 3);
    const bool backwards = random() % 3 == 0;
    i.address = 8 * (backwards ? at + (i.blocks - 1) * pitch : at);
    i.pitch = (backwards ? -8 : 8) * static_cast<int>(pitch);
    at += i.blocks * pitch;
    total -= i.words * i.blocks;
    i.next = total > 0 ? static_cast<int>((slot + 1) % 16) : -1;
    store(t, node, engine, slot, i);
    touch(i, places);
    slot = (slot + 1) % 16;
  }
  places.push_back(first);
  return places;
}

}  // namespace

TEST_CASE("random chains on all wires of 2x2 nodes, errors on all of them, memory often busy") {
  constexpr unsigned links = 4, room = 128;
  QcdocTorus t({2, 2}, 10, 2048);
  REQUIRE(t.bring_up());
  std::mt19937_64 random(11);
  // At least two frames apart on every wire.
  std::vector<std::uint64_t> next(4 * links);
  for (auto& n : next) n = t.cycle + random() % 3000;
  unsigned hits = 0;
  t.damage = [&](int node, int l, bool bit) {
    if (static_cast<unsigned>(l) >= links) return bit;
    std::uint64_t& n = next[static_cast<std::size_t>(node) * links + static_cast<std::size_t>(l)];
    if (t.cycle < n) return bit;
    n = t.cycle + 150 + random() % 3000;
    ++hits;
    return !bit;
  };
  for (int round = 0; round < 8; ++round) {
    CAPTURE(round);
    std::vector<std::vector<std::uint64_t>> expected;
    std::vector<std::vector<std::size_t>> from(4 * links), to(4 * links);
    for (auto& node : t.nodes) {
      node->busy_of_16 = round % 2 ? 12 : 0;
      for (auto& w : node->memory) w = random();
    }
    for (auto& node : t.nodes) expected.push_back(node->memory);
    std::uint32_t expected_done[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i)
      for (unsigned l = 0; l < links; ++l) {
        const std::size_t wire = static_cast<std::size_t>(i) * links + l;
        const auto count = 1 + static_cast<unsigned>(random() % 40);
        const int other = t.neighbour(i, static_cast<int>(l));
        from[wire] = random_chain(t, i, l, room * l, count, random);
        to[wire] = random_chain(t, other, 12 + (l ^ 1), 1024 + room * (l ^ 1), count, random);
        for (std::size_t k = 0; k < count; ++k)
          expected[static_cast<std::size_t>(other)][to[wire][k]] =
              expected[static_cast<std::size_t>(i)][from[wire][k]];
        expected_done[i] |= 1U << l;
        expected_done[other] |= 1U << (12 + (l ^ 1));
      }
    // Sends and receives start in any order.
    std::vector<std::pair<int, std::uint32_t>> starts;
    for (int i = 0; i < 4; ++i)
      for (unsigned l = 0; l < links; ++l) {
        const std::size_t wire = static_cast<std::size_t>(i) * links + l;
        starts.emplace_back(i, 1U << l | static_cast<unsigned>(from[wire].back()) << 24);
        starts.emplace_back(t.neighbour(i, static_cast<int>(l)),
                            1U << (12 + (l ^ 1)) | static_cast<unsigned>(to[wire].back()) << 24);
      }
    std::shuffle(starts.begin(), starts.end(), random);
    for (auto [node, value] : starts) {
      t.write(node, scu::start, value);
      t.run(random() % 60);
    }
    for (int i = 0; i < 4; ++i)
      REQUIRE(t.run_until([&] { return t.read(i, scu::done) == expected_done[i]; }, 60'000));
    t.run(100);
    for (std::size_t i = 0; i < 4; ++i) CHECK((t.nodes[i]->memory == expected[i]));
  }
  t.damage = nullptr;
  t.run(2000);
  CHECK(hits > 50);
  for (int i = 0; i < 4; ++i) {
    CHECK(t.read(i, scu::error) == 0);
    for (unsigned l = 0; l < links; ++l) {
      CHECK(t.read(i, link_map::tx_checksum(l)) ==
            t.read(t.neighbour(i, static_cast<int>(l)), link_map::rx_checksum(l ^ 1)));
    }
  }
}

TEST_CASE("supervisor words by registers and interrupt, and one that waits is not written over") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  CHECK(!t.nodes[1]->dut().irq);
  t.write(0, link_map::supervisor_send_low(0), 0x11223344);
  t.write(0, link_map::supervisor_send_high(0), 0x55667788);
  REQUIRE(t.run_until([&] { return t.nodes[1]->dut().irq; }, 300));
  CHECK(t.read(1, scu::supervisor_status) == 1U << 1);
  CHECK(t.read(0, scu::supervisor_status) == 1U << 16);
  CHECK(t.read(1, link_map::supervisor_low(1)) == 0x11223344);
  CHECK(t.read(1, link_map::supervisor_high(1)) == 0x55667788);
  // Half a word is refused as well: the other half might come when the way is free.
  CHECK(!t.try_write(0, link_map::supervisor_send_low(0), 0xDEAD));
  CHECK(t.read(0, scu::error) == scu::error_supervisor_busy.mask);
  CHECK(t.read(0, scu::error_info) == link_map::supervisor_send_low(0));
  CHECK(!t.try_write(0, link_map::supervisor_send_high(0), 0xBEEF));
  t.write(0, scu::error, scu::error_supervisor_busy.mask);
  // Numbers begin anew in DOWN only.
  t.write(0, link_map::control(0), 1 | link_map::control_new_session.mask);
  CHECK(t.read(0, scu::supervisor_status) == 1U << 16);
  t.write(1, link_map::supervisor_read(1), 0);
  CHECK(!t.nodes[1]->dut().irq);
  REQUIRE(t.run_until([&] { return t.read(0, scu::supervisor_status) == 0; }, 50));
  for (unsigned i = 1; i < 5; ++i) {
    t.write(0, link_map::supervisor_send_low(0), i);
    t.write(0, link_map::supervisor_send_high(0), ~i);
    REQUIRE(t.run_until([&] { return t.nodes[1]->dut().irq; }, 300));
    CHECK(t.read(1, link_map::supervisor_low(1)) == i);
    CHECK(t.read(1, link_map::supervisor_high(1)) == ~i);
    t.write(1, link_map::supervisor_read(1), 0);
    t.run(100);
  }
}

TEST_CASE("windows that were enabled at different times have the same numbers") {
  for (unsigned wait : {0U, 700U, 800U, 1500U}) {
    CAPTURE(wait);
    QcdocTorus t({2}, 10);
    REQUIRE(t.bring_up());
    for (int i : {0, 1}) {
      t.write(i, scu::partition_links, 0x3);
      t.write(i, scu::partition_window, 1U << 31 | 6);
      t.run(wait);
    }
    t.run(800);
    t.write(0, scu::partition_raise, 0x41);
    t.run(2000);
    for (int i : {0, 1}) {
      CHECK(t.read(i, scu::partition_present) == 0x41);
      CHECK(t.read(i, scu::error) == 0);
    }
  }
}

TEST_CASE("an engine that was stopped stays so, wherever in a chain it was") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  store(t, 0, 0, 0, {0, 1, 1, 0, 0});
  store(t, 1, 13, 0, {0, 1, 1, 0, 0});
  t.write(1, scu::start, 1U << 13);
  for (unsigned at = 0; at < 150; ++at) {
    CAPTURE(at);
    t.nodes[0]->busy_of_16 = at < 75 ? 0 : 14;
    t.write(0, scu::start, 1U << 0);
    t.run(200 + at);
    t.write(0, scu::stop, 1U << 0);
    t.run(120);
    REQUIRE(t.read(0, scu::active) == 0);
  }
}

TEST_CASE("a start with an engine that is active, or of a slot that is none, starts nothing") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  store(t, 0, 12, 0, {0, 1});
  store(t, 0, 13, 0, {0, 1});
  t.write(0, scu::start, 1U << 12);
  CHECK(!t.try_write(0, scu::start, 1U << 12 | 1U << 13));
  CHECK(t.read(0, scu::active) == 1U << 12);
  CHECK(t.read(0, scu::error) == scu::error_dma_busy.mask);
  t.write(0, scu::error, scu::error_dma_busy.mask);
  CHECK(!t.try_write(0, scu::start, 1U << 13 | 1U << 28));
  CHECK(t.read(0, scu::active) == 1U << 12);
  CHECK(t.read(0, scu::error) == scu::error_dma_slot.mask);
  t.write(0, scu::error, scu::error_dma_slot.mask);
  CHECK(!t.try_write(0, scu::dma_chain(3, 1), 0x80000010U));
  CHECK(t.read(0, scu::error) == scu::error_dma_slot.mask);
}

TEST_CASE("two flipped bits in a supervisor word's frame never alter it, nor an interrupt") {
  // The frame begins with the first bit that is not the one of eight cycles before.
  for (const bool interrupt : {false, true}) {
    const unsigned bits = interrupt ? 24 : 80;
    for (unsigned pair = 0; pair < 10; ++pair) {
      // The first bit may be the header's second: in one parity group, in the header, in the check.
      const unsigned first = pair * 13 % (bits - 8), second = first + 2 + pair % 3 * 3;
      CAPTURE(interrupt, first, second);
      QcdocTorus t({2}, 10);
      REQUIRE(t.bring_up());
      if (interrupt)
        for (const int node : {0, 1}) {
          t.write(node, scu::partition_window, 9);
          t.write(node, scu::partition_links, 3);
          t.write(node, scu::partition_window, 9 | 1U << 31);
        }
      t.run(2000);
      std::uint32_t last = 0;
      std::uint64_t start = 0;
      unsigned flips = 0, seen = 0;
      t.damage = [&](int node, int l, bool bit) {
        if (node != 1 || l != 1) return bit;
        if (start == 0 && ++seen > 16 && ((last >> 7 & 1) != 0) != bit) start = t.cycle;
        last = last << 1 | (bit ? 1U : 0U);
        const bool hit = start != 0 && (t.cycle == start + first || t.cycle == start + second);
        flips += hit ? 1 : 0;
        return hit ? !bit : bit;
      };
      if (interrupt) {
        t.write(0, scu::partition_raise, 0x01);
        t.run(2 * 512 * 12 + 3000);
      } else {
        t.write(0, link_map::supervisor_send_low(0), 0x12345678);
        t.write(0, link_map::supervisor_send_high(0), 0x9ABCDEF0);
        t.run(4000);
      }
      CHECK(flips == 2);
      CHECK(t.read(1, scu::error) == 0);
      if (interrupt) {
        CHECK(t.read(0, scu::partition_present) == 0x01);
        CHECK(t.read(1, scu::partition_present) == 0x01);
      } else {
        CHECK(t.read(1, scu::supervisor_status) == 1U << 1);
        CHECK(t.read(1, link_map::supervisor_low(1)) == 0x12345678);
        CHECK(t.read(1, link_map::supervisor_high(1)) == 0x9ABCDEF0);
      }
      CHECK(t.read(1, link_map::count_parity_error(1)) +
                t.read(1, link_map::count_header_error(1)) + t.read(1, link_map::count_bad_ack(1)) +
                t.read(1, link_map::count_refused(1)) >
            0);
      // Either nothing else came of it, or the checksums tell.
      if (t.read(1, link_map::count_accepted(1)) == 0)
        CHECK(t.read(0, link_map::tx_checksum(0)) == t.read(1, link_map::rx_checksum(1)));
      else
        CHECK(t.read(0, link_map::tx_checksum(0)) != t.read(1, link_map::rx_checksum(1)));
    }
  }
}

TEST_CASE("checksums are over supervisor words and partition interrupts, too") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  CHECK(t.read(0, link_map::tx_checksum(0)) == 0);
  t.write(0, link_map::supervisor_send_low(0), 0x12345678);
  t.write(0, link_map::supervisor_send_high(0), 0x9ABCDEF0);
  t.run(1000);
  const std::uint32_t word = model::qcdoc::checksum_of_supervisor(0x9ABCDEF012345678);
  CHECK(t.read(0, link_map::tx_checksum(0)) == word);
  CHECK(t.read(1, link_map::rx_checksum(1)) == word);
  // What comes again is not counted again.
  t.write(0, link_map::control(0), 1 | link_map::control_retrain.mask);
  t.run(30'000);
  CHECK(t.read(0, link_map::tx_checksum(0)) == word);
  CHECK(t.read(1, link_map::rx_checksum(1)) == word);
  t.write(1, link_map::supervisor_read(1), 0);
  for (const int node : {0, 1}) {
    t.write(node, scu::partition_window, 9);
    t.write(node, scu::partition_links, 1U << node);
    t.write(node, scu::partition_window, 9 | 1U << 31);
  }
  t.write(0, scu::partition_raise, 0x05);
  t.run(3 * 512 * 12);
  CHECK(t.read(1, scu::partition_present) == 0x05);
  const std::uint32_t sum = t.read(0, link_map::tx_checksum(0));
  const std::uint32_t even = word + model::qcdoc::checksum_of_interrupt(0x05);
  const std::uint32_t odd = word + model::qcdoc::checksum_of_interrupt(0x85);
  CHECK((sum == even || sum == odd));
  CHECK(t.read(1, link_map::rx_checksum(1)) == sum);
}
