// SPDX-License-Identifier: Apache-2.0
// The global signal tree in Verilog: nodes' interfaces, cards, wires with delays between them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/signals/signal_net.hpp"

namespace {

using ht::test::Picoseconds;
using ht::test::SignalNet;
namespace nwp = ht::qpace::registers::nwp;

constexpr std::uint32_t done = nwp::signal_event_done.mask;
constexpr std::uint32_t killed = nwp::signal_event_killed.mask;
constexpr std::uint32_t order = nwp::signal_event_order.mask;
constexpr Picoseconds settle = 3'000'000;
constexpr Picoseconds tick = 4800;

std::uint32_t events(SignalNet& net, int node) {
  return net.read_now(node, nwp::signal_event);
}

/// A node's program: votes for ever, waits for the interrupt, notes results; pauses in between.
struct Voter {
  SignalNet& net;
  int node;
  std::function<std::uint32_t(int round)> vote;    ///< what to write
  std::function<Picoseconds(int round)> pause;     ///< before it is written
  std::function<void(int round)> voted = nullptr;  ///< about to write
  std::function<void(int round, bool value)> result = nullptr;
  int rounds = 0;

  int round = 0;
  std::uint32_t seen_events = 0;
  Picoseconds begin = 0;
  enum { Pausing, Voting, Reading, Stopped } state = Pausing;

  void start() { begin = net.now() + pause(0); }
  bool finished() const { return round == rounds; }
  void edge() {
    if (finished()) return;
    if (state == Pausing && net.now() >= begin) {
      if (voted) voted(round);
      net.write(node, nwp::signal_vote, vote(round), [](std::uint32_t, bool error) {
        if (error) throw std::runtime_error("a vote was refused");
      });
      state = Voting;
    } else if (state == Voting && net.irq(node)) {
      state = Reading;
      net.read(node, nwp::signal_event, [this](std::uint32_t value, bool) {
        seen_events |= value;
        if (value != done) {
          state = Stopped;
          return;
        }
        net.write(node, nwp::signal_event, done);
        net.read(node, nwp::signal_result, [this](std::uint32_t r, bool) {
          if (nwp::signal_result_count.get(r) != (static_cast<std::uint32_t>(round) + 1) % 65536)
            throw std::runtime_error("a result's count is wrong");
          if (result) result(round, nwp::signal_result_value.get(r) != 0);
          ++round;
          begin = finished() ? 0 : net.now() + pause(round);
          state = Pausing;
        });
      });
    }
  }
};

/// Runs all voters to their end.
void run_all(SignalNet& net, std::vector<Voter>& voters, Picoseconds limit) {
  for (Voter& v : voters) v.start();
  net.on_edge = [&](int node) {
    for (Voter& v : voters) {
      if (v.node == node) v.edge();
    }
  };
  net.run_until(
      [&] {
        return std::all_of(voters.begin(), voters.end(),
                           [](const Voter& v) { return v.finished(); });
      },
      limit, "votes");
  net.on_edge = nullptr;
}

/// All nodes vote, and all get the result.
void check_works(SignalNet& net) {
  for (int n = 0; n < net.nodes(); ++n)
    REQUIRE(net.write_now(n, nwp::signal_vote, nwp::signal_vote_value.mask));
  net.run(settle);
  for (int n = 0; n < net.nodes(); ++n) {
    INFO("node " << n);
    CHECK(events(net, n) == done);
    REQUIRE(net.write_now(n, nwp::signal_event, done));
  }
}

}  // namespace

TEST_CASE("AND and OR of all votes come to every node") {
  SignalNet net({4});
  std::vector<Voter> voters;
  constexpr int rounds = 32;  // all 16 votes, AND and OR
  int wrong = 0, seen = 0;
  for (int n = 0; n < 4; ++n) {
    Voter v{net, n,
            [n](int r) {
              return nwp::signal_vote_value.put(static_cast<std::uint32_t>(r % 16 >> n & 1)) |
                     nwp::signal_vote_or.put(r < 16 ? 0U : 1U);
            },
            [](int) { return Picoseconds{0}; }};
    v.result = [&](int r, bool value) {
      const bool expected = r < 16 ? r % 16 == 15 : r % 16 != 0;
      wrong += value != expected;
      ++seen;
    };
    v.rounds = rounds;
    voters.push_back(v);
  }
  run_all(net, voters, 200'000'000);
  CHECK(wrong == 0);
  CHECK(seen == 4 * rounds);
}

