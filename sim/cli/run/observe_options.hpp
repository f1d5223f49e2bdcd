// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sim/cli/common/timeline_options.hpp"
#include "sw/host/time.hpp"

namespace CLI {
class App;
}

namespace ht::machine {
struct MachineOptions;
}

namespace ht::cli {

/// Which waves and packets are to be written, as text; empty means the option was absent.
struct ObserveArguments : TimelineArguments {
  std::string trace;
  std::string trace_from, trace_to, trace_nodes, trace_links;
  int trace_depth = 0;
  std::string trace_on;
  int trace_last = 1000;
  std::string pcap, pcap_links;
};

/// What --trace-on waits for.
enum class TraceOn { Nothing, Error, Retransmit, Busy, Mismatch };

/// A port of a node, and with it the cable plugged in there, both directions.
struct PortChoice {
  int node = 0, link = 0;
};

/// The same, read and checked. Times in ps.
struct ObserveOptions : TimelineOptions {
  std::string trace;  ///< stem of the waves' files, or empty
  Picoseconds trace_from = 0, trace_to = 0;
  std::vector<int> trace_nodes;  ///< empty with trace_on: those where the event happens
  std::vector<int> trace_links;  ///< empty: all
  int trace_depth = 0;
  TraceOn trace_on = TraceOn::Nothing;
  int trace_last = 0;  ///< link clocks before the event
  std::string pcap;    ///< of PCAP.pcapng, or empty
  std::vector<PortChoice> pcap_links;
};

/// Declares the options on `app`, to be stored in `arguments`.
void declare_observe_options(CLI::App& app, ObserveArguments& arguments);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
ObserveOptions check_observe_options(const ObserveArguments& arguments,
                                     const machine::MachineOptions& machine);

}  // namespace ht::cli
