// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

/// Where the first ABC leg of a packet leads: A, B, C of twelve places ([Tofu2012] section 3.3).
using Path = std::array<int, 3>;

/// As in a packet's header, 4 bits: {c, b[1:0], a}.
std::uint32_t path_bits(const Path& path);

/// Whether the machine has such places.
bool is_path(const Shape& machine, const Path& path);

/// The places that a packet from one node to another comes through, both included: B, C, A to where
/// the path leads, X, Y, Z, then A, C, B. Throws UsageError for a node or path outside the machine.
std::vector<Coordinates> way(const Shape& machine, const Coordinates& from, const Coordinates& to,
                             const Path& path);

/// All paths from one node to another on which neither the packet nor its answer, which comes back
/// on the same path, meets a failed node; the shortest first, of equally long ones the
/// destination's own place before all others. Empty if there is none, or an end has failed itself.
/// Round one failed node there is always a path in a machine of twelve-node groups.
std::vector<Path> paths_between(const Shape& machine, const Coordinates& from,
                                const Coordinates& to, const std::vector<Coordinates>& failed = {});

/// Of those, as many as can be up to `count`, no two of which use the same link in the same
/// direction, shortest first: for transfers that go several ways at once.
std::vector<Path> disjoint_paths(const Shape& machine, const Coordinates& from,
                                 const Coordinates& to, std::size_t count,
                                 const std::vector<Coordinates>& failed = {});

}  // namespace ht::tofu