TEST_CASE("nobody leaves a barrier before all have come, however fast the next one follows") {
  // Three cards, clocks of two speeds, wires from 5 ns to 300 ns, a slow node that is late to look.
  SignalNet net({4, 3, 1}, {4800, 6024, 4800, 5000});
  std::mt19937 random(7);
  for (int n = 0; n < net.nodes(); ++n) {
    const auto delay = static_cast<Picoseconds>(5'000 + random() % 295'000);
    net.up(n).delay = {delay, delay + 3000};
    net.down(n).delay = {delay + 3000, delay};
  }
  constexpr int rounds = 150;
  std::vector<int> came(rounds, 0);
  std::vector<int> left(rounds, 0);
  int early = 0;
  std::vector<Voter> voters;
  for (int n = 0; n < net.nodes(); ++n) {
    Voter v{net, n, [](int) { return nwp::signal_vote_value.mask; },
            [n, &random](int r) -> Picoseconds {
              if (n == 0 || r % 7 == 0) return 0;  // at once again
              return static_cast<Picoseconds>(random() % (n == 5 ? 4'000'000 : 300'000));
            }};
    v.voted = [&](int r) { ++came[static_cast<std::size_t>(r)]; };
    v.result = [&](int r, bool value) {
      if (!value || came[static_cast<std::size_t>(r)] != net.nodes()) ++early;
      ++left[static_cast<std::size_t>(r)];
    };
    v.rounds = rounds;
    voters.push_back(v);
  }
  run_all(net, voters, 2'000'000'000);
  CHECK(early == 0);
  CHECK(std::all_of(left.begin(), left.end(), [&](int l) { return l == net.nodes(); }));
  for (int n = 0; n < net.nodes(); ++n) CHECK(events(net, n) == 0);
}

TEST_CASE(
    "a kill interrupts every node and tells who killed, and the tree works again afterwards") {
  SignalNet net({3, 2}, {4800, 6024});
  net.run(settle);
  for (const int killer : {0, 4, 2}) {
    INFO("killer " << killer);
    // Some have voted, some have not; some of the votes are half way up.
    for (const int n : {0, 1, 3}) {
      if (n != killer) REQUIRE(net.write_now(n, nwp::signal_vote, nwp::signal_vote_value.mask));
    }
    const auto number = static_cast<std::uint32_t>(0xA5C3 ^ killer);
    REQUIRE(net.write_now(killer, nwp::signal_kill, number));
    net.run_until(
        [&] {
          for (int n = 0; n < net.nodes(); ++n) {
            if (!net.irq(n)) return false;
          }
          return true;
        },
        2'000'000, "the interrupt");
    net.run(1200 * 6024);  // 16 bits, at the slower clock
    for (int n = 0; n < net.nodes(); ++n) {
      INFO("node " << n);
      CHECK(events(net, n) == killed);
      const std::uint32_t who = net.read_now(n, nwp::signal_killer);
      CHECK(nwp::signal_killer_valid.get(who) == 1);
      CHECK(nwp::signal_killer_number.get(who) == number);
      CHECK_FALSE(net.write_now(n, nwp::signal_vote, 1));  // refused while it lasts
      REQUIRE(net.write_now(n, nwp::signal_event, killed));
    }
    REQUIRE(net.write_now(killer, nwp::signal_control, nwp::signal_control_release.mask));
    net.run(settle);
    check_works(net);  // as if nothing had been
  }
}

TEST_CASE("of several nodes that kill at once one is named, to all the same") {
  SignalNet net({2, 2}, {4800, 6024, 5000});
  net.run(settle);
  std::mt19937 random(3);
  for (int trial = 0; trial < 12; ++trial) {
    for (int n = 0; n < net.nodes(); ++n) {
      const auto delay = static_cast<Picoseconds>(5'000 + random() % 100'000);
      net.up(n).delay = {delay, delay};
    }
    for (int n = 0; n < net.nodes(); ++n)
      net.write(n, nwp::signal_kill, 100U + static_cast<std::uint32_t>(n));
    net.run(1300 * 6024);
    const std::uint32_t who = net.read_now(0, nwp::signal_killer);
    CHECK(nwp::signal_killer_valid.get(who) == 1);
    CHECK(nwp::signal_killer_number.get(who) >= 100);
    CHECK(nwp::signal_killer_number.get(who) < 104);
    for (int n = 0; n < net.nodes(); ++n) {
      CHECK(net.read_now(n, nwp::signal_killer) == who);
      net.write_now(n, nwp::signal_event, killed);
      net.write_now(n, nwp::signal_control, nwp::signal_control_release.mask);
    }
    net.run(settle);
  }
}

TEST_CASE("disturbances shorter than the filter do nothing") {
  SignalNet net({3});
  std::mt19937 random(11);
  constexpr int rounds = 60;
  constexpr Picoseconds span = 300'000'000;
  int pulses = 0;
  for (int n = 0; n < 3; ++n) {
    for (auto* wires : {&net.up(n), &net.down(n)}) {
      Picoseconds at = settle;
      while (at < span) {
        at += static_cast<Picoseconds>(100'000 + random() % 400'000);
        // Seven clocks at most, both wires, any level.
        const auto length = static_cast<Picoseconds>(1 + random() % (7 * tick));
        wires->forced.push_back({at, at + length, static_cast<int>(random() % 4)});
        at += length;
        ++pulses;
      }
    }
  }
  std::vector<Voter> voters;
  int wrong = 0;
  for (int n = 0; n < 3; ++n) {
    Voter v{net, n, [](int r) { return static_cast<std::uint32_t>(r % 3 != 0); },
            [&random](int) { return static_cast<Picoseconds>(random() % 3'000'000); }};
    v.result = [&](int r, bool value) { wrong += value != (r % 3 != 0); };
    v.rounds = rounds;
    voters.push_back(v);
  }
  run_all(net, voters, span);
  CHECK(pulses > 3000);
  CHECK(wrong == 0);
  for (const Voter& v : voters) CHECK(v.seen_events == done);
  CHECK_FALSE(net.fault(0));
}

TEST_CASE("wires that differ in length by six clocks are one code") {
  // Every transition of two wires that there is, NULL to KILL, must not show as a vote in between.
  for (const bool second : {false, true}) {
    SignalNet net({2});
    net.run(settle);
    for (int n = 0; n < 2; ++n) {
      net.up(n).delay = {20'000 + (second ? 0 : 6 * tick), 20'000 + (second ? 6 * tick : 0)};
      net.down(n).delay = net.up(n).delay;
    }
    REQUIRE(net.write_now(0, nwp::signal_kill, 77));
    net.run(1300 * tick);
    for (int n = 0; n < 2; ++n) {
      CHECK(events(net, n) == killed);
      CHECK(nwp::signal_killer_number.get(net.read_now(n, nwp::signal_killer)) == 77);
    }
    CHECK_FALSE(net.fault(0));
  }
}

TEST_CASE("longer disturbances are reported") {
  SignalNet net({3});
  net.run(settle);
  const auto disturb = [&](ht::test::TwoWires& wires, int level) {
    wires.forced.push_back({net.now() + tick, net.now() + 40 * tick, level});
  };
  SECTION("a result at a node that did not vote") {
    disturb(net.down(1), 2);
    net.run(settle);
    CHECK(events(net, 1) == order);
    CHECK(net.irq(1));
    CHECK(events(net, 0) == 0);
    CHECK_FALSE(net.fault(0));  // what a node makes of it is no port's doing
  }
  SECTION("a result at a node that waits for the others: it takes its vote back, which kills") {
    REQUIRE(net.write_now(1, nwp::signal_vote, 1));
    net.run(settle);
    disturb(net.down(1), 1);
    net.run(settle);
    for (int n = 0; n < 3; ++n) {
      INFO("node " << n);
      CHECK((events(net, n) & killed) != 0);
      CHECK(nwp::signal_killer_valid.get(net.read_now(n, nwp::signal_killer)) == 0);
    }
  }
  SECTION("a vote that is lost on its way up") {
    REQUIRE(net.write_now(1, nwp::signal_vote, 1));
    net.run(settle);
    disturb(net.up(1), 0);
    net.run(settle);
    for (int n = 0; n < 3; ++n) CHECK(events(net, n) == killed);
    CHECK(net.fault(0));
  }
  SECTION("a vote nobody cast comes and goes") {
    disturb(net.up(1), 2);
    net.run(settle);
    for (int n = 0; n < 3; ++n) CHECK(events(net, n) == killed);
    CHECK(net.fault(0));
  }
  SECTION("a vote that changes") {
    REQUIRE(net.write_now(1, nwp::signal_vote, 1));
    net.run(settle);
    disturb(net.up(1), 1);
    net.run(settle);
    for (int n = 0; n < 3; ++n) CHECK(events(net, n) == killed);
    CHECK(net.fault(0));
  }
}

TEST_CASE("a kill at any moment behind a result is heard by all, and the tree works again") {
  SignalNet net({2});
  net.run(settle);
  for (int moment = 0; moment < 60; moment += 2) {
    INFO("clocks behind the result: " << moment);
    for (int n = 0; n < 2; ++n) REQUIRE(net.write_now(n, nwp::signal_vote, 1));
    net.run_until([&] { return net.irq(0) && net.irq(1); }, settle, "the result");
    // One votes again at once, which waits until the tree is free; the other one kills.
    net.write(0, nwp::signal_vote, 1);
    net.run(moment * tick);
    net.write(1, nwp::signal_kill, 0x5A00U + static_cast<std::uint32_t>(moment));
    net.run(1400 * tick);
    for (int n = 0; n < 2; ++n) {
      INFO("node " << n);
      CHECK(events(net, n) == (done | killed));
      const std::uint32_t who = net.read_now(n, nwp::signal_killer);
      CHECK(nwp::signal_killer_valid.get(who) == 1);
      CHECK(nwp::signal_killer_number.get(who) == 0x5A00U + static_cast<std::uint32_t>(moment));
      REQUIRE(net.write_now(n, nwp::signal_event, done | killed));
    }
    REQUIRE(net.write_now(1, nwp::signal_control, nwp::signal_control_release.mask));
    net.run(settle);
    check_works(net);
  }
}

TEST_CASE(
    "whatever code follows whatever on a port's wires kills the partition, and the tree works "
    "again") {
  SignalNet net({3});
  net.run(settle);
  for (const bool in_a_kill : {false, true}) {
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from == to) continue;
        INFO(from << " and then " << to << (in_a_kill ? ", after KILL" : ""));
        Picoseconds at = net.now() + tick;
        for (const int code : {in_a_kill ? 3 : 0, from, to}) {
          net.up(1).forced.push_back({at, at + 40 * tick, code});
          at += 40 * tick;
        }
        net.run(settle);
        for (int n = 0; n < 3; ++n) {
          INFO("node " << n);
          CHECK(events(net, n) == killed);
          CHECK(nwp::signal_killer_valid.get(net.read_now(n, nwp::signal_killer)) == 0);
          REQUIRE(net.write_now(n, nwp::signal_event, killed));
        }
        check_works(net);
        CHECK_FALSE(net.faulty_now(0));
      }
    }
  }
}

