// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "sw/dirac/operator/halo.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/operator/su3.hpp"

namespace ht::dirac {

/// One 3x3 matrix a site, in a Geometry's order of all local sites.
using LinkField = std::vector<Link>;

/// Moves fields over all nodes: what smeared links, field strengths and forces are made of.
/// Collective. Every site's bits depend on no node grid.
template <class Site>
class FieldShift {
 public:
  explicit FieldShift(const Geometry& geometry) : geometry_(geometry) {}

  const Geometry& geometry() const { return geometry_; }

  /// out(x) = field(x + 1 in `direction`), round the lattice; fields of all local sites.
  std::vector<Site> operator()(const std::vector<Site>& field, int direction);

 private:
  const Geometry& geometry_;
  std::array<std::unique_ptr<Halo>, kDirections> halo_;  ///< made when first used
};
using LinkShift = FieldShift<Link>;

/// a b, a^dagger b, a b^dagger, site by site.
LinkField multiply(const LinkField& a, const LinkField& b);
LinkField adjoint_multiply(const LinkField& a, const LinkField& b);
LinkField multiply_adjoint(const LinkField& a, const LinkField& b);
/// sum += factor a
void add(LinkField& sum, double factor, const LinkField& a);

}  // namespace ht::dirac
