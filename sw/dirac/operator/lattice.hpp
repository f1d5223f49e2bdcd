// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ht::dirac {

/// Four numbers, one an axis: x, y, z, t (x runs fastest in every order of sites).
using Coordinates = std::array<int, 4>;

/// Product of the extents.
std::int64_t volume_of(const Coordinates& extents);
/// "4x4x4x8".
std::string to_string(const Coordinates& extents);
/// Lexicographic index of `at` in a lattice of `extents`, x fastest.
inline std::int64_t lexicographic(const Coordinates& at, const Coordinates& extents) {
  return at[0] + static_cast<std::int64_t>(extents[0]) *
                     (at[1] + static_cast<std::int64_t>(extents[1]) *
                                  (at[2] + static_cast<std::int64_t>(extents[2]) * at[3]));
}
/// Inverse of lexicographic().
Coordinates coordinates_of(std::int64_t index, const Coordinates& extents);

/// Halo directions: 2 * axis for the neighbour at +1, 2 * axis + 1 for the one at -1.
constexpr int kDirections = 8;
constexpr int direction_of(int axis, int sign) {
  return 2 * axis + (sign < 0 ? 1 : 0);
}

/// How a global lattice is cut over a grid of nodes, and one node's part of it.
///
/// Sites of a node are stored even ones first (even and odd as in the *global* lattice), each half
/// in lexicographic order of the local coordinates. Local extents may be odd, 1 or 2; then a node's
/// two halves may differ in size.
class Geometry {
 public:
  /// `node_grid` and `node` have up to 4 axes (x first; missing ones have length 1; further ones
  /// must have length 1). Throws UsageError if the grid does not divide the lattice.
  Geometry(const Coordinates& lattice, std::span<const int> node_grid, std::span<const int> node);

  const Coordinates& lattice() const { return lattice_; }
  const Coordinates& grid() const { return grid_; }
  const Coordinates& node() const { return node_; }
  const Coordinates& local() const { return local_; }
  const Coordinates& origin() const { return origin_; }

  /// Local sites.
  int volume() const { return static_cast<int>(place_.size()); }
  /// Sites of the whole lattice.
  std::int64_t global_volume() const { return volume_of(lattice_); }
  /// Local sites of a parity (0 even, 1 odd): [parity_begin(p), parity_begin(p) + parity_count(p)).
  int parity_count(int parity) const { return parity == 0 ? even_ : volume() - even_; }
  int parity_begin(int parity) const { return parity == 0 ? 0 : even_; }
  /// Whether neighbours always have opposite parity: every global extent is even.
  bool bipartite() const;

  /// Local coordinates of a stored site, and back.
  const Coordinates& place(int site) const { return place_[static_cast<std::size_t>(site)]; }
  int site_at(const Coordinates& local) const {
    return site_[static_cast<std::size_t>(lexicographic(local, local_))];
  }
  /// Coordinates of a stored site in the global lattice.
  Coordinates global_place(int site) const;
  /// Global lexicographic index of a stored site.
  std::int64_t global_index(int site) const { return lexicographic(global_place(site), lattice_); }
  /// The stored site at these global coordinates, or -1 if it is another node's.
  int site_of_global(const Coordinates& global) const;

  /// Whether the axis is cut, so that its neighbours may be on other nodes.
  bool is_cut(int axis) const { return grid_[static_cast<std::size_t>(axis)] > 1; }
  /// Whether the neighbour of `site` in `direction` is on another node.
  bool leaves_node(int site, int direction) const;
  /// The neighbour of `site` in `direction` on this node (axes that are not cut wrap round).
  int local_neighbour(int site, int direction) const;
  /// The sites from which a step in `direction` leaves the node, in lexicographic order of their
  /// local coordinates; both ends of a cable list their matching faces in the same order.
  std::vector<int> face(int direction) const;

 private:
  Coordinates lattice_{}, grid_{}, node_{}, local_{}, origin_{};
  int even_ = 0;
  std::vector<Coordinates> place_;  ///< stored site -> local coordinates
  std::vector<int> site_;           ///< local lexicographic index -> stored site
};

/// Throws UsageError unless `node_grid` divides `lattice`; returns the grid with four axes.
Coordinates checked_grid(const Coordinates& lattice, std::span<const int> node_grid);

}  // namespace ht::dirac
