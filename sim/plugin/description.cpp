// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/description.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"

namespace ht::machine {

std::string MachineDescription::link_name(int link) const {
  return machine::link_name(link);
}

int MachineDescription::link_number(std::string_view name) const {
  for (int link = 0; link < traits().links; ++link) {
    if (link_name(link) == name) return link;
  }
  return -1;
}

std::vector<Setting> MachineDescription::settings(const MachineOptions& /*options*/) const {
  return {};
}

std::unique_ptr<qmp::FunctionalTorus> MachineDescription::build_functional(
    const MachineOptions& options, double processor_timeout) const {
  qmp::FunctionalOptions functional;
  functional.processor_timeout = processor_timeout;
  return std::make_unique<qmp::FunctionalMachine>(options.nodes, functional);
}

FigureAxes MachineDescription::figure_axes(const MachineOptions& options,
                                           const std::vector<LinkReport>& links) const {
  return {options.machine, {"x", "y", "z", "t", "u", "v"}, links};
}

// The half without a lost node, of the longest axis that has halves, as often as needed. Of a cable
// that is cut one end is left out.
MachineOptions MachineDescription::without(const MachineOptions& options,
                                           const Losses& losses) const {
  if (folded(options))
    throw UsageError(fmt::format(
        "{}: what is left of a machine that is folded for its application is not; give no "
        "--machine",
        traits().name));
  MachineOptions rest = options;
  std::vector<int> first(options.machine.size(), 0);
  for (const Loss& loss : losses) {
    const std::vector<int> at = torus_coordinates(options.machine, loss.node);
    bool inside = true;
    for (std::size_t axis = 0; axis < first.size(); ++axis)
      inside = inside && at[axis] >= first[axis] && at[axis] < first[axis] + rest.machine[axis];
    if (!inside) continue;
    std::size_t longest = first.size();
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      const int length = rest.machine[axis];
      if (length % 2 == 0 && (longest == first.size() || length > rest.machine[longest]))
        longest = axis;
    }
    if (longest == first.size())
      throw UsageError("nothing is left of the machine: no axis has halves");
    rest.machine[longest] /= 2;
    if (at[longest] < first[longest] + rest.machine[longest])
      first[longest] += rest.machine[longest];
  }
  rest.nodes = rest.machine;
  rest.job_nodes = rest.nodes;
  rest.losses.clear();
  rest.soft_errors = {};
  return rest;
}

std::vector<int> without_ones(std::vector<int> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

std::vector<int> equal_axes(int nodes, std::size_t axes) {
  if (nodes < 1 || !std::has_single_bit(static_cast<unsigned>(nodes))) return {};
  std::vector<int> shape(axes, 1);
  for (std::size_t axis = 0; nodes > 1; axis = (axis + 1) % axes, nodes /= 2) shape[axis] *= 2;
  return shape;
}

}  // namespace ht::machine
