// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/machine/machine_draw.hpp"
#include "sim/qcdoc/serial_frames.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/boot.hpp"
#include "sw/qcdoc/loss_probe.hpp"
#include "sw/qcdoc/soft_errors.hpp"

namespace ht::machine {
namespace {

constexpr std::size_t most_axes = 6;
constexpr unsigned word_bits = 64;

}  // namespace

// A word's parity groups are its even and its odd bits.
sim::FaultPlan::Forced forged_word(std::uint64_t frame, unsigned bit) {
  return {frame, {{bit / 32, std::uint32_t{1} << bit % 32 | std::uint32_t{1} << (bit ^ 2) % 32}}};
}

QcdocMachine::QcdocMachine(QcdocMachineOptions options)
    : CabledMachine(options.kernel), options_(std::move(options)) {
  auto& shape = options_.shape;
  shape = torus_shape(std::move(shape), most_axes, "QCDOC");
  require_memory(shape, qcdoc_node_bytes, options_.kernel.ranks);
  partitions_ = std::make_unique<qcdoc::Partitions>(shape, options_.cuts);
  fold_ =
      std::make_shared<const qcdoc::Fold>(partitions_->axes(), options_.application, options_.fold);
  qcdoc::PartitionTiming& timing = options_.driver.scu.partition;
  timing.bit = options_.node.clock.longest_cycle();
  timing.cable = options_.cable_delay;
  if (options_.phy) {
    sim::lanes::LaneOptions& lanes = options_.phy->lanes;
    lanes.every = 8;
    timing.cable +=
        lane_cycles * options_.node.clock.period + lanes.skew + lanes.jitter + lanes.drift;
  }
  timing.tick = options_.node.global_period;
  add_nodes();
  CableGrid grid = cable_grid();
  grid.forge = forged_word;
  grid.payload_bits = word_bits;
  grid.self_cables = false;  // their links stay down
  plug_cables(options_, grid);
  add_drivers([this](int number) {
    return std::make_unique<qcdoc::Driver>(driver_port(number, options_.noise), place_of(number),
                                           options_.driver);
  });
}

QcdocMachine::~QcdocMachine() = default;

void QcdocMachine::add_nodes() {
  MachineDraw phases(options_.seed, Purpose::Phases);
  const auto vary = [&](ScuNodeOptions& node, int number) {
    if (options_.random_phases) {
      node.clock.phase = phases.below(node.clock.period);
      node.byte_phase = static_cast<int>(phases.below(8));
      // The driver's windows allow for one tick between the earliest and the latest node.
      node.global_skew = phases.below(options_.driver.scu.partition.skew);
    }
    node.routed = options_.routed_far && number == node_count(options_.shape) - 1;
    const auto at = static_cast<std::size_t>(number);
    if (at < options_.byte_phases.size()) node.byte_phase = options_.byte_phases[at];
    if (at < options_.clock_phases.size()) node.clock.phase = options_.clock_phases[at];
    node.clock = node.clock.slower_by(oscillator_off(options_, number));
    return node.clock;
  };
  CabledMachine::add_nodes(node_count(options_.shape), options_, vary);
}

qcdoc::Place QcdocMachine::place_of(int number) const {
  return {fold_, partitions_->physical_node_of(number), number, partitions_->partition_of(number)};
}

void QcdocMachine::bring_up(qcdoc::Driver& driver) {
  if (options_.boot) {
    const int number = driver.place().node;
    // What no other node has: on a board, its Ethernet address.
    const std::uint64_t unique = 0x0200'0000'0000 + static_cast<std::uint64_t>(number);
    const qcdoc::Boot found = qcdoc::boot(driver.scu(), unique, number == 0);
    std::array<int, 6> shape{1, 1, 1, 1, 1, 1};
    std::copy(options_.shape.begin(), options_.shape.end(), shape.begin());
    if (found.shape != shape || found.node != number)
      throw ProtocolError(fmt::format(
          "node {}: the boot program found node {} of a machine of {}: how are the cables plugged?",
          number, found.node, fmt::join(found.shape, "x")));
  }
  driver.bring_up();
}

void QcdocMachine::describe(QcdocLinkReport& r) const {
  const qcdoc::LinkCounters &s = r.sender, &d = r.receiver;
  r.counts = {{"refused", d.refused},
              {"header_errors", d.header_errors},
              {"parity_errors", d.parity_errors},
              {"marker_errors", d.marker_errors},
              {"requests", d.requests},
              {"bursts", s.bursts},
              {"bad_acknowledgements", s.bad_acknowledgements},
              {"retrains", s.retrains}};
}

std::vector<LinkReport> QcdocMachine::report_links() {
  std::vector<LinkReport> reports;
  for (const QcdocLinkReport& r : read_links()) {
    // Of six axes most machines have fewer: nobody wants to read of the others' cables.
    if (r.from != r.to || r.sent != 0) reports.push_back(r);
  }
  return reports;
}

std::unique_ptr<host::SoftErrorSite> QcdocMachine::open_soft_errors(int node) {
  return std::make_unique<qcdoc::SoftErrorSite>(driver(node).scu());
}

std::unique_ptr<host::LossProbe> QcdocMachine::open_probe(int node) {
  return std::make_unique<qcdoc::LossProbe>(driver(node));
}

std::unique_ptr<FrameSource> QcdocMachine::listen_to(int node, int link) {
  constexpr std::uint8_t format = 2;  // in a capture's records
  if (over_lanes()) {
    sim::lanes::LaneCable& lanes = lane_cable(node, link);
    return std::make_unique<LaneFrameSource<SerialFrames, SerialBytes>>(lanes, format,
                                                                        lanes.options().sender);
  }
  return std::make_unique<CableFrameSource<sim::QcdocCable, SerialFrames>>(cable(node, link),
                                                                           format);
}

}  // namespace ht::machine
