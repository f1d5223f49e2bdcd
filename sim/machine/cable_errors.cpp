// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cable_errors.hpp"

#include <algorithm>

#include "sim/machine/machine_draw.hpp"

namespace ht::machine {

std::vector<sim::FaultPlan> draw_faults(const CableErrors& e, const CableGrid& grid,
                                        std::uint64_t seed, std::vector<sim::FaultPlan> plans) {
  plans.resize(static_cast<std::size_t>(grid.nodes * grid.links));
  for (sim::FaultPlan& plan : plans)
    plan.bit_error_rate = std::max(plan.bit_error_rate, e.bit_error_rate);
  const auto cables = static_cast<std::int64_t>(plans.size());
  const auto peer = [&](std::size_t cable) {
    return grid.neighbour(static_cast<int>(cable) / grid.links,
                          static_cast<int>(cable) % grid.links);
  };
  const auto draw_cable = [&](MachineDraw& draw, bool self_cables) {
    for (;;) {
      const auto cable = static_cast<std::size_t>(draw.below(cables));
      if (self_cables || grid.nodes == 1 || peer(cable) != static_cast<int>(cable) / grid.links)
        return cable;
    }
  };
  const auto each = [&](int count, Purpose purpose, auto&& inject) {
    MachineDraw draw(seed, purpose);
    for (int i = 0; i < count; ++i) {
      const std::size_t cable = draw_cable(draw, grid.self_cables);
      inject(cable, e.from + draw.below(std::max<Picoseconds>(1, e.until - e.from)), draw);
    }
  };
  each(e.bursts, Purpose::Bursts, [&](std::size_t cable, Picoseconds time, MachineDraw& draw) {
    const auto lane = static_cast<unsigned>(draw.below(grid.lanes));
    plans[cable].bursts.push_back({time, static_cast<unsigned>(e.burst_bits), lane});
  });
  each(e.lost, Purpose::Lost, [&](std::size_t cable, Picoseconds time, MachineDraw&) {
    plans[cable].lost.push_back({time, true});
  });
  each(e.doubled, Purpose::Doubled, [&](std::size_t cable, Picoseconds time, MachineDraw&) {
    plans[cable].doubled.push_back({time, true});
  });
  each(e.stuck, Purpose::Stuck, [&](std::size_t cable, Picoseconds time, MachineDraw& draw) {
    const auto lane = static_cast<unsigned>(draw.below(grid.lanes));
    plans[cable].stuck.push_back({lane, draw.below(2) != 0, time, time + e.stuck_time});
  });
  each(e.pulled, Purpose::Pulled, [&](std::size_t cable, Picoseconds time, MachineDraw&) {
    const int link = grid.far_link(static_cast<int>(cable) % grid.links);
    const auto back = static_cast<std::size_t>(peer(cable) * grid.links + link);
    plans[cable].pulls.push_back({time, time + e.pulled_time});
    if (back != cable) plans[back].pulls.push_back({time, time + e.pulled_time});
  });
  MachineDraw draw(seed, Purpose::Forged);
  for (int i = 0; i < e.forged; ++i) {
    // Only axes longer than 1 carry packets.
    const std::size_t cable = draw_cable(draw, false);
    const auto frame = static_cast<std::uint64_t>(draw.below(16));
    plans[cable].forced.push_back(
        grid.forge(frame, static_cast<unsigned>(draw.below(grid.payload_bits))));
  }
  return plans;
}

}  // namespace ht::machine
