// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sw/qcdoc/place.hpp"
#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {

struct BootOptions {
  /// A link that is not up by then has no cable.
  Picoseconds cable_timeout = 100'000'000;
  /// Partition interrupts that are not presented by then do not work.
  Picoseconds partition_timeout = 100'000'000;
  int longest_axis = 1024;
};

/// What a node found out about the machine.
struct Boot {
  std::array<int, 6> shape{1, 1, 1, 1, 1, 1};
  std::array<int, 6> coordinates{};
  int node = 0;  ///< its number, x + Lx (y + Ly (z + ...))

  /// The node's place on a machine that presents itself as `application`, or as it is.
  Place place(const std::vector<int>& application = {}) const;
};

/// The boot program of a node ([QCDOC2004] section 3.1: the run kernel "initializes the SCU
/// controllers and the mesh network, checks the functionality of the partition interrupts and
/// determines the six-dimensional size of the machine"). All nodes run it; a node knows only a
/// number that no other has, and whether it is the origin, which one of them is.
///
/// 1. Trains all links. An axis without cables has length 1.
/// 2. One axis after the other, a record of every node goes round its ring, from neighbour to
///    neighbour, until it is back: after as many steps as the axis has nodes. It says the
///    node's coordinates if that knows them. From one that does, k steps back, the nodes of the
///    ring learn theirs; at first that is the origin, after the last axis everybody.
/// 3. Sends its coordinates to all neighbours by supervisor words, and checks theirs.
/// 4. Sets up a partition of the whole machine; the origin raises an interrupt, then the node
///    with the highest number; all must see both.
///
/// A driver that is to follow must own `scu` (Driver::scu()): a neighbour that is ready first may
/// send to it already.
///
/// Throws ProtocolError naming node and link for cables that lead to the wrong place, for no
/// origin or two, and HardwareError for interrupts that do not arrive.
Boot boot(Scu& scu, std::uint64_t number, bool origin, const BootOptions& options = {});

}  // namespace ht::qcdoc
