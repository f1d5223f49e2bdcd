// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/timeline_options.hpp"

#include <CLI/CLI.hpp>

#include "sim/cli/common/machine_options.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {

void declare_timeline_options(CLI::App& app, TimelineArguments& a, const char* group) {
  app.add_option("--timeline", a.timeline,
                 "write FILE for Perfetto or chrome://tracing: phases and calls of nodes, packets, "
                 "retransmissions and errors of cables")
      ->group(group);
  app.add_option("--timeline-events", a.timeline_events, "the most that FILE takes")
      ->capture_default_str()
      ->group(group);
}

TimelineOptions check_timeline_options(const TimelineArguments& a,
                                       const machine::MachineOptions& machine) {
  if (a.timeline.empty() && a.timeline_events != TimelineArguments{}.timeline_events)
    throw UsageError("--timeline-events: no effect without --timeline FILE");
  if (!a.timeline.empty() && !machine.rtl)
    throw UsageError("--timeline: the functional network has no packets; use --network rtl");
  if (!a.timeline.empty() && machine.partitions > 1)
    throw UsageError("--timeline is for one job: leave --partition out");
  if (a.timeline_events == 0)
    throw UsageError("--timeline-events 0: write how many events the file may take, from 1");
  return {a.timeline, a.timeline_events};
}

}  // namespace ht::cli
