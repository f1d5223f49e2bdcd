// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/qcdoc_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <functional>
#include <numeric>
#include <span>
#include <type_traits>

#include "sim/machine/machine_draw.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/boot.hpp"

namespace ht::machine {
namespace {

constexpr int node_links = qcdoc::links;
constexpr std::size_t most_axes = 6;
constexpr unsigned word_bits = 64;

// What reports show of both ends' counters.
void describe(QcdocLinkReport& r) {
  const qcdoc::LinkCounters &s = r.sender, &d = r.receiver;
  r.sent = s.sent;
  r.resent = s.resent;
  r.accepted = d.accepted;
  r.tx_checksum = s.tx_checksum;
  r.rx_checksum = d.rx_checksum;
  r.counts = {{"refused", d.refused},
              {"header_errors", d.header_errors},
              {"parity_errors", d.parity_errors},
              {"marker_errors", d.marker_errors},
              {"requests", d.requests},
              {"bursts", s.bursts},
              {"bad_acknowledgements", s.bad_acknowledgements},
              {"retrains", s.retrains}};
}

}  // namespace

// A word's parity groups are its even and its odd bits.
sim::FaultPlan::Forced forged_word(std::uint64_t frame, unsigned bit) {
  return {frame, {{bit / 32, std::uint32_t{1} << bit % 32 | std::uint32_t{1} << (bit ^ 2) % 32}}};
}

void QcdocMachine::require_memory(const std::vector<int>& shape) {
  // Model, cables, stack and a small program's data.
  constexpr double bytes_per_node = 512 << 10;
  double nodes = 1;
  for (const int length : shape) nodes *= length;
  require_free_memory(nodes, bytes_per_node);
}

QcdocMachine::QcdocMachine(QcdocMachineOptions options)
    : Machine(options.kernel), options_(std::move(options)) {
  auto& shape = options_.shape;
  while (shape.size() > most_axes && shape.back() == 1) shape.pop_back();
  if (shape.empty() || shape.size() > most_axes)
    throw UsageError(fmt::format("a QCDOC torus has 1 to 6 axes, not {}", shape.size()));
  require_memory(shape);
  partitions_ = std::make_unique<qcdoc::Partitions>(shape, options_.cuts);
  fold_ =
      std::make_shared<const qcdoc::Fold>(partitions_->axes(), options_.application, options_.fold);
  qcdoc::PartitionTiming& timing = options_.driver.scu.partition;
  timing.bit = options_.node.clock.period;
  timing.cable = options_.cable_delay;
  timing.tick = options_.node.global_period;
  add_nodes();
  plug_cables();
  for (int number = 0; number < size(); ++number) {
    drivers_.push_back(is_local(number) ? std::make_unique<qcdoc::Driver>(
                                              node(number), place_of(number), options_.driver)
                                        : nullptr);
  }
}

QcdocMachine::~QcdocMachine() = default;

void QcdocMachine::add_nodes() {
  const int count =
      std::accumulate(options_.shape.begin(), options_.shape.end(), 1, std::multiplies<>());
  MachineDraw phases(options_.seed, Purpose::Phases);
  for (int number = 0; number < count; ++number) {
    ScuNodeOptions node = options_.node;
    if (options_.random_phases) {
      node.clock.phase = phases.below(node.clock.period);
      node.byte_phase = static_cast<int>(phases.below(8));
      // The driver's windows allow for one tick between the earliest and the latest node.
      node.global_skew = phases.below(options_.driver.scu.partition.skew);
    }
    const auto at = static_cast<std::size_t>(number);
    if (at < options_.byte_phases.size()) node.byte_phase = options_.byte_phases[at];
    if (at < options_.clock_phases.size()) node.clock.phase = options_.clock_phases[at];
    clocks_.push_back(node.clock);
    add_node(count, [&](int own) { return std::make_unique<ScuNode>(own, node); });
  }
}

void QcdocMachine::plug_cables() {
  CableGrid grid;
  grid.nodes = size();
  grid.links = node_links;
  grid.neighbour = [this](int number, int link) { return neighbour(number, link); };
  grid.forge = forged_word;
  grid.payload_bits = word_bits;
  grid.self_cables = false;  // their links stay down
  auto faults = draw_faults(options_.errors, grid, options_.seed, options_.faults);
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < node_links; ++link) {
      const int to = neighbour(number, link);
      sim::CableOptions cable;
      cable.name = fmt::format("node {} {} to node {}", number, link_name(link), to);
      cable.number = static_cast<std::uint32_t>(cables_.size());
      cable.sender = clocks_[static_cast<std::size_t>(number)];
      cable.receiver = clocks_[static_cast<std::size_t>(to)];
      cable.delay = options_.cable_delay;
      cable.seed = options_.seed;
      cable.faults = std::move(faults[cables_.size()]);
      auto owned = std::make_unique<sim::QcdocCable>(std::move(cable));
      cables_.push_back(owned.get());
      kernel().add_cable(std::move(owned), static_cast<std::size_t>(number),
                         static_cast<std::size_t>(to));
    }
  }
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < node_links && is_local(number); ++link)
      node(number).connect(link, cable(number, link), cable(neighbour(number, link), link ^ 1));
  }
}

