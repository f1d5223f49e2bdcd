// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/cable_errors.hpp"
#include "sim/machine/cabled_machine.hpp"
#include "sim/machine/phy.hpp"
#include "sim/tofu/node.hpp"
#include "sw/tofu/transport.hpp"

namespace ht::machine {

/// A node with its share of the cables and a program, rounded up; `bench sim tofu` measures it.
constexpr std::size_t tofu_node_bytes = std::size_t{2560} << 10;
/// The same of TofuD's, with six interfaces and their gates.
constexpr std::size_t tofud_node_bytes = std::size_t{4096} << 10;

struct TofuMachineOptions {
  tofu::Shape shape{{2, 2, 2, 1, 1, 1}, {true, true, true}};
  /// What the application sees, laid onto the machine as tofu::RankMap does, with `ranks`' options;
  /// empty: every node has a rank, and every axis is the application's.
  std::vector<int> application;
  /// Nodes that have failed are not switched on; nothing comes over their cables.
  tofu::RankOptions ranks{.io_nodes = false, .failed = {}};
  /// An axis, 0 to 2 for X to Z, in whose two halves a job runs each, of the same `application`;
  /// -1: one job on all of the machine.
  int split_axis = -1;
  /// Programs pass messages: links, network interfaces and gates for them are brought up. Else
  /// links only, for programs that lay gates of their own.
  bool messages = true;
  TofuNodeOptions node;
  /// Every node's clock starts at a phase drawn from the seed.
  bool random_phases = false;
  bool random_state = false;  ///< every node's registers and memories come up with random bits
  Picoseconds cable_delay = 64'000;  ///< PHYs and cable: 20 cycles
  Picoseconds cable_spread = 0;      ///< each cable is longer by up to this, drawn from the seed
  std::optional<Phy> phy;  ///< lanes between each link and its cable; else its own line code
  CableErrors errors;
  /// Besides those: what goes wrong on each cable, by sender's number * 10 + link; empty: nothing.
  std::vector<sim::FaultPlan> faults;
  Losses losses;                 ///< what stops permanently, and when
  host::SoftErrors soft_errors;  ///< bits that flip in memories
  /// Operating systems that interrupt the nodes' programs.
  std::optional<host::OsNoise> noise;
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
  tofu::TransportOptions driver;
};

using TofuLinkReport = FullLinkReport<tofu::LinkCounters>;

/// A six-dimensional torus of Verilated Tofu interconnect controllers with their nodes' memories
/// and programs. Nodes are numbered as tofu::Shape does. Where an axis has one node, a mesh ends,
/// or the node beyond has failed, there is no cable: such a link "leads" to its own node, and its
/// cable is plugged in nowhere.
template <class Node>
class TofuMachineOf final : public CabledMachine<tofu::Transport, Node, sim::TofuCable> {
  using Base = CabledMachine<tofu::Transport, Node, sim::TofuCable>;

 public:
  using Base::cable;
  /// Throws UsageError for a shape the hardware does not have, one too large for this computer's
  /// memory, or ranks that cannot be laid onto it.
  explicit TofuMachineOf(TofuMachineOptions options);
  ~TofuMachineOf() override;

  const tofu::Shape& torus() const { return options_.shape; }
  /// Which node has which rank, of the first job.
  const tofu::RankLayout& layout() const { return *layouts_[0]; }
  int partitions() const override { return static_cast<int>(layouts_.size()); }
  int partition_of(int number) const override;

  std::string data_unit() const override { return "packets"; }
  const std::vector<int>& shape() const override { return lengths_; }
  int links() const override { return tofu::links_per_node; }
  Picoseconds link_period() const override { return options_.node.clock.period; }
  std::string link_name(int link) const override { return tofu::link_name(link); }
  int neighbour(int number, int link) const override;
  int far_link(int link) const override { return tofu::far_link(link); }
  bool has_cable(int number, int link) const override { return neighbour(number, link) != number; }
  bool works(int number) const override { return layouts_[0]->works(options_.shape.place(number)); }
  std::unique_ptr<FrameSource> listen_to(int node, int link) override;
  std::unique_ptr<host::LossProbe> open_probe(int node) override;
  std::unique_ptr<host::SoftErrorSite> open_soft_errors(int node) override;

  /// Without those of links that have no cable.
  std::vector<LinkReport> report_links() override;

  /// uTofu, beside QMP's gates.
  std::unique_ptr<ProgramInterface> open_interface(qmp::Transport& transport) override;

 private:
  std::shared_ptr<const tofu::RankLayout> layout_of(int partition) const;
  void bring_up(tofu::Transport& driver) override;
  void describe(TofuLinkReport& report) const override;

  using Base::driver;

  TofuMachineOptions options_;
  std::vector<int> lengths_;
  std::vector<std::shared_ptr<const tofu::RankLayout>> layouts_;  ///< by partition
};

/// Of the K computer's nodes.
using TofuMachine = TofuMachineOf<TofuNode>;

}  // namespace ht::machine
