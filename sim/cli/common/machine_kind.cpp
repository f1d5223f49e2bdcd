// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_kind.hpp"

#include "sim/machine/parse.hpp"
#include "sim/machine/torus.hpp"
#include "sw/tofu/links.hpp"

namespace ht::cli {
namespace {

constexpr MachineTraits qpace{
    .name = "qpace",
    .title = "QPACE",
    .axes = 3,
    .links = 6,
    .link = machine::link_name,
    .every_cable = "+x,+y,+z",
    .nodes = "2x2x2",
    .bit_error_rate = 1e-6,
    .bursts = 1,
    .cable_delay = "250ns",
    .least_delay = 12'000,
    .wire_bits = 32,
};
constexpr MachineTraits qcdoc{
    .name = "qcdoc",
    .title = "QCDOC",
    .axes = 6,
    .links = 12,
    .link = machine::link_name,
    .every_cable = "+x,+y,+z,+t,+u,+v",
    .nodes = "2x2x2x2",
    .bit_error_rate = 1e-8,
    .bursts = 0,  // two parity bits let one burst in four pass that hits a word
    .cable_delay = "20ns",
    .least_delay = 4'000,
    .wire_bits = 1,
};
constexpr MachineTraits tofu{
    .name = "tofu",
    .title = "Tofu",
    .axes = 6,
    .links = ht::tofu::links_per_node,
    .link = [](int link) { return std::string(ht::tofu::link_name(link)); },
    .every_cable = "X+,Y+,Z+,A,B+,C",
    .nodes = "2x2x2",
    .bit_error_rate = 1e-6,
    .bursts = 1,
    .cable_delay = "64ns",
    .least_delay = 6'400,
    .wire_bits = 128,
};

}  // namespace

const MachineTraits& traits(MachineKind kind) {
  switch (kind) {
    case MachineKind::Qpace:
      return qpace;
    case MachineKind::Tofu:
      return tofu;
    case MachineKind::Qcdoc:
      break;
  }
  return qcdoc;
}

std::span<const MachineKind> machine_kinds() {
  static constexpr MachineKind kinds[] = {MachineKind::Qpace, MachineKind::Qcdoc,
                                          MachineKind::Tofu};
  return kinds;
}

MachineKind parse_machine_kind(const std::string& command, const std::string& text) {
  const std::string kind = choose(command.c_str(), text, {qpace.name, qcdoc.name, tofu.name});
  if (kind == tofu.name) return MachineKind::Tofu;
  return kind == qcdoc.name ? MachineKind::Qcdoc : MachineKind::Qpace;
}

int link_number(const MachineTraits& machine, std::string_view name) {
  for (int link = 0; link < machine.links; ++link) {
    if (machine.link(link) == name) return link;
  }
  return -1;
}

}  // namespace ht::cli
