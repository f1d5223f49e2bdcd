// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/run/trace_event.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using nlohmann::ordered_json;

// Those that the operator has.
ordered_json parameters_json(const dirac::OperatorChoice& f) {
  switch (f.kind) {
    case dirac::OperatorKind::Wilson:
      return {{"kappa", f.kappa}};
    case dirac::OperatorKind::Clover:
      return {{"kappa", f.kappa}, {"csw", f.csw}};
    case dirac::OperatorKind::Staggered:
      return {{"mass", f.mass}};
    case dirac::OperatorKind::Asqtad:
      return {{"mass", f.mass}, {"u0", f.u0}};
    case dirac::OperatorKind::DomainWall:
      break;
  }
  return {{"mass", f.mass}, {"Ls", f.length}, {"M5", f.m5}};
}

}  // namespace

ordered_json options_json(const RunOptions& o) {
  ordered_json json = machine_json(o);
  json.update({{"config", o.config},
               {"field", o.config.empty() ? o.field : ""},
               {"operator", to_string(o.fermions.kind)},
               {"boundary", o.boundary},
               {"source",
                {{"kind", o.source.gaussian ? "gaussian" : "point"},
                 {"position", o.source.position},
                 {"width", o.source.width},
                 {"iterations", o.source.iterations}}},
               {"columns", o.columns},
               {"precision", o.single ? "single" : "double"},
               {"solver", name(o.solver)},
               {"shifts", o.shifts},
               {"tolerance", o.tolerance},
               {"max_iterations", o.max_iterations},
               {"sum", o.reproducible ? "reproducible" : "fast"},
               {"load", o.ethernet ? "ethernet" : "memory"},
               {"ethernet_ber", o.ethernet_ber},
               {"checkpoint", o.checkpoint}});
  json.update(parameters_json(o.fermions));
  return json;
}

namespace {

ordered_json errors_json(const sim::ErrorTotals& errors) {
  ordered_json kinds = ordered_json::object();
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k) {
    if (errors.injected_of[k] == 0) continue;
    kinds[sim::name(static_cast<sim::ErrorKind>(k))] = {
        {"injected", errors.injected_of[k]},
        {"detected", errors.detected_of[k]},
        {"harmless", errors.injected_of[k] - errors.detected_of[k] - errors.undetected_of[k]},
        {"undetected", errors.undetected_of[k]}};
  }
  return kinds;
}

}  // namespace

nlohmann::ordered_json link_json(const machine::LinkReport& l, const std::string& unit) {
  ordered_json link = {{"from", l.from},
                       {"link", l.name},
                       {"to", l.to},
                       {unit, l.sent},
                       {"retransmissions", l.retransmitted},
                       {"accepted", l.accepted}};
  for (const machine::LinkCount& c : l.counts) link[std::string(c.name)] = c.count;
  link["tx_checksum"] = l.tx_checksum;
  link["rx_checksum"] = l.rx_checksum;
  link["errors_injected"] = l.errors.injected;
  link["first_retransmission_ps"] = l.first_retransmission == sim::kNever
                                        ? ordered_json(nullptr)
                                        : ordered_json(l.first_retransmission);
  return link;
}

namespace {

// Of --trace-on; null if it was not asked for, or did not happen.
ordered_json waves_json(const RunResult& r) {
  if (!r.waves) return nullptr;
  const TraceWindow& w = *r.waves;
  return {{"event", name(w.on)},
          {"time_ps", w.event.time},
          {"node", w.event.node},
          {"link", w.event.link < 0 ? "" : r.options.type->link_name(w.event.link)},
          {"from_ps", w.from},
          {"to_ps", w.to},
          {"nodes", w.nodes}};
}

// Of --load ethernet; null without.
ordered_json load_json(const RunResult& r) {
  if (!r.options.ethernet) return nullptr;
  ordered_json nodes = ordered_json::array();
  for (const machine::NodeLoad& l : r.loads)
    nodes.push_back(
        {{"bytes", l.bytes}, {"files", l.files}, {"repeats", l.repeats}, {"time_ps", l.time}});
  return {{"nodes", nodes},
          {"frames_to_server", r.ethernet.frames_in},
          {"frames_from_server", r.ethernet.frames_out},
          {"bad_frames_at_server", r.ethernet.bad_frames},
          {"server_repeats", r.ethernet.repeats}};
}

// Of --kill and --cut; null if nothing was lost.
ordered_json loss_report_json(const RunResult& r) {
  if (!r.losses) return nullptr;
  ordered_json nodes = ordered_json::array();
  for (const machine::NodeStatement& s : r.losses->statements) {
    ordered_json silent = ordered_json::array();
    if (s.said) {
      for (const host::SilentLink& link : s.said->silent)
        silent.push_back({{"node", link.node}, {"link", r.options.type->link_name(link.link)}});
    }
    nodes.push_back({{"node", s.node},
                     {"lost", s.lost},
                     {"named", s.named},
                     {"time_ps", s.said ? ordered_json(s.said->time) : ordered_json(nullptr)},
                     {"silent", silent},
                     {"text", s.text}});
  }
  return {{"gone", losses_json(r.losses->gone, *r.options.type)},
          {"left", r.losses->left()},
          {"named", r.losses->named()},
          {"longest_ps", r.losses->longest()},
          {"nodes", nodes}};
}

// Where the solve went on after a loss; null if it did not.
ordered_json continued_json(const RunResult& r) {
  if (!r.continued) return nullptr;
  return {{"column", r.continued->column},
          {"iteration", r.continued->iteration},
          {"time_before_ps", r.time_before},
          {"machine_nodes", r.continued->machine},
          {"nodes", r.continued->nodes}};
}

}  // namespace

