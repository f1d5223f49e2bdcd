// SPDX-License-Identifier: Apache-2.0
// What a machine knows of itself: events, counters, errors, cycles, consoles. How it is built and
// run: qpace_machine.cpp.
#include <iterator>
#include <span>
#include <type_traits>

#include "sim/machine/qpace_machine.hpp"

namespace ht::machine {
namespace {

constexpr int node_links = qpace::links;

// What reports show of both ends' counters.
void describe(QpaceLinkReport& r) {
  const qpace::LinkCounters &s = r.sender, &d = r.receiver;
  r.sent = s.sent;
  r.resent = s.retransmitted;
  r.accepted = d.accepted;
  r.tx_checksum = s.tx_checksum;
  r.rx_checksum = d.rx_checksum;
  r.counts = {{"duplicates", d.duplicates},
              {"crc_errors", d.crc_errors},
              {"code_errors", d.code_errors},
              {"framing_errors", d.framing_errors},
              {"command_errors", d.command_errors},
              {"nacks", s.nacks_received},
              {"busy", s.busy_received},
              {"timeouts", s.timeouts},
              {"retrains", s.retrains}};
}

}  // namespace

std::vector<QpaceLinkReport> QpaceMachine::read_links() {
  // What one node, and the receiving end of a cable, know; zero where another rank knows it.
  struct Known {
    qpace::LinkCounters counters;
    sim::ErrorTotals received;
    Picoseconds first_retransmission = 0;
  };
  static_assert(std::is_trivially_copyable_v<Known>);
  std::vector<Known> known(static_cast<std::size_t>(size() * node_links));
  const DriverProgram read = [&](qpace::Driver& driver) {
    const int rank = driver.place().number();
    for (int link = 0; link < node_links; ++link) {
      Known& k = known[static_cast<std::size_t>(rank * node_links + link)];
      k.counters = driver.read_counters(link);
      k.first_retransmission = node(rank).first_retransmission(link);
    }
  };
  launch(read);
  run_to_end(sim::kNever);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const int from = static_cast<int>(i) / node_links;
    if (is_local(neighbour(from, static_cast<int>(i) % node_links)))
      known[i].received = cable(from, static_cast<int>(i) % node_links).ledger().totals_so_far();
  }
  merge_ranks(std::as_writable_bytes(std::span(known)));
  std::vector<QpaceLinkReport> reports;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < node_links; ++link) {
      const Known& k = known[static_cast<std::size_t>(rank * node_links + link)];
      const int to = neighbour(rank, link);
      QpaceLinkReport r;
      r.from = rank;
      r.to = to;
      r.link = link;
      r.sender = k.counters;
      r.receiver = known[static_cast<std::size_t>(to * node_links + (link ^ 1))].counters;
      r.errors = k.received;
      r.first_retransmission = k.first_retransmission;
      describe(r);
      reports.push_back(std::move(r));
    }
  }
  return reports;
}

std::vector<LinkReport> QpaceMachine::report_links() {
  const auto full = read_links();
  return {full.begin(), full.end()};
}

sim::ErrorTotals QpaceMachine::partition_errors(int partition) const {
  sim::ErrorTotals sum;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < node_links; ++link) {
      const auto number = static_cast<std::size_t>(rank * node_links + link);
      if (partition_of(torus_neighbour(options_.shape, rank, link)) == partition)
        sum += cables_[number]->ledger().totals();
      if (redundant_[number] != nullptr && partition_of(rank) == partition)
        sum += redundant_[number]->ledger().totals();
    }
  }
  return sum;
}

std::vector<ConsoleLine> QpaceMachine::take_console(bool all) {
  std::vector<ConsoleLine> lines;
  for (int rank = 0; rank < size(); ++rank) {
    if (!is_local(rank)) continue;
    auto more = node(rank).console().take(all);
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return lines;
}

}  // namespace ht::machine
