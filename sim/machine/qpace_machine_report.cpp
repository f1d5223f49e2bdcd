// SPDX-License-Identifier: Apache-2.0
// What a machine knows of itself: events, counters, errors, cycles, consoles. How it is built and
// run: qpace_machine.cpp.
#include <iterator>
#include <span>
#include <type_traits>

#include "sim/machine/qpace_machine.hpp"

namespace ht::machine {
namespace {

constexpr int links = qpace::links;

}  // namespace

MachineEvent QpaceMachine::first_event(EventKind kind) const {
  MachineEvent first;
  const auto candidate = [&first](Picoseconds time, int rank, int link) {
    if (time < first.time) first = {time, rank, link};
  };
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links && is_local(rank); ++link) {
      const NwpNode& n = *nodes_[static_cast<std::size_t>(rank)];
      if (kind == EventKind::Error) candidate(n.first_error(link), rank, link);
      if (kind == EventKind::Retransmit) candidate(n.first_retransmission(link), rank, link);
      if (kind != EventKind::Undetected) continue;
      const sim::QpaceCable& from = cable(neighbour(rank, link), link ^ 1);
      for (const auto& error : from.ledger().errors()) {
        if (error.fate == sim::Fate::Undetected)
          candidate(from.options().receiver.edge(error.last), rank, link);
      }
    }
  }
  return first;
}

std::vector<LinkReport> QpaceMachine::read_links() {
  // What one node, and the receiving end of a cable, know; zero where another rank knows it.
  struct Known {
    qpace::LinkCounters counters;
    sim::ErrorTotals received;
    Picoseconds first_retransmission = 0;
  };
  static_assert(std::is_trivially_copyable_v<Known>);
  std::vector<Known> known(nodes_.size() * links);
  const Program read = [&](qpace::Driver& driver) {
    const int rank = driver.place().number();
    for (int link = 0; link < links; ++link) {
      Known& k = known[static_cast<std::size_t>(rank * links + link)];
      k.counters = driver.read_counters(link);
      k.first_retransmission = node(rank).first_retransmission(link);
    }
  };
  launch(read);
  run_to_end(sim::kNever);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const int from = static_cast<int>(i) / links;
    if (is_local(neighbour(from, static_cast<int>(i) % links)))
      known[i].received = cable(from, static_cast<int>(i) % links).ledger().totals_so_far();
  }
  if (options_.kernel.ranks != nullptr)
    options_.kernel.ranks->merge(std::as_writable_bytes(std::span(known)));
  std::vector<LinkReport> reports;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links; ++link) {
      const Known& k = known[static_cast<std::size_t>(rank * links + link)];
      const int to = neighbour(rank, link);
      reports.push_back({rank, to, link, k.counters,
                         known[static_cast<std::size_t>(to * links + (link ^ 1))].counters,
                         k.received, k.first_retransmission});
    }
  }
  return reports;
}

sim::ErrorTotals QpaceMachine::close_ledgers() {
  return sum_over_ranks(kernel_.close_ledgers());
}

sim::ErrorTotals QpaceMachine::partition_errors(int partition) const {
  sim::ErrorTotals sum;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < links; ++link) {
      const auto number = static_cast<std::size_t>(rank * links + link);
      if (partition_of(torus_neighbour(options_.shape, rank, link)) == partition)
        sum += cables_[number]->ledger().totals();
      if (redundant_[number] != nullptr && partition_of(rank) == partition)
        sum += redundant_[number]->ledger().totals();
    }
  }
  return sum;
}

sim::Kernel::Statistics QpaceMachine::statistics() {
  struct Count {
    std::uint64_t total = 0, skipped = 0;
    Count& operator+=(const Count& c) {
      total += c.total;
      skipped += c.skipped;
      return *this;
    }
  };
  sim::Kernel::Statistics s = kernel_.statistics();
  const Count sum = sum_over_ranks(Count{s.cycles.total, s.cycles.skipped});
  s.cycles = {sum.total, sum.skipped};
  return s;
}

std::vector<ConsoleLine> QpaceMachine::take_console(bool all) {
  std::vector<ConsoleLine> lines;
  for (NwpNode* n : nodes_) {
    if (n == nullptr) continue;
    auto more = n->console().take(all);
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return lines;
}

}  // namespace ht::machine