TEST_CASE("a node that takes its vote back kills the partition") {
  SignalNet net({2});
  net.run(settle);
  REQUIRE(net.write_now(0, nwp::signal_vote, 1));
  net.run(settle);
  REQUIRE(net.write_now(0, nwp::signal_control, nwp::signal_control_release.mask));
  net.run(settle);
  for (int n = 0; n < 2; ++n) CHECK(events(net, n) == killed);
}

TEST_CASE("two partitions on one card do not see one another") {
  SignalNet net({4});
  net.set_groups(0, 0b0101, 0b1010);
  net.run(settle);
  for (const int n : {0, 2}) REQUIRE(net.write_now(n, nwp::signal_vote, 1));
  REQUIRE(net.write_now(1, nwp::signal_vote, 0));
  net.run(settle);
  CHECK(events(net, 0) == done);
  CHECK(events(net, 2) == done);
  CHECK(events(net, 1) == 0);
  CHECK(events(net, 3) == 0);
  REQUIRE(net.write_now(2, nwp::signal_kill, 2));
  net.run(1200 * tick);
  CHECK(events(net, 0) == (done | killed));
  CHECK(events(net, 1) == 0);
  REQUIRE(net.write_now(3, nwp::signal_vote, 1));
  net.run(settle);
  CHECK(events(net, 1) == done);
  CHECK(events(net, 3) == done);
  CHECK(nwp::signal_result_value.get(net.read_now(3, nwp::signal_result)) == 0);
}

