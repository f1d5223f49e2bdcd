// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/utofu/utofu.h"

namespace ht::tofu {

/// What utofu_set_vbg() takes to lay a rank's part of a pattern. ids[r][g] is gate g of rank r, as
/// rank r's utofu_alloc_vbg() returned them; only those of this rank and of its partners are looked
/// at. Throws UsageError if one of them is missing.
std::vector<utofu_vbg_setting> settings(const BarrierPattern& pattern, int rank,
                                        const std::vector<std::vector<utofu_vbg_id_t>>& ids);

}  // namespace ht::tofu
