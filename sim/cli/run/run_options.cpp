// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/cli/common/call_report.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::choose;
using machine::parse_numbers;
using machine::parse_shape;
using machine::require;

// "point:0,0,0,0" or "gaussian:0,0,0,6:2.0:5"
SourceChoice parse_source(const std::string& text) {
  SourceChoice source;
  std::vector<std::string> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(':', at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  source.gaussian = parts[0] == "gaussian";
  if ((parts[0] != "point" || parts.size() != 2) && (!source.gaussian || parts.size() != 4))
    throw UsageError(
        fmt::format("--source {}: write point:X,Y,Z,T or "
                    "gaussian:X,Y,Z,T:WIDTH:ITERATIONS, as in point:0,0,0,0",
                    text));
  const auto position = parse_numbers("--source", parts[1], 4);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require(position[mu] >= 0 && position[mu] == std::floor(position[mu]) && position[mu] < 4096,
            "--source", text, "a position is four whole numbers from 0");
    source.position[mu] = static_cast<int>(position[mu]);
  }
  if (source.gaussian) {
    source.width = parse_numbers("--source", parts[2], 1)[0];
    const double n = parse_numbers("--source", parts[3], 1)[0];
    require(source.width > 0, "--source", text, "the width must be positive");
    require(n >= 1 && n == std::floor(n) && n <= 1000, "--source", text,
            "iterations are a whole number from 1 to 1000");
    source.iterations = static_cast<int>(n);
  }
  return source;
}

void check_physics(RunOptions& o, const RunArguments& a) {
  o.config = a.config;
  if (!a.config.empty() && !(a.field.empty() && a.lattice.empty()))
    throw UsageError(
        "--config and --field or --lattice: a file brings its own lattice; give one "
        "or the other");
  o.field = choose("--field", a.field.empty() ? "weak" : a.field, {"weak", "hot", "unit"});
  const auto lattice = parse_shape("--lattice", a.lattice.empty() ? "4x4x4x8" : a.lattice, 4, 4);
  const auto boundary = parse_numbers("--boundary", a.boundary, 4);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    o.lattice[mu] = lattice[mu];
    o.boundary[mu] = boundary[mu];
  }
  o.kappa = a.kappa;
  require(std::isfinite(a.kappa) && a.kappa > 0 && a.kappa < 1, "--kappa", a.kappa,
          "must lie between 0 and 1; 0.125 is the free massless point");
  o.source = parse_source(a.source);
  require(a.columns >= 1 && a.columns <= 12, "--columns", a.columns,
          "a point source has 1 to 12 columns (colour outer, spin inner)");
  o.columns = a.columns;
  o.single = choose("--precision", a.precision, {"double", "single"}) == "single";
  o.even_odd = choose("--solver", a.solver, {"eo", "full"}) == "eo";
  o.reproducible = choose("--sum", a.sum, {"reproducible", "fast"}) == "reproducible";
  require(a.tolerance > 0 && a.tolerance < 1, "--tolerance", a.tolerance,
          "must lie between 0 and 1");
  o.tolerance = a.tolerance;
  require(a.max_iterations >= 1, "--max-iterations", a.max_iterations, "must be at least 1");
  o.max_iterations = a.max_iterations;
}

void check_output(RunOptions& o, const RunArguments& a) {
  o.json = a.json;
  o.save_solution = a.save_solution;
  o.report = a.report;
  o.profile_calls = a.profile_calls;
  if (a.profile_calls && (!o.rtl || o.partitions > 1))
    throw UsageError(
        "--profile-calls: for one job on hardware; leave --network functional and --partition out");
  o.quiet = a.quiet;
}

