// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace ht::test {

/// GB/s of payload that leaves a node's port in the steady state: `packets` on each of two channels
/// of the links `receivers`, by credits of `credit` packets; the node's rings have 20 cycles.
double throughput(const std::vector<int>& receivers, int packets, int credit);

}  // namespace ht::test
