// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/output/results.hpp"

namespace ht::cli {

/// `hypertorus inject qpace --residual`: how likely it is that the link's own checks take damage
/// for good, computed anew (seconds). Adds rows {id, value, unit, paper, limit} to
/// `results`. Returns 0.
int inject_residual(Results& results);

}  // namespace ht::cli
