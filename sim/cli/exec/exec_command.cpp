// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec/exec_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/report/report_library.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/machine/timeline.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"
#include "sw/program/program_set.hpp"
#include "sw/qmp/collective_log.hpp"
#include "sw/qmp/functional_torus.hpp"
#include "sw/qmp/message_log.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {
namespace {

/// What is known of the machine once the programs have ended.
struct Outcome : machine::CableAccount {
  bool interrupted = false;         ///< from outside, or by --stop-at
  std::vector<std::string> states;  ///< of nodes then
  Picoseconds machine_time = 0;
  std::string data_unit;
  std::vector<std::string> undetected;  ///< errors: cable, kind, when
  std::string timeline;                 ///< what is said of --timeline's file, or empty
};

// A copy of this process, which a program forked, simulates and prints nothing.
void end_copies(pid_t simulator) {
  if (getpid() != simulator) _exit(static_cast<int>(ExitCode::Protocol));
}

std::string describe(const machine::Machine& machine, const machine::UndetectedError& e) {
  return fmt::format("node {} {} to node {}: {} at {:.3f} us", e.from,
                     machine.link_name(machine.far_link(e.link)), e.to, sim::name(e.error.kind),
                     static_cast<double>(e.error.time) * 1e-6);
}

// What is reported of the machine after a program has ended normally.
std::string what_is_wrong(const Outcome& outcome) {
  std::vector<std::string> lines;
  for (const std::string& error : outcome.undetected) lines.push_back("went undetected: " + error);
  for (const auto& link : outcome.links) {
    if (!link.checksums_agree())
      lines.push_back(
          fmt::format("checksums disagree: node {} {} to node {}", link.from, link.name, link.to));
  }
  constexpr std::size_t most = 8;
  if (lines.size() > most) {
    const std::size_t more = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("and {} more, which --json lists", more));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Outcome run_on_machine(const ExecOptions& o, program::ProgramSet& programs,
                       std::span<qmp::CallProfile> calls, const std::atomic<bool>& stop) {
  const Ranks ranks;
  BuildRequirements requirements;
  requirements.host_path = o.type->program_host_path();
  requirements.forwards = true;
  // What every program was doing is reported: none may be ended by a kill, but for the other
  // partition's sake.
  requirements.kill_on_error = o.partitions > 1;
  const auto built = build_machine(o, requirements, ranks, stop);
  machine::Machine& machine = *built;
  // How long the programs will run nobody knows: no time left.
  ProgressLine progress(o.quiet);
  progress.stage("running");
  const auto show = [&](bool all) {
    programs.print_output([&] { progress.clear(); });
    const auto lines =
        o.console ? machine.consoles()->take_console(all) : std::vector<machine::ConsoleLine>{};
    if (!lines.empty()) progress.clear();
    machine::print_console(lines);
  };
  const pid_t simulator = getpid();
  const auto timeline = o.timeline.empty() ? nullptr
                                           : std::make_unique<machine::Timeline>(
                                                 machine, o.timeline, o.timeline_events);
  machine.kernel().on_window([&](Picoseconds now) {
    end_copies(simulator);
    if (timeline != nullptr) timeline->collect();
    show(false);
    progress.time(now);
  });
  // One for each job; ranks count anew in each.
  std::deque<qmp::CollectiveLog> collectives;
  for (int p = 0; p < o.partitions; ++p)
    collectives.emplace_back(machine::node_count(o.partitions > 1 ? o.job_nodes : o.nodes));
  std::deque<qmp::MessageLog> messages(static_cast<std::size_t>(o.partitions));
  Outcome outcome;
  outcome.data_unit = machine.data_unit();
  outcome.interrupted = !machine.run_everywhere(
      [&](qmp::Transport& transport, int number) {
        const int job = o.partitions > 1 ? machine.partition_of(number) : 0;
        const qmp::Node node(transport, &collectives[static_cast<std::size_t>(job)],
                             &messages[static_cast<std::size_t>(job)], o.any_lengths);
        const auto interface = machine.open_interface(transport);
        // Ranks are what the program knows its nodes by; those of partitions are not unique.
        if (timeline != nullptr)
          timeline->listen_to_calls(calls[static_cast<std::size_t>(transport.rank())], number);
        program::LoadedProgram& program = programs[o.partitions > 1 ? number : transport.rank()];
        if (!o.console) {
          program.run(transport, o.command);
          return;
        }
        const auto console = machine.consoles()->open_console(number);
        program.output().redirect([&](std::string_view text) { console->write(text); });
        program.run(transport, o.command);
        program.output().redirect({});
      },
      o.stop_at);
  outcome.states = machine.states_at_stop();
  progress.clear();
  show(true);
  outcome.machine_time = machine.kernel().now();
  if (!outcome.interrupted) outcome.links = machine.report_links();
  outcome.errors = machine.close_ledgers();
  for (const auto& error : machine.undetected_errors())
    outcome.undetected.push_back(describe(machine, error));
  if (timeline != nullptr) {
    timeline->finish();
    outcome.timeline = timeline->summary();
  }
  return outcome;
}

Outcome run_functional(const ExecOptions& o, program::ProgramSet& programs) {
  const auto machine = o.type->build_functional(o, o.processor_timeout);
  const pid_t simulator = getpid();
  machine->run([&](qmp::Transport& transport) {
    const int code = programs[transport.rank()].run(transport, o.command);
    end_copies(simulator);
    programs.print_output();
    return code;
  });
  Outcome outcome;
  outcome.machine_time = machine->elapsed();
  return outcome;
}

nlohmann::ordered_json exec_document(const ExecOptions& o, const program::ProgramSet& programs,
                                     const Outcome& outcome,
                                     std::span<const qmp::CallProfile> calls, const char* verdict) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (const auto& link : outcome.links) links.push_back(link_json(link, outcome.data_unit));
  nlohmann::ordered_json refusals = nlohmann::ordered_json::array();
  for (int rank = 0; rank < programs.size(); ++rank) {
    for (const std::string& what : programs[rank].refusals())
      refusals.push_back({{"node", rank}, {"what", what}});
  }
  nlohmann::ordered_json document = {{"command", o.command},
                                     {"set", rtl_values_json(o.set)},
                                     {"network", o.rtl ? "rtl" : "functional"},
                                     {"nodes", o.nodes},
                                     {"seed", o.seed},
                                     {"ber", o.errors.bit_error_rate},
                                     {"verdict", verdict},
                                     {"exit_codes", programs.exit_codes()},
                                     {"refusals", refusals},
                                     {"machine_time_ps", outcome.machine_time},
                                     {"errors",
                                      {{"injected", outcome.errors.injected},
                                       {"detected", outcome.errors.detected},
                                       {"harmless", outcome.errors.harmless},
                                       {"undetected", outcome.errors.undetected},
                                       {"retransmissions", outcome.retransmissions()}}},
                                     {"undetected", outcome.undetected},
                                     {"links", links}};
  if (o.profile_calls) document.update(calls_json(calls));
  return document;
}

void print_summary(const ExecOptions& o, const Outcome& outcome) {
  fmt::print(stderr, "hypertorus: {} nodes, {:.3f} us in the machine", fmt::join(o.nodes, "x"),
             static_cast<double>(outcome.machine_time) * 1e-6);
  if (o.rtl)
    fmt::print(stderr,
               "; errors {} injected = {} detected + {} harmless + {} undetected, {} "
               "retransmissions; {} of {} link checksums disagree",
               outcome.errors.injected, outcome.errors.detected, outcome.errors.harmless,
               outcome.errors.undetected, outcome.retransmissions(), outcome.checksum_mismatches(),
               outcome.links.size());
  fmt::print(stderr, "\n");
}

// A program that is started by itself names no machine: one on which it finds all there is. Empty,
// which is the first of all: no such machine is built.
std::string serves_most(const MachineCatalog& catalog) {
  for (const machine::MachineDescription* type : catalog.machines()) {
    if (type->traits().own_interface) return type->name();
  }
  return {};
}

// The error again, with what every node's program does.
// What helps programs that stand still because packets of others wait behind a message in a link.
std::string way_out(const ExecOptions& o, std::string_view what) {
  const auto says = [what](std::string_view words) {
    return what.find(words) != std::string_view::npos;
  };
  if (o.any_lengths || !says("by the nodes in between") || !says("transmit FIFO full")) return {};
  return "\nmessages to neighbours that do not receive them yet keep those that nodes in between "
         "pass on: start their receives first, or use --any-lengths";
}

[[noreturn]] void report(const program::ProgramSet& programs, ExitCode code, std::string what) {
  const std::string crashed = programs.crashed();
  if (!crashed.empty())
    throw Error(ExitCode::Protocol,
                fmt::format("{}\nthe other nodes:{}", crashed, programs.states(false)));
  if (code == ExitCode::Mismatch) what = programs.failed() + " failed";
  const std::string early = programs.ended_early();
  if (code == ExitCode::Timeout && !early.empty()) what = early + "\n" + what;
  throw Error(code, fmt::format("{}\nthe program:{}", what, programs.states()));
}

}  // namespace

