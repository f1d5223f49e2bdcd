// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/place.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {

Mask Place::partition_links() const {
  Mask mask = 0;
  const std::vector<Axis>& axes = fold->machine();
  for (int link = 0; link < 2 * static_cast<int>(axes.size()); ++link) {
    const int other = box_neighbour(axes, physical_node, link);
    if (other >= 0 && other != physical_node) mask |= bit(link);
  }
  return mask;
}

int Place::diameter() const {
  int hops = 0;
  for (const Axis& axis : fold->machine()) hops += axis.ring ? axis.length / 2 : axis.length - 1;
  return hops;
}

Place place_on(const std::vector<int>& machine, int node, const std::vector<int>& application) {
  Place place;
  place.fold = std::make_shared<const Fold>(machine, application);
  place.physical_node = place.node = node;
  if (node < 0 || node >= place.fold->size())
    throw UsageError(
        fmt::format("there is no node {} on a machine of {}", node, place.fold->size()));
  return place;
}

}  // namespace ht::qcdoc
