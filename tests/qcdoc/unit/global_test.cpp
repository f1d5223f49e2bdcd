// SPDX-License-Identifier: Apache-2.0
// Global operations of QCDOC nodes with errors on the wires: both sets at once, and own words
// between those that are passed through.
#include <Vqcdoc_scu.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned store_too = 1U << 8, enable = 1U << 31;

// Single errors, at least `apart` cycles from one another wherever they hit, so that no word meets
// two of them.
void disturb(QcdocTorus& t, unsigned apart, unsigned links, std::uint64_t seed, unsigned& hits) {
  struct State {
    std::mt19937_64 random;
    std::uint64_t next;
    unsigned wire;
  };
  auto state = std::make_shared<State>(State{std::mt19937_64(seed), t.cycle + 50, 0});
  const auto wires = static_cast<unsigned>(t.nodes.size()) * links;
  t.damage = [&t, &hits, state, apart, links, wires](int node, int l, bool bit) {
    if (t.cycle < state->next || static_cast<unsigned>(l) >= links ||
        static_cast<unsigned>(node) * links + static_cast<unsigned>(l) != state->wire)
      return bit;
    state->next = t.cycle + apart + state->random() % apart;
    state->wire = static_cast<unsigned>(state->random() % wires);
    ++hits;
    return !bit;
  };
}

void check_sums(QcdocTorus& t, unsigned links) {
  for (int i = 0; i < static_cast<int>(t.nodes.size()); ++i) {
    CHECK(t.read(i, scu::error) == 0);
    for (unsigned l = 0; l < links; ++l) {
      CAPTURE(i, l);
      CHECK(t.read(i, link_map::tx_checksum(l)) ==
            t.read(t.neighbour(i, static_cast<int>(l)), link_map::rx_checksum(l ^ 1)));
    }
  }
}

}  // namespace

