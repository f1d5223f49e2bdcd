// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/powerxcell.hpp"

#include <algorithm>
#include <cmath>

#include "sw/host/errors.hpp"

namespace ht::qpace {
namespace powerxcell {
namespace {

// Per cycle: of an SPE unless it says Cell.
constexpr double store_bytes = 16;        // registers and local store
constexpr double memory_bytes = 8;        // a Cell's main memory, 25.6 GB/s
constexpr double internal_bytes = 16;     // SPE to SPE
constexpr double external_bytes = 1.875;  // a Cell to the network, 6 GB/s
// The element interconnect bus of a Cell. Figure 1 says 204.8 GB/s (64 bytes); only 16 gives
// table 1.
constexpr double eib_bytes = 16;

// Complex numbers between registers and local store. The text's 9 x 12 + 8 x 9 makes 180; 192 gives
// table 1.
constexpr double hopping_complex_moved = 192;

// 8 spinors and 3 x 4 links a site fill the local store with so many (section 5).
constexpr int local_store_sites = 79;

// Flop and multiply-adds a cycle and SPE: vectors of 16 bytes.
double flops_per_cycle(int real_bytes) {
  return 2 * 16.0 / real_bytes;
}

}  // namespace

int largest_share(const SpeGrid& grid, const Lattice& lattice) {
  int sites = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) sites *= (lattice[mu] + grid[mu] - 1) / grid[mu];
  return sites;
}

namespace {

// Of an SPE. The torus has three directions; the 4-direction ends on the Cell where it began.
Neighbours neighbours_of(const SpeGrid& grid, const Lattice& lattice) {
  double share = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) share *= static_cast<double>(lattice[mu]) / grid[mu];
  Neighbours n;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double s = grid[mu], face = share * s / lattice[mu];
    if (mu == 3) {
      if (s > 1) n.internal += 2 * face;
    } else {
      n.internal += 2 * face * (s - 1) / s;
      n.external += 2 * face / s;
    }
  }
  return n;
}

}  // namespace

SpeGrid spe_grid(Placement placement, const Lattice& lattice) {
  if (placement == Placement::MainMemory) return {2, 2, 2, 1};
  SpeGrid best{1, 1, 1, 8};
  for (const int x : {1, 2, 4, 8}) {
    for (const int y : {1, 2, 4, 8}) {
      for (const int z : {1, 2, 4, 8}) {
        if (x * y * z > spes) continue;
        const SpeGrid grid{x, y, z, spes / (x * y * z)};
        const int share = largest_share(grid, lattice), least = largest_share(best, lattice);
        if (share < least || (share == least && neighbours_of(grid, lattice).internal <
                                                    neighbours_of(best, lattice).internal))
          best = grid;
      }
    }
  }
  return best;
}

Placement placement_of(const Lattice& lattice) {
  const SpeGrid grid = spe_grid(Placement::LocalStore, lattice);
  return largest_share(grid, lattice) <= local_store_sites ? Placement::LocalStore
                                                           : Placement::MainMemory;
}

Neighbours neighbours(Placement placement, const Lattice& lattice) {
  return neighbours_of(spe_grid(placement, lattice), lattice);
}

double HoppingTimes::computation() const {
  return std::max({floating_point, register_file, memory, internal, eib});
}

double HoppingTimes::execution() const {
  return std::max(computation(), external);
}

HoppingTimes hopping_times(Placement placement, const Lattice& lattice, int real_bytes) {
  const double sites = host::sites_of(lattice);
  const double sites_spe = sites / spes;
  const Neighbours n = neighbours(placement, lattice);
  const double memory = placement == Placement::LocalStore
                            ? 0
                            : sites * (2 * host::spinor_reals + 4 * host::link_reals) * real_bytes;
  const double internal = spes * n.internal * host::spinor_reals * real_bytes;
  const double external = spes * n.external * host::half_spinor_reals * real_bytes;
  HoppingTimes t;
  t.peak = host::hopping_kernel().flops / flops_per_cycle(real_bytes) * sites_spe;
  t.floating_point =
      2 * host::hopping_kernel().instructions() / flops_per_cycle(real_bytes) * sites_spe;
  t.register_file = hopping_complex_moved * 2 * real_bytes / store_bytes * sites_spe;
  t.memory = memory / memory_bytes;
  t.internal = internal / internal_bytes;
  t.external = external / external_bytes;
  // What leaves the Cell also arrives from elsewhere: external bytes cross the bus both ways.
  t.eib = (memory + internal + 2 * external) / eib_bytes;
  return t;
}

double LinearTimes::execution() const {
  return std::max(floating_point, data);
}

LinearTimes linear_times(Placement placement, int real_bytes, int spinors_read, int spinors_written,
                         int flops) {
  const double bytes = (spinors_read + spinors_written) * host::spinor_reals * real_bytes;
  LinearTimes t;
  t.peak = flops / flops_per_cycle(real_bytes) / spes;
  t.floating_point = 2 * t.peak;
  t.data = placement == Placement::MainMemory ? bytes / memory_bytes : bytes / store_bytes / spes;
  return t;
}

double dma_cycles(std::uint64_t bytes, std::uint64_t source, std::uint64_t destination) {
  constexpr std::uint64_t line = 128;
  const std::uint64_t blocks = bytes == 0 ? 0 : (source % line + bytes + line - 1) / line;
  const bool aligned = source % line == destination % line;
  return 200 + static_cast<double>(blocks) * (aligned ? 16 : 32);
}

