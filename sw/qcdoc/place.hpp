// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "sw/qcdoc/fold.hpp"
#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {

/// Where a node stands: on the machine, or on the part of it that is its partition, and on the
/// torus that the application sees.
struct Place {
  std::shared_ptr<const Fold> fold;
  int physical_node = 0;  ///< number in the fold's machine, which is the partition
  int node = 0;           ///< number on the whole machine
  int partition = 0;      ///< of the machine, where it has several

  /// Links to other nodes of the partition.
  Mask partition_links() const;
  /// Most hops between two nodes of the partition.
  int diameter() const;
};

/// A place on a whole machine that presents itself as `application`, or as it is if that is empty.
/// Throws UsageError if the fold does not match, or there is no such node.
Place place_on(const std::vector<int>& machine, int node, const std::vector<int>& application = {});

}  // namespace ht::qcdoc
