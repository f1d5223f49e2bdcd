// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <exception>
#include <string_view>

#include "sim/cli/bench/bench_dirac.hpp"
#include "sim/cli/bench/bench_sim.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/compare/compare_command.hpp"
#include "sim/cli/exec/exec_command.hpp"
#include "sim/cli/gauge/gauge_command.hpp"
#include "sim/cli/gauge/solution_command.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/inject/inject_command.hpp"
#include "sim/cli/run/run_command.hpp"
#include "sim/cli/run/run_options.hpp"
#include "sim/cli/version.hpp"
#include "sim/qcdoc/bench/report.hpp"
#include "sim/qpace/bench/cell_report.hpp"
#include "sim/qpace/bench/report.hpp"
#include "sim/tofu/bench/report.hpp"
#include "sw/host/errors.hpp"

namespace {

// A signal handler can reach nothing but a static object.
std::atomic<bool> stop_requested{false};

// The first Ctrl-C ends the run in order, a second one at once.
void on_interrupt(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

void stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

int command(int argc, char** argv) {
  CLI::App app{"hypertorus: three lattice-QCD networks in Verilog, simulated under a Dirac solver"};
  app.name("hypertorus");
  app.set_version_flag("--version", std::string("hypertorus ") + ht::cli::version());
  app.require_subcommand(1);

  ht::cli::RunArguments run_arguments;
  CLI::App* run = app.add_subcommand("run", "solve the Dirac equation on a simulated machine");
  ht::cli::declare_run_options(*run, run_arguments);
  ht::cli::ExecArguments exec_arguments;
  CLI::App* exec = app.add_subcommand("exec", "run a QMP program on every node of a machine");
  ht::cli::declare_exec_options(*exec, exec_arguments);
  ht::cli::CompareArguments compare_arguments;
  CLI::App* compare = app.add_subcommand("compare", "the same solve on all machines, side by side");
  ht::cli::declare_compare_options(*compare, compare_arguments);
  CLI::App* bench = app.add_subcommand("bench", "measure");
  bench->require_subcommand(1);
  ht::cli::BenchDiracOptions bench_options;
  CLI::App* bench_dirac =
      bench->add_subcommand("dirac", "speed of the hopping term on this computer");
  ht::cli::declare_bench_dirac_options(*bench_dirac, bench_options);
  ht::cli::BenchCellOptions bench_cell_options;
  CLI::App* bench_cell =
      bench->add_subcommand("cell", "the Cell's performance model beside the paper's numbers");
  ht::cli::declare_bench_cell_options(*bench_cell, bench_cell_options);
  CLI::App* inject = app.add_subcommand("inject", "fault campaigns");
  inject->require_subcommand(1);
  ht::cli::InjectArguments inject_arguments;
  CLI::App* inject_qpace =
      inject->add_subcommand("qpace", "random errors over random traffic, every one accounted for");
  ht::cli::declare_inject_options(*inject_qpace, inject_arguments);
  ht::cli::declare_inject_residual(*inject_qpace, inject_arguments);
  CLI::App* inject_qcdoc = inject->add_subcommand(
      "qcdoc", "the same for QCDOC: told by the link, the checksums, or a link that is down");
  ht::cli::declare_inject_options(*inject_qcdoc, inject_arguments);
  CLI::App* inject_tofu =
      inject->add_subcommand("tofu", "the same for Tofu: operations of barrier gates");
  ht::cli::declare_inject_options(*inject_tofu, inject_arguments);
  ht::cli::GaugeArguments gauge_arguments;
  CLI::App* gauge = app.add_subcommand("gauge", "check, convert and generate configurations");
  ht::cli::declare_gauge_options(*gauge, gauge_arguments);
  ht::cli::SolutionArguments solution_arguments;
  CLI::App* solution = app.add_subcommand("solution", "compare solutions that runs saved");
  ht::cli::declare_solution_options(*solution, solution_arguments);

  ht::cli::BenchSimOptions bench_sim_options;
  CLI::App* bench_sim = bench->add_subcommand("sim", "speed of the simulation on this computer");
  ht::cli::declare_bench_sim_options(*bench_sim, bench_sim_options);

  ht::cli::BenchOptions bench_qpace_options;
  CLI::App* bench_qpace =
      bench->add_subcommand("qpace", "the QPACE torus network beside the paper's numbers");
  ht::cli::declare_bench_qpace_options(*bench_qpace, bench_qpace_options);

  ht::cli::BenchOptions bench_qcdoc_options;
  CLI::App* bench_qcdoc =
      bench->add_subcommand("qcdoc", "the QCDOC network and processor beside the paper's numbers");
  ht::cli::declare_bench_qcdoc_options(*bench_qcdoc, bench_qcdoc_options);

  ht::cli::BenchTofuOptions bench_tofu_options;
  CLI::App* bench_tofu =
      bench->add_subcommand("tofu", "the Tofu router and barrier gates beside the paper's numbers");
  ht::cli::declare_bench_tofu_options(*bench_tofu, bench_tofu_options);

  ht::cli::add_examples(app);
  // Options of a program are none of ours.
  if (argc > 1 && std::string_view(argv[1]) == "exec")
    exec_arguments.command = ht::cli::take_command(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help and --version
    throw ht::UsageError(ht::cli::explain(app, e));
  }
  if (*run) {
    stop_on_interrupt();
    return ht::cli::run_command(ht::cli::check_run_options(run_arguments), stop_requested);
  }
  if (*compare) {
    stop_on_interrupt();
    return ht::cli::compare_command(ht::cli::check_compare_options(compare_arguments),
                                    stop_requested);
  }
  if (*bench_qpace) return ht::cli::bench_qpace(bench_qpace_options);
  if (*bench_qcdoc) return ht::cli::bench_qcdoc(bench_qcdoc_options);
  if (*bench_tofu) return ht::cli::bench_tofu(bench_tofu_options);
  if (*bench_sim) return ht::cli::bench_sim(bench_sim_options);
  if (*gauge) {
    stop_on_interrupt();
    return ht::cli::gauge_command(gauge_arguments, stop_requested);
  }
  if (*solution) return ht::cli::solution_command(solution_arguments);
  if (*inject_qpace) {
    stop_on_interrupt();
    return ht::cli::inject_qpace(inject_arguments, stop_requested);
  }
  if (*inject_qcdoc) {
    stop_on_interrupt();
    return ht::cli::inject_qcdoc(inject_arguments, stop_requested);
  }
  if (*inject_tofu) {
    stop_on_interrupt();
    return ht::cli::inject_tofu(inject_arguments, stop_requested);
  }
  if (*bench_cell) return ht::cli::bench_cell(bench_cell_options);
  if (*exec) {
    const ht::cli::ExecOptions options = ht::cli::check_exec_options(exec_arguments);
    if (options.rtl) stop_on_interrupt();  // the functional network has nothing to end in order
    return ht::cli::exec_command(options, stop_requested);
  }
  return ht::cli::bench_dirac(bench_options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command(argc, argv);
  } catch (const ht::Error& e) {
    if (ht::cli::Ranks::reports()) fmt::print(stderr, "hypertorus: {}\n", e.what());
    return static_cast<int>(e.exit_code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "hypertorus: out of memory: take a smaller lattice or node grid\n");
    return static_cast<int>(ht::ExitCode::Usage);
  } catch (const std::exception& e) {
    fmt::print(stderr, "hypertorus: internal error: {}\n", e.what());
    return static_cast<int>(ht::ExitCode::Protocol);
  }
}
