// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <deque>

#include "sim/bench/bench_options.hpp"
#include "sim/cli/bench/bench_dirac.hpp"
#include "sim/cli/bench/bench_sim.hpp"
#include "sim/cli/common/command.hpp"
#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/common/machine_options.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

class BenchCommand final : public Command {
 public:
  void declare(CLI::App& app, const machine::MachineCatalog& catalog) override {
    catalog_ = &catalog;
    app.require_subcommand(1);
    dirac_ = app.add_subcommand("dirac", "speed of the hopping term on this computer");
    declare_bench_dirac_options(*dirac_, dirac_options_);
    sim_ = app.add_subcommand("sim", "speed of the simulation on this computer");
    declare_bench_sim_options(*sim_, sim_options_, catalog);
    for (const machine::MachineDescription* machine : catalog.machines()) {
      for (const machine::BenchTraits& bench : machine->benches())
        declare_one(app, *machine, bench);
    }
  }
  // `bench dirac` measures this computer.
  bool spreads() const override { return !*dirac_; }
  int run(Session& session) override {
    const BenchSession bench{session.results, session.stop, session.ranks.exchange()};
    if (*dirac_) {
      session.results.open(dirac_options_.json);
      return bench_dirac(dirac_options_, bench);
    }
    if (*sim_) {
      if (Ranks::reports()) session.results.open(sim_options_.json);
      return bench_sim(sim_options_, *catalog_, bench, session.ranks);
    }
    for (Bench& b : benches_) {
      if (!*b.app) continue;
      check_distinct({{"--json", b.options.json}}, {{"--cells", b.options.cells}});
      if (Ranks::reports())
        session.results.open(b.options.json);
      else
        only_measure(b.options);
      const machine::RtlValues set = machine::parse_rtl_values(*b.machine, b.set);
      session.results.add({{"set", rtl_values_json(set)}});
      const machine::MachineDescription& variant = catalog_->variant(*b.machine, set);
      const auto* const library =
          static_cast<const MachineBenches*>(catalog_->part(variant, "bench"));
      session.ranks.begin();
      int code = 0;
      try {
        code = library->run(b.app->get_name(), b.options, bench);
      } catch (const InterruptedError&) {
        session.ranks.end();  // whoever interrupts one process interrupts all
        throw;
      }
      session.ranks.end();
      return Ranks::reports() ? code : static_cast<int>(ExitCode::Ok);
    }
    return 0;
  }

 private:
  // What the first process prints and writes.
  static void only_measure(BenchOptions& options) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr)
      throw DataError("/dev/null cannot be written");
    options.plot.clear();
    options.cells.clear();
  }

  struct Bench {
    const machine::MachineDescription* machine = nullptr;
    CLI::App* app = nullptr;
    BenchOptions options;
    std::vector<std::string> set;
  };

  void declare_one(CLI::App& app, const machine::MachineDescription& machine,
                   const machine::BenchTraits& bench) {
    Bench& b = benches_.emplace_back();
    b.machine = &machine;
    b.app = app.add_subcommand(bench.name, bench.help);
    b.app->add_option("--json", b.options.json,
                      "write rows {id, value, unit, paper, limit} to FILE");
    if (!bench.figures.empty())
      b.app->add_option("--plot", b.options.plot,
                        "draw " + bench.figures + ", .svg and .png, with gnuplot");
    if (!bench.quick.empty()) {
      b.app->add_option("--cells", b.options.cells,
                        "show and pass on the rows of FILE, written by fpga/common/cells.py "
                        "--table");
      b.app->add_flag("--quick", b.options.quick, bench.quick);
    }
    if (bench.hardware) declare_set_option(*b.app, b.set);
    declare_own_options(*b.app, bench.options, b.options.own);
  }

  std::deque<Bench> benches_;  // options refer to them: they must not move
  CLI::App* dirac_ = nullptr;
  CLI::App* sim_ = nullptr;
  BenchDiracOptions dirac_options_;
  BenchSimOptions sim_options_;
  const machine::MachineCatalog* catalog_ = nullptr;
};

}  // namespace
}  // namespace ht::cli

extern "C" ht::cli::Command* hypertorus_command() {
  static ht::cli::BenchCommand command;
  return &command;
}
