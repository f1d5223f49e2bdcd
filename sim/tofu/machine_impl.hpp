// SPDX-License-Identifier: Apache-2.0
// What machine.hpp declares: for the source that instantiates it for a kind of nodes.
#pragma once
#include "sim/tofu/machine.hpp"

#include <fmt/format.h>

#include "sim/machine/lane_words.hpp"
#include "sim/tofu/beat_frames.hpp"
#include "sim/tofu/lane_word.hpp"
#include "sw/tofu/loss_probe.hpp"
#include "sw/tofu/soft_errors.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"

namespace ht::machine {

template <class Node>
TofuMachineOf<Node>::TofuMachineOf(TofuMachineOptions options)
    : Base(options.kernel), options_(std::move(options)) {
  const tofu::Shape& shape = options_.shape;
  shape.check();
  lengths_.assign(shape.length.begin(), shape.length.end());
  require_memory(lengths_, options_.driver.profile.wide() ? tofud_node_bytes : tofu_node_bytes,
                 options_.kernel.ranks);
  for (int p = 0; p < (options_.split_axis < 0 ? 1 : 2); ++p) layouts_.push_back(layout_of(p));
  this->add_nodes(shape.nodes(), options_);
  CableGrid grid = this->cable_grid();
  grid.lanes = options_.phy ? options_.phy->lanes.shape.lanes : sim::TofuLineCode::kLanes;
  if (options_.phy) options_.phy->lanes.parts = sim::beat_parts();
  grid.self_cables = false;
  this->plug_cables(options_, grid);
  this->add_drivers([this](int number) {
    const int partition = partition_of(number);
    tofu::TransportOptions driver = options_.driver;
    if (partitions() > 1) driver.group = partition + 1;
    return std::make_unique<tofu::Transport>(this->driver_port(number, options_.noise),
                                             tofu::Place{options_.shape, number},
                                             layouts_[static_cast<std::size_t>(partition)], driver);
  });
}

template <class Node>
TofuMachineOf<Node>::~TofuMachineOf() = default;

template <class Node>
int TofuMachineOf<Node>::partition_of(int number) const {
  if (options_.split_axis < 0) return 0;
  const auto axis = static_cast<std::size_t>(options_.split_axis);
  return options_.shape.place(number).at[axis] < options_.shape.length[axis] / 2 ? 0 : 1;
}

/// A job's ranks are on its own nodes, and its ways lead over no others.
template <class Node>
std::shared_ptr<const tofu::RankLayout> TofuMachineOf<Node>::layout_of(int partition) const {
  const tofu::Shape& shape = options_.shape;
  if (options_.application.empty()) return tofu::RankLayout::straight(shape);
  tofu::RankOptions ranks = options_.ranks;
  for (int number = 0; number < shape.nodes(); ++number) {
    if (partition_of(number) != partition) ranks.others.push_back(shape.place(number));
  }
  return tofu::RankLayout::of({shape, options_.application, ranks});
}

template <class Node>
int TofuMachineOf<Node>::neighbour(int number, int link) const {
  const tofu::Shape& shape = options_.shape;
  const tofu::Coordinates here = shape.place(number);
  const auto there = shape.neighbour(here, link);
  return there && layouts_[0]->works(here) && layouts_[0]->works(*there) ? shape.node(*there)
                                                                         : number;
}

template <class Node>
void TofuMachineOf<Node>::bring_up(tofu::Transport& driver) {
  if (options_.messages) {
    driver.bring_up();
  } else {
    driver.icc().bring_up();
  }
}

template <class Node>
void TofuMachineOf<Node>::describe(TofuLinkReport& r) const {
  const tofu::LinkCounters &s = r.sender, &d = r.receiver;
  r.counts = {{"duplicates", d.duplicates},
              {"gaps", d.gaps},
              {"refused", d.refused},
              {"void", d.void_received},
              {"code_errors", d.code_errors},
              {"framing_errors", d.framing_errors},
              {"header_errors", d.header_errors},
              {"crc_errors", d.crc_errors},
              {"command_errors", d.command_errors},
              {"nacks", d.nacks},
              {"timeouts", s.timeouts},
              {"retrains", s.retrains}};
}

template <class Node>
std::vector<LinkReport> TofuMachineOf<Node>::report_links() {
  std::vector<LinkReport> reports;
  for (const TofuLinkReport& r : this->read_links()) {
    if (has_cable(r.from, r.link)) reports.push_back(r);
  }
  return reports;
}

template <class Node>
std::unique_ptr<host::SoftErrorSite> TofuMachineOf<Node>::open_soft_errors(int node) {
  return std::make_unique<tofu::SoftErrorSite>(driver(node));
}

template <class Node>
std::unique_ptr<host::LossProbe> TofuMachineOf<Node>::open_probe(int node) {
  return std::make_unique<tofu::LossProbe>(driver(node));
}

template <class Node>
std::unique_ptr<FrameSource> TofuMachineOf<Node>::listen_to(int node, int link) {
  constexpr std::uint8_t format = 3;  // in a capture's records
  if (this->over_lanes())
    return std::make_unique<LaneFrameSource<BeatFrames, LaneWords<model::Beat>>>(
        this->lane_cable(node, link), format, sim::beat_of);
  return std::make_unique<CableFrameSource<sim::TofuCable, BeatFrames>>(cable(node, link), format);
}

template <class Node>
std::unique_ptr<ProgramInterface> TofuMachineOf<Node>::open_interface(qmp::Transport& transport) {
  /// Of the program's barrier gates: QMP's are another.
  struct Utofu final : ProgramInterface {
    explicit Utofu(tofu::Transport& own)
        : node(barriers(own), own.utofu_network(), own.first_own_gate(), own.gate_group(2)) {}
    static std::vector<tofu::BarrierInterface*> barriers(tofu::Transport& own) {
      std::vector<tofu::BarrierInterface*> all;
      for (int i = 0; i < static_cast<int>(own.utofu_network().profile.gate_interfaces); ++i)
        all.push_back(&own.icc().barrier(i));
      return all;
    }
    tofu::UtofuNode node;
  };
  return std::make_unique<Utofu>(dynamic_cast<tofu::Transport&>(transport));
}

}  // namespace ht::machine
