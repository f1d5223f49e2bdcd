// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cable_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/machine_draw.hpp"

namespace ht::machine {
namespace {

/// Draws the errors of one kind.
class KindDraw {
 public:
  KindDraw(const sim::ErrorKindDescription& kind, const CableGrid& grid, std::uint64_t seed)
      : kind_(kind),
        grid_(grid),
        draw_(seed, static_cast<Purpose>(kind.counted->stream)),
        self_cables_(grid.self_cables && !kind.counted->hits_packets) {}

  void add(const CableErrors& errors, std::vector<sim::FaultPlan>& plans) {
    const auto& [count, size] = errors[kind_.kind];
    if (!any_cable(plans.size())) return;
    for (int i = 0; i < count; ++i) {
      const std::size_t at = cable(plans.size());
      const std::size_t back = other_direction(at);
      Picoseconds time = 0;
      if (!kind_.counted->hits_packets)
        time = errors.from + draw_.below(std::max<Picoseconds>(1, errors.until - errors.from));
      sim::DrawnError error{kind_.kind,
                            plans[at],
                            back == at ? nullptr : &plans[back],
                            time,
                            size,
                            grid_.lanes,
                            [this](std::int64_t limit) { return draw_.below(limit); },
                            [this](sim::FaultPlan& plan, std::uint64_t packet) {
                              const auto bit =
                                  static_cast<unsigned>(draw_.below(grid_.payload_bits));
                              plan.forced.push_back(grid_.forge(packet, bit));
                            }};
      kind_.counted->draw(error);
    }
  }

 private:
  int peer(std::size_t cable) const {
    return grid_.neighbour(static_cast<int>(cable) / grid_.links,
                           static_cast<int>(cable) % grid_.links);
  }

  std::size_t other_direction(std::size_t cable) const {
    const int link = grid_.far_link(static_cast<int>(cable) % grid_.links);
    return static_cast<std::size_t>(peer(cable) * grid_.links + link);
  }

  bool can_be_hit(std::size_t cable) const {
    return self_cables_ || grid_.nodes == 1 || peer(cable) != static_cast<int>(cable) / grid_.links;
  }

  // Of the nodes of a machine, others may be out of service: all cables of the rest lead to itself.
  bool any_cable(std::size_t cables) const {
    for (std::size_t cable = 0; cable < cables; ++cable) {
      if (can_be_hit(cable)) return true;
    }
    return false;
  }

  std::size_t cable(std::size_t cables) {
    for (;;) {
      const auto drawn = static_cast<std::size_t>(draw_.below(static_cast<std::int64_t>(cables)));
      if (can_be_hit(drawn)) return drawn;
    }
  }

  const sim::ErrorKindDescription& kind_;
  const CableGrid& grid_;
  MachineDraw draw_;
  bool self_cables_;  ///< cables from a node to itself can be drawn
};

}  // namespace

std::array<CableErrors::Counted, sim::kErrorKinds> CableErrors::none() {
  std::array<Counted, sim::kErrorKinds> counted{};
  for (const auto& kind : sim::error_kinds()) {
    if (kind.counted) counted[static_cast<std::size_t>(kind.kind)].size = kind.counted->size.value;
  }
  return counted;
}

std::vector<sim::FaultPlan> draw_faults(const CableErrors& e, const CableGrid& grid,
                                        std::uint64_t seed, std::vector<sim::FaultPlan> plans) {
  plans.resize(static_cast<std::size_t>(grid.nodes * grid.links));
  for (sim::FaultPlan& plan : plans)
    plan.bit_error_rate = std::max(plan.bit_error_rate, e.bit_error_rate);
  for (const auto& kind : sim::error_kinds()) {
    const int count = e[kind.kind].count;
    if (!kind.counted || count == 0) continue;
    sim::require_lanes(kind.kind, grid.lanes, fmt::format("{} {}", kind.counted->option, count));
    KindDraw(kind, grid, seed).add(e, plans);
  }
  return plans;
}

}  // namespace ht::machine
