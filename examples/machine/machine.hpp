// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "node.hpp"
#include "sim/machine/cable_errors.hpp"
#include "sim/machine/driver_machine.hpp"
#include "sim/machine/torus.hpp"

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
  DriverOptions driver;
};

using LinkReport = machine::FullLinkReport<LinkCounters>;

/// A two-dimensional torus of Verilated nodes with their memories and programs.
class Machine final : public machine::DriverMachine<Driver, Node> {
 public:
  explicit Machine(MachineOptions options);
  ~Machine() override;

  std::string data_unit() const override { return "frames"; }
  const std::vector<int>& shape() const override { return options_.shape; }
  int links() const override { return grid::links; }
  Picoseconds link_period() const override { return options_.node.clock.period; }
  int neighbour(int number, int link) const override {
    return machine::torus_neighbour(options_.shape, number, link);
  }
  sim::CableBase& cable_of(int number, int link) const override { return cable(number, link); }
  std::unique_ptr<machine::FrameSource> listen_to(int number, int link) override;

 private:
  Cable& cable(int number, int link) const {
    return *cables_[static_cast<std::size_t>(number * grid::links + link)];
  }
  void plug_cables();
  void describe(LinkReport& report) const override;

  MachineOptions options_;
  std::vector<sim::Clock> clocks_;  ///< by node
  std::vector<Cable*> cables_;      ///< the kernel's; by sender and link
};

}  // namespace ht::grid
