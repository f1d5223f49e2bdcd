// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "sw/dirac/gauge/plaquette.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/su3.hpp"
#include "sw/dirac/reduce.hpp"

namespace ht::dirac {

/// A node's links, in the order of Geometry's sites.
template <class T>
using LocalLinks = std::vector<std::array<Matrix<T>, 4>>;

/// This node's part of the host's field, or generated here. Throws UsageError if the lattices
/// differ.
LocalLinks<double> local_links(const Geometry& geometry, const JobSpec& spec);

/// The links a fermion sees, in its precision: those that leave the last global slice of an axis
/// multiplied by its boundary factor.
template <class T>
LocalLinks<T> fermion_links(const Geometry& geometry, const LocalLinks<double>& links,
                            const std::array<double, 4>& boundary);

/// Plaquette and link trace over all nodes: the same bits on every grid, and those of measure().
struct GaugeMeasurement {
  Plaquette plaquette;
  double link_trace = 0;
};
GaugeMeasurement measure(const Geometry& geometry, const LocalLinks<double>& links,
                         Reducer& reducer);

}  // namespace ht::dirac