ordered_json run_document(const RunResult& r) {
  ordered_json columns = ordered_json::array();
  std::vector<int> iterations;
  for (const auto& c : r.job.columns) {
    iterations.push_back(c.iterations);
    columns.push_back({{"colour", c.colour},
                       {"spin", c.spin},
                       {"shift", c.shift},
                       {"source_norm2", c.source_norm2},
                       {"iterations", c.iterations},
                       {"updates", c.updates},
                       {"true_residual", c.true_residual},
                       {"residual_norm2", c.history}});
  }
  ordered_json links = ordered_json::array();
  for (const auto& l : r.links) links.push_back(link_json(l, r.data_unit));
  ordered_json times = ordered_json::array();
  for (const auto& t : r.job.nodes)
    times.push_back(
        {{"compute", t.split[0]}, {"halo", t.split[1]}, {"sum", t.split[2]}, {"solve", t.solve}});
  const bool answered = !r.job.columns.empty();
  const auto of_answer = [answered](const ordered_json& value) {
    return answered ? value : ordered_json(nullptr);
  };
  // At its end links are read, not before.
  const bool ended = !r.interrupted && !r.failed && (!r.losses || r.continued);
  ordered_json document = {
      {"options", options_json(r.asked ? *r.asked : r.options)},
      {"verdict", r.verdict()},
      {"soft_errors",
       {{"made", r.soft_errors.made},
        {"two_bits", r.soft_errors.two_bits},
        {"corrected", r.soft_errors.corrected}}},
      {"losses", loss_report_json(r)},
      {"continued", continued_json(r)},
      {"field", of_answer(r.job.field)},
      {"lattice", of_answer(r.job.lattice)},
      {"local_lattice", of_answer(r.job.local_lattice)},
      {"plaquette", of_answer(r.job.plaquette.average())},
      {"iterations", iterations},
      {"true_residual", of_answer(r.job.worst_residual())},
      {"correlator", r.job.correlator},
      {"solution_crc32", of_answer(r.job.solution_crc32)},
      {"errors",
       {{"injected", r.errors.injected},
        {"detected", r.errors.detected},
        {"harmless", r.errors.harmless},
        {"undetected", r.errors.undetected},
        {"retransmissions", ended ? ordered_json(r.retransmissions()) : ordered_json(nullptr)},
        {"replays", ended ? ordered_json(r.replays()) : ordered_json(nullptr)},
        {"by_kind", errors_json(r.errors)}}},
      {"undetected", r.undetected},
      {"machine_time_ps", r.machine_time},
      {"times_s", times},
      {"windows", {{"run", r.statistics.windows}, {"skipped", r.statistics.skipped_windows}}},
      {"cycles", {{"total", r.statistics.cycles.total}, {"skipped", r.statistics.cycles.skipped}}},
      {"states", r.states},
      {"waves", waves_json(r)},
      {"load", load_json(r)},
      {"wall_seconds", r.wall_seconds},
      {"columns", columns},
      {"links", links}};
  if (r.options.profile_calls) document.update(calls_json(r.calls));
  if (r.options.window_report) document["window_report"] = windows_json(r.windows);
  return document;
}

}  // namespace ht::cli
