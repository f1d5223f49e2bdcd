// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::test {

/// Cycles between two packets that leave one after the other by an output (rtl/tofu/README.md).
#ifdef HT_ROUTER_STAGES
constexpr unsigned router_gap = 5;
#else
constexpr unsigned router_gap = 0;
#endif

}  // namespace ht::test
