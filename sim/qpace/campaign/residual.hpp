// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/output/results.hpp"

namespace ht::cli {

/// `hypertorus inject qpace --residual`: the probability that the link's own checks accept
/// damaged data, computed anew (seconds). Adds rows {id, value, unit, paper, limit} to
/// `results`. Returns 0.
int inject_residual(Results& results);

}  // namespace ht::cli
