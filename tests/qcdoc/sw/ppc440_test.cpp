// SPDX-License-Identifier: Apache-2.0
// Against [QCDOC2004] sections 2.1 and 4, the PPC440x5's manual, and cycles counted by hand.
#include "sw/qcdoc/ppc440.hpp"

#include <catch2/catch.hpp>

#include "sim/bench/cg_times.hpp"
#include "sw/host/errors.hpp"

using namespace ht::host;
using namespace ht::qcdoc;
using namespace ht::qcdoc::ppc440;
using enum FieldPlacement;

namespace {

constexpr double benchmarks_hz = 450e6;

Scheduled in_cache(const Kernel& kernel, const CoreTiming& core = {}) {
  return schedule({.kernel = kernel, .lattice = {2, 2, 2, 2}}, core, {}, benchmarks_hz);
}

}  // namespace

TEST_CASE(
    "PPC 440: a line comes from embedded memory after its latency, later if no stream has it") {
  const MemoryTiming t;
  DataMemory memory(t, benchmarks_hz);
  CHECK(memory.load(100, 0).data == 100 + t.row + t.fill);
  CHECK(memory.load(300, 24).data <= 300);                     // the same line
  CHECK(memory.load(400, 32).data == 400 + t.fill);            // the same row
  CHECK(memory.load(500, 128).data == 500 + t.fill);           // read ahead
  CHECK(memory.load(600, 4096).data == 600 + t.row + t.fill);  // a second stream
  CHECK(memory.load(700, 256).data == 700 + t.fill);           // the first is still there
  CHECK(memory.load(800, 8192).data == 800 + t.row + t.fill);  // takes the place of the second
  CHECK(memory.load(900, 4224).data == 900 + t.row + t.fill);
  CHECK(memory.embedded_lines() == 7);
}

TEST_CASE("PPC 440: three lines are on their way at the most") {
  const MemoryTiming t;
  DataMemory memory(t, benchmarks_hz);
  const auto first = memory.touch(0, 0);
  CHECK(first.free == 1);
  CHECK(memory.touch(1, 32).free == 2);
  CHECK(memory.touch(2, 64).free == 3);
  CHECK(memory.touch(3, 96).free == first.data + 1);
}

