// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ht::cli {

/// What `bench ... --json FILE` writes: rows {id, value, unit, paper, limit}.
class BenchRows {
 public:
  /// With an empty name nothing is written. Throws DataError if `file` could not be written.
  explicit BenchRows(std::string file);
  void add(const std::string& id, double value, const std::string& unit,
           std::optional<double> paper = std::nullopt, std::optional<double> limit = std::nullopt);
  /// Throws DataError.
  void write() const;

 private:
  std::string file_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace ht::cli
