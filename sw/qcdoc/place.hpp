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
  int physical_rank = 0;  ///< in the fold's machine
  int node = -1;          ///< number on the whole machine; -1: the physical rank
  int partition = 0;      ///< of the machine, where it has several

  int number() const { return node < 0 ? physical_rank : node; }

  /// Links to other nodes of the partition.
  Mask partition_links() const;
  /// Most hops between two nodes of the partition.
  int diameter() const;
};

/// A place on a whole machine that presents itself as `application`, or as it is if that is empty.
/// Throws UsageError if the fold does not match, or there is no such rank.
Place place_on(const std::vector<int>& machine, int physical_rank,
               const std::vector<int>& application = {});

}  // namespace ht::qcdoc
