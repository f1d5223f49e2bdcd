// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/place.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {

Mask Place::partition_links() const {
  Mask mask = 0;
  const std::vector<Axis>& axes = fold->machine();
  for (int link = 0; link < 2 * static_cast<int>(axes.size()); ++link) {
    const int other = box_neighbour(axes, physical_rank, link);
    if (other >= 0 && other != physical_rank) mask |= bit(link);
  }
  return mask;
}

int Place::diameter() const {
  int hops = 0;
  for (const Axis& axis : fold->machine()) hops += axis.ring ? axis.length / 2 : axis.length - 1;
  return hops;
}

Place place_on(const std::vector<int>& machine, int physical_rank,
               const std::vector<int>& application) {
  Place place;
  place.fold = std::make_shared<const Fold>(machine, application);
  place.physical_rank = physical_rank;
  if (physical_rank < 0 || physical_rank >= place.fold->size())
    throw UsageError(
        fmt::format("there is no node {} on a machine of {}", physical_rank, place.fold->size()));
  return place;
}

}  // namespace ht::qcdoc
