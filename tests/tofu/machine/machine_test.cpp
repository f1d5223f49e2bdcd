// SPDX-License-Identifier: Apache-2.0
// Tofu's barrier interface and uTofu over Verilated interconnect controllers: operations end with
// the right bits over bad cables, a run is the same for any number of threads and whether or not
// idle cycles are skipped, and hops take the cycles they should.
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <vector>

#include "sim/tofu/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "tests/tofu/sw/gate_programs.hpp"
#include "verif/model/common/order_independent_sum.hpp"

using namespace ht;
using machine::TofuMachine;
using machine::TofuMachineOptions;

namespace {

constexpr Picoseconds us = 1'000'000;

TofuMachineOptions torus(std::array<int, 6> length) {
  TofuMachineOptions o;
  o.shape = {length, {true, true, true}};
  o.messages = false;
  o.kernel.threads = 1;
  return o;
}

// What the tests of gates run on, over the whole hardware.
class RtlMachine final : public test::GateMachine {
 public:
  explicit RtlMachine(const TofuMachineOptions& options) : machine_(options) {}
  const tofu::Shape& shape() const override { return machine_.torus(); }
  host::HardwarePort& port(int node) override { return machine_.node(node); }
  std::uint64_t register_accesses(int /*node*/) const override { return 0; }
  void run(const std::function<void(int, host::HardwarePort&)>& program) override {
    machine_.run([&](tofu::Transport& t) { program(t.place().node, t.port()); });
  }
  TofuMachine& machine() { return machine_; }

 private:
  TofuMachine machine_;
};

// Every link's ends agree, and every error was found; how many errors there were.
std::uint64_t check_links(TofuMachine& m) {
  for (const auto& r : m.report_links()) {
    INFO("node " << r.from << " " << r.name);
    CHECK(r.checksums_agree());
    CHECK(r.sent == r.accepted);
  }
  const sim::ErrorTotals errors = m.close_ledgers();
  CHECK(errors.undetected == 0);
  CHECK(errors.balanced());
  return errors.injected;
}

// Sums and barriers of gates, from times that depend on the node; the bits and when it ended.
struct Ended {
  double sum = 0;
  Picoseconds time = 0;
  bool operator==(const Ended&) const = default;
};
std::vector<Ended> sums(const TofuMachineOptions& options, tofu::Algorithm algorithm) {
  TofuMachine m(options);
  std::vector<Ended> ended(static_cast<std::size_t>(m.size()));
  std::mutex mutex;
  m.run([&](tofu::Transport& t) {
    tofu::Icc& icc = t.icc();
    const int rank = icc.place().node;
    tofu::GateCollectives::Options gates;
    gates.algorithm = algorithm;
    tofu::GateCollectives all(icc.barrier(), icc.place().machine.first_places(m.size()), rank,
                              gates);
    icc.port().advance(200 * us - icc.port().now());  // everybody has wired
    double sum = 0;
    for (int i = 0; i < 5; ++i) {
      icc.port().advance((rank * 7 + i) % 5 * us / 3);
      sum += all.sum(1.0 / (3 + rank) * (i % 2 == 0 ? 1e-20 : 1e20));
      all.barrier();
    }
    const std::lock_guard lock(mutex);
    ended[static_cast<std::size_t>(rank)] = {sum, icc.port().now()};
  });
  check_links(m);
  return ended;
}

}  // namespace

TEST_CASE("Tofu nodes: every pattern of gates, over cables with errors") {
  const double rate = GENERATE(0.0, 1e-5);
  const auto algorithm = GENERATE(tofu::Algorithm::RecursiveDoubling, tofu::Algorithm::DoubleRing,
                                  tofu::Algorithm::Tree);
  TofuMachineOptions options = torus({2, 1, 1, 2, 3, 1});
  options.errors.bit_error_rate = rate;
  options.errors.from = 0;
  options.random_phases = true;
  RtlMachine m(options);
  test::check_pattern(m, algorithm, 3);
  CHECK((check_links(m.machine()) > 10) == (rate > 0));
}