double stream_overhead(Placement placement) {
  constexpr std::uint64_t block = 2048;
  return placement == Placement::MainMemory ? 2 * dma_cycles(block, 0, 0) : 0;
}

double face_exchange(Placement placement, const Lattice& lattice, int real_bytes) {
  if (placement == Placement::MainMemory) return 0;
  const SpeGrid grid = spe_grid(placement, lattice);
  const int share = largest_share(grid, lattice);
  double cycles = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (grid[mu] == 1) continue;
    const int length = (lattice[mu] + grid[mu] - 1) / grid[mu];
    // Of one parity, forwards and backwards, one after the other.
    const auto face = static_cast<std::uint64_t>((share / length + 1) / 2);
    const std::uint64_t bytes = face * static_cast<std::uint64_t>(host::spinor_reals * real_bytes);
    cycles += 2 * dma_cycles(bytes, 0, 0);
  }
  return cycles;
}

}  // namespace powerxcell

using powerxcell::Placement;

namespace {

Picoseconds time_of_cycles(double cycles) {
  return static_cast<Picoseconds>(std::ceil(cycles * (1e12 / powerxcell::clock_hz)));
}

}  // namespace

PowerXCell8i::PowerXCell8i(const powerxcell::Lattice& lattice, std::optional<Placement> placement,
                           Picoseconds host_path)
    : lattice_(lattice), placement_(Placement::MainMemory), imbalance_(1), host_path_(host_path) {
  constexpr double memory_bytes = 4 * 0x1p30;
  host::require_sites("PowerXCell 8i", lattice);
  placement_ = placement.value_or(powerxcell::placement_of(lattice));
  if (placement_ == Placement::LocalStore &&
      powerxcell::placement_of(lattice) != Placement::LocalStore) {
    throw UsageError(
        "PowerXCell 8i: a local lattice of more than 632 sites, 79 an SPE, does not fit into the "
        "local stores; place it in main memory");
  }
  const host::Footprint f = host::footprint(lattice, 8);
  if (f.spinors + f.links > memory_bytes)
    throw UsageError(
        "PowerXCell 8i: a local lattice of this size does not fit the 4 GB of a node; use more "
        "nodes");
  imbalance_ = powerxcell::spes *
               powerxcell::largest_share(powerxcell::spe_grid(placement_, lattice), lattice) /
               host::sites_of(lattice);
}

// The SPE with the largest share sets the pace where each has its own.
Picoseconds PowerXCell8i::sweep(double cycles_of_site, std::int64_t sites) const {
  if (sites == 0) return 0;
  const double share = placement_ == Placement::LocalStore ? imbalance_ : 1;
  return time_of_cycles(cycles_of_site * share * static_cast<double>(sites) +
                        powerxcell::stream_overhead(placement_));
}

std::string PowerXCell8i::name() const {
  return placement_ == Placement::MainMemory ? "PowerXCell 8i, fields in main memory"
                                             : "PowerXCell 8i, fields in local stores";
}

double PowerXCell8i::peak_flops(int real_bytes) const {
  return powerxcell::clock_hz * powerxcell::spes * 2 * (16.0 / real_bytes);
}

Picoseconds PowerXCell8i::hopping_time(std::int64_t sites, int real_bytes) const {
  const double all = host::sites_of(lattice_);
  const double cycles = powerxcell::hopping_times(placement_, lattice_, real_bytes).computation();
  // Each part of a hop bears its part of the faces that SPEs exchange.
  const double faces = powerxcell::face_exchange(placement_, lattice_, real_bytes) / (all / 2);
  return sweep(cycles / all + faces, sites);
}

Picoseconds PowerXCell8i::linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                      int spinors_written, int flops) const {
  const double cycles =
      powerxcell::linear_times(placement_, real_bytes, spinors_read, spinors_written, flops)
          .execution();
  return sweep(cycles, sites);
}

Picoseconds PowerXCell8i::pack_time(std::int64_t sites, int real_bytes, bool multiplied) const {
  const host::Kernel kernel = host::pack_kernel(multiplied);
  const double peak = kernel.flops / (2 * 16.0 / real_bytes) / powerxcell::spes;
  // What is sent goes from the local stores to the network processor ([QPACE2009] section 6): it is
  // not stored in main memory.
  const double bytes =
      (kernel.field_traffic() - kernel.stores + kernel.link_traffic()) * real_bytes;
  const double data =
      placement_ == Placement::MainMemory ? bytes / 8 : bytes / 16 / powerxcell::spes;
  return sweep(std::max(2 * peak, data), sites);
}

Picoseconds PowerXCell8i::kernel_time(const host::Kernel& kernel, std::int64_t sites,
                                      int real_bytes) const {
  const double instructions = kernel.instructions() / (16.0 / real_bytes) / powerxcell::spes;
  const double registers = (kernel.loads() + kernel.stores) * real_bytes / 16.0 / powerxcell::spes;
  const double memory = placement_ == Placement::MainMemory
                            ? (kernel.field_traffic() + kernel.link_traffic()) * real_bytes / 8.0
                            : 0;
  return sweep(std::max({instructions, registers, memory}), sites);
}

Picoseconds PowerXCell8i::copy_time(std::int64_t bytes) const {
  return time_of_cycles(2 * static_cast<double>(bytes) / 8);  // read and written, 25.6 GB/s
}

}  // namespace ht::qpace
