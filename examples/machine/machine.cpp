// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <fmt/format.h>

#include "sim/machine/machine_draw.hpp"

namespace ht::grid {

Machine::Machine(MachineOptions options)
    : DriverMachine(options.kernel), options_(std::move(options)) {
  auto& shape = options_.shape;
  shape = machine::torus_shape(std::move(shape), 2, "Grid");
  machine::require_memory(shape);
  // There and back, what the peer may be busy with, and what either end takes by itself.
  options_.driver.ack_timeout =
      static_cast<std::uint32_t>(2 * options_.cable_delay / link_period() + 64);
  const int count = machine::node_count(shape);
  machine::MachineDraw phases(options_.seed, machine::Purpose::Phases);
  for (int number = 0; number < count; ++number) {
    NodeOptions node = options_.node;
    if (options_.random_phases) node.clock.phase = phases.below(node.clock.period);
    clocks_.push_back(node.clock);
    add_node(count, [&](int own) { return std::make_unique<Node>(own, node); });
  }
  plug_cables();
  add_drivers([&](int number) {
    return std::make_unique<Driver>(driver_port(number, options_.noise),
                                    Place{shape, machine::torus_coordinates(shape, number), number},
                                    options_.driver);
  });
}

Machine::~Machine() = default;

void Machine::plug_cables() {
  machine::CableGrid grid = cable_grid();
  grid.lanes = LineCode::kLanes;
  grid.forge = forged_frame;
  grid.payload_bits = 8 * line_bytes;
  auto faults = draw_faults(options_.errors, grid, options_.seed, options_.faults);
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < links(); ++link) {
      const int to = neighbour(number, link);
      sim::CableOptions cable;
      cable.name = fmt::format("node {} {} to node {}", number, link_name(link), to);
      cable.number = static_cast<std::uint32_t>(cables_.size());
      cable.sender = clocks_[static_cast<std::size_t>(number)];
      cable.receiver = clocks_[static_cast<std::size_t>(to)];
      cable.delay = options_.cable_delay;
      cable.seed = options_.seed;
      cable.faults = std::move(faults[cables_.size()]);
      cables_.push_back(plug<Cable>(std::move(cable), static_cast<std::size_t>(number),
                                    static_cast<std::size_t>(to)));
    }
  }
  for (int number = 0; number < size(); ++number) {
    for (int link = 0; link < links() && is_local(number); ++link)
      node(number).connect(link, cable(number, link),
                           cable(neighbour(number, link), far_link(link)));
  }
}

std::unique_ptr<machine::FrameSource> Machine::listen_to(int number, int link) {
  constexpr std::uint8_t format = 128;
  return std::make_unique<machine::CableFrameSource<Cable, Frames>>(cable(number, link), format);
}

void Machine::describe(LinkReport& r) const {
  const LinkCounters &s = r.sender, &d = r.receiver;
  r.sent = s.sent;
  r.resent = s.resent;
  r.accepted = d.accepted;
  r.tx_checksum = s.tx_checksum;
  r.rx_checksum = d.rx_checksum;
  r.counts = {{"duplicates", d.duplicates},   {"refused", d.turned_away},
              {"code_errors", d.code_errors}, {"framing_errors", d.framing_errors},
              {"crc_errors", d.crc_errors},   {"strangers", d.strangers}};
}

}  // namespace ht::grid
