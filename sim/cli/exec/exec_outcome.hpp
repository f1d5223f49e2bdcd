// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/common/window_report.hpp"
#include "sim/cli/exec/exec_options.hpp"
#include "sim/machine/cable_account.hpp"
#include "sw/program/program_states.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::cli {

/// What is known of the machine once the programs have ended.
struct Outcome : machine::CableAccount {
  bool interrupted = false;         ///< from outside, or by --stop-at
  std::vector<std::string> states;  ///< of nodes then
  Picoseconds machine_time = 0;
  bool counted = false;  ///< that, cables and errors: no error ended it before
  std::string data_unit;
  std::vector<WindowRow> windows;  ///< of --window-report; else empty
  std::string timeline;            ///< what is said of --timeline's file, or empty
  std::string unreceived;          ///< where an error ended it: ProgramNews::unreceived()
};

/// What --json has of it.
nlohmann::ordered_json exec_document(const ExecOptions& options,
                                     const program::ProgramStates& programs, const Outcome& outcome,
                                     std::span<const qmp::CallProfile> calls,
                                     std::string_view verdict);

/// The line about the machine at the end.
void print_summary(const ExecOptions& options, const Outcome& outcome);

/// What ended the programs, with the remedy if it is known. `unreceived`: of ProgramNews.
std::string with_way_out(const ExecOptions& options, std::string_view what,
                         const std::string& unreceived);

/// Throws the error again, with what every node's program does.
[[noreturn]] void report(const program::ProgramStates& programs, ExitCode code, std::string what);

}  // namespace ht::cli