TEST_CASE("a port in neither partition is off") {
  SignalNet net({4});
  net.set_groups(0, 0b0001, 0b0010);
  net.run(settle);
  for (const int n : {0, 1, 2}) REQUIRE(net.write_now(n, nwp::signal_vote, 1));
  net.run(settle);
  CHECK(events(net, 0) == done);  // each by itself
  CHECK(events(net, 1) == done);
  REQUIRE(net.write_now(0, nwp::signal_kill, 1));
  REQUIRE(net.write_now(1, nwp::signal_kill, 1));
  net.run(1200 * tick);
  for (const int n : {2, 3}) {
    INFO("node " << n);
    CHECK(events(net, n) == 0);
    CHECK(nwp::signal_status_down.get(net.read_now(n, nwp::signal_status)) ==
          nwp::signal_status_up_null);
  }
}

TEST_CASE("a card is idle at rest, and then only what comes in changes it") {
  SignalNet net({3, 2}, {4800, 6024, 5000});
  net.run(settle);
  for (int c = 0; c < 3; ++c) CHECK(net.card_idle(c));
  std::array<int, 3> busy{};
  for (unsigned round = 0; round < 12; ++round) {
    for (int n = 0; n < net.nodes(); ++n)
      REQUIRE(net.write_now(n, nwp::signal_vote, (round >> n % 3) & 1));
    for (int i = 0; i < 200; ++i) {
      net.run(tick);
      for (std::size_t c = 0; c < 3; ++c) busy[c] += !net.card_idle(static_cast<int>(c));
    }
    net.run(settle);
    for (int c = 0; c < 3; ++c) CHECK(net.card_idle(c));
    for (int n = 0; n < net.nodes(); ++n) REQUIRE(net.write_now(n, nwp::signal_event, done));
  }
  for (int c = 0; c < 3; ++c) {
    INFO("card " << c);
    CHECK(net.restless(c) == 0);
    CHECK(busy[static_cast<std::size_t>(c)] > 100);
  }
}

