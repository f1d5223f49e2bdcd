// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ht::machine {

/// Coordinates, x first, of node `rank` of a torus; rank = x + Lx (y + Ly (z + ...)).
std::vector<int> torus_coordinates(const std::vector<int>& shape, int rank);

/// Node at the other end of link `link` of node `rank`: link 2 a leads to +1 along axis a, 2 a + 1
/// to -1. Axes beyond the shape's have length 1, and lead back to the node.
int torus_neighbour(const std::vector<int>& shape, int rank, int link);
/// The same where each ring along `axis` is two rings of half its length.
int split_neighbour(const std::vector<int>& shape, int axis, int rank, int link);

constexpr int most_nodes = 1 << 20;

/// Nodes of a torus of that shape. Throws UsageError for more than most_nodes.
int node_count(const std::vector<int>& shape);

/// `shape` without axes of length 1 beyond the first `most`. Throws UsageError, naming the machine
/// by its title, if it has none or still more than `most`.
std::vector<int> torus_shape(std::vector<int> shape, std::size_t most, std::string_view machine);

/// "+x" .. "-v": the axes are x, y, z, t, u, v.
std::string link_name(int link);

/// "2x2x2".
std::string shape_name(const std::vector<int>& shape);

}  // namespace ht::machine
