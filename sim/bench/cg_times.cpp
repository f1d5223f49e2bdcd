// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/cg_times.hpp"

#include <algorithm>
#include <cstdint>

namespace ht::bench {
namespace {

constexpr int real_bytes = 8;
constexpr double flops_a_site = 5664;  // of one parity and iteration, as the report of a run counts
constexpr int hops = 4;  // M and its adjoint, each from one parity to the other and back

// Spinors read and written, and flop, of what solve_cg() does between the hopping terms.
struct Linear {
  int read, written, flops;
};
constexpr Linear linear_steps[] = {
    {2, 1, 120},  // M p: the diagonal, and its norm
    {2, 1, 48},   // x += alpha p
    {2, 1, 72},   // M^dagger M p: the diagonal
    {2, 1, 96},   // r -= alpha M^dagger M p, and its norm
    {2, 1, 72},   // p = r + beta p
};

double us(Picoseconds t) {
  return static_cast<double>(t) * 1e-6;
}

}  // namespace

CgTimes cg_times(const host::LocalLattice& lattice, const host::ProcessorModel& processor,
                 const CgNetwork& network) {
  std::int64_t sites = 1, interior = 1;
  for (const int length : lattice) {
    sites *= length;
    interior *= std::max(length - 2, 0);
  }
  // One parity of each.
  const std::int64_t targets = sites / 2, inside = interior / 2;

  CgTimes t;
  t.peak = flops_a_site * static_cast<double>(targets) / processor.peak_flops(real_bytes) * 1e6;
  double packed = 0, arrived = 0;
  for (const int length : lattice) {
    const std::int64_t face = targets / length;
    for (const bool multiplied : {true, false}) {
      packed += us(processor.pack_time(face, real_bytes, multiplied));
      const double words = static_cast<double>(face) * 12;
      arrived = std::max(arrived,
                         packed + (network.first_word_ns + (words - 1) * network.word_ns) * 1e-3);
    }
  }
  const double inner = us(processor.hopping_time(inside, real_bytes));
  t.packing = hops * packed;
  t.halo_wait = hops * std::max(0.0, arrived - packed - inner);
  t.hopping = hops * (inner + us(processor.hopping_time(targets - inside, real_bytes)));
  for (const Linear& step : linear_steps)
    t.linear += us(processor.linear_time(targets, real_bytes, step.read, step.written, step.flops));
  t.sums = 2 * network.sum_us;
  return t;
}

}  // namespace ht::bench
