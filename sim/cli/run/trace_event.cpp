// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/trace_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/machine/gather.hpp"

namespace ht::cli {
namespace {

using machine::EventKind;
using machine::MachineEvent;

// Link clocks after the event: a whole packet, and what the receiver does with it.
constexpr Picoseconds aftermath = 64;

// Of all processes' nodes, the lowest where several are at one time.
MachineEvent first_of_all(const machine::Machine& machine, EventKind kind) {
  const MachineEvent own = machine.first_event(kind);
  MachineEvent first;
  for (const auto& e : machine::gather_lists(
           machine.ranks(), nlohmann::json::array({{own.time, own.node, own.link, own.peer}}))) {
    const bool earlier = e[0] < first.time || (e[0] == first.time && e[1] < first.node);
    if (earlier) first = {e[0], e[1], e[2], e[3]};
  }
  return first;
}

// What only the process of node 0 has noted.
void gather_iterations(std::vector<IterationTime>& iterations, const machine::Machine& machine) {
  nlohmann::json mine = nlohmann::json::array();
  for (const IterationTime& i : iterations)
    mine.push_back({i.column, i.iteration, i.residual_norm2, i.time});
  iterations.clear();
  for (const auto& i : machine::gather_lists(machine.ranks(), std::move(mine)))
    iterations.push_back({i[0], i[1], i[2], i[3]});
}

MachineEvent first_wrong_iteration(const RunResult& r, const dirac::JobResult& reference) {
  for (const IterationTime& i : r.iterations) {
    const auto column = static_cast<std::size_t>(i.column);
    const auto iteration = static_cast<std::size_t>(i.iteration);
    if (column >= reference.columns.size()) continue;
    const auto& history = reference.columns[column].history;
    if (iteration >= history.size() || history[iteration] != i.residual_norm2)
      return {i.time, 0, -1};
  }
  return {};
}

MachineEvent find_event(const RunResult& r, const dirac::JobResult* reference) {
  switch (r.options.trace_on) {
    case TraceOn::Error:
      return r.first_error;
    case TraceOn::Retransmit:
      return r.first_retransmission;
    case TraceOn::Busy:
      return r.first_replay;
    case TraceOn::Mismatch:
      break;
    case TraceOn::Nothing:
      return {};
  }
  MachineEvent event = r.first_undetected;
  if (reference == nullptr) return event;
  const MachineEvent iteration = first_wrong_iteration(r, *reference);
  if (iteration.time < event.time) event = iteration;
  if (event.time == sim::kNever && !r.bit_exact()) event.time = r.machine_time;
  return event;
}

}  // namespace

void note_events(RunResult& r, const machine::Machine& machine) {
  r.link_period = machine.link_period();
  r.first_error = first_of_all(machine, EventKind::Error);
  r.first_retransmission = first_of_all(machine, EventKind::Retransmit);
  r.first_replay = first_of_all(machine, EventKind::Replay);
  r.first_undetected = first_of_all(machine, EventKind::Undetected);
  gather_iterations(r.iterations, machine);
}

std::optional<TraceWindow> find_window(const RunResult& r, const dirac::JobResult* reference) {
  const MachineEvent event = find_event(r, reference);
  if (event.time == sim::kNever) return std::nullopt;
  TraceWindow w;
  w.on = r.options.trace_on;
  w.event = event;
  w.from = std::max<Picoseconds>(0, event.time - r.options.trace_last * r.link_period);
  w.to = event.time + aftermath * r.link_period;
  w.nodes = r.options.trace_nodes;
  if (!w.nodes.empty()) return w;
  if (event.link < 0) {
    w.nodes.resize(static_cast<std::size_t>(machine::node_count(r.options.machine)));
    std::iota(w.nodes.begin(), w.nodes.end(), 0);
  } else {
    w.nodes = {event.node};
    if (event.peer != event.node) w.nodes.push_back(event.peer);
  }
  return w;
}

void check_repeated(const TraceWindow& w, const machine::Machine& machine, bool stopped) {
  MachineEvent again = w.event;
  if (w.on == TraceOn::Error) again = first_of_all(machine, EventKind::Error);
  if (w.on == TraceOn::Retransmit) again = first_of_all(machine, EventKind::Retransmit);
  if (w.on == TraceOn::Busy) again = first_of_all(machine, EventKind::Replay);
  if (w.on == TraceOn::Mismatch && w.event.link >= 0)
    again = first_of_all(machine, EventKind::Undetected);
  if (stopped) return;
  if (again.time != w.event.time || again.node != w.event.node || again.link != w.event.link)
    throw std::logic_error(
        fmt::format("the repeated run differs from the first: {} at {} ps on node {}, before at {} "
                    "ps on node {}",
                    name(w.on), again.time, again.node, w.event.time, w.event.node));
}

const char* name(TraceOn event) {
  switch (event) {
    case TraceOn::Error:
      return "error";
    case TraceOn::Retransmit:
      return "retransmit";
    case TraceOn::Busy:
      return "busy";
    case TraceOn::Mismatch:
      return "mismatch";
    case TraceOn::Nothing:
      break;
  }
  return "nothing";
}

}  // namespace ht::cli
