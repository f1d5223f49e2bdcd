// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/output/results.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

struct SolutionArguments {
  std::string a, b;
  double tolerance = 0;
  std::string json;
};

/// Adds `compare` to `app`.
void declare_solution_options(CLI::App& app, SolutionArguments& arguments);

/// `hypertorus solution compare A B`: prints how many bits differ and by how much. Returns 0 if no
/// bit differs, or, with a tolerance, if the largest relative difference is within it; else 1.
/// Throws UsageError, or DataError for files that are damaged or not comparable.
int solution_command(const SolutionArguments& arguments, Results& results);

}  // namespace ht::cli
