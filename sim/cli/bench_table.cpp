// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench_table.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ht::cli {

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

}  // namespace ht::cli
