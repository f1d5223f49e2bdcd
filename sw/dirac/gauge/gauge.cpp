// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/gauge.hpp"

namespace ht::dirac {

GlobalGauge generate_gauge(FieldKind kind, std::uint64_t seed, const Coordinates& lattice) {
  GlobalGauge gauge;
  gauge.lattice = lattice;
  gauge.description = describe(kind, seed);
  gauge.links.resize(static_cast<std::size_t>(volume_of(lattice)));
  for (std::size_t i = 0; i < gauge.links.size(); ++i) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      gauge.links[i][mu] =
          generate_link(kind, seed, static_cast<std::int64_t>(i), static_cast<int>(mu));
    }
  }
  measure(gauge);
  return gauge;
}

void measure(GlobalGauge& gauge) {
  PlaquetteSums sums;
  for (std::size_t i = 0; i < gauge.links.size(); ++i) {
    const Coordinates x = coordinates_of(static_cast<std::int64_t>(i), gauge.lattice);
    std::array<const SiteLinks*, 4> forward{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      Coordinates y = x;
      y[mu] = (y[mu] + 1) % gauge.lattice[mu];
      forward[mu] = &gauge.at(y);
    }
    sums.add_site([&](int nu, int mu) -> const Link& {
      const SiteLinks& site = mu < 0 ? gauge.links[i] : *forward[static_cast<std::size_t>(mu)];
      return site[static_cast<std::size_t>(nu)];
    });
  }
  const auto volume = static_cast<std::int64_t>(gauge.links.size());
  gauge.plaquette = sums.plaquette(volume);
  gauge.link_trace = sums.mean_link_trace(volume);
}

}  // namespace ht::dirac
