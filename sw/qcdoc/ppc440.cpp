// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/ppc440.hpp"

#include <algorithm>
#include <cmath>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {

using host::FieldPlacement;
using host::Kernel;

Ppc440::Ppc440(const host::LocalLattice& lattice, const Ppc440Options& options)
    : lattice_(lattice), options_(options) {
  host::require_sites("PPC 440", lattice);
  const host::Footprint f = host::footprint(lattice, 8);
  if (f.spinors + f.links > ppc440::external_capacity)
    throw UsageError(
        "PPC 440: a local lattice of this size does not fit the 2 GB a node can have; use more "
        "nodes");
  if (!(options.clock > 0)) throw UsageError("PPC 440: a clock has a rate above 0");
}

FieldPlacement Ppc440::placement(int real_bytes) const {
  return host::placement(lattice_, real_bytes,
                         static_cast<double>(ppc440::DataMemory::embedded_bytes));
}

std::string Ppc440::name() const {
  switch (placement(8)) {
    case FieldPlacement::Near:
      return "PPC 440, fields in embedded memory";
    case FieldPlacement::LinksFar:
      return "PPC 440, gauge field in external memory";
    default:
      return "PPC 440, fields in external memory";
  }
}

ppc440::Scheduled Ppc440::scheduled(const Kernel& kernel, int real_bytes, bool to_send) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.kernel == kernel && k.real_bytes == real_bytes && k.to_send == to_send;
  });
  if (found != known_.end()) return found->scheduled;
  const ppc440::Sweep sweep{.kernel = kernel,
                            .lattice = lattice_,
                            .real_bytes = real_bytes,
                            .placement = placement(real_bytes),
                            .order = to_send ? ppc440::Order::Face : ppc440::Order::Sweep,
                            .to_send = to_send};
  known_.push_back({kernel, real_bytes, to_send,
                    ppc440::schedule(sweep, options_.core, options_.memory, options_.clock)});
  return known_.back().scheduled;
}

Picoseconds Ppc440::time(const Kernel& kernel, std::int64_t sites, int real_bytes,
                         bool to_send) const {
  if (sites == 0) return 0;
  const double cycles = scheduled(kernel, real_bytes, to_send).cycles * static_cast<double>(sites);
  return static_cast<Picoseconds>(std::ceil(cycles * (1e12 / options_.clock)));
}

Picoseconds Ppc440::hopping_time(std::int64_t sites, int real_bytes) const {
  return time(host::hopping_kernel(), sites, real_bytes);
}

Picoseconds Ppc440::linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                int spinors_written, int flops) const {
  return time(host::linear_kernel(host::spinor_reals, spinors_read, spinors_written, flops), sites,
              real_bytes);
}

Picoseconds Ppc440::pack_time(std::int64_t sites, int real_bytes, bool multiplied) const {
  return time(host::pack_kernel(multiplied), sites, real_bytes, true);
}

Picoseconds Ppc440::kernel_time(const Kernel& kernel, std::int64_t sites, int real_bytes) const {
  return time(kernel, sites, real_bytes);
}

Picoseconds Ppc440::copy_time(std::int64_t bytes) const {
  return time(host::copy_kernel(4), (bytes + 31) / 32, 8);  // lines; buffers lie where fields lie
}

double Ppc440::memory_share(const Kernel& kernel, int real_bytes) const {
  return scheduled(kernel, real_bytes).memory_share;
}

}  // namespace ht::qcdoc
