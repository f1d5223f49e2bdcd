// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/observe_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <numeric>

#include "sim/cli/common/machine_options.hpp"
#include "sim/machine/torus.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::choose;
using machine::MachineDescription;
using machine::MachineOptions;
using machine::parse_links;
using machine::parse_list;
using machine::parse_ports;
using machine::parse_time;

void require(bool good, const char* option, int value, const char* remedy) {
  if (!good) throw UsageError(fmt::format("{} {}: {}", option, value, remedy));
}

void check_trace_on(ObserveOptions& o, const ObserveArguments& a) {
  if (a.trace_on.empty()) return;
  const auto kind = choose("--trace-on", a.trace_on, {"error", "retransmit", "busy", "mismatch"});
  o.trace_on = kind == "error"        ? TraceOn::Error
               : kind == "retransmit" ? TraceOn::Retransmit
               : kind == "busy"       ? TraceOn::Busy
                                      : TraceOn::Mismatch;
  if (!(a.trace_from.empty() && a.trace_to.empty()))
    throw UsageError(
        "--trace-on and --trace-from or --trace-to: the event sets the window; give its length "
        "with --trace-last");
  require(a.trace_last >= 1 && a.trace_last <= 10'000'000, "--trace-last", a.trace_last,
          "1 to 10000000 link clocks before the event");
  o.trace_last = a.trace_last;
}

}  // namespace

void declare_observe_options(CLI::App& app, ObserveArguments& a) {
  const char* group = "Waves and packets";
  app.add_option("--trace", a.trace, "write STEM.node<N>.fst, and .gtkw for GTKWave")->group(group);
  app.add_option("--trace-from", a.trace_from, "start of the waves (default: the run's)")
      ->group(group);
  app.add_option("--trace-to", a.trace_to, "end of the waves (default: the run's)")->group(group);
  app.add_option("--trace-on", a.trace_on,
                 "error, retransmit, busy or mismatch: run again, with waves before the first one")
      ->group(group);
  app.add_option("--trace-last", a.trace_last, "link clocks of waves before it")
      ->capture_default_str()
      ->group(group);
  app.add_option("--trace-nodes", a.trace_nodes,
                 "nodes to trace, as in 0,3-5 (default: all; with --trace-on, both ends)")
      ->group(group);
  app.add_option("--trace-links", a.trace_links, "only these and the nodes' pins, as in +x,-z")
      ->group(group);
  app.add_option("--trace-depth", a.trace_depth, "levels: 1 pins, 2 nodes, 4 links; 0 all")
      ->capture_default_str()
      ->group(group);
  app.add_option("--pcap", a.pcap, "write STEM.pcapng for Wireshark: every packet and command")
      ->group(group);
  app.add_option("--pcap-links", a.pcap_links,
                 "only cables plugged in there, as in +x or 0:+x,3:-z (default: all)")
      ->group(group);
  declare_timeline_options(app, a, group);
}

ObserveOptions check_observe_options(const ObserveArguments& a, const MachineOptions& machine) {
  ObserveOptions o;
  const int nodes = machine::node_count(machine.machine);
  const MachineDescription& type = *machine.type;
  if (a.trace.empty() && !(a.trace_from.empty() && a.trace_to.empty() && a.trace_nodes.empty() &&
                           a.trace_links.empty() && a.trace_on.empty() && a.trace_depth == 0))
    throw UsageError("options --trace-... need --trace STEM, the files' name");
  if (!(a.trace.empty() && a.pcap.empty()) && !machine.rtl)
    throw UsageError(
        "--trace and --pcap: the functional network has neither signals nor packets; use --network "
        "rtl");
  if (a.trace_on.empty() && a.trace_last != ObserveArguments{}.trace_last)
    throw UsageError(
        "--trace-last: no effect without --trace-on, which says what comes after them");
  static_cast<TimelineOptions&>(o) = check_timeline_options(a, machine);
  if (!a.timeline.empty() && !a.pcap.empty())
    throw UsageError(
        "--timeline and --pcap both listen to the cables: run twice, the runs are the same");
  o.trace = a.trace;
  o.trace_from = a.trace_from.empty() ? 0 : parse_time("--trace-from", a.trace_from);
  o.trace_to = a.trace_to.empty() ? std::numeric_limits<Picoseconds>::max()
                                  : parse_time("--trace-to", a.trace_to);
  check_trace_on(o, a);
  if (o.trace_to <= o.trace_from)
    throw UsageError(fmt::format("--trace-to {}: waves end after --trace-from {}, where they begin",
                                 a.trace_to, a.trace_from.empty() ? "0s" : a.trace_from));
  if (!a.trace_nodes.empty()) {
    o.trace_nodes = parse_list("--trace-nodes", a.trace_nodes, nodes);
  } else if (!a.trace.empty() && o.trace_on == TraceOn::Nothing) {
    o.trace_nodes.resize(static_cast<std::size_t>(nodes));
    std::iota(o.trace_nodes.begin(), o.trace_nodes.end(), 0);
  }
  if (!a.trace_links.empty()) o.trace_links = parse_links("--trace-links", a.trace_links, type);
  require(a.trace_depth >= 0 && a.trace_depth <= 99, "--trace-depth", a.trace_depth,
          "levels of hierarchy from 1 (a node's pins); 0: all");
  o.trace_depth = a.trace_depth;
  if (a.pcap.empty() && !a.pcap_links.empty())
    throw UsageError("--pcap-links needs --pcap STEM, the file's name");
  o.pcap = a.pcap;
  if (!a.pcap.empty()) {
    const std::string& links = a.pcap_links.empty() ? type.traits().every_cable : a.pcap_links;
    for (const auto& [node, link] : parse_ports("--pcap-links", links, nodes, type))
      o.pcap_links.push_back({node, link});
  }
  return o;
}

}  // namespace ht::cli
