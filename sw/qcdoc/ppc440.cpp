// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/ppc440.hpp"

namespace ht::qcdoc {
namespace ppc440 {

host::Devices devices(double clock) {
  return {.flops = 2,  // one multiply and one add a cycle, double or single
          .instructions = 1,
          .loads = 1,
          .stores = 1,
          .near_bytes = embedded_bytes_a_cycle,
          .far_bytes = external_bytes_a_second / clock};
}

}  // namespace ppc440

Ppc440::Ppc440(const host::LocalLattice& lattice, const Ppc440Options& options)
    : host::DeviceModel(lattice, {.title = "PPC 440",
                                  .near = "fields in embedded memory",
                                  .links_far = "gauge field in external memory",
                                  .far = "fields in external memory",
                                  .clock = options.clock,
                                  .devices = ppc440::devices(options.clock),
                                  .near_capacity = ppc440::embedded_bytes,
                                  .far_capacity = 0x1p31,
                                  .overlap = options.overlap,
                                  .host_path = options.host_path}) {}

}  // namespace ht::qcdoc
