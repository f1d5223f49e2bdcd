// SPDX-License-Identifier: Apache-2.0
// Kills of the global signal tree at any times: each that is not refused is heard by every node,
// and a number that is valid is one that a killer wrote, the same everywhere.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/signals/signal_net.hpp"

namespace {

using ht::test::Picoseconds;
using ht::test::SignalNet;
namespace nwp = ht::qpace::registers::nwp;

constexpr std::uint32_t killed = nwp::signal_event_killed.mask;
constexpr Picoseconds settle = 3'000'000;
constexpr Picoseconds tick = 4800;

void release(SignalNet& net, int node) {
  REQUIRE(net.write_now(node, nwp::signal_control, nwp::signal_control_release.mask));
}

/// Every node was interrupted by a kill, and names this killer.
void expect_killed(SignalNet& net, std::uint32_t number) {
  for (int n = 0; n < net.nodes(); ++n) {
    INFO("node " << n);
    CHECK(net.read_now(n, nwp::signal_event) == killed);
    const std::uint32_t who = net.read_now(n, nwp::signal_killer);
    CHECK(nwp::signal_killer_valid.get(who) == 1);
    CHECK(nwp::signal_killer_number.get(who) == number);
    REQUIRE(net.write_now(n, nwp::signal_event, killed));
  }
}

/// Neither this node nor another one kills any more.
void expect_rest(SignalNet& net) {
  for (int n = 0; n < net.nodes(); ++n) {
    INFO("node " << n);
    CHECK(net.read_now(n, nwp::signal_status) == 0);
  }
}

}  // namespace

TEST_CASE("a kill that is released at any time is heard by all, whole") {
  SignalNet net({3});
  net.run(settle);
  for (const int after : {0, 1, 3, 7, 20, 31, 33, 64, 100, 530, 1040, 1056, 1057, 1100, 1200}) {
    INFO("released " << after << " cycles after its answer");
    REQUIRE(net.write_now(0, nwp::signal_kill, 0xFFFF));
    net.run(after * tick);
    release(net, 0);
    // Until it has ended no other kill begins, neither of this node nor of another one.
    CHECK_FALSE(net.write_now(0, nwp::signal_kill, 0x0000));
    net.run(45 * tick);
    CHECK_FALSE(net.write_now(1, nwp::signal_kill, 0x0000));
    CHECK_FALSE(net.write_now(0, nwp::signal_vote, 1));
    net.run(1400 * tick);
    expect_killed(net, 0xFFFF);
    expect_rest(net);
  }
}

TEST_CASE("kills follow one another as fast as they are taken, each with its own number") {
  SignalNet net({1, 2}, {4800, 6024, 5000});
  net.run(settle);
  for (unsigned i = 0; i < 8; ++i) {
    const int killer = static_cast<int>(i % 3);
    const std::uint32_t number = i % 2 == 0 ? 0xFFFF : i;
    net.run_until([&] { return net.write_now(killer, nwp::signal_kill, number); }, 20'000'000,
                  "the partition to be free");
    release(net, killer);
    net.run(1300 * 6024);
    expect_killed(net, number);
  }
}

TEST_CASE(
    "kills and releases at random: no valid number that nobody wrote, and all name the same") {
  SignalNet net({2, 1, 2}, {4800, 6024, 4800, 5000});
  net.run(settle);
  std::mt19937 random(17);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  int taken = 0, refused = 0;
  for (int trial = 0; trial < 40; ++trial) {
    INFO("trial " << trial);
    for (int n = 0; n < net.nodes(); ++n) {
      const auto delay = static_cast<Picoseconds>(5'000 + random() % 100'000);
      net.up(n).delay = {delay, delay};
      net.down(n).delay = {delay, delay};
    }
    std::set<std::uint32_t> numbers;
    std::uint32_t sent = 0;
    const unsigned actions = 2 + below(8);
    for (unsigned i = 0; i < actions; ++i) {
      const int node = static_cast<int>(below(5));
      if (below(3) == 0) {
        net.write(node, nwp::signal_control, nwp::signal_control_release.mask);
      } else {
        sent = below(2) == 0 ? (sent & 0xFFFF) ^ 0xFFFF
                             : static_cast<std::uint32_t>(random() & 0xFFFF);
        net.write(node, nwp::signal_kill, sent, [&, number = sent](std::uint32_t, bool error) {
          (error ? refused : taken) += 1;
          if (!error) numbers.insert(number);
        });
      }
      net.run(static_cast<Picoseconds>(below(2) == 0 ? below(80) : below(1500)) * tick);
      const int looks = static_cast<int>(below(5));
      if (net.read_now(looks, nwp::signal_event) != killed) continue;
      const std::uint32_t who = net.read_now(looks, nwp::signal_killer);
      if (nwp::signal_killer_valid.get(who) == 1)
        CHECK(numbers.count(nwp::signal_killer_number.get(who)) == 1);
    }
    net.run(100 * tick);
    for (int n = 0; n < net.nodes(); ++n) release(net, n);
    net.run(1500 * 6024);
    if (numbers.empty()) continue;
    const std::uint32_t who = net.read_now(0, nwp::signal_killer);
    CHECK(numbers.count(nwp::signal_killer_number.get(who)) == 1);
    expect_killed(net, nwp::signal_killer_number.get(who));
    expect_rest(net);
  }
  CHECK(taken > 50);
  CHECK(refused > 50);
}

TEST_CASE("a killer that is reset within its number names nobody, and the next kill does") {
  SignalNet net({2, 1});
  // Over wires as long as this it can kill again before it has heard of the kill that it began.
  const bool hears = GENERATE(false, true);
  net.up(0).delay = net.down(0).delay = {200'000, 200'000};
  net.run(settle);
  REQUIRE(net.write_now(0, nwp::signal_kill, 0xFFFF));
  net.run((hears ? 500 : 5) * tick);
  net.reset(0);
  // At first a card might take what comes for more of the number.
  REQUIRE_FALSE(net.write_now(0, nwp::signal_kill, 0x0000));
  net.run(16 * tick);
  REQUIRE(net.write_now(0, nwp::signal_kill, 0x0000) == !hears);
  net.run(1500 * tick);
  for (int n = 0; n < net.nodes(); ++n) {
    INFO("node " << n);
    CHECK(net.read_now(n, nwp::signal_event) == killed);
    const std::uint32_t who = net.read_now(n, nwp::signal_killer);
    // Of the second one's number all is heard, or it is not valid.
    if (nwp::signal_killer_valid.get(who) == 1) {
      CHECK_FALSE(hears);
      CHECK(nwp::signal_killer_number.get(who) == 0);
    }
    REQUIRE(net.write_now(n, nwp::signal_event, killed));
  }
  release(net, 0);
  net.run(settle);
  expect_rest(net);
  REQUIRE(net.write_now(2, nwp::signal_kill, 0x1234));
  release(net, 2);
  net.run(1400 * tick);
  expect_killed(net, 0x1234);
}
