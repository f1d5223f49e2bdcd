// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/qcdoc/fold.hpp"

namespace ht::qcdoc {

/// A machine cut into equal boxes that run side by side, without moving a cable ([QCDOC2004]
/// section 2.2). An axis of length L is cut into p pieces of L / p:
///
/// * p = 1: the whole axis, a ring;
/// * p = L: nodes of the axis split off; it has length 1, and the partition fewer dimensions
/// ("lower
///   dimensional partitions", section 3.1);
/// * in between: a line, since the cable back to its first node leads into other partitions. A box
///   with lines still presents itself as a torus where Fold finds closed walks: 4x2 of a machine
///   8x2 as a ring of 8, never as 4x2.
///
/// Nodes of a partition are numbered in its box, x fastest, like the machine's: physical nodes, as
/// a Fold of the box has them.
class Partitions {
 public:
  /// `pieces`: into how many each axis is cut; missing ones are 1. Throws UsageError for a shape
  /// that is none, or pieces that do not divide their axis.
  Partitions(std::span<const int> machine, std::span<const int> pieces);
  /// `cuts` as "z:4+4,u:1+1": axis z into two lines of four nodes, u split off. Empty: one
  /// partition. Throws UsageError.
  Partitions(std::span<const int> machine, const std::string& cuts);

  int count() const;
  const std::vector<int>& machine() const { return machine_; }
  /// What each partition is, to be folded.
  const std::vector<Axis>& axes() const { return axes_; }
  /// Nodes of each.
  int size() const;

  int partition_of(int node) const;
  /// Its number in its partition.
  int physical_node_of(int node) const;
  /// The other way round.
  int node(int partition, int physical_node) const;

  /// Bit l: link l of a node leads to another node of its partition; the value of PARTITION_LINKS.
  std::uint32_t links(int node) const;
  /// Most hops between two nodes of a partition, over the cables inside it.
  int diameter() const;

 private:
  void cut(const std::vector<int>& pieces);

  std::vector<int> machine_, pieces_;
  std::vector<Axis> axes_;
};

}  // namespace ht::qcdoc
