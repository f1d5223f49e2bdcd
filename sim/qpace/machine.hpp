// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/cable_errors.hpp"
#include "sim/machine/cabled_machine.hpp"
#include "sim/machine/phy.hpp"
#include "sim/machine/torus.hpp"
#include "sim/qpace/ethernet_server.hpp"
#include "sim/qpace/nwp_node.hpp"
#include "sim/qpace/signal_network.hpp"
#include "sw/qpace/driver.hpp"

namespace ht::machine {

/// A node with its share of the cables and a program, rounded up; `bench sim qpace` measures it.
constexpr std::size_t qpace_node_bytes = std::size_t{448} << 10;

/// The nodes' Ethernet.
struct EthernetOptions {
  net::FileSource files;  ///< what the server at the other end serves; empty: there is no Ethernet
  Picoseconds cable_delay = 1'000'000;  ///< cable, both PHYs, switch: our assumption
  double bit_error_rate = 0;            ///< of the five bits a nibble
  EthernetServer::Options server;
};

struct QpaceMachineOptions {
  std::vector<int> shape{2, 2, 2};  ///< 1 to 3 axes, x first
  NwpNodeOptions node;
  bool random_phases = false;  ///< every node's clocks start at a phase drawn from the seed
  bool random_state = false;   ///< every node's registers and memories come up with random bits
  Picoseconds cable_delay = 250'000;  ///< two PHYs and a cable: our assumption
  Picoseconds cable_spread = 0;       ///< each cable is longer by up to this, drawn from the seed
  std::optional<Phy> phy;  ///< lanes between each link and its cable; else its own line code
  CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's rank * 6 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  EthernetOptions ethernet;
  Losses losses;  ///< what stops permanently, and when
  /// Operating systems that interrupt the nodes' programs.
  std::optional<host::OsNoise> noise;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
  qpace::DriverOptions driver;
  SignalNetworkOptions signals;
  /// Axis along which redundant cables make two rings of half its length of each ring ([QPACE2009]
  /// figure 5), or -1: the redundant sockets are empty.
  int split_axis = -1;
  bool split = false;  ///< start as two partitions
  /// A program that fails kills the other programs of its partition, over the global signal tree,
  /// and run() throws when all have ended. Else it ends the run at once.
  bool kill_on_error = false;
};

using QpaceLinkReport = FullLinkReport<qpace::LinkCounters>;

/// Damage to the `frame`-th packet of a cable that no CRC sees: one inverted bit of the payload,
/// and those of the CRC that hide it.
sim::FaultPlan::Forced forged_packet(std::uint64_t frame, unsigned payload_bit);

/// A torus of Verilated QPACE network processors with their processors' memories and programs,
/// joined by cables. Axes of length 1 have their cable plugged from a node's + to its own - link.
class QpaceMachine final : public CabledMachine<qpace::Driver, NwpNode, sim::QpaceCable>,
                           public Consoles,
                           public NodeEthernet {
 public:
  /// Throws UsageError for a shape of more than three axes, one too large for this computer's
  /// memory, or a split axis of odd length.
  explicit QpaceMachine(QpaceMachineOptions options);
  ~QpaceMachine() override;

  std::string data_unit() const override { return "packets"; }
  const std::vector<int>& shape() const override { return options_.shape; }
  int links() const override { return qpace::links; }
  Picoseconds link_period() const override { return options_.node.link_clock.period; }
  int neighbour(int rank, int link) const override;
  sim::CableBase& cable_of(int rank, int link) const override;
  std::unique_ptr<FrameSource> listen_to(int node, int link) override;
  std::unique_ptr<host::LossProbe> open_probe(int node) override;

  /// As run() with kill_on_error: other partitions are not disturbed.
  std::vector<std::exception_ptr> run_partitions(const Program& program, bool* finished) override;

  /// Makes two partitions of one along the split axis, or one of two, by software alone: links
  /// down, interfaces selected, the tree's cards set up; the next run trains the links anew. The
  /// machine must be at rest and no program may have failed. Throws UsageError without a split
  /// axis.
  void repartition(bool split);
  int partitions() const override { return split_ ? 2 : 1; }
  /// Partition of a node, 0 or 1.
  int partition_of(int rank) const override { return place_of(rank).partition; }
  /// Where a node stands in its partition.
  qpace::Place place_of(int rank) const;

  /// The cable that carries what link `link` of node `rank` sends, over the interface in use.
  sim::QpaceCable& cable(int rank, int link) const;

  /// The Ethernet cables of a node: what it sends, what it receives. Null without Ethernet.
  std::pair<sim::EthernetCable*, sim::EthernetCable*> ethernet_cables(int rank) {
    return ethernet_cables_.empty() ? std::pair<sim::EthernetCable*, sim::EthernetCable*>{}
                                    : ethernet_cables_[static_cast<std::size_t>(rank)];
  }
  Consoles* consoles() override { return this; }
  std::vector<ConsoleLine> take_console(bool all) override;
  std::unique_ptr<ConsoleWriter> open_console(int node) override;
  NodeEthernet* ethernet() override { return ethernet_cables_.empty() ? nullptr : this; }
  std::unique_ptr<JobReader> open_reader(int node) override;
  EthernetTotals ethernet_totals() override {
    return sum_over_ranks(server_ == nullptr ? EthernetTotals{} : server_->totals());
  }
  std::unique_ptr<Capture> capture_ethernet(const std::string& file) override;
  /// At the other end of them; null without.
  const EthernetServer* ethernet_server() const { return server_; }

 private:
  /// Of cables in use or not.
  sim::ErrorTotals own_partition_errors(int partition) const override;
  void add_ethernet();
  int plugged_into(int rank, int link) const override;
  void plug_redundant_cables();
  sim::lanes::LaneCable& lanes_in_use(int rank, int link) const;
  /// Of either kind; null: there is none.
  sim::CableBase* redundant_cable(std::size_t number) const {
    if (redundant_[number] != nullptr) return redundant_[number];
    return redundant_lanes_[number];
  }
  void configure_partitions();
  void describe(QpaceLinkReport& report) const override;
  bool run_programs(const DriverProgram& program, Picoseconds limit) override;
  bool run_guarded(const DriverProgram& program, Picoseconds limit);
  bool any_failed() const;
  std::exception_ptr first_failure(int partition) const;

  QpaceMachineOptions options_;
  EthernetServer* server_ = nullptr;  ///< the kernel's; null where another process simulates it
  std::vector<std::pair<sim::EthernetCable*, sim::EthernetCable*>> ethernet_cables_;
  /// What a node's program failed with, when it had others killed or was killed.
  struct Failure {
    std::exception_ptr error;
    Picoseconds time = sim::kNever;
    bool killed = false;
  };

  /// The redundant ones, as cables_ and lane_cables_; null where there is none.
  std::vector<sim::QpaceCable*> redundant_;
  std::vector<sim::lanes::LaneCable*> redundant_lanes_;
  std::unique_ptr<SignalNetwork> signals_;  ///< null: none
  std::vector<Failure> failures_;           ///< of the last guarded run, by rank
  bool split_ = false;
};

}  // namespace ht::machine