TEST_CASE(
    "Tofu nodes: sums have the bits of the exact arithmetic, whatever the errors and the pattern") {
  std::vector<double> expected;
  const int nodes = 8;
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    model::OrderIndependentSum s;
    for (int rank = 0; rank < nodes; ++rank) s.add(1.0 / (3 + rank) * (i % 2 == 0 ? 1e-20 : 1e20));
    sum += s.round();
  }
  for (const auto algorithm : {tofu::Algorithm::RecursiveDoubling, tofu::Algorithm::Tree}) {
    TofuMachineOptions options = torus({2, 1, 1, 2, 1, 2});
    options.errors.bit_error_rate = 1e-5;
    options.errors.from = 0;
    for (const Ended& e : sums(options, algorithm)) CHECK(e.sum == sum);
  }
}

TEST_CASE("Tofu nodes: sums and barriers while lanes of the cables are exchanged for a time") {
  const double rate = GENERATE(0.0, 1e-5);
  // 12 symbols, 125, and 1,000: long enough for links to train anew.
  const std::int64_t size = GENERATE(38'400, 400'000, 3'200'000);
  std::uint64_t detected = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("bit error rate " << rate << ", " << size << " ps, seed " << seed);
    TofuMachineOptions options = torus({2, 1, 1, 2, 1, 1});
    options.seed = seed;
    options.errors.bit_error_rate = rate;
    options.errors[sim::ErrorKind::Exchanged] = {40, size};
    options.errors.from = 0;
    options.errors.until = 60 * us;
    RtlMachine m(options);
    test::check_pattern(m, tofu::Algorithm::RecursiveDoubling, 3);
    for (const auto& r : m.machine().report_links()) CHECK(r.checksums_agree());
    const sim::ErrorTotals errors = m.machine().close_ledgers();
    const auto exchanged = static_cast<std::size_t>(sim::ErrorKind::Exchanged);
    CHECK(errors.balanced());
    // Over a long time a beat may have a good link control packet in one half, and damage in the
    // other half that nobody reads.
    CHECK(errors.undetected == 0);
    CHECK(errors.injected_of[exchanged] > 0);
    CHECK(errors.injected_of[exchanged] <= 40);
    detected += errors.detected_of[exchanged];
  }
  CHECK(detected > 10);
}

TEST_CASE("Tofu nodes: a packet that a router dropped ends the run, though nobody waits for it") {
  using Catch::Matchers::Contains;
  const bool lost = GENERATE(false, true);
  TofuMachine m(torus({2, 1, 1, 1, 1, 1}));
  m.run([&](tofu::Transport& t) {
    if (t.place().node != 1) return;
    tofu::GateSetting gate;
    gate.destination = {{{lost ? 5 : 0, 0, 0, 0, 0, 0}}, 9};
    t.barrier().wire(0, gate);
    t.barrier().start(0, tofu::GateOperation::Barrier);
  });
  if (lost)
    CHECK_THROWS_WITH(m.report_links(),
                      Contains("node 1: router") && Contains("register ROUTER_ERROR 0x4"));
  else  // it arrives, where no gate is wired for it
    CHECK_THROWS_WITH(m.report_links(),
                      Contains("node 0: barrier interface") && Contains("ERROR 0x200"));
}

TEST_CASE("Tofu nodes: threads, windows and skipping change nothing") {
  TofuMachineOptions options = torus({2, 1, 1, 2, 1, 2});
  options.errors.bit_error_rate = 1e-5;
  options.errors.from = 0;
  options.random_phases = true;
  const auto one = sums(options, tofu::Algorithm::RecursiveDoubling);
  options.kernel.threads = 2;
  CHECK(sums(options, tofu::Algorithm::RecursiveDoubling) == one);
  options.node.skip_idle = false;
  CHECK(sums(options, tofu::Algorithm::RecursiveDoubling) == one);
}

TEST_CASE("Tofu machine: shapes the hardware does not have are refused") {
  CHECK_THROWS_AS(TofuMachine(torus({33, 1, 1, 1, 1, 1})), UsageError);
  CHECK_THROWS_AS(TofuMachine(torus({1, 1, 1, 3, 1, 1})), UsageError);
  CHECK_THROWS_AS(TofuMachine(torus({1, 1, 1, 1, 4, 1})), UsageError);
}
