// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/scu_torus.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::bench {
namespace {

constexpr qcdoc::Mask all_links = (1U << qcdoc::links) - 1;
constexpr Picoseconds period = 2000, byte = 8 * period;

machine::QcdocMachineOptions without_software(const ScuTorusOptions& options) {
  machine::QcdocMachineOptions m = qcdoc_machine(options);
  m.driver.scu.start_cost = m.driver.scu.poll_cost = 0;
  return m;
}

}  // namespace

machine::QcdocMachineOptions qcdoc_machine(const ScuTorusOptions& options) {
  machine::QcdocMachineOptions m;
  m.shape = options.shape;
  m.cable_delay = options.cable_delay;
  m.byte_phases = options.byte_phases;
  m.clock_phases = options.clock_phases;
  m.node.memory_bytes = std::size_t{4} << 20;
  m.node.memory_latency = options.memory_latency;
  int nodes = 1;
  for (const int length : options.shape) nodes *= length;
  m.kernel.threads = nodes < 16 ? 1 : 0;  // a few have too little to do between meetings
  return m;
}

ScuTorus::ScuTorus(const ScuTorusOptions& options) : machine_(without_software(options)) {
  // Those to the node itself, too, which its driver does not need.
  run([](int, qcdoc::Scu& scu) { scu.train(all_links); });
}

void ScuTorus::run(const Program& program) {
  machine_.run([&](qcdoc::Driver& driver) { program(driver.place().node, driver.scu()); });
}

void require_delivered(machine::QcdocMachine& machine) {
  for (const machine::QcdocLinkReport& link : machine.read_links()) {
    if (link.sent != link.accepted || link.retransmitted != 0 || !link.checksums_agree())
      throw ProtocolError(
          fmt::format("node {} {}: {} words sent, {} again, {} accepted, checksums {:08x} {:08x}",
                      link.from, qcdoc::link_name(link.link), link.sent, link.retransmitted,
                      link.accepted, link.tx_checksum, link.rx_checksum));
  }
}

void wait_for_phase(host::Runtime& runtime, int cycle) {
  const Picoseconds now = runtime.now() + 1'000'000;
  runtime.advance(now - now % byte + byte + cycle * period - runtime.now());
}

}  // namespace ht::bench
