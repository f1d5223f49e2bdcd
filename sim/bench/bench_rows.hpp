// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <optional>
#include <string>

#include "sim/output/results.hpp"

namespace ht::cli {

/// The key "rows" of what `bench ... --json FILE` writes: {id, value, unit, paper, limit} each.
class BenchRows {
 public:
  /// With `stop`, add() throws InterruptedError once that is set: rows known so far are kept.
  explicit BenchRows(Results& results, const std::atomic<bool>* stop = nullptr);
  void add(const std::string& id, double value, const std::string& unit,
           std::optional<double> paper = std::nullopt, std::optional<double> limit = std::nullopt);

 private:
  Results& results_;
  const std::atomic<bool>* stop_;
};

}  // namespace ht::cli