TEST_CASE("a ring both ways at once, in half its length, with errors in the pass-through") {
  constexpr int n = 6;
  constexpr unsigned left = n / 2, right = n / 2 - 1;  // words from -1, -2, -3 and from +1, +2
  QcdocTorus t({n}, 10);
  REQUIRE(t.bring_up());
  unsigned hits = 0;
  disturb(t, 200, 2, 1, hits);
  for (unsigned round = 0; round < 12; ++round) {
    for (int i = 0; i < n; ++i) {
      auto& node = *t.nodes[static_cast<std::size_t>(i)];
      node.memory[0] = (0x9E3779B97F4A7C15 * (round + 1)) ^ static_cast<std::uint64_t>(i);
      node.writes = 0;
      store(t, i, 0, 0, {0, 1});
      store(t, i, 1, 0, {0, 1});
      store(t, i, 13, 0, {800, left});
      store(t, i, 12, 0, {1600, right});
      t.write(i, scu::global_control(0), 0);
      t.write(i, scu::global_control(1), 0);
      t.write(i, scu::global_outputs(0), 1U << 0);
      t.write(i, scu::global_outputs(1), 1U << 1);
      t.write(i, scu::global_limit(0), left - 1);
      t.write(i, scu::global_limit(1), right - 1);
      t.write(i, scu::global_control(0), 1U | store_too | enable);
      t.write(i, scu::global_control(1), 0U | store_too | enable);
    }
    for (int i = 0; i < n; ++i) t.write(i, scu::start, 0x3003);
    REQUIRE(t.run_until(
        [&] {
          for (auto& node : t.nodes)
            if (node->writes != left + right) return false;
          return true;
        },
        20'000));
    for (int i = 0; i < n; ++i) {
      const auto& to = t.nodes[static_cast<std::size_t>(i)]->memory;
      for (unsigned k = 1; k <= left; ++k)
        CHECK(to[99 + k] == t.nodes[(static_cast<std::size_t>(i) + n - k) % n]->memory[0]);
      for (unsigned k = 1; k <= right; ++k)
        CHECK(to[199 + k] == t.nodes[(static_cast<std::size_t>(i) + k) % n]->memory[0]);
    }
    t.run(300);
  }
  t.damage = nullptr;
  t.run(2000);
  CHECK(hits > 20);
  check_sums(t, 2);
}

TEST_CASE("own words at any moment between words that are passed through, with errors") {
  // Node 0's words go through node 1 to node 2; node 1 adds one of its own at any moment of that.
  constexpr unsigned offsets = 48, rounds = 8 * offsets;
  QcdocTorus t({3}, 10);
  REQUIRE(t.bring_up());
  for (unsigned i = 0; i < rounds; ++i) {
    t.nodes[0]->memory[i] = 0x1234567800000000U + i;
    t.nodes[1]->memory[i] = 0xFEDCBA9800000000U + i;
  }
  store(t, 1, 13, 0, {8 * 1000, rounds});
  store(t, 2, 13, 0, {8 * 1000, 2 * rounds});
  t.write(1, scu::global_outputs(0), 1U << 0);
  t.write(1, scu::global_control(0), 1U | store_too | enable);
  t.write(2, scu::start, 1U << 13);
  t.write(1, scu::start, 1U << 13);
  unsigned hits = 0;
  disturb(t, 2000, 2, 2, hits);
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < rounds; ++i) {
    store(t, 0, 0, 0, {8 * i, 1});
    store(t, 1, 0, 0, {8 * i, 1});
    t.run(random() % 16);
    t.write(0, scu::start, 1U << 0);
    t.run(i % offsets);
    t.write(1, scu::start, 1U << 0);
    t.run(150);
  }
  REQUIRE(t.run_until([&] { return t.nodes[2]->writes == 2 * rounds; }, 20'000));
  t.damage = nullptr;
  t.run(2000);
  CHECK(hits > 10);
  unsigned passed = 0, added = 0;
  for (unsigned i = 0; i < 2 * rounds; ++i) {
    const std::uint64_t w = t.nodes[2]->memory[1000 + i];
    if (w == 0x1234567800000000U + passed)
      ++passed;
    else if (w == 0xFEDCBA9800000000U + added)
      ++added;
  }
  CHECK(passed == rounds);
  CHECK(added == rounds);
  CHECK(std::equal(t.nodes[0]->memory.begin(), t.nodes[0]->memory.begin() + rounds,
                   t.nodes[1]->memory.begin() + 1000));
  check_sums(t, 2);
}

TEST_CASE("an input that trains in the middle of a word spoils what was passed through of it") {
  // The rest of the word does not come; whatever stands for it must not have the right parity.
  constexpr unsigned rounds = 24;
  QcdocTorus t({3}, 10);
  REQUIRE(t.bring_up());
  for (unsigned i = 0; i < 4 * rounds; ++i) t.nodes[0]->memory[i] = 0x9E3779B97F4A7C15U * (i + 1);
  store(t, 2, 13, 0, {8 * 1000, 4 * rounds});
  t.write(1, scu::global_outputs(0), 1U << 0);
  t.write(1, scu::global_control(0), 1U | enable);
  t.write(2, scu::start, 1U << 13);
  for (unsigned i = 0; i < rounds; ++i) {
    store(t, 0, 0, 0, {8 * 4 * i, 4});
    t.write(0, scu::start, 1U << 0);
    t.run(130 + 3 * i);
    t.write(1, link_map::control(1), 1 | link_map::control_retrain.mask);
    REQUIRE(t.run_until([&] { return t.nodes[2]->writes == 4 * (i + 1); }, 60'000));
    t.run(400);
  }
  CHECK(std::equal(t.nodes[0]->memory.begin(), t.nodes[0]->memory.begin() + 4 * rounds,
                   t.nodes[2]->memory.begin() + 1000));
  check_sums(t, 2);
}

TEST_CASE("a word that is cut short in its pass-through is refused, in either set") {
  // Node 0's word goes through node 1, whose set is disabled, or set up anew, at any moment of it.
  std::mt19937_64 random(5);
  for (const unsigned set : {0U, 1U}) {
    for (const bool anew : {false, true}) {
      unsigned cut = 0, whole = 0;
      for (unsigned at = 0; at < 110; at += 6) {
        CAPTURE(set, anew, at);
        QcdocTorus t({3}, 10);
        REQUIRE(t.bring_up());
        const std::uint64_t word = random();
        t.nodes[0]->memory[0] = word;
        t.nodes[2]->memory[1000] = 0xDEAD;
        store(t, 2, 13, 0, {8 * 1000, 1});
        t.write(2, scu::start, 1U << 13);
        store(t, 0, 0, 0, {0, 1});
        t.write(1, scu::global_outputs(set), 1U);
        t.write(1, scu::global_control(set), 1U | enable);
        t.write(0, scu::start, 1U);
        t.run(30 + at);
        t.write(1, scu::global_control(set), anew ? 1U | enable : 1U);
        t.run(600);
        const std::uint64_t got = t.nodes[2]->memory[1000];
        const bool accepted = t.read(2, link_map::count_accepted(1)) != 0;
        CHECK(got == (accepted ? word : 0xDEAD));
        cut += t.read(2, link_map::count_parity_error(1)) != 0 ? 1 : 0;
        whole += accepted ? 1 : 0;
      }
      CHECK(cut > 5);
      CHECK(whole > 0);
    }
  }
}
