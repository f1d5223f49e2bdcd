// SPDX-License-Identifier: Apache-2.0
// Against seed 000, sections 2.1 and 4, and sums done by hand.
#include "sw/qcdoc/ppc440.hpp"

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"

using namespace ht::host;
using namespace ht::qcdoc;
using enum FieldPlacement;

namespace {

FieldPlacement placed(const LocalLattice& lattice, int real_bytes = 8) {
  return placement(lattice, real_bytes, ppc440::embedded_bytes);
}

KernelTimes hopping(FieldPlacement placement, int real_bytes = 8, double clock = 500e6) {
  return kernel_times(hopping_kernel(), ppc440::devices(clock), placement, real_bytes);
}

}  // namespace

TEST_CASE("PPC 440: peak speed and bandwidths of section 2.1") {
  const Ppc440 processor({4, 4, 4, 4});
  CHECK(processor.peak_flops(8) == 1e9);
  CHECK(processor.peak_flops(4) == 1e9);
  // 8 GB/s: a site of 576 bytes read and written takes 72 ns; 2.6 GB/s: 221.5 ns.
  const auto moved_ns = [](FieldPlacement where) {
    return 2 *
           kernel_times(linear_kernel(spinor_reals, 2, 1, 0), ppc440::devices(), where, 8).memory;
  };
  CHECK(moved_ns(Near) == Approx(72));
  CHECK(moved_ns(LinksFar) == Approx(72));
  CHECK(moved_ns(Far) == Approx(576 / 2.6));
  CHECK(Ppc440({4, 4, 4, 4}, {.clock = 450e6}).peak_flops(8) == 0.9e9);
}

TEST_CASE("PPC 440: a 6^4 local volume fits the embedded memory, a larger one does not") {
  // 7 x 96 bytes of spinors and 576 bytes of links a site.
  CHECK(footprint({6, 6, 6, 6}, 8).spinors == 1296 * 672);
  CHECK(footprint({6, 6, 6, 6}, 8).links == 1296 * 576);
  CHECK(placed({2, 2, 2, 2}) == Near);
  CHECK(placed({4, 4, 4, 4}) == Near);
  CHECK(placed({6, 6, 6, 6}) == Near);
  CHECK(placed({8, 8, 8, 8}) == LinksFar);  // 2.6 and 2.25 MiB
  CHECK(placed({8, 8, 8, 8}, 4) == Near);
  CHECK(placed({10, 10, 10, 10}) == Far);
  // 6400 sites: links would fit, but spinors come first, and take more.
  CHECK(placed({2, 2, 40, 40}) == Far);
  // 3360 sites of 1248 bytes are just below 4 MiB, 3362 above.
  CHECK(placed({2, 2, 2, 420}) == Near);
  CHECK(placed({2, 1, 41, 41}) == LinksFar);
}

TEST_CASE("PPC 440: the hopping term") {
  const KernelTimes t = hopping(Near);
  CHECK(t.peak == 660);
  // 78 % of peak at most, by seed 001's count of 840 multiply-adds.
  CHECK(t.floating_point == 840);
  // 8 (24 + 18) + 24 reals.
  CHECK(t.load_store == 360);
  // 384 bytes of spinors, 1152 of links.
  CHECK(t.memory == 96);
  CHECK(t.execution(Overlap::Full) == 840);
  CHECK(t.execution(Overlap::None) == 1296);
  // At 500 MHz external memory gives 5.2 bytes a cycle, at 400 MHz 6.5.
  CHECK(hopping(LinksFar).memory == Approx(24 + 1152 / 5.2));
  CHECK(hopping(Far).memory == Approx(1536 / 5.2));
  CHECK(hopping(Far, 8, 400e6).memory == Approx(1536 / 6.5));
  CHECK(hopping(Far, 4).memory == Approx(768 / 5.2));
}

TEST_CASE("PPC 440: what is charged to a node") {
  const Ppc440 full({4, 4, 4, 4});
  CHECK(full.hopping_time(1, 8) == 1'680'000);
  CHECK(full.hopping_time(128, 8) == 128 * 1'680'000);
  CHECK(full.hopping_time(0, 8) == 0);
  // A caxpy is bound by its 72 loads and stores, not by its 48 multiply-adds.
  CHECK(full.linear_time(100, 8, 2, 1, 96) == 100 * 144'000);
  CHECK(full.linear_time(100, 8, 2, 1, 192) == 100 * 192'000);
  CHECK(full.pack_time(10, 8, false) == 10 * 72'000);  // 36 reals
  CHECK(full.pack_time(10, 8, true) == 10 * 168'000);  // 84 instructions
  CHECK(full.copy_time(4000) == 500 * 4'000);          // 2 GB/s: two cycles a word
  CHECK(full.copy_time(1) == 4'000);
  CHECK(full.host_path() == 0);
  const Ppc440 none({4, 4, 4, 4}, {.overlap = Overlap::None, .host_path = 7});
  CHECK(none.hopping_time(128, 8) == 128 * 2'592'000);
  CHECK(none.linear_time(1, 8, 2, 1, 96) == (48 + 72 + 36) * 2000);
  CHECK(none.pack_time(1, 8, true) == (84 + 54) * 2000 + 54 * 1000);
  CHECK(none.copy_time(8) == 3 * 2000);
  CHECK(none.host_path() == 7);
  // External memory sets the pace of linear algebra, not of the hopping term.
  const Ppc440 large({10, 10, 10, 10});
  CHECK(large.linear_time(1000, 8, 2, 1, 96) == Approx(1000 * 576 / 2.6e9 * 1e12));
  CHECK(large.hopping_time(1, 8) == 1'680'000);
  CHECK(large.copy_time(2'600'000) == Approx(2e9));
  CHECK(Ppc440({4, 4, 4, 4}, {.clock = 400e6}).hopping_time(1, 8) == 2'100'000);
}

TEST_CASE("PPC 440: lattices and clocks that cannot be are refused") {
  CHECK_THROWS_AS(Ppc440({4, 4, 0, 4}), ht::UsageError);
  CHECK_THROWS_AS(Ppc440({64, 64, 64, 64}), ht::UsageError);
  CHECK_THROWS_AS(Ppc440({4, 4, 4, 4}, {.clock = 0}), ht::UsageError);
  CHECK_NOTHROW(Ppc440({32, 32, 32, 32}));
}
