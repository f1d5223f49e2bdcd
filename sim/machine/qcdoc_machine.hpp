// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/cable_errors.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/scu_node.hpp"
#include "sim/machine/torus.hpp"
#include "sw/qcdoc/driver.hpp"
#include "sw/qcdoc/partitions.hpp"

namespace ht::machine {

struct QcdocMachineOptions {
  std::vector<int> shape{2, 2, 2, 2};  ///< the machine: 1 to 6 axes, x first
  /// What the application sees, and how (sw/qcdoc/fold.hpp); empty: the machine, or a partition, as
  /// it is.
  std::vector<int> application;
  std::string fold;
  std::string cuts;  ///< partitions side by side, as "z:2+2" (sw/qcdoc/partitions.hpp); empty: one
  /// Before anything else, nodes find out the machine's size and where they stand, node 0 being the
  /// origin (sw/qcdoc/boot.hpp). ProtocolError if that is not so.
  bool boot = false;
  ScuNodeOptions node;
  /// Every node's clock, bytes and global clock start at phases drawn from the seed.
  bool random_phases = false;
  /// For measurements: ScuNodeOptions::byte_phase and the clock's phase of single nodes; where they
  /// end, and without random phases, `node` says.
  std::vector<int> byte_phases;
  std::vector<Picoseconds> clock_phases;
  Picoseconds cable_delay = 20'000;
  CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's number * 12 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
  /// The machine tells it the times of cables and clocks.
  qcdoc::DriverOptions driver;
};

/// What the two ends of a direction counted, in full.
struct QcdocLinkReport : LinkReport {
  qcdoc::LinkCounters sender;  ///< its transmit side belongs to this direction
  qcdoc::LinkCounters receiver;
};

/// Damage to the `frame`-th data word of a cable that its parity does not see: two inverted bits of
/// one group, one of them `word_bit`.
sim::FaultPlan::Forced forged_word(std::uint64_t frame, unsigned word_bit);

/// A torus of Verilated QCDOC communications units with their nodes' memories and programs, joined
/// by serial cables. Axes of length 1 have their cable plugged from a node's + to its own - link.
class QcdocMachine final : public Machine {
 public:
  /// A program that knows its machine.
  using DriverProgram = std::function<void(qcdoc::Driver&)>;

  /// Throws UsageError for a shape of more than six axes, one too large for this computer's memory,
  /// cuts or a fold that do not match it.
  explicit QcdocMachine(QcdocMachineOptions options);
  ~QcdocMachine() override;

  /// Throws UsageError if a torus of that shape would not fit into this computer's free memory.
  static void require_memory(const std::vector<int>& shape);

  /// A local node.
  ScuNode& node(int number) { return static_cast<ScuNode&>(processor(number)); }
  const ScuNode& node(int number) const { return static_cast<const ScuNode&>(processor(number)); }

  MachineWords words() const override;
  const std::vector<int>& shape() const override { return options_.shape; }
  int links() const override { return qcdoc::links; }
  Picoseconds link_period() const override { return options_.node.clock.period; }
  int neighbour(int number, int link) const override {
    return torus_neighbour(options_.shape, number, link);
  }
  sim::CableBase& cable_of(int number, int link) const override { return cable(number, link); }

  bool run_everywhere(const Program& program, Picoseconds limit = sim::kNever) override;
  void start_everywhere(const Program& program) override;
  std::vector<LinkReport> report_links() override;

  /// Runs `program` on every node as straight-line code in a fibre, over that node's driver, until
  /// all have returned and the network is at rest. The first call trains the links. Throws what a
  /// program or the kernel throws. False if it was stopped from outside, or at time `limit`.
  bool run(const DriverProgram& program, Picoseconds limit = sim::kNever);
  /// As start_everywhere().
  void start(const DriverProgram& program);

  /// Machines side by side: programs run on all of them, and ranks count in each from 0.
  int partitions() const { return partitions_->count(); }
  int partition_of(int number) const { return partitions_->partition_of(number); }
  /// Where a node stands in its partition.
  qcdoc::Place place_of(int number) const;

  /// The cable that carries what link `link` of node `number` sends.
  sim::QcdocCable& cable(int number, int link) const {
    return *cables_[static_cast<std::size_t>(number * qcdoc::links + link)];
  }

  /// Reads every link's counters over the nodes' register buses; the machine must be at rest.
  std::vector<QcdocLinkReport> read_links();

 private:
  void add_nodes();
  void plug_cables();
  void launch(const DriverProgram& program);
  void bring_up(int number);
  qcdoc::Driver& driver(int number) { return *drivers_[static_cast<std::size_t>(number)]; }

  QcdocMachineOptions options_;
  std::unique_ptr<qcdoc::Partitions> partitions_;
  std::shared_ptr<const qcdoc::Fold> fold_;  ///< of each partition
  std::vector<sim::Clock> clocks_;           ///< by node
  std::vector<sim::QcdocCable*> cables_;     ///< the kernel's; by sender and link
  std::vector<std::unique_ptr<qcdoc::Driver>> drivers_;
  bool up_ = false;
};

}  // namespace ht::machine
