// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/common/io_options.hpp"
#include "sim/cli/common/machine_options.hpp"
#include "sim/cli/run/observe_options.hpp"
#include "sw/dirac/job.hpp"
#include "sw/host/time.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What else `hypertorus run` was asked for, as text; empty means the option was absent.
struct RunArguments : MachineArguments, ObserveArguments, IoArguments {
  std::string config;
  std::string field;
  std::string lattice;
  std::string boundary = "1,1,1,-1";
  std::string source = "point:0,0,0,0";
  std::string precision = "double";
  std::string solver = "eo";
  std::string sum = "reproducible";
  std::string fermions = "wilson";
  std::string kappa, csw, mass, u0, length, m5;  ///< empty: the operator's default
  std::string shifts;
  double tolerance = 1e-12;
  int columns = 1;
  int max_iterations = 10000;
  std::string json;
  std::string save_solution;
  std::string report;
  bool profile_calls = false;
  bool window_report = false;
  std::string checkpoint;  ///< empty: none
  std::string checkpoint_files = "checkpoint";
  bool quiet = false;
};

/// A point or Gaussian source: position, and for the latter width and iterations.
struct SourceChoice {
  bool gaussian = false;
  std::array<int, 4> position{};
  double width = 0;
  int iterations = 0;
};

/// The same, read and checked. Times in ps.
struct RunOptions : MachineOptions, ObserveOptions, IoOptions {
  std::string config;  ///< file, or empty for a generated field
  std::string field;   ///< weak, hot or unit
  std::array<int, 4> lattice{};
  dirac::OperatorChoice fermions;
  std::array<double, 4> boundary{};
  SourceChoice source;
  int columns = 1;
  int max_iterations = 0;
  bool single = false;
  dirac::SolverKind solver = dirac::SolverKind::EvenOdd;
  std::vector<double> shifts;
  bool reproducible = true;
  double tolerance = 0;
  std::string json;
  std::string save_solution;
  std::string report;
  bool profile_calls = false;
  bool window_report = false;
  int checkpoint = 0;  ///< iterations between two; 0: none
  std::string checkpoint_files;
  bool quiet = false;
};

/// "eo", "full", "multishift" or "mixed", as --solver has them.
const char* name(dirac::SolverKind solver);

/// Declares the options of `run` on `app`, to be stored in `arguments`.
void declare_run_options(CLI::App& app, RunArguments& arguments, const MachineCatalog& catalog);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
RunOptions check_run_options(const RunArguments& arguments, const MachineCatalog& catalog);

}  // namespace ht::cli
