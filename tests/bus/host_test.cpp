// SPDX-License-Identifier: Apache-2.0
// A node's ports and registers over AXI: random traffic against a memory that uses every freedom of
// the protocol.
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "sw/bus/registers.hpp"
#include "tests/bus/host_bench.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;
namespace control = ht::bus::registers::control;

namespace {
constexpr unsigned okay = 0, slverr = 2, decerr = 3;
constexpr std::uint32_t own = HostBench::window;

std::uint32_t at(std::uint32_t number) {
  return own + 4 * number;
}
}  // namespace

TEST_CASE("axi: what the ports read is what they wrote, in bursts, whatever the bus does") {
  for (std::uint64_t trial = 0; trial < 6; ++trial) {
    CAPTURE(trial, test_seed());
    const RandomPowerOn power(trial);
    HostBench bench(seed_of(trial), 0.35 * static_cast<double>(trial % 3));
    bench.orderly = trial % 2 == 1;
    bench.registers[5] = 17;
    bench.start();
    for (int i = 0; i < 300; ++i) {
      bench.run(60);
      REQUIRE(bench.read(4 * 5).value == 17);
    }
    bench.settle();
    CHECK(bench.reads_checked > 1000);
    CHECK(bench.writes_taken > 1000);
    CHECK(bench.fences_checked >= 300);
    CHECK(bench.behinds_checked > 20);
    if (bench.orderly) {
      CHECK(bench.memory.beats > bench.memory.bursts);
      CHECK(bench.memory.interleaved > 0);
    }
    if (trial % 3 != 0) CHECK(bench.memory.overtaken > 0);
    CHECK(bench.read(at(control::error)).value == 0);
    CHECK(!bench.interrupt());
  }
}

TEST_CASE("axi: an access beyond the node's memory stops its port, and the others go on") {
  for (std::uint64_t trial = 0; trial < 8; ++trial) {
    CAPTURE(trial, test_seed());
    HostBench bench(seed_of(trial), 0.15 * static_cast<double>(trial % 4));
    bench.registers[3] = 1;
    bench.start();
    bench.run(500);
    CHECK(bench.read(at(control::error)).value == 0);
    bench.beyond = 0.002;  // of one port, mostly
    while (!bench.interrupt()) bench.step();
    bench.beyond = 0;
    const std::uint64_t reads = bench.reads_checked;
    bench.run(6000);
    bench.settle();
    CHECK(bench.reads_checked > reads);
    CHECK(bench.range_reads + bench.range_writes > 0);
    const auto error = bench.read(at(control::error)).value;
    CHECK(control::error_read_range.get(error) + control::error_write_range.get(error) > 0);
    CHECK(control::error_read_refused.get(error) + control::error_write_refused.get(error) == 0);
    CHECK(bench.read(at(control::error_low)).value >= HostBench::pages * 4096);
    CHECK(bench.read(at(control::error_port)).value < HostBench::ports);
    // A register may speak of what was to be written, or of what was to be read and sent.
    CHECK(bench.read(4 * 3).response == slverr);
    CHECK(bench.write(4 * 3, 1) == okay);
    CHECK(bench.write(at(control::error), error) == okay);
    CHECK(bench.read(at(control::error)).value == 0);
    CHECK(!bench.interrupt());
    bench.hold();
    bench.run(2000);
    CHECK(bench.read(4 * 3).response == okay);
    bench.settle();
    CHECK(bench.read(at(control::error)).value == 0);
  }
}

TEST_CASE("axi: what the bus refuses is reported with its place, and nothing is told behind it") {
  for (std::uint64_t trial = 0; trial < 8; ++trial) {
    CAPTURE(trial, test_seed());
    const RandomPowerOn power(trial);
    HostBench bench(seed_of(trial), 0.15 * static_cast<double>(trial % 4));
    bench.registers[3] = 1;
    bench.orderly = trial % 2 == 1;
    const std::uint64_t refused = HostBench::base + 4096 * 4;  // a page of port 1
    bench.start();
    bench.run(1000);
    bench.settle();
    bench.memory.refuses = [=](std::uint64_t address) { return address / 4096 == refused / 4096; };
    std::set<unsigned> responses;
    while (!bench.interrupt()) responses.insert(bench.read(4 * 3).response);
    for (int i = 0; i < 100; ++i) responses.insert(bench.read(4 * 3).response);
    bench.settle();
    const auto error = bench.read(at(control::error)).value;
    CHECK(control::error_read_refused.get(error) + control::error_write_refused.get(error) > 0);
    CHECK(control::error_read_range.get(error) + control::error_write_range.get(error) == 0);
    CHECK(bench.read(at(control::error_low)).value / 4096 == 4);
    CHECK(bench.read(at(control::error_port)).value == 1);
    CHECK(responses.contains(slverr));
    // Nothing is under way any more, which does not make it good.
    const double load = std::exchange(bench.load, 0);
    bench.run(200);
    for (int i = 0; i < 20; ++i) CHECK(bench.read(4 * 3).response == slverr);
    bench.load = load;
    bench.memory.refuses = [](std::uint64_t) { return false; };
    CHECK(bench.write(at(control::error), error) == okay);
    const std::uint64_t behinds = bench.behinds_checked;
    bench.hold();
    for (int i = 0; i < 50; ++i) {
      bench.run(60);
      CHECK(bench.read(4 * 3).response == okay);
    }
    bench.settle();
    CHECK(bench.behinds_checked > behinds);
    CHECK(bench.read(at(control::error)).value == 0);
  }
}

