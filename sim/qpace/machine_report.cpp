// SPDX-License-Identifier: Apache-2.0
// What a machine knows of itself: events, counters, errors, cycles, consoles. How it is built and
// run: qpace_machine.cpp.
#include <iterator>

#include "sim/qpace/ethernet_boot.hpp"
#include "sim/qpace/ethernet_capture.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/qpace/uart.hpp"

namespace ht::machine {
namespace {

constexpr int node_links = qpace::links;

}  // namespace

void QpaceMachine::describe(QpaceLinkReport& r) const {
  const qpace::LinkCounters &s = r.sender, &d = r.receiver;
  r.counts = {{"duplicates", d.duplicates},
              {"crc_errors", d.crc_errors},
              {"code_errors", d.code_errors},
              {"framing_errors", d.framing_errors},
              {"command_errors", d.command_errors},
              {"nacks", s.nacks_received},
              {"busy", s.busy_received},
              {"replays", s.replayed},
              {"silent", s.silent},
              {"timeouts", s.timeouts},
              {"retrains", s.retrains}};
}

sim::ErrorTotals QpaceMachine::own_partition_errors(int partition) const {
  sim::ErrorTotals sum;
  for (int rank = 0; rank < size(); ++rank) {
    for (int link = 0; link < node_links; ++link) {
      const auto number = static_cast<std::size_t>(rank * node_links + link);
      const int to = torus_neighbour(options_.shape, rank, link);
      if (is_local(to) && partition_of(to) == partition)
        sum += CabledMachine::cable_of(rank, link).ledger().totals();
      const bool ends_here =
          redundant_cable(number) != nullptr &&
          is_local(split_neighbour(options_.shape, options_.split_axis, rank, link));
      if (ends_here && partition_of(rank) == partition)
        sum += redundant_cable(number)->ledger().totals();
    }
  }
  return sum;
}

std::unique_ptr<ConsoleWriter> QpaceMachine::open_console(int node) {
  struct Writer final : ConsoleWriter {
    explicit Writer(host::HardwarePort& port) : uart(port, 0) {}
    void write(std::string_view text) override { uart.write(text); }
    qpace::Uart uart;
  };
  return std::make_unique<Writer>(processor(node));
}

std::unique_ptr<JobReader> QpaceMachine::open_reader(int node) {
  return std::make_unique<NodeBoot>(processor(node), node);
}

std::unique_ptr<Capture> QpaceMachine::capture_ethernet(const std::string& file) {
  return std::make_unique<EthernetCapture>(*this, file);
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
