// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/bench/bench_rows.hpp"
#include "sim/output/progress_line.hpp"

namespace ht::cli {

/// A measurement beside what the paper says and what cannot be surpassed.
struct BenchLine {
  std::string id, what, unit;
  double value = 0;
  std::optional<double> paper, limit;
  int decimals = 3;
};

/// The rows of a file that BenchRows, or a tool that writes the same, wrote; a row's id is what it
/// is called. Throws DataError.
std::vector<BenchLine> read_bench_lines(const std::string& file);

/// The table "paper / limit / here" on standard output, each line as soon as it is known, and the
/// same as JSON rows.
class BenchTable {
 public:
  BenchTable(BenchRows& rows, ProgressLine& progress) : rows_(rows), progress_(progress) {}
  void heading(const std::string& title);
  void add(const BenchLine& line);
  /// What fpga/common/cells.py counted, if anything.
  void add_cells(const std::vector<BenchLine>& cells);

 private:
  BenchRows& rows_;
  ProgressLine& progress_;
};

}  // namespace ht::cli
