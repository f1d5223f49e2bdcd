// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/common/window_report.hpp"
#include "sim/cli/run/run_options.hpp"
#include "sim/machine/devices.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/torus.hpp"
#include "sw/dirac/job.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::cli {

/// When an iteration of the solver began on node 0, and |r|^2 then.
struct IterationTime {
  int column = 0, iteration = 0;
  double residual_norm2 = 0;
  Picoseconds time = 0;
};

/// What --trace-on found, and the waves of it.
struct TraceWindow {
  TraceOn on = TraceOn::Nothing;
  machine::MachineEvent event;
  Picoseconds from = 0, to = 0;
  std::vector<int> nodes;
};

/// Everything one run found out. After a loss and a checkpoint `errors` and `soft_errors` are those
/// of all machines that there were, the others those of the last.
struct RunResult : machine::CableAccount {
  RunOptions options;
  std::string data_unit;  ///< what the links count
  dirac::JobResult job;
  sim::Kernel::Statistics statistics;
  Picoseconds link_period = 0;                          ///< of the links' clock
  Picoseconds machine_time = 0;                         ///< simulated, from power-on to rest
  double wall_seconds = 0;                              ///< of the simulation alone
  double peak_gflops = 0;                               ///< of a node
  std::size_t words_compared = 0, words_different = 0;  ///< 32-bit words of the solution
  bool interrupted = false;
  bool stopped = false;                 ///< interrupted by --stop-at
  std::vector<std::string> states;      ///< of nodes then
  bool failed = false;                  ///< the simulation threw
  host::SoftErrorTotals soft_errors;    ///< of --soft-errors
  std::string timeline;                 ///< what is said of --timeline's file, or empty
  std::vector<qmp::CallProfile> calls;  ///< of --profile-calls, by rank; else empty
  std::vector<WindowRow> windows;       ///< of --window-report; else empty
  /// What --kill and --cut took away, and what nodes said of it.
  std::optional<machine::LossReport> losses;
  /// Where the solve went on after that.
  struct Continued {
    int column = 0, iteration = 0;  ///< of the checkpoint; iteration 0: there was none
    std::vector<int> machine, nodes;
  };
  std::optional<Continued> continued;
  Picoseconds time_before = 0;      ///< in the machines that lost something
  std::optional<RunOptions> asked;  ///< what was asked for, where `options` are those of the rest
  machine::MachineEvent first_error, first_retransmission, first_replay, first_undetected;
  std::vector<IterationTime> iterations;
  std::optional<TraceWindow> waves;      ///< of --trace-on
  std::vector<machine::NodeLoad> loads;  ///< of --load ethernet, by node
  machine::EthernetTotals ethernet;

  /// Solution, checksums and error accounting all as they must be.
  bool bit_exact() const;
  /// "bit-exact", "mismatch", "interrupted", "stopped", "lost" or "failed".
  std::string verdict() const;
  /// What the verdict rests on, in numbers: one clause each for words, checksums and errors.
  std::string grounds() const;
};

}  // namespace ht::cli
