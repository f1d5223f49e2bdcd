// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/kernel.hpp"
#include "sim/qpace/cable.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

#include "sw/host/errors.hpp"
#include "tests/kernel/toy_node.hpp"

using namespace ht;
using namespace ht::test;
using Catch::Matchers::Contains;
using sim::Kernel;
using sim::KernelOptions;
using sim::RunEnd;

namespace {

struct Outcome {
  std::vector<std::uint64_t> hashes;
  std::string errors;
  sim::ErrorTotals totals;
  Picoseconds now = 0;
  Kernel::Statistics statistics;
};

Outcome simulate(const ToyRing& ring, const KernelOptions& options,
                 Picoseconds limit = sim::kNever) {
  Kernel kernel(options);
  const auto nodes = ring.build(kernel);
  REQUIRE(kernel.run(limit) == (limit == sim::kNever ? RunEnd::Finished : RunEnd::TimeLimit));
  Outcome o;
  for (const auto* n : nodes) o.hashes.push_back(n->hash());
  o.now = kernel.now();
  o.statistics = kernel.statistics();
  o.totals = kernel.close_ledgers();
  std::ostringstream text;
  for (std::size_t i = 0; i < kernel.cable_count(); ++i) kernel.cable(i).ledger().dump(text);
  o.errors = text.str();
  return o;
}

sim::FaultPlan damage() {
  sim::FaultPlan f;
  f.bit_error_rate = 2e-5;
  f.drawn = {3, 30, 5, 5, 0, 200'000'000};
  f.pulls = {{50'000'000, 51'000'000}};
  return f;
}

KernelOptions with(unsigned threads, Picoseconds window = 0, bool jump = true) {
  KernelOptions o;
  o.threads = threads;
  o.window = window;
  o.jump = jump;
  return o;
}

std::string standstill(Kernel& kernel) {
  try {
    kernel.run();
  } catch (const TimeoutError& e) {
    CHECK(e.exit_code() == ExitCode::Timeout);
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("kernel: same bits for any threads, windows and skipping") {
  ToyRing ring;
  for (const bool faulty : {false, true}) {
    ring.faults = faulty ? damage() : sim::FaultPlan{};
    ring.node.mean_gap = faulty ? 200 : 2000;
    ring.node.housekeeping = faulty ? 0 : 1700;
    // Up to one time, so that windows of all lengths end together.
    const Picoseconds limit = 70'000'000;
    ring.node.messages = 1000;
    const Outcome one = simulate(ring, with(1), limit);
    CHECK(one.now == limit);
    CHECK(one.totals.balanced());
    CHECK((one.totals.injected > 100) == faulty);
    for (const unsigned threads : {1U, 2U, 3U}) {
      for (const Picoseconds window : {0, 246000, 100001, 4000}) {
        for (const bool skip : {true, false}) {
          if ((threads == 3 || window == 4000) && !skip) continue;
          ToyRing same = ring;
          same.node.skip = skip;
          const Outcome o = simulate(same, with(threads, window, skip), limit);
          INFO(threads << " threads, window " << window << ", skip " << skip);
          REQUIRE(o.hashes == one.hashes);
          REQUIRE(o.errors == one.errors);
          REQUIRE(o.totals == one.totals);
          REQUIRE(o.statistics.cycles.total == one.statistics.cycles.total);
          REQUIRE((o.statistics.cycles.skipped > 0) == skip);
        }
      }
    }
    ToyRing other = ring;
    other.seed = 2;
    CHECK((simulate(other, with(1), limit).hashes != one.hashes) == faulty);
  }
}

TEST_CASE("kernel: same bits for any threads, windows and skipping, with clocks that are off") {
  ToyRing ring;
  ring.faults = damage();
  const Picoseconds limit = 70'000'000;
  ring.node.messages = 1000;
  const Outcome nominal = simulate(ring, with(1), limit);
  for (const std::int64_t ppb : {300'000, -300'000, 1'250}) {
    ring.node.clock = sim::Clock{}.slower_by(ppb);
    const Outcome one = simulate(ring, with(1), limit);
    CHECK(one.totals.balanced());
    CHECK(one.hashes != nominal.hashes);
    for (const unsigned threads : {1U, 3U}) {
      for (const Picoseconds window : {0, 100001, 4000}) {
        ToyRing same = ring;
        same.node.skip = threads == 1;
        const Outcome o = simulate(same, with(threads, window, threads == 1), limit);
        INFO(ppb << " ppb, " << threads << " threads, window " << window);
        REQUIRE(o.hashes == one.hashes);
        REQUIRE(o.errors == one.errors);
        REQUIRE(o.totals == one.totals);
        REQUIRE(o.statistics.cycles.total == one.statistics.cycles.total);
      }
    }
  }
}

TEST_CASE("kernel: leaving out windows changes neither the end nor the errors") {
  ToyRing ring;
  ring.node.mean_gap = 5000;
  ring.node.housekeeping = 3000;
  ring.node.messages = 20;
  ring.faults.bit_error_rate = 1e-6;
  const Outcome jump = simulate(ring, with(2, 0, true)), walk = simulate(ring, with(2, 0, false));
  CHECK(jump.now == walk.now);
  CHECK(jump.hashes == walk.hashes);
  CHECK(jump.errors == walk.errors);
  CHECK(jump.totals.injected > 0);
  CHECK(walk.statistics.skipped_windows == 0);
  CHECK(jump.statistics.skipped_windows > 10);
  CHECK(jump.statistics.windows + jump.statistics.skipped_windows == walk.statistics.windows);
}

TEST_CASE("kernel: runs on to rest after the programs have finished") {
  ToyRing ring;
  Kernel kernel(with(2));
  const auto nodes = ring.build(kernel);
  std::vector<Picoseconds> ends;
  kernel.on_window([&](Picoseconds t) { ends.push_back(t); });
  REQUIRE(kernel.run() == RunEnd::Finished);
  CHECK(kernel.window() == 246000);
  CHECK(kernel.threads() == 2);
  const auto heard = nodes[0]->heard() + nodes[1]->heard() + nodes[2]->heard();
  REQUIRE(kernel.settle() == RunEnd::Finished);
  for (std::size_t i = 0; i < kernel.cable_count(); ++i) CHECK(kernel.cable(i).in_flight() == 0);
  for (const auto* n : nodes) CHECK(n->asleep_until() == sim::kNever);
  CHECK(nodes[0]->heard() + nodes[1]->heard() + nodes[2]->heard() >= heard);
  CHECK(std::is_sorted(ends.begin(), ends.end()));
  CHECK(ends.back() == kernel.now());
  CHECK(kernel.run() == RunEnd::Finished);  // nothing more to do
}

TEST_CASE("kernel: threads get equal shares of the nodes, light ones apart") {
  // Remembers who ran it; has no cables.
  struct Resident final : sim::SimNode {
    explicit Resident(bool is_light) : is_light_(is_light) {}
    std::string name() const override { return "resident"; }
    void run(Picoseconds /*from*/, Picoseconds /*to*/) override {
      thread_ = std::this_thread::get_id();
    }
    bool finished() const override { return thread_ != std::thread::id(); }
    Picoseconds asleep_until() const override { return 0; }
    std::uint64_t progress() const override { return 0; }
    std::string status() const override { return ""; }
    bool light() const override { return is_light_; }
    bool is_light_;
    std::thread::id thread_;
  };
  Kernel kernel(with(2));
  std::vector<Resident*> nodes;
  for (const bool light : {true, false, false, false, false, true, true, true, true}) {
    auto node = std::make_unique<Resident>(light);
    nodes.push_back(node.get());
    kernel.add_node(std::move(node));
  }
  REQUIRE(kernel.run() == RunEnd::Finished);
  const auto here = [&](bool light) {
    return std::count_if(nodes.begin(), nodes.end(), [&](const Resident* n) {
      return n->light() == light && n->thread_ == std::this_thread::get_id();
    });
  };
  CHECK(here(false) == 2);
  CHECK(here(true) == 3);
}

TEST_CASE("kernel: all asleep with nothing in flight is a standstill, by name") {
  for (const unsigned threads : {1U, 2U}) {
    ToyRing ring;
    ring.node.wait_at = 30;
    ring.node.housekeeping = threads == 1 ? 1000 : 0;  // keep-alives are nobody's progress
    Kernel kernel(with(threads));
    ring.build(kernel);
    const std::string text = standstill(kernel);
    CHECK_THAT(text, Contains("every node waits and nothing is in flight"));
    for (int i = 0; i < 5; ++i) {
      CHECK_THAT(text, Contains("toy " + std::to_string(i) + ": waits for the moon"));
    }
  }
}

namespace {
/// Never sleeps, and gets nothing done; or computes for a long time.
class Spinner : public sim::SimNode {
 public:
  Spinner(Picoseconds computing, Picoseconds end, bool pauses = false)
      : computing_(computing), end_(end), pauses_(pauses) {}
  std::string name() const override { return "spinner"; }
  void run(Picoseconds, Picoseconds to) override { now_ = to; }
  bool finished() const override { return now_ >= end_; }
  Picoseconds asleep_until() const override { return now_; }
  Picoseconds computing_until() const override { return now_ < computing_ ? computing_ : 0; }
  std::uint64_t progress() const override { return 7; }
  std::uint64_t pauses() const override {
    return pauses_ ? static_cast<std::uint64_t>(now_ / 500'000) : 0;
  }
  std::string status() const override { return "polls"; }

 private:
  Picoseconds computing_, end_, now_ = 0;
  bool pauses_;
};
}  // namespace

TEST_CASE("kernel: no progress for the watchdog's time is a standstill, and computing is not") {
  KernelOptions o = with(1);
  o.watchdog = 5'000'000;
  {
    Kernel kernel(o);
    kernel.add_node(std::make_unique<Spinner>(0, 20'000'000));
    CHECK_THAT(standstill(kernel),
               Contains("no node made progress for 5 us") && Contains("spinner: polls"));
    CHECK(kernel.now() > 5'000'000);
    CHECK(kernel.now() < 7'000'000);
  }
  {
    Kernel kernel(o);
    kernel.add_node(std::make_unique<Spinner>(18'000'000, 20'000'000));
    CHECK(kernel.run() == RunEnd::Finished);
  }
  {
    Kernel kernel(o);
    kernel.add_node(std::make_unique<Spinner>(0, 0));
    CHECK(kernel.run() == RunEnd::Finished);
    CHECK_THROWS_AS(kernel.settle(), TimeoutError);  // it never comes to rest
  }
  {
    Kernel kernel(o);  // what it looks for has a time limit of its own
    kernel.add_node(std::make_unique<Spinner>(0, 20'000'000, true));
    CHECK(kernel.run() == RunEnd::Finished);
  }
  o.watchdog = 0;
  Kernel kernel(o);
  kernel.add_node(std::make_unique<Spinner>(0, 20'000'000));
  CHECK(kernel.run() == RunEnd::Finished);
}

TEST_CASE("kernel: processor time without progress is a standstill, too, however slow the clock") {
  for (const double seconds : {0.02, 0.2}) {
    for (const unsigned threads : {1U, 2U}) {
      KernelOptions o = with(threads);
      o.watchdog = 0;
      o.watchdog_seconds = seconds;
      Kernel kernel(o);
      kernel.add_node(std::make_unique<Spinner>(0, sim::kNever));
      kernel.add_node(std::make_unique<Spinner>(0, sim::kNever, true));
      CHECK_THAT(standstill(kernel), Contains("of processor time") && Contains("spinner: polls"));
      Kernel restless(o);
      restless.add_node(std::make_unique<Spinner>(0, 0));
      CHECK(restless.run() == RunEnd::Finished);
      CHECK_THROWS_AS(restless.settle(), TimeoutError);
    }
  }
}

TEST_CASE("kernel: what a node throws reaches the caller, the lowest node's first") {
  for (const unsigned threads : {1U, 2U}) {
    ToyRing ring;
    ring.nodes = 4;
    ring.node.throw_at = 0;
    ring.node.mean_gap = 5;  // all in the first window
    Kernel kernel(with(threads));
    ring.build(kernel);
    CHECK_THROWS_WITH(kernel.run(), "toy 0 broke");
    CHECK_THROWS_WITH(kernel.run(), "toy 0 broke");  // and there is no going on
  }
}

TEST_CASE("kernel: a request to stop ends at the end of a window") {
  ToyRing ring;
  std::atomic<bool> stop{false};
  KernelOptions o = with(2);
  o.stop = &stop;
  Kernel kernel(o);
  ring.build(kernel);
  kernel.on_window([&](Picoseconds t) { stop = t >= 2'000'000; });
  CHECK(kernel.run() == RunEnd::Stopped);
  CHECK(kernel.now() >= 2'000'000);
  CHECK(kernel.now() % kernel.window() == 0);
  const Picoseconds at = kernel.now();
  CHECK(kernel.run() == RunEnd::Stopped);
  CHECK(kernel.now() == at);
  stop = false;
  kernel.on_window({});
  CHECK(kernel.run() == RunEnd::Finished);
}

TEST_CASE("kernel: a time limit is kept exactly, and a run continued gives the same bits") {
  ToyRing ring;
  ring.faults = damage();
  const Outcome whole = simulate(ring, with(1), 20'000'000);
  Kernel kernel(with(1));
  const auto nodes = ring.build(kernel);
  for (const Picoseconds limit : {1, 1'000'003, 1'000'004, 20'000'000}) {
    CHECK(kernel.run(limit) == RunEnd::TimeLimit);
    CHECK(kernel.now() == limit);
  }
  std::vector<std::uint64_t> hashes;
  for (const auto* n : nodes) hashes.push_back(n->hash());
  CHECK(hashes == whole.hashes);
}

TEST_CASE("kernel: misuse is refused") {
  ToyRing ring;
  for (const Picoseconds window : {-1, 246001}) {
    Kernel kernel(with(1, window));
    ring.build(kernel);
    CHECK_THROWS_AS(kernel.run(), UsageError);
  }
  Kernel kernel(with(1));
  ring.build(kernel);
  CHECK(kernel.is_local(0));
  CHECK_THROWS_AS(kernel.node(99), std::out_of_range);
  CHECK_THROWS_AS(kernel.add_remote_node(0), std::logic_error);
  sim::CableOptions o;
  CHECK_THROWS_AS(kernel.add_cable(std::make_unique<sim::QpaceCable>(o), 0, 5), std::logic_error);
  kernel.run();
  CHECK_THROWS_AS(kernel.add_node(std::make_unique<Spinner>(0, 0)), std::logic_error);
}
