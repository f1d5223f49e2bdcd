// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace ht::machine {

/// Which of `processes` simulates each node of a torus of that shape, by number: equal shares, but
/// for one node, so that few cables lead from one process to another. The torus is halved again and
/// again, each part across the axis where that cuts the fewest of its cables, unless blocks of
/// consecutive numbers cut fewer. Node 0 is process 0's.
std::vector<unsigned> lay_out(const std::vector<int>& shape, unsigned processes);

/// Cables of the torus whose two ends are in different processes, each direction counted.
int cut_cables(const std::vector<int>& shape, const std::vector<unsigned>& owners);

}  // namespace ht::machine
