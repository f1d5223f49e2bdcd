// SPDX-License-Identifier: Apache-2.0
// Against the numbers printed in "QCD on the Cell Broadband Engine" ([Cell2007]).
#include "sw/qpace/powerxcell.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sw/host/errors.hpp"

using namespace ht::host;
using namespace ht::qpace;
using namespace ht::qpace::powerxcell;

namespace {

/// `value` with as many decimals as the table prints.
double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

/// A column of table 1: thousands of cycles, and the decimals of each row.
struct Column {
  Lattice lattice;
  double slices;  ///< the main memory part of the table is per site of the 4-direction
  double internal_sites, external_sites;
  double peak, floating_point, register_file, memory, internal, external, eib, efficiency_percent;
  int peak_d, floating_point_d, register_file_d, memory_d, internal_d, external_d, eib_d;
};

void check(Placement placement, const Column& c) {
  const Neighbours n = neighbours(placement, c.lattice);
  CHECK(n.internal / c.slices == c.internal_sites);
  CHECK(n.external / c.slices == c.external_sites);
  const HoppingTimes t = hopping_times(placement, c.lattice);
  const double unit = 1000 * c.slices;
  CHECK(rounded(t.peak / unit, c.peak_d) == c.peak);
  CHECK(rounded(t.floating_point / unit, c.floating_point_d) == c.floating_point);
  CHECK(rounded(t.register_file / unit, c.register_file_d) == c.register_file);
  CHECK(rounded(t.memory / unit, c.memory_d) == c.memory);
  CHECK(rounded(t.internal / unit, c.internal_d) == c.internal);
  CHECK(rounded(t.external / unit, c.external_d) == c.external);
  CHECK(rounded(t.eib / unit, c.eib_d) == c.eib);
  CHECK(rounded(100 * t.efficiency(), 0) == c.efficiency_percent);
}

}  // namespace

