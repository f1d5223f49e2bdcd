// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace ht::machine {
struct MachineOptions;
}

namespace ht::cli {

/// Where a timeline is to be written, as text.
struct TimelineArguments {
  std::string timeline;
  std::uint64_t timeline_events = 1'000'000;
};

/// The same, checked.
struct TimelineOptions {
  std::string timeline;  ///< file, or empty
  std::uint64_t timeline_events = 0;
};

void declare_timeline_options(CLI::App& app, TimelineArguments& arguments, const char* group);

/// Throws UsageError naming the option and the remedy.
TimelineOptions check_timeline_options(const TimelineArguments& arguments,
                                       const machine::MachineOptions& machine);

}  // namespace ht::cli
