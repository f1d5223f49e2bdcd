// SPDX-License-Identifier: Apache-2.0
// The global signal tree of a machine, through the driver: barriers, conditions, kills,
// disturbances.
#include <catch2/catch.hpp>
#include <mutex>

#include "sim/qpace/bench/barrier.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;

namespace {

QpaceMachineOptions ring(std::vector<int> shape) {
  QpaceMachineOptions options;
  options.shape = std::move(shape);
  options.kernel.threads = 1;
  options.kernel.watchdog = 100'000'000;
  return options;
}

/// When each node came to, and left, each barrier.
struct Log {
  std::vector<std::vector<Picoseconds>> came, left;  ///< by node
  explicit Log(int nodes)
      : came(static_cast<std::size_t>(nodes)), left(static_cast<std::size_t>(nodes)) {}
};

Log barriers(QpaceMachine& m, int rounds) {
  Log log(m.size());
  m.run([&](qpace::Driver& driver) {
    const auto rank = static_cast<std::size_t>(driver.rank());
    for (int r = 0; r < rounds; ++r) {
      // Somebody else is last each time; every third barrier follows at once.
      if (r % 3 != 0) driver.runtime().advance(((driver.rank() * 7 + r * 5) % 11) * 700'000);
      log.came[rank].push_back(driver.runtime().now());
      driver.signal_barrier();
      log.left[rank].push_back(driver.runtime().now());
    }
  });
  return log;
}

}  // namespace

TEST_CASE("a barrier over the tree of cards holds everybody until the last has come") {
  // 20 nodes: two cards and one above them.
  for (const int nodes : {1, 3, 20}) {
    QpaceMachineOptions options = ring({nodes});
    options.random_phases = true;
    QpaceMachine m(options);
    constexpr int rounds = 12;
    const Log log = barriers(m, rounds);
    for (std::size_t r = 0; r < rounds; ++r) {
      Picoseconds last = 0, first_left = sim::kNever, last_left = 0;
      for (std::size_t n = 0; n < log.came.size(); ++n) {
        REQUIRE(log.left[n].size() == rounds);
        last = std::max(last, log.came[n][r]);
        first_left = std::min(first_left, log.left[n][r]);
        last_left = std::max(last_left, log.left[n][r]);
      }
      CHECK(first_left > last);
      // Processor's way, start, wires and filters: with a second level of cards twice as many; 60
      // cycles for the rest.
      const Picoseconds ways = (nodes > 16 ? 4 : 2) * (250'000 + 10 * 4800);
      CHECK(last_left - last > 2'500'000 + 50'000 + ways - 4 * 4800);
      CHECK(last_left - last < 2'500'000 + 50'000 + ways + 60 * 4800);
    }
  }
}

TEST_CASE(
    "barriers take the same time to the picosecond on any threads, idle cycles left out or not") {
  std::vector<std::vector<std::vector<Picoseconds>>> times;
  for (const unsigned threads : {1U, 3U}) {
    for (const bool skip : {true, false}) {
      QpaceMachineOptions options = ring({18});
      options.kernel.threads = threads;
      options.kernel.jump = skip;
      options.node.skip_idle = skip;
      options.random_phases = true;
      QpaceMachine m(options);
      times.push_back(barriers(m, 3).left);
    }
  }
  for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] == times[0]);
}

TEST_CASE("conditions over all nodes") {
  QpaceMachine m(ring({2, 2, 2}));
  std::mutex mutex;
  int right = 0;
  m.run([&](qpace::Driver& driver) {
    const int rank = driver.rank();
    int good = 0;
    good += driver.signal_all(true);
    good += !driver.signal_all(rank != 5);
    good += driver.signal_any(rank == 2);
    good += !driver.signal_any(false);
    good += driver.signal_all(true);
    const std::lock_guard lock(mutex);
    right += good;
  });
  CHECK(right == 8 * 5);
}

TEST_CASE("a barrier that meets a condition is told so") {
  QpaceMachine m(ring({2}));
  CHECK_THROWS_WITH(m.run([](qpace::Driver& driver) {
    if (driver.rank() == 0)
      driver.signal_barrier();
    else
      driver.signal_all(false);
  }),
                    Catch::Contains("a barrier met another node's condition"));
}

TEST_CASE("a node that fails kills its partition, and every program ends with its name") {
  QpaceMachineOptions options = ring({2, 2, 2});
  options.kill_on_error = true;
  QpaceMachine m(options);
  std::mutex mutex;
  std::vector<std::string> ends(8);
  const auto program = [&](qpace::Driver& driver) {
    const auto note = [&](const std::string& text) {
      const std::lock_guard lock(mutex);
      ends[static_cast<std::size_t>(driver.rank())] = text;
    };
    try {
      if (driver.rank() == 3) {
        driver.runtime().advance(30'000'000);
        throw DataError("a file is not there");
      }
      // Others wait for a message, for a barrier, or compute and then want one.
      void* buffer = driver.allocate(128, 128);
      const auto id = driver.declare_receive(0, qmp::Channel::User, buffer, 128);
      if (driver.rank() == 6) driver.runtime().advance(60'000'000);
      if (driver.rank() % 2 == 0) {
        driver.start(id);
        driver.wait(id);
      }
      driver.signal_barrier();
      note("went on");
    } catch (const std::exception& e) {
      note(e.what());
      throw;
    }
  };
  CHECK_THROWS_AS(m.run(program), DataError);
  for (std::size_t n = 0; n < ends.size(); ++n) {
    INFO("node " << n << ": " << ends[n]);
    if (n == 3)
      CHECK(ends[n] == "a file is not there");
    else
      CHECK(ends[n] == "node " + std::to_string(n) + ": the partition was killed by node 3");
  }
}

TEST_CASE("without the tree a failure ends the run at once") {
  QpaceMachine m(ring({2}));
  bool went_on = false;
  CHECK_THROWS_AS(m.run([&](qpace::Driver& driver) {
    if (driver.rank() == 1) throw DataError("a file is not there");
    driver.runtime().advance(100'000'000);
    went_on = true;
  }),
                  DataError);
  CHECK_FALSE(went_on);
}

TEST_CASE("disturbed wires: short ones do nothing, long ones are reported") {
  for (const Picoseconds length : {30'000, 300'000}) {
    for (const bool up : {false, true}) {
      INFO(length << " ps, " << (up ? "up" : "down"));
      QpaceMachineOptions options = ring({4});
      options.signals.disturbances = {{2, up, {40'000'000, 40'000'000 + length, 2}}};
      QpaceMachine m(options);
      const auto program = [](qpace::Driver& driver) {
        driver.runtime().advance(50'000'000 - driver.runtime().now());
        driver.signal_barrier();
      };
      if (length < 7 * 4800)
        CHECK(m.run(program));
      else
        CHECK_THROWS_WITH(m.run(program), Catch::Contains(up ? "broke the order of votes"
                                                             : "that nobody asked for"));
    }
  }
}

TEST_CASE("what bench qpace says of barriers is what their parts add up to") {
  bench::BarrierOptions options;
  options.rounds = 5;
  // One card, wires of 250 ns, filters of ten cycles, a program that takes 50 ns to start.
  constexpr double cycle = 4800, way = 250'000 + 10 * cycle, start = 50'000;
  // Votes up, the result down, votes back to NULL, NULL down; cycles to combine, see and look.
  const double bare = bench::barrier_time(options);
  CHECK(bare > 4 * way);
  CHECK(bare < 4 * way + start + 60 * cycle);
  // With the processor's way of 2.5 us the way back to NULL is over before the next vote comes.
  options.host_path = 2'500'000;
  const double tree = bench::barrier_time(options);
  CHECK(tree > 2 * way + start + 2'500'000);
  CHECK(tree < 2 * way + start + 2'500'000 + 60 * cycle);
  // Over the torus: three axes, a message each, 3 us at least.
  options.tree = false;
  CHECK(bench::barrier_time(options) > 3 * 2'900'000);
}