TEST_CASE("Table 1, fields in the local stores") {
  check(Placement::LocalStore,
        {{2, 2, 2, 64}, 1, 16, 192, 21, 27, 12, 0, 2, 79, 20, 27, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("Table 1, fields in main memory") {
  // The length in the 4-direction drops out.
  for (const int l4 : {1, 8, 64}) {
    check(Placement::MainMemory,
          {{8, 8, 8, l4}, 1.0 * l4, 48, 48, 21, 27, 12, 61, 5, 20, 40, 34, 0, 0, 0, 0, 0, 0, 0});
    check(Placement::MainMemory, {{4, 4, 4, l4},
                                  1.0 * l4,
                                  12,
                                  12,
                                  2.6,
                                  3.4,
                                  1.5,
                                  7.7,
                                  1.2,
                                  4.9,
                                  6.1,
                                  34,
                                  1,
                                  1,
                                  1,
                                  1,
                                  1,
                                  1,
                                  1});
    check(Placement::MainMemory, {{2, 2, 2, l4},
                                  1.0 * l4,
                                  3,
                                  3,
                                  0.33,
                                  0.42,
                                  0.19,
                                  0.96,
                                  0.29,
                                  1.23,
                                  1.06,
                                  27,
                                  2,
                                  2,
                                  2,
                                  2,
                                  2,
                                  2,
                                  2});
  }
}

TEST_CASE("No implementation exceeds 78 % of peak (section 5)") {
  const HoppingTimes t = hopping_times(Placement::MainMemory, {8, 8, 8, 8});
  CHECK(std::floor(100 * t.peak / t.floating_point) == 78);
}

TEST_CASE("A caxpy (section 4)") {
  // In main memory 4.1 % of peak at most, which the memory sets: 1/24 cut off after a digit.
  const LinearTimes memory = linear_times(Placement::MainMemory, 8, 2, 1, 96);
  CHECK(std::floor(1000 * memory.efficiency()) == 41);
  CHECK(memory.execution() == memory.data);
  // In the local stores arithmetic and loads are almost balanced, and 50 % is the limit.
  const LinearTimes store = linear_times(Placement::LocalStore, 8, 2, 1, 96);
  CHECK(store.peak / store.data == Approx(2.0 / 3));
  CHECK(store.efficiency() == Approx(0.5));
}

TEST_CASE("DMA transfers (equation 6.1, figure 3)") {
  // Aligned alike: no penalty, at the peak rate of 8 bytes a cycle beyond the start.
  CHECK(dma_cycles(2048, 0, 0) == 200 + 2048 / 8);
  CHECK(dma_cycles(128, 32, 160) == 200 + 2 * 16);  // two lines are touched
  CHECK(dma_cycles(0, 0, 0) == 200);
  CHECK(dma_cycles(0, 32, 16) == 200);
  // Aligned differently: about half the rate.
  CHECK(dma_cycles(2048, 32, 16) == 200 + 17 * 32);
  CHECK(dma_cycles(512, 0, 16) - 200 == 2 * (dma_cycles(512, 0, 0) - 200));
}

TEST_CASE("SPEs share the local lattice, and its volume chooses where it lies") {
  // Section 5: 1^3 x 8 in the local stores, where 79 sites an SPE fit; 2^3 x 1 in main memory.
  CHECK(spe_grid(Placement::LocalStore, {2, 2, 2, 64}) == SpeGrid{1, 1, 1, 8});
  CHECK(spe_grid(Placement::MainMemory, {8, 8, 8, 8}) == SpeGrid{2, 2, 2, 1});
  CHECK(largest_share({1, 1, 1, 8}, {2, 2, 2, 64}) == 64);
  CHECK(placement_of({2, 2, 2, 8}) == Placement::LocalStore);
  CHECK(placement_of({2, 2, 2, 64}) == Placement::LocalStore);
  CHECK(placement_of({4, 4, 4, 8}) == Placement::LocalStore);  // 64 sites
  CHECK(placement_of({4, 4, 4, 16}) == Placement::MainMemory);
  CHECK(placement_of({8, 8, 8, 16}) == Placement::MainMemory);
  CHECK(PowerXCell8i({4, 4, 4, 8}).placement() == Placement::LocalStore);
  CHECK(PowerXCell8i({8, 8, 8, 16}).placement() == Placement::MainMemory);
  // Four slices do not go into eight shares: pieces of half a slice.
  const SpeGrid four = spe_grid(Placement::LocalStore, {4, 4, 4, 4});
  CHECK(four[0] * four[1] * four[2] * four[3] == 8);
  CHECK(largest_share(four, {4, 4, 4, 4}) == 32);
  CHECK(largest_share(spe_grid(Placement::LocalStore, {3, 3, 3, 3}), {3, 3, 3, 3}) >= 11);
}

TEST_CASE("What is charged to a node, fields in main memory") {
  const PowerXCell8i cell({4, 4, 4, 8}, Placement::MainMemory);
  CHECK(cell.peak_flops(8) == 102.4e9);
  CHECK(cell.peak_flops(4) == 204.8e9);
  // A sweep's first and last 2 kB are hidden behind nothing: 456 cycles each by equation 6.1.
  constexpr ht::Picoseconds ends = 285'000;
  // Bound by memory: 960 bytes a site at 25.6 GB/s are 37.5 ns.
  CHECK(cell.hopping_time(1, 8) == 37'500 + ends);
  CHECK(cell.hopping_time(512, 8) == 512 * 37'500 + ends);
  CHECK(cell.hopping_time(512, 4) == 256 * 37'500 + ends);
  CHECK(cell.hopping_time(0, 8) == 0);
  // 576 bytes a site, 22.5 ns.
  CHECK(cell.linear_time(100, 8, 2, 1, 96) == 2'250'000 + ends);
  CHECK(cell.linear_time(100, 8, 1, 0, 48) == 750'000 + ends);
  CHECK(cell.copy_time(25'600) == 2'000'000);
  CHECK(cell.pack_time(64, 8, false) == 64 * 7'500 + ends);  // 192 bytes
  CHECK(cell.pack_time(64, 8, true) > cell.pack_time(64, 8, false));
}

TEST_CASE("What is charged to a node, fields in local stores") {
  // Floating point is what is left once the network is simulated: 52.5 cycles a site, 420 an SPE's.
  const PowerXCell8i store({2, 2, 2, 64}, {}, 0);
  // And the faces that an SPE exchanges with two others: four sites of a parity, 768 bytes, twice.
  const double faces = 2 * (200 + 6 * 16);
  CHECK(face_exchange(Placement::LocalStore, {2, 2, 2, 64}, 8) == faces);
  CHECK(store.hopping_time(256, 8) == Approx((256 * 52.5 + faces) * 312.5));
  CHECK(store.hopping_time(128, 8) == Approx((128 * 52.5 + faces / 2) * 312.5));
  // A caxpy: 96 flop at half of peak, 24 cycles of an SPE, and 36 for 576 bytes.
  CHECK(store.linear_time(8, 8, 2, 1, 96) == Approx(48 * 312.5).epsilon(0.26));
  CHECK(store.host_path() == 0);
  CHECK(store.hopping_time(256, 8) <
        PowerXCell8i({2, 2, 2, 64}, Placement::MainMemory).hopping_time(256, 8));
}

TEST_CASE("The host path is the sum of its parts, each with its source") {
  CHECK(sum_of_parts() == 2'500'000);
  CHECK(PowerXCell8i({4, 4, 4, 8}).host_path() == 2'500'000);
  for (const PathPart& part : host_path_parts) {
    CHECK(part.time > 0);
    CHECK(std::string(part.source).find_first_not_of(' ') != std::string::npos);
  }
}

TEST_CASE("Lattices that do not fit are refused") {
  CHECK_THROWS_AS(PowerXCell8i({4, 4, 0, 4}), ht::UsageError);
  CHECK_THROWS_AS(PowerXCell8i({4, 4, 4, 16}, Placement::LocalStore), ht::UsageError);
  CHECK_THROWS_AS(PowerXCell8i({48, 48, 48, 64}), ht::UsageError);
  CHECK_NOTHROW(PowerXCell8i({4, 4, 4, 16}));
}
