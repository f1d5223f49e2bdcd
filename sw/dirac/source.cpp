// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/source.hpp"

#include "sw/dirac/operator/halo.hpp"

namespace ht::dirac {
namespace {

/// u v, or u^dagger v.
ColourVector<double> times(const Link& u, const ColourVector<double>& v, bool adjoint) {
  ColourVector<double> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double re = adjoint ? u.e[j][i][0] : u.e[i][j][0];
      const double im = adjoint ? -u.e[j][i][1] : u.e[i][j][1];
      out.c[i][0] += re * v.c[j][0] - im * v.c[j][1];
      out.c[i][1] += re * v.c[j][1] + im * v.c[j][0];
    }
  }
  return out;
}

void add(ColourVector<double>& sum, const ColourVector<double>& v) {
  for (std::size_t i = 0; i < 3; ++i) {
    sum.c[i][0] += v.c[i][0];
    sum.c[i][1] += v.c[i][1];
  }
}

/// Smears fields on all slices of time; halos in the three directions of space only.
class Smearing {
 public:
  Smearing(const Geometry& geometry, const LocalLinks<double>& links)
      : geometry_(geometry),
        links_(links),
        halo_(slots(geometry), slots(geometry), sizeof(ColourVector<double>)) {
    for (int d = 0; d < kSpaceDirections; ++d) {
      const auto i = static_cast<std::size_t>(d);
      face_[i] = geometry.face(d);
      slot_of_[i].assign(links.size(), -1);
      for (std::size_t slot = 0; slot < face_[i].size(); ++slot) {
        slot_of_[i][static_cast<std::size_t>(face_[i][slot])] = static_cast<int>(slot);
      }
    }
  }

  /// v := v + factor Laplacian v
  void step(ColourField<double>& v, double factor, PhaseClock& clock) {
    exchange(v, clock);
    ColourField<double> out(v.size());
    for (int site = 0; site < geometry_.volume(); ++site) {
      const auto s = static_cast<std::size_t>(site);
      ColourVector<double> sum{};
      for (int d = 0; d < kSpaceDirections; ++d) add(sum, neighbour_term(v, site, d));
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t part = 0; part < 2; ++part) {
          const double here = v[s].c[i][part];
          out[s].c[i][part] = here + factor * (sum.c[i][part] - 6 * here);
        }
      }
    }
    v = std::move(out);
    const PhaseScope scope(clock, Phase::Halo);
    halo_.wait_sends();
  }

 private:
  static constexpr int kSpaceDirections = 6;

  static Halo::Slots slots(const Geometry& geometry) {
    Halo::Slots sizes = face_sizes(geometry);
    sizes[6] = sizes[7] = 0;
    return sizes;
  }

  void exchange(const ColourField<double>& v, PhaseClock& clock) {
    const PhaseScope scope(clock, Phase::Halo);
    halo_.start_receives();
    for (int d = 0; d < kSpaceDirections; ++d) {
      auto* out = halo_.send_buffer<ColourVector<double>>(d);
      for (const int site : face_[static_cast<std::size_t>(d)]) {
        const auto s = static_cast<std::size_t>(site);
        // The neighbour at +1 reads backwards: it gets U^dagger v.
        *out++ = d % 2 == 0 ? times(links_[s][static_cast<std::size_t>(d / 2)], v[s], true) : v[s];
      }
      halo_.start_send(d);
    }
    halo_.wait_receives();
  }

  /// U(x) v(x + d), or U(x - d)^dagger v(x - d).
  ColourVector<double> neighbour_term(const ColourField<double>& v, int site, int d) const {
    const auto i = static_cast<std::size_t>(d), axis = i / 2;
    const int slot = slot_of_[i][static_cast<std::size_t>(site)];
    const bool backward = d % 2 == 1;
    if (slot >= 0) {
      const ColourVector<double>& there = halo_.receive_buffer<ColourVector<double>>(d)[slot];
      return backward ? there : times(links_[static_cast<std::size_t>(site)][axis], there, false);
    }
    const auto n = static_cast<std::size_t>(geometry_.local_neighbour(site, d));
    return times(links_[backward ? n : static_cast<std::size_t>(site)][axis], v[n], backward);
  }

  const Geometry& geometry_;
  const LocalLinks<double>& links_;
  Halo halo_;
  std::array<std::vector<int>, kSpaceDirections> face_, slot_of_;
};

}  // namespace

ColourField<double> colour_source(const Geometry& geometry, const LocalLinks<double>& links,
                                  const Source& source, int colour, PhaseClock& clock) {
  ColourField<double> v(links.size());
  if (const int site = geometry.site_of_global(source.position); site >= 0) {
    v[static_cast<std::size_t>(site)].c[colour][0] = 1;
  }
  if (!source.gaussian) return v;
  Smearing smearing(geometry, links);
  const double factor = source.width * source.width / (4 * source.iterations);
  for (int i = 0; i < source.iterations; ++i) smearing.step(v, factor, clock);
  return v;
}

template <class T>
SpinorField<T> spinor_source(const ColourField<double>& colours, int spin) {
  SpinorField<T> field(colours.size());
  for (std::size_t site = 0; site < colours.size(); ++site) {
    for (int colour = 0; colour < 3; ++colour) {
      for (int part = 0; part < 2; ++part) {
        field[site].at(spin, colour, part) = static_cast<T>(colours[site].c[colour][part]);
      }
    }
  }
  return field;
}

template SpinorField<double> spinor_source<double>(const ColourField<double>&, int);
template SpinorField<float> spinor_source<float>(const ColourField<double>&, int);

}  // namespace ht::dirac
