// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/sweep/sweep_runs.hpp"

namespace ht::cli {

/// The points of a sweep with what was taken of their runs' results.
class SweepTable {
 public:
  /// Throws DataError for a column that a run's result does not have.
  SweepTable(const Sweep& sweep, const SweepRuns& runs);

  void print() const;
  /// table.csv, RFC 4180.
  void write_csv(const std::filesystem::path& file) const;
  /// Keys `columns`, `rows`, `failed`.
  nlohmann::ordered_json document() const;
  /// Figures, in `folder`, and how many. Points without a number are left out; so are those with an
  /// x that is not positive, with a warning.
  std::size_t draw(const std::filesystem::path& folder) const;
  /// "solve at slots=2 ber=1e-06: exit code 4: ...", a line for each run that failed.
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  struct Row {
    std::vector<nlohmann::ordered_json> cells;  ///< null where there is no result
    std::string failed;                         ///< "solve: exit code 4"
  };
  std::string text(const nlohmann::ordered_json& cell) const;

  const Sweep& sweep_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
  std::vector<std::string> failed_;
};

}  // namespace ht::cli
