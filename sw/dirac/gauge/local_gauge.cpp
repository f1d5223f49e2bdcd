// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/local_gauge.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sw/dirac/operator/halo.hpp"
#include "sw/host/errors.hpp"

namespace ht::dirac {

LocalLinks<double> local_links(const Geometry& geometry, const JobSpec& spec) {
  LocalLinks<double> links(static_cast<std::size_t>(geometry.volume()));
  if (spec.gauge && spec.gauge->lattice != geometry.lattice()) {
    throw UsageError(
        fmt::format("the configuration holds a {} lattice, the run is on {}; leave the "
                    "lattice option out",
                    to_string(spec.gauge->lattice), to_string(geometry.lattice())));
  }
  if (spec.load) {
    const std::vector<SiteLinks> box = spec.load(geometry.origin(), geometry.local());
    for (int site = 0; site < geometry.volume(); ++site) {
      const std::int64_t at = lexicographic(geometry.place(site), geometry.local());
      links[static_cast<std::size_t>(site)] = box.at(static_cast<std::size_t>(at));
    }
    return links;
  }
  for (int site = 0; site < geometry.volume(); ++site) {
    const std::int64_t global = geometry.global_index(site);
    SiteLinks& here = links[static_cast<std::size_t>(site)];
    if (spec.gauge) {
      here = spec.gauge->links[static_cast<std::size_t>(global)];
      continue;
    }
    for (int mu = 0; mu < 4; ++mu) {
      here[static_cast<std::size_t>(mu)] = generate_link(spec.field, spec.seed, global, mu);
    }
  }
  return links;
}

template <class T>
LocalLinks<T> fermion_links(const Geometry& geometry, const LocalLinks<double>& links,
                            const std::array<double, 4>& boundary) {
  LocalLinks<T> out(links.size());
  for (int site = 0; site < geometry.volume(); ++site) {
    const Coordinates x = geometry.global_place(site);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double factor = x[mu] == geometry.lattice()[mu] - 1 ? boundary[mu] : 1;
      const Link& from = links[static_cast<std::size_t>(site)][mu];
      Matrix<T>& to = out[static_cast<std::size_t>(site)][mu];
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          for (std::size_t part = 0; part < 2; ++part) {
            to.e[i][j][part] = static_cast<T>(factor * from.e[i][j][part]);
          }
        }
      }
    }
  }
  return out;
}

template LocalLinks<double> fermion_links<double>(const Geometry&, const LocalLinks<double>&,
                                                  const std::array<double, 4>&);
template LocalLinks<float> fermion_links<float>(const Geometry&, const LocalLinks<double>&,
                                                const std::array<double, 4>&);

GaugeMeasurement measure(const Geometry& geometry, const LocalLinks<double>& links,
                         Reducer& reducer) {
  // U_nu(x + mu) of the sites at an upper face are the links of the neighbour's lower face.
  Halo::Slots receive{}, send{};
  std::array<std::vector<int>, 4> slot_of;  // site -> slot of the halo, or -1
  for (int mu = 0; mu < 4; ++mu) {
    auto& slots = slot_of[static_cast<std::size_t>(mu)];
    slots.assign(links.size(), -1);
    const std::vector<int> face = geometry.face(direction_of(mu, 1));
    for (std::size_t i = 0; i < face.size(); ++i) {
      slots[static_cast<std::size_t>(face[i])] = static_cast<int>(i);
    }
    receive[static_cast<std::size_t>(direction_of(mu, 1))] = static_cast<int>(face.size());
    send[static_cast<std::size_t>(direction_of(mu, -1))] = static_cast<int>(face.size());
  }
  Halo halo(receive, send, sizeof(SiteLinks));
  halo.start_receives();
  for (int mu = 0; mu < 4; ++mu) {
    const int d = direction_of(mu, -1);
    auto* out = halo.send_buffer<SiteLinks>(d);
    for (const int site : geometry.face(d)) *out++ = links[static_cast<std::size_t>(site)];
    halo.start_send(d);
  }
  halo.wait_receives();

  PlaquetteSums sums;
  for (int site = 0; site < geometry.volume(); ++site) {
    const auto s = static_cast<std::size_t>(site);
    std::array<const SiteLinks*, 4> forward{};
    for (int mu = 0; mu < 4; ++mu) {
      const int d = direction_of(mu, 1);
      const int slot = slot_of[static_cast<std::size_t>(mu)][s];
      forward[static_cast<std::size_t>(mu)] =
          slot >= 0 ? halo.receive_buffer<SiteLinks>(d) + slot
                    : &links[static_cast<std::size_t>(geometry.local_neighbour(site, d))];
    }
    sums.add_site([&](int nu, int mu) -> const Link& {
      const SiteLinks& at = mu < 0 ? links[s] : *forward[static_cast<std::size_t>(mu)];
      return at[static_cast<std::size_t>(nu)];
    });
  }
  halo.wait_sends();

  std::array<model::OrderIndependentSum, 3> states{sums.space_space, sums.space_time,
                                                   sums.link_trace};
  reducer.merge(states);
  sums = {states[0], states[1], states[2]};
  return {sums.plaquette(geometry.global_volume()), sums.mean_link_trace(geometry.global_volume())};
}

}  // namespace ht::dirac
