// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/tofu/bench/net.hpp"

namespace ht::test {

/// Offers every interface more than it can send, on all paths, for some cycles; then lets what is
/// under way arrive. Requires that packets arrive all the time, each once and in order.
void saturate(bench::TofuNet& net, unsigned cycles);

}  // namespace ht::test
