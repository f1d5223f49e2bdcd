// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec/exec_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/common/window_report.hpp"
#include "sim/machine/torus.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

// A program that is started by itself names no machine: one on which it finds all there is. Empty,
// which is the first of all: no such machine is built.
std::string serves_most(const MachineCatalog& catalog) {
  for (const machine::MachineDescription* type : catalog.machines()) {
    if (type->traits().own_interface) return type->name();
  }
  return {};
}

// What one process has to do, or that it can do only with all nodes.
void refuse_spread(const ExecArguments& a, const ExecOptions& o) {
  if (!Ranks::several()) return;
  const std::pair<bool, const char*> refused[] = {{!o.rtl, "--network functional (or --alone)"},
                                                  {a.gdb.has_value(), "--gdb"}};
  for (const auto& [given, option] : refused) {
    if (given)
      throw UsageError(fmt::format("{}: in one process only; start it without mpirun", option));
  }
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
  app.add_flag("--window-report", a.window_report, window_report_help)->group(group);
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
    if (a.phy.phy == "lanes")
      throw UsageError(
          "--phy lanes: a program that runs --alone has no cables; leave one of the two out");
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
  o.window_report = a.window_report;
  check_window_report(o.window_report, o.rtl);
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
  refuse_spread(a, o);
  return o;
}

}  // namespace ht::cli
