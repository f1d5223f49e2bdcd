// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ht::test {

/// R1: Chroma's published propagator in double precision, all 12 columns. `machine`: arguments of
/// `run` that say over what. Returns what the run said of itself, or null where the field, an
/// outside file, is missing; then it says SKIPPED.
nlohmann::json check_r1(const std::vector<std::string>& machine);

/// R2: Chroma's 32-bit run of a NERSC field, and an independent program's in double precision.
nlohmann::json check_r2(const std::vector<std::string>& machine);

}  // namespace ht::test
