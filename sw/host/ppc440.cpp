// SPDX-License-Identifier: Apache-2.0
#include "sw/host/ppc440.hpp"

#include <algorithm>
#include <cmath>

#include "sw/host/errors.hpp"

namespace ht::host {
namespace ppc440 {
namespace {

// A site, in real numbers.
constexpr double spinor_reals = 24, link_reals = 18, half_spinor_reals = 12;
constexpr double hopping_flops = 1320;
// Projections 8 x 12 adds; products 8 x 2 x 36; sums 7 x 24: as seed 001 counts them.
constexpr double project = 12, multiply = 2 * 36,
                 hopping_instructions = 8 * (project + multiply) + 7 * 24;

double sites_of(const Lattice& lattice) {
  double sites = 1;
  for (const int length : lattice) sites *= length;
  return sites;
}

double memory_cycles(double bytes, bool embedded, double clock) {
  return bytes / (embedded ? embedded_bytes_a_cycle : external_bytes_a_second / clock);
}

}  // namespace

Footprint footprint(const Lattice& lattice, int real_bytes) {
  // x, b, r, p, M p, M^dagger M p and the other parity in between.
  constexpr double half_fields = 7;
  const double sites = sites_of(lattice);
  return {half_fields * sites / 2 * spinor_reals * real_bytes, sites * 4 * link_reals * real_bytes};
}

Placement placement(const Lattice& lattice, int real_bytes) {
  const Footprint f = footprint(lattice, real_bytes);
  if (f.spinors + f.links <= embedded_bytes) return Placement::Embedded;
  return f.spinors <= embedded_bytes ? Placement::LinksExternal : Placement::External;
}

double Times::execution(Overlap overlap) const {
  return overlap == Overlap::Full ? std::max({floating_point, load_store, memory})
                                  : floating_point + load_store + memory;
}

Times hopping_times(Placement placement, int real_bytes, double clock) {
  Times t;
  t.peak = hopping_flops / 2;
  t.floating_point = hopping_instructions;
  t.load_store = 8 * (spinor_reals + link_reals) + spinor_reals;
  // Every spinor comes from memory once and from the cache to its seven other neighbours. Eight
  // links: both parities use a link, but not in the same sweep.
  t.memory = memory_cycles(2 * spinor_reals * real_bytes, placement != Placement::External, clock) +
             memory_cycles(8 * link_reals * real_bytes, placement == Placement::Embedded, clock);
  return t;
}

Times linear_times(Placement placement, int real_bytes, int spinors_read, int spinors_written,
                   int flops, double clock) {
  Times t;
  t.peak = t.floating_point = flops / 2.0;
  t.load_store = (spinors_read + spinors_written) * spinor_reals;
  t.memory = memory_cycles(t.load_store * real_bytes, placement != Placement::External, clock);
  return t;
}

Times pack_times(Placement placement, int real_bytes, bool multiplied, double clock) {
  Times t;
  t.peak = (project + (multiplied ? 2 * 66 : 0)) / 2;
  t.floating_point = project + (multiplied ? multiply : 0);
  const double spinors = spinor_reals + half_spinor_reals, links = multiplied ? link_reals : 0;
  t.load_store = spinors + links;
  t.memory = memory_cycles(spinors * real_bytes, placement != Placement::External, clock) +
             memory_cycles(links * real_bytes, placement == Placement::Embedded, clock);
  return t;
}

}  // namespace ppc440

using ppc440::Placement;

Ppc440::Ppc440(const ppc440::Lattice& lattice, const Ppc440Options& options)
    : lattice_(lattice), options_(options) {
  constexpr double most_bytes = 2.0 * 1024 * 1024 * 1024;
  for (const int length : lattice) {
    if (length < 1)
      throw UsageError("PPC 440: a local lattice with an axis of " + std::to_string(length) +
                       " sites; give every node at least one");
  }
  const ppc440::Footprint f = ppc440::footprint(lattice, 8);
  if (f.spinors + f.links > most_bytes)
    throw UsageError(
        "PPC 440: a local lattice of this size does not fit the 2 GB a node can have; use more "
        "nodes");
  if (!(options.clock > 0)) throw UsageError("PPC 440: a clock has a rate above 0");
}

Placement Ppc440::placement(int real_bytes) const {
  return ppc440::placement(lattice_, real_bytes);
}

std::string Ppc440::name() const {
  switch (placement(8)) {
    case Placement::Embedded:
      return "PPC 440, fields in embedded memory";
    case Placement::LinksExternal:
      return "PPC 440, gauge field in external memory";
    default:
      return "PPC 440, fields in external memory";
  }
}

double Ppc440::peak_flops(int /*real_bytes*/) const {
  return 2 * options_.clock;  // one multiply and one add a cycle, double or single
}

Picoseconds Ppc440::time(const ppc440::Times& each, std::int64_t count) const {
  const double cycles = each.execution(options_.overlap) * static_cast<double>(count);
  return static_cast<Picoseconds>(std::ceil(cycles * (1e12 / options_.clock)));
}

Picoseconds Ppc440::hopping_time(std::int64_t sites, int real_bytes) const {
  return time(ppc440::hopping_times(placement(real_bytes), real_bytes, options_.clock), sites);
}

Picoseconds Ppc440::linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                int spinors_written, int flops) const {
  return time(ppc440::linear_times(placement(real_bytes), real_bytes, spinors_read, spinors_written,
                                   flops, options_.clock),
              sites);
}

Picoseconds Ppc440::pack_time(std::int64_t sites, int real_bytes, bool multiplied) const {
  return time(ppc440::pack_times(placement(real_bytes), real_bytes, multiplied, options_.clock),
              sites);
}

Picoseconds Ppc440::copy_time(std::int64_t bytes) const {
  // Words through a register, read and written; buffers lie where spinors lie.
  ppc440::Times word;
  word.load_store = 2;
  word.memory = ppc440::linear_times(placement(8), 8, 1, 1, 0, options_.clock).memory / 24;
  return time(word, (bytes + 7) / 8);
}

}  // namespace ht::host
