// SPDX-License-Identifier: Apache-2.0
#include "sw/host/device_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::host {

double KernelTimes::execution(Overlap overlap) const {
  return overlap == Overlap::Full ? std::max({floating_point, load_store, memory})
                                  : floating_point + load_store + memory;
}

KernelTimes kernel_times(const Kernel& k, const Devices& d, FieldPlacement placement,
                         int real_bytes) {
  const auto memory = [&](double reals, bool near) {
    return reals * real_bytes / (near ? d.near_bytes : d.far_bytes);
  };
  KernelTimes t;
  t.peak = k.flops / d.flops;
  t.floating_point = k.instructions() / d.instructions;
  t.load_store = k.loads() / d.loads + k.stores / d.stores;
  t.memory = memory(k.field_traffic(), placement != FieldPlacement::Far) +
             memory(k.link_traffic(), placement == FieldPlacement::Near);
  return t;
}

DeviceModel::DeviceModel(const LocalLattice& lattice, DeviceModelOptions options)
    : lattice_(lattice), options_(std::move(options)) {
  require_sites(options_.title.c_str(), lattice);
  const Footprint f = footprint(lattice, 8);
  if (f.spinors + f.links > options_.far_capacity)
    throw UsageError(options_.title + ": a local lattice of this size does not fit the " +
                     std::to_string(std::llround(options_.far_capacity / 0x1p30)) +
                     " GB a node can have; use more nodes");
  if (!(options_.clock > 0)) throw UsageError(options_.title + ": a clock has a rate above 0");
}

FieldPlacement DeviceModel::placement(int real_bytes) const {
  return host::placement(lattice_, real_bytes, options_.near_capacity);
}

std::string DeviceModel::name() const {
  const FieldPlacement p = placement(8);
  const char* where = p == FieldPlacement::Near       ? options_.near
                      : p == FieldPlacement::LinksFar ? options_.links_far
                                                      : options_.far;
  return options_.title + ", " + where;
}

double DeviceModel::peak_flops(int /*real_bytes*/) const {
  return options_.devices.flops * options_.clock;
}

Picoseconds DeviceModel::time(const Kernel& kernel, int real_bytes, std::int64_t count) const {
  const KernelTimes each =
      kernel_times(kernel, options_.devices, placement(real_bytes), real_bytes);
  if (count == 0) return 0;
  const std::int64_t whole = (count + options_.cores - 1) / options_.cores * options_.cores;
  const double cycles = each.execution(options_.overlap) * static_cast<double>(whole);
  return static_cast<Picoseconds>(std::ceil(cycles * (1e12 / options_.clock))) + options_.barrier;
}

Picoseconds DeviceModel::hopping_time(std::int64_t sites, int real_bytes) const {
  return time(hopping_kernel(), real_bytes, sites);
}

Picoseconds DeviceModel::linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                     int spinors_written, int flops) const {
  return time(linear_kernel(spinor_reals, spinors_read, spinors_written, flops), real_bytes, sites);
}

Picoseconds DeviceModel::pack_time(std::int64_t sites, int real_bytes, bool multiplied) const {
  return time(pack_kernel(multiplied), real_bytes, sites);
}

Picoseconds DeviceModel::kernel_time(const Kernel& kernel, std::int64_t sites,
                                     int real_bytes) const {
  return time(kernel, real_bytes, sites);
}

Picoseconds DeviceModel::copy_time(std::int64_t bytes) const {
  return time(copy_kernel(), 8, (bytes + 7) / 8);  // words; buffers lie where spinors lie
}

}  // namespace ht::host
