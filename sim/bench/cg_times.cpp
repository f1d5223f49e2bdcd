// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/cg_times.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ht::bench {
namespace {

double us(Picoseconds t) {
  return static_cast<double>(t) * 1e-6;
}

}  // namespace

namespace {

// Targets of one parity by the last of the halos that they wait for: backwards and forwards along
// x, y, z, t, as HoppingTerm does. The staggered hop waits for all of them first.
std::array<std::int64_t, 8> groups_of(const host::LocalLattice& lattice, std::int64_t targets,
                                      std::int64_t inside, bool by_arrival) {
  std::array<std::int64_t, 8> groups{};
  if (!by_arrival) {
    groups[7] = targets - inside;
    return groups;
  }
  std::int64_t before = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    std::int64_t behind = 1;
    for (std::size_t nu = mu + 1; nu < 4; ++nu) behind *= std::max(lattice[nu] - 2, 0);
    const std::int64_t face = before * behind / 2;
    if (lattice[mu] > 1) groups[2 * mu] = face;
    groups[2 * mu + 1] = face;
    before *= lattice[mu];
  }
  return groups;
}

}  // namespace

CgTimes cg_times(const host::LocalLattice& lattice, const host::ProcessorModel& processor,
                 const CgNetwork& network, const SolverProfile& solver, int real_bytes) {
  std::int64_t sites = 1, interior = 1;
  for (const int length : lattice) {
    sites *= length;
    interior *= std::max(length - 2 * solver.reach, 0);
  }
  // One parity of each.
  const std::int64_t targets = sites / 2, inside = interior / 2;

  CgTimes t;
  t.peak = solver.flops * static_cast<double>(targets) / processor.peak_flops(real_bytes) * 1e6;
  double packed = 0;
  std::array<double, 8> arrived{};
  for (std::size_t d = 0; d < 8; ++d) {
    const int length = lattice[d / 2];
    const std::int64_t face = targets / length * std::min(solver.reach, length);
    packed += us(solver.half_spinors ? processor.pack_time(face, real_bytes, d % 2 == 0)
                                     : processor.kernel_time(host::copy_kernel(solver.halo_reals),
                                                             face, real_bytes));
    const double words = static_cast<double>(face) * solver.halo_reals;
    arrived[d] = packed + (network.first_word_ns + (words - 1) * network.word_ns) * 1e-3;
  }
  t.packing = solver.hops * packed;
  double computed = us(processor.kernel_time(solver.hop, inside, real_bytes));
  double now = packed + computed, last = 0, waited = 0;
  const auto groups = groups_of(lattice, targets, inside, solver.half_spinors);
  for (std::size_t d = 0; d < 8; ++d) {
    last = std::max(last, arrived[d]);  // nobody asks for one before those in front of it
    const double each = us(processor.kernel_time(solver.hop, groups[d], real_bytes));
    waited += std::max(0.0, last - now);
    now = std::max(now, last) + each;
    computed += each;
  }
  t.hopping = solver.hops * computed;
  t.halo_wait = solver.hops * waited;
  for (const SolverProfile::Part& part : solver.sweeps)
    t.linear += part.times * us(processor.kernel_time(part.kernel, targets, real_bytes));
  t.sums = 2 * network.sum_us;
  return t;
}

}  // namespace ht::bench
