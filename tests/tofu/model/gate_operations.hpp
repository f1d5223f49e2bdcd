// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>
#include <vector>

#include "verif/model/tofu/gates.hpp"

namespace ht::test {

/// What nodes give to one operation, and what they must get: computed without gates.
struct GateJob {
  model::GateOperation operation = model::GateOperation::Barrier;
  std::vector<model::GateForm> forms;
  std::vector<model::GateData> operands;
  bool empty = false;  ///< nobody gives anything
  model::GateData expected{};
};

GateJob random_job(std::size_t nodes, std::mt19937_64& random);

/// Coordinates of some nodes.
std::vector<std::uint32_t> some_nodes(std::size_t n);

}  // namespace ht::test
