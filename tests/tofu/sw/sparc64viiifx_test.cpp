// SPDX-License-Identifier: Apache-2.0
// Against what is published of the processor (README.md of sw/tofu), and sums done by hand.
#include "sw/tofu/sparc64viiifx.hpp"

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"

using namespace ht::host;
using namespace ht::tofu;
using enum FieldPlacement;

namespace {

KernelTimes hopping(FieldPlacement placement, int real_bytes = 8) {
  return kernel_times(hopping_kernel(), sparc64viiifx::devices(), placement, real_bytes);
}

// Efficiency of an iteration of the even-odd solver on one node, nothing being sent: four hopping
// terms and five vector operations on half of the sites, 5664 flop a site.
double cg_efficiency(const Sparc64Viiifx& processor, std::int64_t targets, int real_bytes) {
  const auto linear = [&](int flops) {
    return static_cast<double>(processor.linear_time(targets, real_bytes, 2, 1, flops));
  };
  const double ps = 4 * static_cast<double>(processor.hopping_time(targets, real_bytes)) +
                    linear(120) + linear(48) + linear(72) + linear(96) + linear(72);
  return 5664 * static_cast<double>(targets) / processor.peak_flops(real_bytes) / (ps * 1e-12);
}

}  // namespace

TEST_CASE("SPARC64 VIIIfx: the published figures") {
  const Sparc64Viiifx processor({8, 8, 8, 12});
  // 8 cores at 2 GHz, two SIMD units of two multiply-adds each: 32 multiply-adds a cycle.
  CHECK(processor.peak_flops(8) == 128e9);
  CHECK(sparc64viiifx::devices().instructions == 32);
  CHECK(sparc64viiifx::devices().flops * sparc64viiifx::clock_hz == 128e9);
  // HPC-ACE has two lanes whatever the precision.
  CHECK(processor.peak_flops(4) == 128e9);
  // 64 GB/s, and with that half a byte a flop.
  CHECK(sparc64viiifx::devices().far_bytes * sparc64viiifx::clock_hz == 64e9);
  CHECK(sparc64viiifx::memory_bytes_a_second / processor.peak_flops(8) == 0.5);
  const Sparc64Viiifx large({16, 16, 16, 32});
  CHECK(large.placement(8) == Far);
  // Every kernel ends with a barrier of its cores, 50 ns.
  constexpr ht::Picoseconds end = sparc64viiifx::barrier;
  CHECK(large.copy_time(32'000'000'000) == 1'000'000'000'000 + end);  // read and written, a second
  // A caxpy: 96 flop and 576 bytes a site are bound by memory, 9 ns a site and a twelfth of peak.
  CHECK(large.linear_time(1000, 8, 2, 1, 96) == 9'000'000 + end);
  CHECK(large.host_path() == 0);
}

TEST_CASE("SPARC64 VIIIfx: what fits 6 MB of cache") {
  // 1248 bytes a site in double precision; 6 MiB are 5041 such sites.
  CHECK(Sparc64Viiifx({2, 2, 2, 8}).placement(8) == Near);
  CHECK(Sparc64Viiifx({8, 8, 8, 12}).placement(8) == LinksFar);
  CHECK(Sparc64Viiifx({8, 8, 8, 12}).placement(4) == Near);
  CHECK(Sparc64Viiifx({1, 1, 1, 5041}).placement(8) == Near);
  CHECK(Sparc64Viiifx({1, 1, 1, 5042}).placement(8) == LinksFar);
  // Spinors alone, 672 bytes a site: 9362.
  CHECK(Sparc64Viiifx({1, 1, 1, 9362}).placement(8) == LinksFar);
  CHECK(Sparc64Viiifx({1, 1, 1, 9363}).placement(8) == Far);
}

TEST_CASE("SPARC64 VIIIfx: the hopping term") {
  const KernelTimes t = hopping(Far);
  CHECK(t.peak == 20.625);           // 1320 / 64
  CHECK(t.floating_point == 26.25);  // 840 / 32: 78 % of peak at most
  CHECK(t.load_store == 336.0 / 32 + 24.0 / 16);
  CHECK(t.memory == 48);  // 1536 bytes at half a byte a flop
  CHECK(t.peak / t.execution(Overlap::Full) == Approx(0.4296875));
  CHECK(hopping(Far, 4).memory == 24);  // single precision is bound by arithmetic again
  CHECK(hopping(Far, 4).execution(Overlap::Full) == 26.25);
  CHECK(hopping(LinksFar).memory == 384 / 128.0 + 1152 / 32.0);
  CHECK(hopping(Near).memory == 12);
  CHECK(hopping(Near).execution(Overlap::Full) == 26.25);
  CHECK(hopping(Near).execution(Overlap::None) == 50.25);
  constexpr ht::Picoseconds end = sparc64viiifx::barrier;
  CHECK(Sparc64Viiifx({2, 2, 2, 8}).hopping_time(64, 8) == 64 * 13'125 + end);
  // One site keeps one core busy for as long as eight sites keep eight.
  CHECK(Sparc64Viiifx({16, 16, 16, 32}).hopping_time(1, 8) == 8 * 24'000 + end);
  CHECK(Sparc64Viiifx({16, 16, 16, 32}).hopping_time(9, 8) == 16 * 24'000 + end);
  CHECK(Sparc64Viiifx({16, 16, 16, 32}).hopping_time(0, 8) == 0);
  CHECK(Sparc64Viiifx({2, 2, 2, 8}).pack_time(16, 8, true) ==
        27'000 + end);  // 54 reals, 3.375 cycles
}

TEST_CASE("SPARC64 VIIIfx: the Wilson conjugate gradient") {
  // The processor alone: barriers of its cores left out.
  const auto processor = [](const LocalLattice& lattice) {
    return Sparc64Viiifx(lattice, {.barrier = 0});
  };
  // By hand, fields in memory: four hopping terms of 48 cycles and five operations that move 576
  // bytes, 18 cycles, each: 88.5 of 282.
  CHECK(cg_efficiency(processor({16, 16, 16, 32}), 65536, 8) == Approx(88.5 / 282));
  // In the cache: 26.25 cycles of arithmetic, and 4.5 for 576 bytes.
  CHECK(cg_efficiency(processor({2, 2, 2, 8}), 32, 8) == Approx(88.5 / (4 * 26.25 + 5 * 4.5)));
  // "The performance of a computational kernel exceeds 50% efficiency, and the single precision
  // BiCGstab has ~26 % sustained", 6^3 x 12 sites a node (arXiv:1210.7398). A model without stalls
  // and messages must lie above both, and below the 78 % that arithmetic allows.
  const Sparc64Viiifx published({6, 6, 6, 12});
  const double kernel =
      1320.0 / 128e9 / (static_cast<double>(published.hopping_time(1000, 4)) * 1e-15);
  CHECK(kernel > 0.5);
  CHECK(kernel < 0.786);
  CHECK(cg_efficiency(published, 1296, 4) > 0.26);
  CHECK(cg_efficiency(published, 1296, 4) < kernel);
}

TEST_CASE("SPARC64 VIIIfx: lattices that cannot be are refused") {
  CHECK_THROWS_AS(Sparc64Viiifx({4, 4, 0, 4}), ht::UsageError);
  CHECK_THROWS_AS(Sparc64Viiifx({64, 64, 64, 64}), ht::UsageError);  // 19.5 GiB, a node has 16
  CHECK_NOTHROW(Sparc64Viiifx({32, 64, 64, 64}));
}
