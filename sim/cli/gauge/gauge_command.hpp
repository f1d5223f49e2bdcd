// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sim/cli/common/command.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What `hypertorus gauge ...` was asked for, as text.
struct GaugeArguments {
  std::string action;  ///< info, convert, generate or heatbath
  std::string in, out;
  std::string format = "ildg";
  int precision = 64;
  int rows = 3;
  std::string field = "weak";
  std::string lattice = "8x8x8x8";
  std::string start = "hot";
  double beta = 6.0;
  int sweeps = 100, thermalise = 100, overrelaxations = 3;
  std::uint64_t seed = 1;
  int threads = 0;
  std::string json;
  bool quiet = false;
};

/// Adds the four subcommands to `app`.
void declare_gauge_options(CLI::App& app, GaugeArguments& arguments);

/// Runs the one that was chosen. A heat bath ends at the next sweep once it is to stop; then
/// nothing is written and 130 returned. Otherwise returns 0; throws UsageError or DataError.
int gauge_command(const GaugeArguments& arguments, Session& session);

}  // namespace ht::cli