TEST_CASE("axi: memory beyond what the bus has answers DECERR") {
  HostBench bench(seed_of(0), 0.3);
  bench.start(HostBench::pages + 2);
  bench.beyond = 0.1;
  bench.run(3000);
  bench.settle();
  const auto error = bench.read(at(control::error)).value;
  CHECK(control::error_read_refused.get(error) + control::error_write_refused.get(error) > 0);
  CHECK(control::error_read_range.get(error) + control::error_write_range.get(error) == 0);
}

TEST_CASE("axi: registers: refused, out of range, written in part") {
  HostBench bench(seed_of(0), 0.3);
  bench.registers[3] = 1;
  CHECK(bench.read(4 * 3).response == slverr);  // in reset
  CHECK(bench.write(4 * 3, 1) == slverr);
  bench.start();
  CHECK(bench.write(4 * 3, 0x12345678) == okay);
  CHECK(bench.read(4 * 3).value == 0x12345678);
  CHECK(bench.read(4 * 3 + 2).value == 0x12345678);
  CHECK(bench.read(4 * 9).response == slverr);
  CHECK(bench.write(4 * 9, 0) == slverr);
  const unsigned accesses = bench.node_accesses;
  CHECK(bench.write(4 * 3, 0, 0x3) == slverr);
  CHECK(bench.write(4 * 3, 0, 0x0) == okay);
  CHECK(bench.write(at(control::error), 0, 0x7) == slverr);
  CHECK(bench.read(own + 64).response == decerr);
  CHECK(bench.write(own + 64, 0) == decerr);
  CHECK(bench.read(2 * own).response == decerr);
  CHECK(bench.write(0xFFFC, 0) == decerr);
  CHECK(bench.node_accesses == accesses);
  CHECK(bench.registers[3] == 0x12345678);
  // the buses' own
  CHECK(bench.read(at(control::version)).value == 0x48544158U);
  CHECK(bench.write(at(control::version), 0) == slverr);
  CHECK(bench.read(at(9)).response == slverr);
  CHECK(bench.read(at(control::base_low)).value == HostBench::base);
  for (const std::uint32_t number : {control::base_low, control::base_high, control::pages})
    CHECK(bench.write(at(number), 0) == slverr);  // the node is out of reset
  CHECK(bench.read(at(control::pages)).value == HostBench::pages);
}

TEST_CASE("axi: a register that does not answer is an error, and so are others until it does") {
  HostBench bench(seed_of(0), 0.3);
  bench.registers = {{3, 1}, {7, 2}};
  bench.dead = {7};
  bench.start();
  CHECK(bench.read(4 * 7).response == slverr);
  CHECK(bench.read(at(control::error)).value == control::error_register_timeout.put(1));
  CHECK(bench.read(4 * 3).response == slverr);
  bench.dead.clear();
  bench.run(20);
  CHECK(bench.read(4 * 3).response == okay);
  CHECK(bench.read(4 * 7).value == 2);
  bench.dead = {7};
  CHECK(bench.write(4 * 7, 5) == slverr);
  CHECK(bench.write(at(control::control), 1) == okay);
  bench.start();
  CHECK(bench.read(4 * 3).response == okay);
}

TEST_CASE("axi: memory that does not answer does not stop registers") {
  HostBench bench(seed_of(0), 0.1);
  bench.registers[3] = 1;
  bench.start();
  bench.run(200);
  bench.memory.answers = false;
  bench.run(200);
  CHECK(bench.read(4 * 3).response == slverr);
  CHECK(bench.read(at(control::error)).value == control::error_memory_timeout.put(1));
  CHECK(bench.write(at(control::control), 1) == okay);
  bench.run(500);
  CHECK(bench.read(at(control::control)).value == 3);
  CHECK(bench.write(at(control::control), 0) == okay);
  bench.run(500);
  CHECK(bench.read(at(control::control)).value == 3);  // until all is answered
  bench.memory.answers = true;
  bench.run(2000);
  CHECK(control::control_hold.get(bench.read(at(control::control)).value) == 0);
  bench.settle();
}

TEST_CASE("axi: a node that was held reads what it wrote, from its first read on") {
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    CAPTURE(trial, test_seed());
    HostBench bench(seed_of(trial), 0.35 * static_cast<double>(trial % 2));
    bench.again = 0.5;
    for (int i = 0; i < 250; ++i) {
      bench.start();
      bench.run(20 + static_cast<unsigned>(i) % 60);
      CHECK(bench.write(at(control::control), 1) == okay);
      bench.settle();
    }
    CHECK(bench.reads_checked > 1000);
  }
}

TEST_CASE("axi: a reset in mid-burst, of all and of the node alone") {
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    CAPTURE(trial, test_seed());
    const RandomPowerOn power(trial);
    HostBench bench(seed_of(trial), 0.3);
    bench.orderly = true;
    std::mt19937_64 random(seed_of(trial) + 7);
    for (int i = 0; i < 10; ++i) {
      bench.start();
      bench.run(200 + static_cast<unsigned>(random() % 100));
      if (i % 2 == 0) {
        bench.reset();
        CHECK(bench.read(at(control::control)).value == 1);
        CHECK(bench.read(at(control::pages)).value == 0);
      } else {
        // what the node had handed over is finished, and in memory
        CHECK(bench.write(at(control::control), 1) == okay);
        bench.settle();
        CHECK(bench.read(4 * 3).response == slverr);
      }
    }
    CHECK(bench.reads_checked > 200);
  }
}
