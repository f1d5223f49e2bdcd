// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/pair.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::bench {

machine::QpaceMachineOptions pair_machine(const PairOptions& options) {
  machine::QpaceMachineOptions m;
  m.shape = {2};
  m.kernel.threads = 1;  // two nodes have too little to do between meetings
  m.cable_delay = options.cable_delay;
  m.node.put_latency = options.host_path / 2;
  m.node.notify_latency = options.host_path - options.host_path / 2;
  m.errors.bit_error_rate = options.bit_error_rate;
  m.seed = options.seed;
  return m;
}

Arrivals::Arrivals(machine::NwpNode& node) {
  node.watch_ports([this](const machine::PortBeat& beat) {
    if (beat.out && beat.last && !beat.notify) times_.push_back(beat.time);
  });
}

double Arrivals::rate(std::size_t first, std::size_t last) const {
  const auto bytes = static_cast<double>((last - first) * qpace::line_bytes);
  return bytes * 1000 / static_cast<double>(times_.at(last) - times_.at(first));
}

void require_delivered(machine::QpaceMachine& machine) {
  for (const machine::QpaceLinkReport& link : machine.read_links()) {
    if (link.sender.sent != link.receiver.accepted || !link.checksums_agree())
      throw ProtocolError(fmt::format("node {} {}: {} packets sent, {} accepted, checksums {}",
                                      link.from, qpace::link_name(link.link), link.sender.sent,
                                      link.receiver.accepted,
                                      link.checksums_agree() ? "agree" : "differ"));
  }
}

}  // namespace ht::bench
