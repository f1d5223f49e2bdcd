// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "sim/cli/run/run_options.hpp"
#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// What a machine's first run says about events, noted before it is taken apart; after a run that
/// ended with an exception too. In every process, of all of them.
void note_events(RunResult& result, const machine::Machine& machine);

/// Where --trace-on has to look, in a run that is over, or nothing if the event did not happen.
/// A mismatch is the earliest of: a damaged frame accepted; the end of the first iteration whose
/// |r|^2 is not `reference`'s, on node 0; else, if the run is not bit-exact, its end. `reference`
/// may be null (the run failed).
std::optional<TraceWindow> find_window(const RunResult& result, const dirac::JobResult* reference);

/// Throws std::logic_error unless the repeated run saw the event at the same time as the first, or
/// was stopped. In every process.
void check_repeated(const TraceWindow& window, const machine::Machine& machine, bool stopped);

/// "retransmit", as --trace-on has it.
const char* name(TraceOn event);

}  // namespace ht::cli
