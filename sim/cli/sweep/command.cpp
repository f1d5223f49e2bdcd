// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/bench/gnuplot.hpp"
#include "sim/cli/common/command.hpp"
#include "sim/cli/sweep/sweep_file.hpp"
#include "sim/cli/sweep/sweep_runs.hpp"
#include "sim/cli/sweep/sweep_table.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

struct SweepArguments {
  std::string file, output;
  int jobs = 1;
  bool list = false, quiet = false;
};

// DIR, or FILE without its suffix beside where it was called.
std::filesystem::path folder_of(const SweepArguments& a) {
  if (!a.output.empty()) return a.output;
  return std::filesystem::path(a.file).stem().string() + ".sweep";
}

void print_list(const SweepRuns& runs) {
  for (const SweepRun& run : runs.runs())
    fmt::print("{:<6} {}: {}\n", run.kept ? "done" : "to run", run.step->name,
               fmt::join(run.words, " "));
}

// Tables and figures take the place of those of a sweep before, and of nothing else.
void refuse_others_files(const Sweep& sweep, const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "sweep.json")) return;  // itself refused if not a sweep's
  std::vector<std::string> files = {"table.csv"};
  for (const Sweep::Plot& plot : sweep.plots) files.push_back(plot.file);
  for (const std::string& file : files)
    if (std::filesystem::exists(folder / file))
      throw DataError(fmt::format(
          "{}: it is there already, and no sweep.json beside it: it is not of a sweep; remove it, "
          "or take another --output",
          (folder / file).string()));
}

int sweep_command(const SweepArguments& a, Session& session) {
  if (a.jobs < 1 || a.jobs > 1024)
    throw UsageError(fmt::format("--jobs {}: 1 to 1024 runs at a time", a.jobs));
  const Sweep sweep = read_sweep(a.file);
  if (!sweep.plots.empty() && !a.list) require_gnuplot("[[plot]] of " + a.file);
  const std::filesystem::path folder = folder_of(a);
  SweepRuns runs(sweep, folder);
  if (a.list) {
    print_list(runs);
    return 0;
  }
  refuse_others_files(sweep, folder);
  session.results.open((folder / "sweep.json").string());
  session.results.add({{"sweep", a.file}, {"verdict", "failed"}});
  const auto kept = std::ranges::count_if(runs.runs(), &SweepRun::kept);
  if (kept > 0 && !a.quiet)
    fmt::print("{} of {} runs are there already, in {}\n", kept, runs.runs().size(),
               folder.string());
  std::size_t figures = 0;
  const auto write = [&] {
    const SweepTable table(sweep, runs);
    table.print();
    session.results.add(table.document());
    table.write_csv(folder / "table.csv");
    figures = table.draw(folder);
    return table.failed();
  };
  try {
    runs.run(a.jobs, a.quiet, session.stop);
  } catch (const InterruptedError&) {
    write();
    session.results.add({{"verdict", "interrupted"}});
    throw InterruptedError(
        fmt::format("interrupted; what was complete is kept in {}, and the same command goes on",
                    folder.string()));
  }
  const std::vector<std::string> failed = write();
  fmt::print("table: {0}/table.csv and sweep.json{1}\n", folder.string(),
             figures == 0 ? "" : "; figures beside them");
  session.results.add({{"verdict", failed.empty() ? "complete" : "runs failed"}});
  if (!failed.empty())
    throw SweepError(fmt::format("{} of {} runs failed, and the others are complete:\n  {}",
                                 failed.size(), runs.runs().size(), fmt::join(failed, "\n  ")));
  return 0;
}

class SweepCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& /*catalog*/) override {
    app.add_option("file", arguments_.file, "FILE.toml: the grid, what runs, what is taken of it")
        ->required();
    app.add_option("--jobs", arguments_.jobs, "runs at a time")->capture_default_str();
    app.add_option("--output", arguments_.output,
                   "folder for results (default: FILE.sweep here); what it has of them already is "
                   "not run again");
    app.add_flag("--list", arguments_.list, "only say what would run, and what is done");
    app.add_flag("--quiet", arguments_.quiet, "no progress line");
  }
  int run(Session& session) override { return sweep_command(arguments_, session); }

 private:
  SweepArguments arguments_;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::SweepCommand command;
  return &command;
}
