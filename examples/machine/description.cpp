// SPDX-License-Identifier: Apache-2.0
// What commands know of the machine; the program finds it in hypertorus-machine-grid.so.
#include "sim/plugin/description.hpp"

#include "machine.hpp"
#include "sim/machine/torus.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/device_model.hpp"

namespace ht::grid {
namespace {

constexpr machine::MachineTraits traits_of_grid{
    .name = "grid",
    .title = "Grid",
    .axes = 2,
    .links = links,
    .every_cable = "+x,+y",
    .nodes = "2x2",
    .bit_error_rate = 1e-6,
    .bursts = 1,
    .lanes = LineCode::kLanes,
    .cable_delay = "40ns",
    .least_delay = 8'000,
    .wire_bits = 32,
};

/// Invented: one core of 1 GHz that starts two multiply-adds a cycle, with 256 kB of its own and
/// 8 GB/s to the node's memory.
struct Processor final : host::DeviceModel {
  explicit Processor(const host::LocalLattice& local)
      : DeviceModel(local, {.title = "Grid processor",
                            .near = "fields in its own memory",
                            .links_far = "gauge field in the node's",
                            .far = "fields in the node's",
                            .clock = 1e9,
                            .devices = {4, 2, 2, 1, 16, 8},
                            .near_capacity = 0x1p18,
                            .far_capacity = 0x1p32}) {}
};

class Description final : public machine::MachineDescription {
 public:
  const machine::MachineTraits& traits() const override { return traits_of_grid; }

  void check(const machine::MachineArguments& a, machine::MachineOptions& o) const override {
    o.nodes = machine::parse_shape("--nodes", a.nodes.empty() ? traits().nodes : a.nodes, 1, 4);
    o.machine = o.job_nodes = o.nodes;
    machine::require(!o.rtl || machine::without_ones(o.nodes).size() <= 2, "--nodes", a.nodes,
                     "Grid is a torus of two axes; keep the others inside the node, as in 2x2");
    machine::require(a.machine.empty(), "--machine", a.machine, "Grid is just its --nodes");
    machine::require(a.partition.empty(), "--partition", a.partition, "Grid has no partitions");
  }
  std::string clocks(const machine::MachineOptions& /*options*/) const override {
    return "250 MHz";
  }

  std::unique_ptr<machine::Machine> build(const machine::MachineOptions& o,
                                          const machine::BuildRequirements& r) const override {
    auto m = machine::common_options<MachineOptions>(o, r);
    m.shape = o.nodes.empty() ? o.machine : o.nodes;
    return std::make_unique<Machine>(std::move(m));
  }
  std::unique_ptr<host::ProcessorModel> processor(const machine::MachineOptions& /*options*/,
                                                  const host::LocalLattice& local) const override {
    return std::make_unique<Processor>(local);
  }
  std::string campaign() const override {
    return "the same for Grid: messages over links that wait for every frame";
  }
  machine::SpeedTraits speed() const override {
    return {.own_links = true, .reference = 4, .shape = [](int nodes) {
              return machine::equal_axes(nodes, 2);
            }};
  }
};

}  // namespace
}  // namespace ht::grid

extern "C" const ht::machine::MachineDescription* hypertorus_machine() {
  static const ht::grid::Description description;
  return &description;
}