TEST_CASE("what the signal registers refuse") {
  SignalNet net({2});
  net.run(settle);
  CHECK_FALSE(net.write_now(0, nwp::signal_status, 0));
  CHECK_FALSE(net.write_now(0, nwp::signal_result, 0));
  CHECK_FALSE(net.write_now(0, nwp::signal_killer, 0));
  CHECK_FALSE(net.write_now(0, nwp::signal_control + 1, 0));
  CHECK(net.write_now(0, nwp::signal_vote, 1));
  CHECK_FALSE(net.write_now(0, nwp::signal_vote, 1));
  const std::uint32_t status = net.read_now(0, nwp::signal_status);
  CHECK(nwp::signal_status_up.get(status) == nwp::signal_status_up_true);
  CHECK(nwp::signal_status_pending.get(status) == 1);
  CHECK(nwp::error_register_block.get(net.read_now(0, nwp::error)) == 1);
  CHECK_FALSE(net.write_now(0, nwp::signal_kill, 0x10000));  // not as 0
  CHECK(net.read_now(0, nwp::signal_status) == status);
  CHECK(net.read_now(0, nwp::error_count) == 6);
  CHECK(net.read_now(1, nwp::error) == 0);
}

TEST_CASE("cycles from the last vote to its result") {
  // Register bus and vote 3; wire of 20 ns 4.2 and up to 1 to the next edge, filter 9, card up 1,
  // down 1; wire and filter again; event 1. Together 32.3, and up to 2 for edges and 1 before the
  // request is seen.
  SignalNet net({2});
  net.run(settle);
  REQUIRE(net.write_now(0, nwp::signal_vote, 1));
  net.run(settle);
  const Picoseconds begin = net.now();
  net.write(1, nwp::signal_vote, 1);
  net.run_until([&] { return net.irq(1); }, 1'000'000, "the result");
  const double cycles = static_cast<double>(net.now() - begin) / tick;
  INFO(cycles << " cycles");
  CHECK(cycles > 32.3);
  CHECK(cycles < 35.4);
}
