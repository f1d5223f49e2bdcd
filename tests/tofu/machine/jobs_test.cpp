// SPDX-License-Identifier: Apache-2.0
// Two jobs on one Verilated Tofu machine, one of which strays: rtl/tofu/README.md, "Groups".
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <vector>

#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/machine/partitions_apart.hpp"
#include "tests/qmp/programs.hpp"
#include "tests/tofu/sw/stray.hpp"

using namespace ht;

namespace {

constexpr std::uint32_t short_limit = 8;  // 2^8 ticks: 52 us; far below the simulator's watchdog

machine::TofuMachineOptions halves(std::uint64_t seed, double rate) {
  machine::TofuMachineOptions o;
  o.shape = {{2, 1, 4, 1, 1, 1}, {true, true, true}};
  o.split_axis = 2;
  o.application = {2, 2};
  o.kernel.threads = 1;
  o.seed = seed;
  o.random_phases = o.random_state = true;
  o.cable_spread = 100'000;
  o.errors.bit_error_rate = rate;
  o.errors.from = 0;
  return o;
}

}  // namespace

TEST_CASE("Tofu nodes: two jobs keep QMP's promises side by side, though one strays all the time") {
  const auto [seed, rate] = GENERATE(table<std::uint64_t, double>({{1, 0.0}, {2, 1e-5}}));
  INFO("seed " << seed);
  machine::TofuMachine m(halves(seed, rate));
  std::vector<tofu::Coordinates> others;
  for (int n = 0; n < m.size(); ++n) {
    if (m.partition_of(n) == 1) others.push_back(m.torus().place(n));
  }
  std::size_t strays = 0;
  const auto& promises = qmp::tests::conformance_programs();
  for (std::size_t i = seed; i < promises.size(); i += 4) {
    const auto& promise = promises[i];
    INFO(promise.name);
    std::array<std::atomic<int>, 2> ran{};
    bool finished = false;
    m.run_partitions(
        [&](qmp::Transport& transport, int number) {
          const int job = m.partition_of(number);
          auto& own = dynamic_cast<tofu::Transport&>(transport);
          const auto stray = [&] {
            if (job != 0 || own.rank() != 0) return;
            own.port().write_register(tofu::registers::tni::time_limit(1), short_limit);
            const auto cause = test::write_into(own, others[strays++ % others.size()]);
            // A port on the way drops it, and the time limit tells; or the interface refuses it.
            CHECK((cause == tofu::TniCause::Timeout || cause == tofu::TniCause::Group));
          };
          stray();
          {
            const qmp::Node node(transport);
            promise.program();
          }
          stray();
          ++ran[static_cast<std::size_t>(job)];
        },
        &finished);
    REQUIRE(finished);
    CHECK(ran[0] == 4);
    CHECK(ran[1] == 4);
  }
  CHECK(strays > others.size());
  for (const auto& r : m.report_links()) CHECK(r.checksums_agree());
  CHECK(m.close_ledgers().undetected == 0);
}

TEST_CASE("Tofu nodes: what one job does, or that it fails, changes nothing in the other") {
  test::check_partitions_apart(
      [] { return std::make_unique<machine::TofuMachine>(halves(3, 1e-5)); });
}
