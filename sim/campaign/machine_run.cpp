// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/machine_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/pieces.hpp"
#include "sim/machine/trace.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;

std::uint64_t& count_of(DeliveryScoreboard::Kind kind, check::Deliveries& d) {
  switch (kind) {
    case DeliveryScoreboard::Kind::Delivered:
      return d.delivered;
    case DeliveryScoreboard::Kind::Lost:
      return d.lost;
    case DeliveryScoreboard::Kind::Doubled:
      return d.doubled;
    case DeliveryScoreboard::Kind::Altered:
      return d.altered;
    case DeliveryScoreboard::Kind::Misordered:
      return d.misordered;
    case DeliveryScoreboard::Kind::Misrouted:
      break;
  }
  return d.misrouted;
}

}  // namespace

MachineRun::MachineRun(const ScenarioOptions& options, std::uint64_t number, Closer* closer,
                       std::unique_ptr<machine::Machine> machine, std::size_t flows)
    : number_(number),
      closer_(closer),
      machine_(std::move(machine)),
      board_(flows),
      over_lanes_(options.phy.has_value()) {
  if (options.stop != nullptr)
    machine_->kernel().on_window([stop = options.stop](Picoseconds) {
      if (*stop) throw RunStopped();
    });
  if (closer_ == nullptr || closer_->trace.empty()) return;
  machine::TraceOptions trace;
  trace.stem = closer_->trace;
  for (int node = 0; node < machine_->size(); ++node) machine_->processor(node).trace(trace);
}

MachineRun::~MachineRun() = default;

RunOutcome MachineRun::outcome() {
  describe();
  simulate();
  board_.close();
  if (!machine_->close_ledgers().balanced())
    found(-1, -1, "errors injected are not detected + harmless + undetected");
  for (int cable = 0; cable < cables(); ++cable) {
    if (report(cable) != nullptr) check_counters(cable);
  }
  for (int cable = 0; cable < cables(); ++cable) {
    check_errors(cable);
    check_checksums(cable);
  }
  check_deliveries();
  check_rest();
  if (upset_node_ >= 0) judge_upset();
  tally().counters["simulated ns"] = static_cast<std::uint64_t>(machine_->kernel().now() / 1000);
  tally().counters["node-cycles"] = machine_->statistics().cycles.total;
  if (closer_ != nullptr) machine_->close_traces();
  return std::move(out_);
}

std::string MachineRun::place(int /*cable*/, const sim::InjectedError& /*error*/) const {
  return {};
}

