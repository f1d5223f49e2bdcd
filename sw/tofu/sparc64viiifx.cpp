// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/sparc64viiifx.hpp"

namespace ht::tofu {
namespace sparc64viiifx {

host::Devices devices() {
  constexpr double instructions = cores * multiply_adds_a_core;
  // Of a core, assumed: two loads of two reals or one such store, and 16 bytes from the cache.
  constexpr double loads = 4, stores = 2, cache_bytes_a_core = 16;
  return {.flops = 2 * instructions,
          .instructions = instructions,
          .loads = cores * loads,
          .stores = cores * stores,
          .near_bytes = cores * cache_bytes_a_core,
          .far_bytes = memory_bytes_a_second / clock_hz};
}

}  // namespace sparc64viiifx

Sparc64Viiifx::Sparc64Viiifx(const host::LocalLattice& lattice, const Sparc64ViiifxOptions& options)
    : host::DeviceModel(lattice, {.title = "SPARC64 VIIIfx",
                                  .near = "fields in cache",
                                  .links_far = "gauge field in memory",
                                  .far = "fields in memory",
                                  .clock = sparc64viiifx::clock_hz,
                                  .devices = sparc64viiifx::devices(),
                                  .near_capacity = sparc64viiifx::cache_bytes,
                                  .far_capacity = sparc64viiifx::node_bytes,
                                  .overlap = options.overlap,
                                  .host_path = options.host_path,
                                  .cores = sparc64viiifx::cores,
                                  .barrier = options.barrier}) {}

}  // namespace ht::tofu
