// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "sim/cli/shared_record.hpp"
#include "sim/output/results.hpp"

namespace ht::cli {

/// Whether this process was started with that signal ignored, as nohup does: then it ends nothing.
bool is_ignored(int signal);

/// Runs `simulator` in a process of its own and watches over it. Returns the exit code: what the
/// simulator says with SharedRecord::finish(), if it then ends with that; whatever ends without it
/// (a crash, a call of exit_group(), another program in its place) is ExitCode::Protocol, or
/// exit_interrupted if a signal asked for it, with one line on standard error, and the JSON
/// document is written in its place. Processes that it leaves behind are killed.
///
/// Ctrl-C reaches both processes; a signal that is sent to this one alone is passed on. MPI is
/// initialised in the simulator: the process that mpirun started only waits.
int supervise(const std::function<int(SharedRecord&)>& simulator);

/// How a command ended.
struct End {
  int code = 0;
  std::string error;  ///< for standard error; empty if it has said all
};

/// Writes the JSON document of `command`. Returns the exit code: `end`'s, or if that is 0 that of
/// an error in writing, which is said.
int close_results(Results& results, const std::string& command, const End& end);

/// "hypertorus: TEXT" on standard error, whatever becomes of it; nothing for no text. Takes no
/// memory.
void say(std::string_view text);

constexpr const char* out_of_memory = "out of memory: take a smaller lattice or node grid";

}  // namespace ht::cli