void check_checkpoint(RunOptions& o, const RunArguments& a) {
  o.checkpoint_files = a.checkpoint_files;
  if (a.checkpoint.empty()) {
    if (a.checkpoint_files != RunArguments{}.checkpoint_files)
      throw UsageError(fmt::format(
          "--checkpoint-files {}: no effect without --checkpoint; say how often, or leave it out",
          a.checkpoint_files));
    return;
  }
  o.checkpoint = static_cast<int>(parse_numbers("--checkpoint", a.checkpoint, 1)[0]);
  require(o.checkpoint >= 1 && std::to_string(o.checkpoint) == a.checkpoint, "--checkpoint",
          a.checkpoint, "a whole number of iterations from 1");
  if (!o.rtl || o.partitions > 1 || o.ethernet || !o.reproducible)
    throw UsageError(
        "--checkpoint: for one job on hardware, with reproducible sums and its field in memory; "
        "leave --network functional, --partition, --load ethernet and --sum fast out");
}

}  // namespace

void declare_run_options(CLI::App& app, RunArguments& a, const MachineCatalog& catalog) {
  declare_machine_word(app, a.machine_kind, catalog);
  declare_machine_options(app, a, catalog);
  const char* group = "Lattice";
  app.add_option("--config", a.config, "gauge field: NERSC, ILDG/LIME or MILC v5 file")
      ->group(group);
  app.add_option("--field", a.field, "generated field: weak, hot or unit (default weak)")
      ->group(group);
  app.add_option("--lattice", a.lattice, "of a generated field (default 4x4x4x8)")->group(group);
  app.add_option("--kappa", a.kappa, "hopping parameter")->capture_default_str()->group(group);
  app.add_option("--boundary", a.boundary, "fermion phases of the last slices, x,y,z,t")
      ->capture_default_str()
      ->group(group);
  app.add_option("--source", a.source, "point:X,Y,Z,T or gaussian:X,Y,Z,T:WIDTH:ITERATIONS")
      ->capture_default_str()
      ->group(group);
  app.add_option("--columns", a.columns, "the first N of 12, colour outer, spin inner")
      ->capture_default_str()
      ->group(group);

  group = "Solver";
  app.add_option("--precision", a.precision, "double or single")
      ->capture_default_str()
      ->group(group);
  app.add_option("--solver", a.solver, "eo (even-odd) or full")
      ->capture_default_str()
      ->group(group);
  app.add_option("--tolerance", a.tolerance, "T of |r| <= T |M^dagger b|")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-iterations", a.max_iterations, "then exit 6")
      ->capture_default_str()
      ->group(group);
  app.add_option("--sum", a.sum, "reproducible, or fast (differs between node grids)")
      ->capture_default_str()
      ->group(group);

  declare_error_options(app, a, catalog);
  declare_simulation_options(app, a);
  declare_loss_options(app, a);
  declare_soft_error_options(app, a);
  app.add_option("--checkpoint", a.checkpoint,
                 "ITERATIONS between two checkpoints of the solver; after a loss the solve goes on "
                 "from the last one on what is left of the machine")
      ->group("Losses");
  app.add_option("--checkpoint-files", a.checkpoint_files, "FILE.nodeN.0 and .1 of every node")
      ->capture_default_str()
      ->group("Losses");
  declare_stop_option(app, a);
  group = "Simulation";
  app.add_option("--json", a.json, "write the results to FILE")->group(group);
  app.add_option("--save-solution", a.save_solution,
                 "write the solution to FILE, for solution compare")
      ->group(group);
  app.add_option("--report", a.report, "write FILE.html, a page with figures, and those as SVG")
      ->group(group);
  app.add_flag("--profile-calls", a.profile_calls, profile_calls_help)->group(group);
  app.add_flag("--quiet", a.quiet, "only the verdict")->group(group);
  declare_observe_options(app, a);
  declare_io_options(app, a, true);
}

RunOptions check_run_options(const RunArguments& a, const MachineCatalog& catalog) {
  RunOptions o;
  static_cast<MachineOptions&>(o) = check_machine_options("run", a, catalog);
  static_cast<ObserveOptions&>(o) = check_observe_options(a, o);
  static_cast<IoOptions&>(o) = check_io_options(a, o);
  check_physics(o, a);
  check_output(o, a);
  check_checkpoint(o, a);
  return o;
}

}  // namespace ht::cli
