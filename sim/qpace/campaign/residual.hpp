// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ht::cli {

/// `hypertorus inject qpace --residual`: how likely it is that the link's own checks take damage
/// for good, computed anew (seconds). Writes rows {id, value, unit, paper, limit} to `json` unless
/// empty. Returns 0; throws DataError.
int inject_residual(const std::string& json);

}  // namespace ht::cli
