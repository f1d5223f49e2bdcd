// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "driver.hpp"
#include "node.hpp"
#include "sim/machine/cabled_machine.hpp"

namespace ht::grid {

struct MachineOptions {
  std::vector<int> shape{2, 2};
  NodeOptions node;
  bool random_phases = false;  ///< every node's clock starts at a phase drawn from the seed
  bool random_state = false;   ///< registers and memories come up with random bits
  Picoseconds cable_delay = 40'000;
  Picoseconds cable_spread = 0;  ///< each cable is longer by up to this delay
  machine::CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's number * 4 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  std::optional<host::OsNoise> noise;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
};

using LinkReport = machine::FullLinkReport<LinkCounters>;

/// A two-dimensional torus of Verilated nodes with their memories and programs. Axes of length 1
/// have their cable plugged from a node's + to its own - link.
class Machine final : public machine::CabledMachine<Driver, Node, Cable> {
 public:
  explicit Machine(MachineOptions options)
      : CabledMachine(options.kernel), options_(std::move(options)) {
    auto& shape = options_.shape;
    shape = machine::torus_shape(std::move(shape), 2, "Grid");
    machine::require_memory(shape);
    add_nodes(machine::node_count(shape), options_);
    machine::CableGrid grid = cable_grid();
    grid.lanes = LineCode::kLanes;
    grid.forge = forged_frame;
    grid.payload_bits = 8 * line_bytes;
    plug_cables(options_, grid);
    // There and back, what the peer may be busy with, and what either end takes by itself.
    const auto timeout = static_cast<std::uint32_t>(2 * options_.cable_delay / link_period() + 64);
    add_drivers([&](int number) {
      Place place{shape, machine::torus_coordinates(shape, number), number};
      return std::make_unique<Driver>(driver_port(number, options_.noise), std::move(place),
                                      timeout);
    });
  }

  std::string data_unit() const override { return "frames"; }
  const std::vector<int>& shape() const override { return options_.shape; }
  int links() const override { return grid::links; }
  Picoseconds link_period() const override { return options_.node.clock.period; }
  int neighbour(int number, int link) const override {
    return machine::torus_neighbour(options_.shape, number, link);
  }
  std::unique_ptr<machine::FrameSource> listen_to(int number, int link) override {
    using Source = machine::CableFrameSource<Cable, machine::FrameCutter<LinkFrame>>;
    constexpr std::uint8_t format = 128;  // none of the tree's: Wireshark shows the bytes
    return std::make_unique<Source>(cable(number, link), format);
  }

 private:
  void describe(LinkReport& r) const override {
    const LinkCounters& d = r.receiver;
    r.counts = {{"duplicates", d.duplicates},   {"busy_sent", d.busy_sent},
                {"code_errors", d.code_errors}, {"framing_errors", d.framing_errors},
                {"crc_errors", d.crc_errors},   {"strangers", d.strangers}};
  }

  MachineOptions options_;
};

}  // namespace ht::grid
