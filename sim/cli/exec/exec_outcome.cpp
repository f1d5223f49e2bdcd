// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec/exec_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {

namespace {

nlohmann::ordered_json options_json(const ExecOptions& o) {
  nlohmann::ordered_json json = machine_json(o);
  json.update({{"load", o.ethernet ? "ethernet" : "memory"},
               {"ethernet_ber", o.ethernet_ber},
               {"any_lengths", o.any_lengths},
               {"clock", o.machine_clock ? "machine" : "host"}});
  return json;
}

}  // namespace

nlohmann::ordered_json exec_document(const ExecOptions& o, const program::ProgramStates& programs,
                                     const Outcome& outcome,
                                     std::span<const qmp::CallProfile> calls,
                                     std::string_view verdict) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const auto& link : outcome.links) links.push_back(link_json(link, outcome.data_unit));
  nlohmann::ordered_json refusals = nlohmann::ordered_json::array();
  for (const program::ProgramState& program : programs.all()) {
    for (const std::string& what : program.refusals)
      refusals.push_back({{"node", program.rank}, {"what", what}});
  }
  nlohmann::ordered_json exit_codes = nlohmann::ordered_json::array();
  for (const std::optional<int>& code : programs.exit_codes())
    exit_codes.push_back(code ? nlohmann::ordered_json(*code) : nlohmann::ordered_json(nullptr));
  // How far the machine had come when an error ended it depends on how many processes it was
  // spread over.
  const auto known = [&outcome](auto number) {
    return outcome.counted ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
  };
  // Links are read at the end, not before.
  const auto of_links = [&](std::uint64_t number) {
    return outcome.interrupted ? nlohmann::ordered_json(nullptr) : known(number);
  };
  nlohmann::ordered_json document = {{"command", o.command},
                                     {"set", rtl_values_json(o.set)},
                                     {"far", o.far},
                                     {"network", o.rtl ? "rtl" : "functional"},
                                     {"nodes", o.job_nodes},
                                     {"partitions", o.partitions},
                                     {"seed", o.seed},
                                     {"ber", o.errors.bit_error_rate},
                                     {"options", options_json(o)},
                                     {"verdict", verdict},
                                     {"exit_codes", exit_codes},
                                     {"refusals", refusals},
                                     {"machine_time_ps", known(outcome.machine_time)},
                                     {"errors",
                                      {{"injected", known(outcome.errors.injected)},
                                       {"detected", known(outcome.errors.detected)},
                                       {"harmless", known(outcome.errors.harmless)},
                                       {"undetected", known(outcome.errors.undetected)},
                                       {"retransmissions", of_links(outcome.retransmissions())},
                                       {"replays", of_links(outcome.replays())}}},
                                     {"undetected", outcome.undetected},
                                     {"links", links}};
  if (o.profile_calls) document.update(calls_json(calls));
  if (o.window_report) document["window_report"] = windows_json(outcome.windows);
  return document;
}

void print_summary(const ExecOptions& o, const Outcome& outcome) {
  const std::string jobs = o.partitions > 1 ? fmt::format("{} partitions of ", o.partitions) : "";
  fmt::print(stderr, "hypertorus: {}{} nodes, {:.3f} us in the machine", jobs,
             fmt::join(o.job_nodes, "x"), static_cast<double>(outcome.machine_time) * 1e-6);
  if (o.rtl)
    fmt::print(stderr,
               "; errors {} injected = {} detected + {} harmless + {} undetected, {} "
               "retransmissions; {} of {} link checksums disagree",
               outcome.errors.injected, outcome.errors.detected, outcome.errors.harmless,
               outcome.errors.undetected, outcome.retransmissions(), outcome.checksum_mismatches(),
               outcome.links.size());
  fmt::print(stderr, "\n");
}

std::string with_way_out(const ExecOptions& o, std::string_view what,
                         const std::string& unreceived) {
  const auto says = [what](std::string_view words) {
    return what.find(words) != std::string_view::npos;
  };
  if (o.any_lengths || unreceived.empty() || !says("by the nodes in between"))
    return std::string(what);
  // Packets of others wait behind a message in a link.
  return fmt::format(
      "{}\nmessages to neighbours that do not receive them yet ({}) keep those that nodes in "
      "between pass on: start their receives first, or use --any-lengths",
      what, unreceived);
}

void report(const program::ProgramStates& programs, ExitCode code, std::string what) {
  const std::string crashed = programs.crashed();
  if (!crashed.empty()) {
    const std::string others = programs.text(false);
    throw Error(ExitCode::Protocol,
                crashed + (others.empty() ? "" : "\nthe other nodes:" + others));
  }
  if (code == ExitCode::Mismatch) what = programs.failed() + " failed";
  const std::string early = programs.ended_early();
  if (code == ExitCode::Timeout && !early.empty()) what = early + "\n" + what;
  throw Error(code, fmt::format("{}\nthe program:{}", what, programs.text()));
}

}  // namespace ht::cli