void declare_exec_options(CLI::App& app, ExecArguments& a, const MachineCatalog& catalog) {
  declare_machine_word(app, a.machine_kind, catalog);
  app.get_option("machine")->each([&a](const std::string&) { a.names_machine = true; });
  declare_machine_options(app, a, catalog);
  declare_error_options(app, a, catalog);
  declare_simulation_options(app, a);
  declare_io_options(app, a, false);
  const char* group = "Simulation";
  app.add_option("--json", a.json, "write exit codes, errors and links to FILE")->group(group);
  app.add_flag("--quiet", a.quiet, "no line about the machine at the end")->group(group);
  declare_stop_option(app, a);
  app.add_option("--gdb", a.gdb, "stop the program of this node in gdb, where its main() begins")
      ->group(group);
  app.add_flag("--profile-calls", a.profile_calls, profile_calls_help)->group(group);
  app.add_option("--report", a.report,
                 "write FILE.html, a page of --profile-calls with the matrix of messages, and that "
                 "as SVG")
      ->group(group);
  declare_timeline_options(app, a, group);
  app.add_option("--clock", a.clock,
                 "what the program's clocks show (clock_gettime(), time() and the like): host, or "
                 "machine, which is QMP_time()'s")
      ->capture_default_str()
      ->group(group);
  app.add_option("--output", a.output,
                 "lines of nodes: prefix (\"[3] text\"), plain, or files (node3.out, node3.err)")
      ->capture_default_str()
      ->group(group);
  app.add_flag(
         "--any-lengths", a.any_lengths,
         "receives from neighbours may be longer than what is sent also where links do not say "
         "how long a message is: all messages go as small packets")
      ->group(group);
  app.add_option("--output-dir", a.output_dir, "where --output files are written")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--alone", a.alone,
               "as a program is run that is started by itself: one functional node, plain output, "
               "its own exit code")
      ->group(group)
      ->excludes(app.get_option("--nodes"))
      ->excludes(app.get_option("--network"))
      ->excludes(app.get_option("--output"));
}

