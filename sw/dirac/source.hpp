// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/phase_clock.hpp"

namespace ht::dirac {

/// The colour part of a source for one colour, on this node's sites: 1 at the point, for a Gaussian
/// smeared by (1 + width^2/(4 n) Laplacian)^n in the three directions of space with the gauge
/// field's own (periodic) links. Collective; the same bits on every node grid.
ColourField<double> colour_source(const Geometry& geometry, const LocalLinks<double>& links,
                                  const Source& source, int colour, PhaseClock& clock);

/// That vector as the `spin` component of a spinor field of all local sites, other spins 0.
template <class T>
SpinorField<T> spinor_source(const ColourField<double>& colours, int spin);

}  // namespace ht::dirac
