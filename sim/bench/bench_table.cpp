// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/output/read_document.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"
#include "sw/host/nearest.hpp"

namespace ht::cli {

std::vector<BenchLine> read_bench_lines(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw DataError(
        fmt::format("cannot read {}: no such file{}", file, host::did_you_mean_file(file)));
  std::vector<BenchLine> lines;
  try {
    const auto document = read_document(std::string(std::istreambuf_iterator<char>(in), {}));
    if (document.is_discarded()) throw DataError(fmt::format("{}: is no JSON", file));
    // What BenchRows writes is an object, what fpga/common/cells.py writes the list alone.
    for (const nlohmann::ordered_json& row :
         document.is_object() ? document.at("rows") : document) {
      const auto number = [&](const char* key) {
        return row.at(key).is_null() ? std::nullopt : std::optional(row.at(key).get<double>());
      };
      const std::string id = host::printable(row.at("id").get<std::string>());
      BenchLine line{id,
                     id,
                     host::printable(row.at("unit").get<std::string>()),
                     row.at("value"),
                     number("paper"),
                     number("limit")};
      const auto whole = [](double v) { return v == std::floor(v); };
      if (whole(line.value) && whole(line.paper.value_or(0)) && whole(line.limit.value_or(0)))
        line.decimals = 0;
      lines.push_back(std::move(line));
    }
  } catch (const nlohmann::json::exception& e) {
    throw DataError(fmt::format("{}: no rows {{id, value, unit, paper, limit}}: {}", file,
                                host::printable(e.what(), 200)));
  }
  return lines;
}

void BenchTable::heading(const std::string& title) {
  progress_.clear();
  fmt::print("\n{:<58}{:>10}{:>10}{:>10}\n", title, "paper", "limit", "here");
  std::fflush(stdout);
}

void BenchTable::add(const BenchLine& line) {
  const auto number = [&](std::optional<double> v) {
    return v ? fmt::format("{:.{}f}", *v, line.decimals) : std::string("-");
  };
  progress_.clear();
  fmt::print("  {:<56}{:>10}{:>10}{:>10} {}\n", line.what, number(line.paper), number(line.limit),
             number(line.value), line.unit);
  std::fflush(stdout);
  rows_.add(line.id, line.value, line.unit, line.paper, line.limit);
}

void BenchTable::add_cells(const std::vector<BenchLine>& cells) {
  if (!cells.empty()) heading("Cells, by Yosys");
  for (const BenchLine& cell : cells) add(cell);
}

}  // namespace ht::cli
