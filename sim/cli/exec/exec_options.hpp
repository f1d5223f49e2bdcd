// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/common/io_options.hpp"
#include "sim/cli/common/machine_options.hpp"
#include "sim/cli/common/timeline_options.hpp"
#include "sw/program/node_output.hpp"

namespace ht::cli {

/// What `hypertorus exec` was asked for, as text.
struct ExecArguments : MachineArguments, IoArguments, TimelineArguments {
  std::vector<std::string> command;  ///< what follows --: a program and its arguments
  std::string json;
  bool quiet = false;
  std::optional<int> gdb;
  std::string report;
  bool profile_calls = false;
  bool window_report = false;
  std::string output = "prefix", output_dir = ".", clock = "host";
  bool alone = false, any_lengths = false;
  bool names_machine = false;  ///< else it is the default
};

/// The same, read and checked.
struct ExecOptions : MachineOptions, IoOptions, TimelineOptions {
  std::vector<std::string> command;  ///< program and arguments
  std::string json;
  bool quiet = false;
  int gdb = -1;  ///< node whose program stops in gdb; -1: none
  program::OutputStyle output = program::OutputStyle::Prefix;
  std::string output_dir;
  std::string report;          ///< file of a page, or empty
  bool profile_calls = false;  ///< calls of the network are counted and timed
  bool window_report = false;
  bool machine_clock = false;  ///< the program's clocks are the machine's
  bool any_lengths = false;    ///< of receives between neighbours, on every machine
  bool alone = false;          ///< a program that was started by itself: its exit code is ours
};

void declare_exec_options(CLI::App& app, ExecArguments& arguments, const MachineCatalog& catalog);

/// Throws UsageError naming the option and the remedy.
ExecOptions check_exec_options(const ExecArguments& arguments, const MachineCatalog& catalog);

}  // namespace ht::cli