ExecOptions check_exec_options(const ExecArguments& given, const MachineCatalog& catalog) {
  ExecArguments a = given;
  if (a.alone) {
    a.nodes = "1";
    a.network = "functional";
    a.output = "plain";
    a.quiet = true;
    if (!a.names_machine) a.machine_kind = serves_most(catalog);
  }
  if (a.command.empty())
    throw UsageError(
        "exec: which program? Give it after --, as in: hypertorus exec MACHINE --nodes 2x2x2 -- "
        "./program");
  ExecOptions o;
  static_cast<MachineOptions&>(o) = check_machine_options("exec", a, catalog);
  static_cast<IoOptions&>(o) = check_io_options(a, o);
  static_cast<TimelineOptions&>(o) = check_timeline_options(a, o);
  o.command = a.command;
  o.json = a.json;
  o.quiet = a.quiet;
  o.alone = a.alone;
  o.any_lengths = a.any_lengths;
  o.report = a.report;
  o.profile_calls = a.profile_calls || !a.report.empty();
  if (o.profile_calls && o.partitions > 1)
    throw UsageError("--profile-calls, --report: for one job; leave --partition out");
  o.machine_clock = machine::choose("--clock", a.clock, {"host", "machine"}) == "machine";
  const std::string output = machine::choose("--output", a.output, {"prefix", "plain", "files"});
  using program::OutputStyle;
  o.output = output == "files"   ? OutputStyle::Files
             : output == "plain" ? OutputStyle::Plain
                                 : OutputStyle::Prefix;
  if (a.output_dir != "." && o.output != OutputStyle::Files)
    throw UsageError("--output-dir is where --output files go; ask for those, or leave it out");
  if (o.console && o.output != OutputStyle::Prefix)
    throw UsageError(
        "--console shows standard output as the serial lines bring it; it has no --output");
  o.output_dir = a.output_dir;
  if (a.gdb) {
    const int nodes = machine::node_count(o.nodes);
    if (*a.gdb < 0 || *a.gdb >= nodes)
      throw UsageError(
          fmt::format("--gdb {}: write the number of a node, from 0 to {}", *a.gdb, nodes - 1));
    o.gdb = *a.gdb;
  }
  return o;
}