std::string MachineRun::it_moves() const {
  return fmt::format("it did not come to rest in {} ms", longest() / 1'000'000'000);
}

void MachineRun::found(int node, int link, const std::string& what) {
  out_.findings.push_back({number_, node, link, what});
}

void MachineRun::found_at(int cable, const std::string& what) {
  found(receiving_node(cable), receiving_link(cable), what);
}

void MachineRun::port_differs(int cable, std::span<const std::string> differences) {
  for (const std::string& what : differences)
    found_at(cable, "its observation port and the wire format differ: " + what);
}

bool MachineRun::forged_caught() const {
  return out_.tally.by_kind[static_cast<std::size_t>(sim::ErrorKind::Forced)][Class::Caught] > 0;
}

void MachineRun::tell(const std::string& line) {
  if (closer_ != nullptr) closer_->lines.push_back(line);
}

const sim::ErrorLedger& MachineRun::ledger(int cable) const {
  return machine_->cable_of(cable / links(), cable % links()).ledger();
}

bool MachineRun::checksums_differ(int cable) const {
  const machine::LinkReport* const r = report(cable);
  return r != nullptr && !r->checksums_agree() && !scenario().ignore_checksums;
}

void MachineRun::describe() {
  const Scenario& s = scenario();
  std::vector<std::string> names;
  for (const Trouble t : s.troubles) names.emplace_back(name(t));
  const std::string events =
      s.events.empty() ? "" : fmt::format(", {} things that happen to nodes", s.events.size());
  tell(fmt::format("run {}: {}; {}{}, {}{}", number_, fmt::join(names, ", "), traffic(), events,
                   s.world.describe(),
                   s.forged_cable >= 0 ? fmt::format(", a forged {}", unit()) : ""));
  if (closer_ != nullptr) closer_->drawn = s.drawn;
  if (closer_ == nullptr || !s.reduced) return;
  for (int cable = 0; cable < cables(); ++cable) {
    const auto& plan = s.faults[static_cast<std::size_t>(cable)];
    for (const std::string& error : describe_plan(plan))
      tell(fmt::format("  kept: {}, {}", error,
                       machine_->cable_of(cable / links(), cable % links()).name()));
  }
  for (const std::string& message : messages()) tell("  kept: " + message);
  for (const NodeEvent& event : s.events) tell("  kept: " + event.describe());
}

void MachineRun::check_events(int node, const NodeEvents& events) {
  if (!events.complaint().empty()) {
    told();
    found(node, -1, events.complaint());
  }
  if (!events.upset().where.empty()) {
    upset_node_ = node;
    upset_ = events.upset();
  }
  auto& total = tally().counters;
  total["processors that stood still"] += events.halts();
  if (events.flips().made == 0) return;
  total["bits flipped in memories"] += events.flips().made;
  total["words with flipped bits corrected"] += events.flips().corrected;
}

void MachineRun::check_errors(int cable) {
  const sim::CableBase& line = machine_->cable_of(cable / links(), cable % links());
  for (const sim::InjectedError& e : ledger(cable).errors()) {
    noticed_ = sim::kNever;
    const Class c = classify(cable, e);
    time_detection(cable, e, c);
    const std::string where = place(cable, e);
    ++tally().by_kind[static_cast<std::size_t>(e.kind)][c];
    if (!where.empty()) ++tally().by_place[where][c];
    if (e.kind == sim::ErrorKind::Forced) ++tally().forced;
    const std::string what =
        where.empty() ? sim::name(e.kind) : fmt::format("{} in {}", sim::name(e.kind), where);
    if (c == Class::Undetected)
      found_at(cable, fmt::format("an error ({}, {} ps) was accepted{}", what, e.time,
                                  scenario().ignore_checksums ? "; checksums are not compared"
                                  : report(cable) != nullptr && !checksums_differ(cable)
                                      ? " and the checksums agree"
                                      : "; the checksums at both ends differ"));
    tell(fmt::format("  {:>12.3f} us  {}: {}: {}", static_cast<double>(e.time) * 1e-6, line.name(),
                     what, name(c)));
  }
}

// Checksums are read at the end: what only they caught has no time of its own.
void MachineRun::time_detection(int cable, const sim::InjectedError& e, Class c) {
  constexpr std::array silent = {Class::Harmless, Class::Undetected, Class::Caught, Class::Passed,
                                 Class::Down};
  if (std::ranges::find(silent, c) != silent.end()) return;
  if (e.fate == sim::Fate::Detected && e.last >= e.first)
    noticed_ = machine_->cable_of(cable / links(), cable % links())
                   .receiver_clock()
                   .edge(e.first + e.complaint_after);
  if (noticed_ == sim::kNever) return;
  if (noticed_ < e.time)
    found_at(cable, fmt::format("an error of {} ps was noticed at {} ps, before it was there",
                                e.time, noticed_));
  const Picoseconds took = std::max<Picoseconds>(0, noticed_ - e.time);
  tally().noticed[static_cast<std::size_t>(e.kind)] += Detection{1, took, took, number_};
}

void MachineRun::check_checksums(int cable) {
  if (!checksums_differ(cable)) return;
  told();
  const machine::LinkReport& r = *report(cable);
  if (!checksums_explained(cable))
    found_at(cable, "the checksums at both ends differ for no reason that is known");
  tell(fmt::format(
      "  caught by the checksums: node {} {} sent {:#010x}, node {} {} received {:#010x}", r.from,
      r.name, r.tx_checksum, r.to, machine_->link_name(receiving_link(cable)), r.rx_checksum));
}

void MachineRun::check_deliveries() {
  check::Deliveries d = board_.deliveries();
  for (const Delivery& t : board_.troubles()) {
    const bool known = t.flow != DeliveryScoreboard::kUnknown;
    if (known && excused(t)) {
      ++tally().forced_delivered;
      --count_of(t.kind, d);
      continue;
    }
    const Outlet where = known ? outlet(t.flow) : Outlet{-1, -1, unit()};
    found(where.node, where.link,
          fmt::format("{} {} {}", where.what,
                      t.packet == DeliveryScoreboard::kUnknown ? "?" : std::to_string(t.packet),
                      check::name(t.kind)));
  }
  tally().packets = d;
}

// No check need detect it, so that none of its effects is a finding; but they are reported.
void MachineRun::judge_upset() {
  const Upset fate = told_                   ? Upset::Noticed
                     : out_.findings.empty() ? Upset::Harmless
                                             : Upset::Unnoticed;
  ++tally().counters[upset_counter(upset_.memory, fate)];
  constexpr std::array<const char*, kUpsets> names = {"harmless", "noticed", "unnoticed"};
  tell(fmt::format("  node {}: {} flipped: {}", upset_node_, upset_.where,
                   names[static_cast<std::size_t>(fate)]));
  for (const Finding& f : out_.findings) tell("    came of it: " + f.what);
  out_.findings.clear();
}

}  // namespace ht::campaign
