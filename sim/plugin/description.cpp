// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/description.hpp"

#include <bit>

#include "sim/machine/torus.hpp"

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

FigureAxes MachineDescription::figure_axes(const MachineOptions& options,
                                           const std::vector<LinkReport>& links) const {
  return {options.machine, {"x", "y", "z", "t", "u", "v"}, links};
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
