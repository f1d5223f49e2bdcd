// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/dirac/operator/lattice.hpp"

namespace ht::dirac {

/// The calling node's part of a lattice. Initialises QMP and declares `node_grid` as the logical
/// topology (empty: the machine's own shape), each unless that has been done. Lattice axes lie
/// along the topology's axes, x first. Throws UsageError if the grid does not divide the lattice,
/// ProtocolError if QMP refuses.
Geometry declare_geometry(const Coordinates& lattice, const std::vector<int>& node_grid);

}  // namespace ht::dirac
