// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "node.hpp"
#include "sim/machine/cable_errors.hpp"
#include "sim/machine/driver_machine.hpp"
#include "sim/machine/machine_draw.hpp"

namespace ht::grid {

struct MachineOptions {
  std::vector<int> shape{2, 2};
  NodeOptions node;
  bool random_phases = false;  ///< every node's clock starts at a phase drawn from the seed
  Picoseconds cable_delay = 40'000;
  machine::CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's number * 4 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  std::optional<host::OsNoise> noise;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
};

using LinkReport = machine::FullLinkReport<LinkCounters>;

/// A two-dimensional torus of Verilated nodes with their memories and programs.
class Machine final : public machine::DriverMachine<Driver, Node> {
 public:
  explicit Machine(MachineOptions options)
      : DriverMachine(options.kernel), options_(std::move(options)) {
    auto& shape = options_.shape;
    shape = machine::torus_shape(std::move(shape), 2, "Grid");
    machine::require_memory(shape);
    const int count = machine::node_count(shape);
    machine::MachineDraw phases(options_.seed, machine::Purpose::Phases);
    for (int number = 0; number < count; ++number) {
      NodeOptions node = options_.node;
      if (options_.random_phases) node.clock.phase = phases.below(node.clock.period);
      clocks_.push_back(node.clock);
      add_node(count, [&](int own) { return std::make_unique<Node>(own, node); });
    }
    plug_cables();
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
  Cable& cable_of(int number, int link) const override {
    return *cables_[static_cast<std::size_t>(number * grid::links + link)];
  }
  std::unique_ptr<machine::FrameSource> listen_to(int number, int link) override {
    constexpr std::uint8_t format = 128;  // none of the tree's: Wireshark shows the bytes
    return std::make_unique<machine::CableFrameSource<Cable, Frames>>(cable_of(number, link),
                                                                      format);
  }

 private:
  void plug_cables() {
    machine::CableGrid grid = cable_grid();
    grid.lanes = LineCode::kLanes;
    grid.forge = forged_frame;
    grid.payload_bits = 8 * line_bytes;
    auto faults = draw_faults(options_.errors, grid, options_.seed, options_.faults);
    for (int i = 0; i < size() * links(); ++i) {
      const int number = i / links(), link = i % links(), to = neighbour(number, link);
      const auto from_node = static_cast<std::size_t>(number),
                 to_node = static_cast<std::size_t>(to);
      sim::CableOptions cable{fmt::format("node {} {} to node {}", number, link_name(link), to),
                              static_cast<std::uint32_t>(i),
                              clocks_[from_node],
                              clocks_[to_node],
                              options_.cable_delay,
                              options_.seed,
                              std::move(faults[cables_.size()])};
      cables_.push_back(plug<Cable>(std::move(cable), from_node, to_node));
    }
    for (int i = 0; i < size() * links(); ++i) {
      const int number = i / links(), link = i % links();
      if (is_local(number))
        node(number).connect(link, cable_of(number, link),
                             cable_of(neighbour(number, link), far_link(link)));
    }
  }

  void describe(LinkReport& r) const override {
    const LinkCounters &s = r.sender, &d = r.receiver;
    r.sent = s.sent;
    r.resent = s.retransmitted;
    r.accepted = d.accepted;
    r.tx_checksum = s.tx_checksum;
    r.rx_checksum = d.rx_checksum;
    r.counts = {{"duplicates", d.duplicates},   {"busy_sent", d.busy_sent},
                {"code_errors", d.code_errors}, {"framing_errors", d.framing_errors},
                {"crc_errors", d.crc_errors},   {"strangers", d.strangers}};
  }

  MachineOptions options_;
  std::vector<sim::Clock> clocks_;  ///< by node
  std::vector<Cable*> cables_;      ///< the kernel's; by sender and link
};

}  // namespace ht::grid