TEST_CASE("PPC 440: a set has 64 ways, replaced in turn") {
  DataMemory memory({}, benchmarks_hz);
  constexpr std::uint64_t same_set = 16 * 32;
  for (std::uint64_t i = 0; i < 64; ++i)
    memory.load(static_cast<std::int64_t>(1000 * i), i * same_set);
  CHECK(memory.embedded_lines() == 64);
  memory.load(100'000, 0);
  CHECK(memory.embedded_lines() == 64);  // still there
  memory.load(101'000, 64 * same_set);   // the oldest goes, used or not
  memory.load(102'000, 0);
  CHECK(memory.embedded_lines() == 66);
}

TEST_CASE("PPC 440: external memory is behind a bus of a third of the clock, in pages") {
  const MemoryTiming t;
  DataMemory memory(t, benchmarks_hz);
  constexpr std::uint64_t outside = DataMemory::embedded_bytes;
  const int open = t.fill + 3 * t.ddr;
  CHECK(memory.load(99, outside).data == 99 + 3 * t.ddr_page + open);
  CHECK(memory.load(300, outside + 32).data == 300 + open);
  CHECK(memory.load(601, outside + 64).data == 603 + open);  // waits for the bus' edge
  // Its refresh closes the page: 7.8 us are 3,510 cycles.
  CHECK(memory.load(3513, outside + 96).data == 3510 + 36 + 3 * t.ddr_page + open);
  // 2.6 GB/s at 500 MHz: 32 bytes in two of its cycles.
  CHECK(32 / (t.ddr_line * 3 / 500e6) == Approx(2.67e9).epsilon(0.01));
  CHECK(32 / (t.line / 500e6) == Approx(8e9));
}

TEST_CASE("PPC 440: one floating-point instruction and one load or store a cycle, in order") {
  // All in the cache. Arithmetic bounds a clover term, loads and stores a caxpy.
  const double clover = in_cache(clover_kernel()).cycles;
  CHECK(clover >= 264);
  CHECK(clover < 264 * 1.1);
  const double caxpy = in_cache(linear_kernel(spinor_reals, 2, 1, 96)).cycles;
  CHECK(caxpy >= 72);
  // One result at a time waits for each instruction before it: five cycles.
  Kernel chain{.name = "chain", .steps = {{{.instructions = 40, .chains = 1}}}};
  CHECK(in_cache(chain).cycles >= 5 * 39);
  chain.steps[0].chains = 5;
  CHECK(in_cache(chain).cycles < 50);
  CHECK(in_cache(chain, {.arithmetic = 10}).cycles >= 10 * 7);
}

TEST_CASE("PPC 440: peak speed, and where fields lie") {
  CHECK(Ppc440({4, 4, 4, 4}).peak_flops(8) == 1e9);
  CHECK(Ppc440({4, 4, 4, 4}, {.clock = benchmarks_hz}).peak_flops(4) == 0.9e9);
  // "a 6^4 local volume still fits in our 4 Megabytes": 1,248 bytes a site.
  CHECK(Ppc440({6, 6, 6, 6}).placement(8) == Near);
  CHECK(Ppc440({8, 8, 8, 8}).placement(8) == LinksFar);
  CHECK(Ppc440({8, 8, 8, 8}).placement(4) == Near);
  CHECK(Ppc440({10, 10, 10, 10}).placement(8) == Far);
  // 6400 sites: links would fit, but spinors come first, and take more.
  CHECK(Ppc440({2, 2, 40, 40}).placement(8) == Far);
  CHECK(Ppc440({2, 2, 2, 420}).placement(8) == Near);
  CHECK(Ppc440({2, 1, 41, 41}).placement(8) == LinksFar);
}

TEST_CASE("PPC 440: fields in external memory are slower, single precision is faster") {
  const auto cycles = [](int length, int real_bytes) {
    return Ppc440({length, length, length, length}, {.clock = benchmarks_hz})
        .scheduled(hopping_kernel(), real_bytes)
        .cycles;
  };
  CHECK(cycles(2, 8) < cycles(4, 8));
  CHECK(cycles(6, 8) < cycles(8, 8));
  CHECK(cycles(8, 8) < cycles(10, 8));
  CHECK(cycles(4, 4) < cycles(4, 8));
  const Scheduled far = Ppc440({10, 10, 10, 10}).scheduled(hopping_kernel(), 8);
  CHECK(far.external_lines >= 36 + 6);  // its links, and a spinor
  const Scheduled near = Ppc440({6, 6, 6, 6}).scheduled(hopping_kernel(), 8);
  CHECK(near.external_lines == 0);
  CHECK(near.memory_share > 0);
  CHECK(near.memory_share < 1);
}

TEST_CASE("PPC 440: what is charged to a node") {
  const Ppc440 p({4, 4, 4, 4}, {.host_path = 7});
  CHECK(p.hopping_time(0, 8) == 0);
  const double site = static_cast<double>(p.hopping_time(1000, 8)) / 1000;
  CHECK(site >= 840 * 2000);
  CHECK(p.hopping_time(1, 8) == Approx(site).epsilon(1e-5));
  CHECK(p.pack_time(10, 8, true) >= 10 * 84 * 2000);
  CHECK(p.pack_time(10, 8, false) < p.pack_time(10, 8, true));
  CHECK(p.copy_time(1) > 0);
  CHECK(p.copy_time(4000) > p.copy_time(2000));
  CHECK(p.host_path() == 7);
  // All in embedded memory: cycles, whatever the clock.
  CHECK(Ppc440({4, 4, 4, 4}, {.clock = 250e6}).hopping_time(100, 8) ==
        Approx(2 * p.hopping_time(100, 8)).epsilon(1e-3));
}

TEST_CASE("PPC 440: section 4's figures, one of which calibrates") {
  // 450 MHz; a word in 108 cycles and 72 for each further one; sums on 128 nodes.
  const ht::bench::CgNetwork network{108 / 0.45, 72 / 0.45, 3.4};
  const auto times = [&](const ht::bench::SolverProfile& solver, int length) {
    const LocalLattice local{length, length, length, length};
    return ht::bench::cg_times(local, Ppc440(local, {.clock = benchmarks_hz}), network, solver);
  };
  const auto percent = [&](const ht::bench::SolverProfile& solver, int length) {
    return 100 * times(solver, length).efficiency();
  };
  using namespace ht::bench;
  CHECK(percent(wilson_profile(), 4) == Approx(40).margin(0.3));
  // Its programmers had the clover term in the loop of the hop.
  CHECK(percent(clover_profile(true), 4) == Approx(46.5).margin(1));
  CHECK(percent(clover_profile(), 4) < percent(clover_profile(true), 4));
  // Three sites deep are all sites of 4^4, so that our program waits for all halos before any.
  const CgTimes asqtad = times(asqtad_profile(), 4);
  CHECK(100 * asqtad.efficiency() < 38);
  CHECK(100 * asqtad.peak / (asqtad.total() - asqtad.halo_wait) == Approx(38).margin(5));
  // "the range of 30% of peak" where part of the problem is in external memory.
  for (const SolverProfile& solver : {wilson_profile(), clover_profile(), asqtad_profile()}) {
    CHECK(percent(solver, 8) < percent(solver, 6));
    CHECK(percent(solver, 10) < percent(solver, 8));
  }
  CHECK(percent(wilson_profile(), 8) == Approx(30).margin(5));
  CHECK(percent(clover_profile(), 8) == Approx(30).margin(5));
}

TEST_CASE("PPC 440: lattices and clocks that cannot be are refused") {
  CHECK_THROWS_AS(Ppc440({4, 4, 0, 4}), ht::UsageError);
  CHECK_THROWS_AS(Ppc440({64, 64, 64, 64}), ht::UsageError);
  CHECK_THROWS_AS(Ppc440({4, 4, 4, 4}, {.clock = 0}), ht::UsageError);
  CHECK_NOTHROW(Ppc440({32, 32, 32, 32}));
}