MachineWords QcdocMachine::words() const {
  std::string name = "QCDOC torus " + shape_name(options_.shape);
  if (partitions() > 1) name += fmt::format(" in {} partitions", partitions());
  if (fold_->shape() != options_.shape) name += ", seen as " + shape_name(fold_->shape());
  return {name, "words"};
}

qcdoc::Place QcdocMachine::place_of(int number) const {
  return {fold_, partitions_->rank_of(number), number, partitions_->partition_of(number)};
}

void QcdocMachine::launch(const DriverProgram& program) {
  start_bodies([this, &program](int i) { program(driver(i)); });
}

void QcdocMachine::bring_up(int number) {
  if (options_.boot) {
    // What no other node has: on a board, its Ethernet address.
    const std::uint64_t unique = 0x0200'0000'0000 + static_cast<std::uint64_t>(number);
    const qcdoc::Boot found = qcdoc::boot(driver(number).scu(), unique, number == 0);
    std::array<int, 6> shape{1, 1, 1, 1, 1, 1};
    std::copy(options_.shape.begin(), options_.shape.end(), shape.begin());
    if (found.shape != shape || found.rank != number)
      throw ProtocolError(fmt::format(
          "node {}: the boot program found node {} of a machine of {}: how are the cables plugged?",
          number, found.rank, fmt::join(found.shape, "x")));
  }
  driver(number).bring_up();
}

void QcdocMachine::start(const DriverProgram& program) {
  start_bodies([this, &program](int i) {
    if (!up_) bring_up(i);
    program(driver(i));
  });
}

void QcdocMachine::start_everywhere(const Program& program) {
  start_bodies([this, &program](int i) {
    if (!up_) bring_up(i);
    program(driver(i), i);
  });
}

bool QcdocMachine::run(const DriverProgram& program, Picoseconds limit) {
  start(program);
  const bool finished = run_to_end(limit);
  up_ = up_ || finished;
  return finished;
}

bool QcdocMachine::run_everywhere(const Program& program, Picoseconds limit) {
  return run([&](qcdoc::Driver& d) { program(d, d.place().number()); }, limit);
}

std::vector<QcdocLinkReport> QcdocMachine::read_links() {
  // What one node, and the receiving end of a cable, know; zero where another rank knows it.
  struct Known {
    qcdoc::LinkCounters counters;
    sim::ErrorTotals received;
    Picoseconds first_retransmission = 0;
  };
  static_assert(std::is_trivially_copyable_v<Known>);
  std::vector<Known> known(cables_.size());
  const auto at = [](int number, int link) {
    return static_cast<std::size_t>(number * node_links + link);
  };
  const DriverProgram read = [&](qcdoc::Driver& d) {
    const int number = d.place().number();
    for (int link = 0; link < node_links; ++link) {
      Known& k = known[at(number, link)];
      k.counters = d.read_counters(link);
      k.first_retransmission = node(number).first_retransmission(link);
    }
  };
  launch(read);
  run_to_end(sim::kNever);
  for (int number = 0; number < size(); ++number) {
    if (is_local(number)) node(number).tell_ledgers();
  }
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < node_links; ++link) {
      if (is_local(neighbour(number, link)))
        known[at(number, link)].received = cable(number, link).ledger().totals_so_far();
    }
  }
  merge_ranks(std::as_writable_bytes(std::span(known)));
  std::vector<QcdocLinkReport> reports;
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < node_links; ++link) {
      const Known& k = known[at(number, link)];
      QcdocLinkReport r;
      r.from = number;
      r.to = neighbour(number, link);
      r.link = link;
      r.sender = k.counters;
      r.receiver = known[at(r.to, link ^ 1)].counters;
      r.errors = k.received;
      r.first_retransmission = k.first_retransmission;
      describe(r);
      reports.push_back(std::move(r));
    }
  }
  return reports;
}

std::vector<LinkReport> QcdocMachine::report_links() {
  std::vector<LinkReport> reports;
  for (const QcdocLinkReport& r : read_links()) {
    // Of six axes most machines have fewer: nobody wants to read of the others' cables.
    if (r.from != r.to || r.sent != 0) reports.push_back(r);
  }
  return reports;
}

}  // namespace ht::machine
