// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/host/time.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What `hypertorus run` was asked for, as text; empty means the option was absent.
struct RunArguments {
  std::string machine_kind = "qpace";
  std::string nodes = "2x2x2";
  std::string machine;
  std::string network = "rtl";
  std::string config;
  std::string field;
  std::string lattice;
  std::string boundary = "1,1,1,-1";
  std::string source = "point:0,0,0,0";
  std::string precision = "double";
  std::string solver = "eo";
  std::string sum = "reproducible";
  double kappa = 0.11;
  double tolerance = 1e-12;
  int columns = 1;
  int max_iterations = 10000;
  double ber = 1e-6;
  int bursts = 1;
  int burst_bits = 32;
  int lost = 0, doubled = 0, stuck = 0, pulled = 0;
  std::string error_span = "500us";
  std::uint64_t seed = 1;
  int threads = 0;
  bool no_skip = false;
  bool random_phases = false;
  std::string cable_delay = "250ns";
  std::string core_clock = "208";
  std::string timeout = "1ms";
  std::string trace;
  std::string trace_from = "0us", trace_to, trace_nodes;
  std::string json;
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
struct RunOptions {
  std::string machine_kind;
  std::vector<int> nodes;    ///< grid the application sees
  std::vector<int> machine;  ///< the physical one
  bool rtl = true;           ///< false: the functional network, no hardware
  std::string config;        ///< file, or empty for a generated field
  std::string field;         ///< weak, hot or unit
  std::array<int, 4> lattice{};
  double kappa = 0;
  std::array<double, 4> boundary{};
  SourceChoice source;
  int columns = 1;
  int max_iterations = 0;
  bool single = false;
  bool even_odd = true;
  bool reproducible = true;
  double tolerance = 0;
  double ber = 0;
  int bursts = 0, burst_bits = 0, lost = 0, doubled = 0, stuck = 0, pulled = 0;
  Picoseconds error_span = 0;
  std::uint64_t seed = 1;
  int threads = 1;
  bool skip_idle = true;
  bool random_phases = false;
  Picoseconds cable_delay = 0;
  Picoseconds core_period = 0;
  Picoseconds timeout = 0;
  std::string trace;
  Picoseconds trace_from = 0, trace_to = 0;
  std::vector<int> trace_nodes;
  std::string json;
  bool quiet = false;
};

/// Declares the options of `run` on `app`, to be stored in `arguments`.
void declare_run_options(CLI::App& app, RunArguments& arguments);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
RunOptions check_run_options(const RunArguments& arguments);

}  // namespace ht::cli