int exec_command(const ExecOptions& o, Session& session) {
  session.results.open(o.json);
  session.results.add({{"command", o.command}, {"verdict", "failed"}});
  const ReportLibrary* const page = o.report.empty() ? nullptr : report_library();
  if (page != nullptr) page->check_writable(o.report);
  if (!o.timeline.empty()) host::check_writable(o.timeline);
  const int nodes = machine::node_count(o.nodes);
  program::ProgramSet programs(o.command.front(), nodes, session.programs);
  programs.stop_on(session.stop);
  programs.set_output(o.output, o.output_dir);
  for (int rank = 0; rank < nodes && o.machine_clock; ++rank) programs[rank].use_machine_clock();
  const bool listens = o.profile_calls || !o.timeline.empty();
  std::vector<qmp::CallProfile> calls(listens ? static_cast<std::size_t>(nodes) : 0);
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    programs[static_cast<int>(rank)].profile_calls(calls[rank]);
  if (o.gdb >= 0) {
    programs[o.gdb].stop_in_debugger();
  } else {
    programs.limit_turns(o.processor_timeout);
  }
  Outcome outcome;
  try {
    outcome =
        o.rtl ? run_on_machine(o, programs, calls, session.stop) : run_functional(o, programs);
  } catch (const Error& e) {
    programs.print_output();
    session.results.add(exec_document(o, programs, outcome, calls, "failed"));
    report(programs, e.exit_code(), e.what() + way_out(o, e.what()));
  }
  const bool failed = !programs.failed().empty();
  const bool refused = !programs.refused().empty();
  const bool stopped = outcome.interrupted && !session.stop;
  const char* verdict = stopped                 ? "stopped"
                        : outcome.interrupted   ? "interrupted"
                        : failed                ? "failed"
                        : refused               ? "refused"
                        : outcome.cables_good() ? "good"
                                                : "mismatch";
  const auto document = exec_document(o, programs, outcome, calls, verdict);
  session.results.add(document);
  if (page != nullptr) page->write_calls(document, calls, o.report);
  if (!o.quiet && o.profile_calls) print_calls(stderr, calls, outcome.machine_time);
  if (!o.quiet && !outcome.timeline.empty()) fmt::print(stderr, "timeline: {}\n", outcome.timeline);
  if (outcome.interrupted) {
    fmt::print(stderr, "hypertorus: {} at {:.3f} us\nthe program:{}\n", verdict,
               static_cast<double>(outcome.machine_time) * 1e-6, programs.states());
    if (stopped) fmt::print(stderr, "the machine:\n  {}\n", fmt::join(outcome.states, "\n  "));
    return exit_interrupted;
  }
  if (!o.quiet) print_summary(o, outcome);
  if (failed && o.alone) return programs.exit_codes().front();
  if (failed) report(programs, ExitCode::Mismatch, {});
  if (refused)
    throw MismatchError(
        fmt::format("calls of the network failed on {}, as said above, and the program went on",
                    programs.refused()));
  if (!outcome.cables_good())
    throw MismatchError("what the network delivered is not to be trusted:\n" +
                        what_is_wrong(outcome));
  return static_cast<int>(ExitCode::Ok);
}

}  // namespace ht::cli
