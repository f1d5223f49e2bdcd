// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/cable_errors.hpp"
#include "sim/machine/cabled_machine.hpp"
#include "sim/machine/phy.hpp"
#include "sim/machine/torus.hpp"
#include "sim/qcdoc/scu_node.hpp"
#include "sw/qcdoc/driver.hpp"
#include "sw/qcdoc/partitions.hpp"

namespace ht::machine {

/// A node with its share of the cables and a program, rounded up; `bench sim qcdoc` measures it.
constexpr std::size_t qcdoc_node_bytes = std::size_t{384} << 10;

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
  bool routed_far = false;  ///< the last node's unit is the routed one (ScuNodeOptions::routed)
  /// Every node's clock, bytes and global clock start at phases drawn from the seed.
  bool random_phases = false;
  bool random_state = false;  ///< every node's registers and memories come up with random bits
  /// For measurements: ScuNodeOptions::byte_phase and the clock's phase of single nodes; where they
  /// end, and without random phases, `node` says.
  std::vector<int> byte_phases;
  std::vector<Picoseconds> clock_phases;
  Picoseconds cable_delay = 20'000;
  Picoseconds cable_spread = 0;  ///< each cable is longer by up to this, drawn from the seed
  std::optional<Phy> phy;  ///< lanes between each link and its cable, of a unit that has LANES
  CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's number * 12 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  Losses losses;                 ///< what stops permanently, and when
  host::SoftErrors soft_errors;  ///< bits that flip in memories
  /// Operating systems that interrupt the nodes' programs.
  std::optional<host::OsNoise> noise;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
  /// The machine sets its times of cables and clocks.
  qcdoc::DriverOptions driver;
};

using QcdocLinkReport = FullLinkReport<qcdoc::LinkCounters>;

/// Cycles that a byte takes through the lanes of both ends, at the most; skew, jitter and drift
/// come on top (rtl/lane/README.md, "from port to port", and what waits in elastic buffers).
constexpr Picoseconds lane_cycles = 8 * 20;

/// Damage to the `frame`-th data word of a cable that its parity does not see: two inverted bits of
/// one group, one of them `word_bit`.
sim::FaultPlan::Forced forged_word(std::uint64_t frame, unsigned word_bit);

/// A torus of Verilated QCDOC communications units with their nodes' memories and programs, joined
/// by serial cables. Axes of length 1 have their cable plugged from a node's + to its own - link.
class QcdocMachine final : public CabledMachine<qcdoc::Driver, ScuNode, sim::QcdocCable> {
 public:
  /// Throws UsageError for a shape of more than six axes, one too large for this computer's memory,
  /// cuts or a fold that do not match it.
  explicit QcdocMachine(QcdocMachineOptions options);
  ~QcdocMachine() override;

  std::string data_unit() const override { return "words"; }
  const std::vector<int>& shape() const override { return options_.shape; }
  int links() const override { return qcdoc::links; }
  Picoseconds link_period() const override { return options_.node.clock.period; }
  int neighbour(int number, int link) const override {
    return torus_neighbour(options_.shape, number, link);
  }
  std::unique_ptr<FrameSource> listen_to(int node, int link) override;
  std::unique_ptr<host::LossProbe> open_probe(int node) override;
  std::unique_ptr<host::SoftErrorSite> open_soft_errors(int node) override;

  /// Without those of unused axes.
  std::vector<LinkReport> report_links() override;

  /// Machines side by side: programs run on all of them, and ranks count in each from 0.
  int partitions() const override { return partitions_->count(); }
  int partition_of(int number) const override { return partitions_->partition_of(number); }
  /// Where a node stands in its partition.
  qcdoc::Place place_of(int number) const;

 private:
  void add_nodes();
  void bring_up(qcdoc::Driver& driver) override;
  void describe(QcdocLinkReport& report) const override;

  QcdocMachineOptions options_;
  std::unique_ptr<qcdoc::Partitions> partitions_;
  std::shared_ptr<const qcdoc::Fold> fold_;  ///< of each partition
};

}  // namespace ht::machine
