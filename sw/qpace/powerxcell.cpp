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

// Flop and multiply-adds a cycle and SPE: vectors of 16 bytes.
double flops_per_cycle(int real_bytes) {
  return 2 * 16.0 / real_bytes;
}

}  // namespace

Neighbours neighbours(Placement placement, const Lattice& lattice) {
  const double x = lattice[0], y = lattice[1], z = lattice[2], t = lattice[3];
  if (placement == Placement::LocalStore) {
    // Whole three-dimensional slices: both neighbours in the 4-direction are on the Cell,
    // everything sideways is not.
    return {2 * x * y * z, 2 * (x * y + y * z + z * x) * (t / spes)};
  }
  // An octant: in each direction one face inwards and one outwards.
  const double face = (x * y + y * z + z * x) / 4 * t;
  return {face, face};
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
  const std::uint64_t blocks = (source % line + bytes + line - 1) / line;
  const bool aligned = source % line == destination % line;
  return 200 + static_cast<double>(blocks) * (aligned ? 16 : 32);
}

}  // namespace powerxcell

using powerxcell::Placement;

namespace {

Picoseconds time_of_cycles(double cycles) {
  return static_cast<Picoseconds>(std::ceil(cycles * (1e12 / powerxcell::clock_hz)));
}

}  // namespace

PowerXCell8i::PowerXCell8i(const powerxcell::Lattice& lattice, Placement placement,
                           Picoseconds host_path)
    : lattice_(lattice), placement_(placement), host_path_(host_path) {
  // 8 spinors and 3 x 4 links a site fill the local store then (section 5).
  constexpr double local_store_sites = 79;
  host::require_sites("PowerXCell 8i", lattice);
  if (placement == Placement::LocalStore &&
      host::sites_of(lattice) > local_store_sites * powerxcell::spes) {
    throw UsageError(
        "PowerXCell 8i: a local lattice of more than 632 sites does not fit into the "
        "local stores; place it in main memory");
  }
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
  return time_of_cycles(cycles * (static_cast<double>(sites) / all));
}

Picoseconds PowerXCell8i::linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                      int spinors_written, int flops) const {
  const double cycles =
      powerxcell::linear_times(placement_, real_bytes, spinors_read, spinors_written, flops)
          .execution();
  return time_of_cycles(cycles * static_cast<double>(sites));
}

Picoseconds PowerXCell8i::pack_time(std::int64_t sites, int real_bytes, bool multiplied) const {
  const host::Kernel kernel = host::pack_kernel(multiplied);
  const double peak = kernel.flops / (2 * 16.0 / real_bytes) / powerxcell::spes;
  const double bytes = (kernel.field_traffic() + kernel.link_traffic()) * real_bytes;
  const double data =
      placement_ == Placement::MainMemory ? bytes / 8 : bytes / 16 / powerxcell::spes;
  return time_of_cycles(std::max(2 * peak, data) * static_cast<double>(sites));
}

Picoseconds PowerXCell8i::kernel_time(const host::Kernel& kernel, std::int64_t sites,
                                      int real_bytes) const {
  const double instructions = kernel.instructions() / (16.0 / real_bytes) / powerxcell::spes;
  const double registers = (kernel.loads() + kernel.stores) * real_bytes / 16.0 / powerxcell::spes;
  const double memory = placement_ == Placement::MainMemory
                            ? (kernel.field_traffic() + kernel.link_traffic()) * real_bytes / 8.0
                            : 0;
  return time_of_cycles(std::max({instructions, registers, memory}) * static_cast<double>(sites));
}

Picoseconds PowerXCell8i::copy_time(std::int64_t bytes) const {
  return time_of_cycles(2 * static_cast<double>(bytes) / 8);  // read and written, 25.6 GB/s
}

}  // namespace ht::qpace
