// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/common/window_report.hpp"
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

constexpr std::array<std::pair<const char*, dirac::SolverKind>, 4> solvers = {
    {{"eo", dirac::SolverKind::EvenOdd},
     {"full", dirac::SolverKind::Full},
     {"multishift", dirac::SolverKind::MultiShift},
     {"mixed", dirac::SolverKind::Mixed}}};

// An operator's parameter: its value if the option is there, which only operators with it allow.
void read_parameter(const char* option, const std::string& text, double& value,
                    const dirac::OperatorChoice& fermions,
                    std::initializer_list<dirac::OperatorKind> having) {
  if (text.empty()) return;
  if (std::find(having.begin(), having.end(), fermions.kind) == having.end())
    throw UsageError(fmt::format("{} {}: no effect on --operator {}; leave it out", option, text,
                                 to_string(fermions.kind)));
  value = parse_numbers(option, text, 1)[0];
}

dirac::OperatorChoice check_operator(const RunArguments& a) {
  using enum dirac::OperatorKind;
  dirac::OperatorChoice f;
  f.kind = *dirac::parse_operator(
      choose("--operator", a.fermions, {"wilson", "clover", "staggered", "asqtad", "dwf"}));
  read_parameter("--kappa", a.kappa, f.kappa, f, {Wilson, Clover});
  require(f.kappa > 0 && f.kappa < 1, "--kappa", a.kappa,
          "must lie between 0 and 1; 0.125 is the free massless point");
  read_parameter("--csw", a.csw, f.csw, f, {Clover});
  read_parameter("--mass", a.mass, f.mass, f, {Staggered, Asqtad, DomainWall});
  require(f.kind == DomainWall ? f.mass >= 0 && f.mass < 1 : f.mass > 0 && std::isfinite(f.mass),
          "--mass", a.mass, "must be above 0; of domain walls from 0, below 1");
  read_parameter("--u0", a.u0, f.u0, f, {Asqtad});
  require(f.u0 > 0 && std::isfinite(f.u0), "--u0", a.u0, "must be above 0; 1 leaves tadpoles out");
  double length = f.length;
  read_parameter("--Ls", a.length, length, f, {DomainWall});
  require(length >= 1 && length <= 1024 && length == std::floor(length), "--Ls", a.length,
          "a whole number from 1 to 1024");
  f.length = static_cast<int>(length);
  read_parameter("--M5", a.m5, f.m5, f, {DomainWall});
  require(f.m5 > 0 && f.m5 < 5, "--M5", a.m5, "must lie between 0 and 5, mostly 1.8");
  return f;
}

void check_solver(RunOptions& o, const RunArguments& a) {
  const std::string solver = choose("--solver", a.solver, {"eo", "full", "multishift", "mixed"});
  for (const auto& [name, kind] : solvers) {
    if (solver == name) o.solver = kind;
  }
  using enum dirac::SolverKind;
  if (o.solver == Full && o.fermions.kind != dirac::OperatorKind::Wilson)
    throw UsageError(fmt::format("--solver full: only for --operator wilson; take eo for {}",
                                 to_string(o.fermions.kind)));
  if (o.single && (o.solver == MultiShift || o.solver == Mixed))
    throw UsageError(fmt::format(
        "--precision single: --solver {} solves in double; leave the precision out", solver));
  if (a.shifts.empty() != (o.solver != MultiShift))
    throw UsageError(
        "--shifts and --solver multishift go together, as in --solver multishift --shifts "
        "0,0.01,0.1");
  if (a.shifts.empty()) return;
  const auto count = static_cast<std::size_t>(std::count(a.shifts.begin(), a.shifts.end(), ','));
  require(count < 64, "--shifts", a.shifts, "64 at the most");
  for (const double shift : parse_numbers("--shifts", a.shifts, count + 1)) {
    require(shift >= 0 && std::isfinite(shift), "--shifts", a.shifts,
            "shifts of a positive matrix are not below 0");
    o.shifts.push_back(shift);
  }
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
  o.fermions = check_operator(a);
  o.source = parse_source(a.source);
  require(a.columns >= 1 && a.columns <= o.fermions.columns(), "--columns", a.columns,
          o.fermions.staggered()
              ? "a point source of staggered fermions has 1 to 3 columns, the colours"
              : "a point source has 1 to 12 columns (colour outer, spin inner)");
  o.columns = a.columns;
  o.single = choose("--precision", a.precision, {"double", "single"}) == "single";
  check_solver(o, a);
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
  o.window_report = a.window_report;
  check_window_report(o.window_report, o.rtl);
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
  if (o.fermions.staggered() || o.fermions.fields() > 1 ||
      o.solver == dirac::SolverKind::MultiShift || o.solver == dirac::SolverKind::Mixed)
    throw UsageError(
        "--checkpoint: for --operator wilson and clover with --solver eo or full; leave it out");
}

}  // namespace

const char* name(dirac::SolverKind solver) {
  for (const auto& [name, kind] : solvers) {
    if (kind == solver) return name;
  }
  return "";
}

void declare_run_options(CLI::App& app, RunArguments& a, const MachineCatalog& catalog) {
  declare_machine_word(app, a.machine_kind, catalog);
  declare_machine_options(app, a, catalog);
  const char* group = "Lattice";
  app.add_option("--config", a.config, "gauge field: NERSC, ILDG/LIME or MILC v5 file")
      ->group(group);
  app.add_option("--field", a.field, "generated field: weak, hot or unit (default weak)")
      ->group(group);
  app.add_option("--lattice", a.lattice, "of a generated field (default 4x4x4x8)")->group(group);
  app.add_option("--boundary", a.boundary, "fermion phases of the last slices, x,y,z,t")
      ->capture_default_str()
      ->group(group);
  app.add_option("--source", a.source, "point:X,Y,Z,T or gaussian:X,Y,Z,T:WIDTH:ITERATIONS")
      ->capture_default_str()
      ->group(group);
  app.add_option("--columns", a.columns,
                 "the first N of 12, colour outer, spin inner; of 3, the colours, of staggered "
                 "fermions")
      ->capture_default_str()
      ->group(group);

  const dirac::OperatorChoice f;
  group = "Operator";
  app.add_option("--operator", a.fermions, "wilson, clover, staggered, asqtad or dwf (domain wall)")
      ->capture_default_str()
      ->group(group);
  const auto parameter = [&](const char* option, std::string& value, const std::string& what) {
    app.add_option(option, value, what)->group(group);
  };
  parameter("--kappa", a.kappa,
            fmt::format("hopping parameter of wilson and clover (default {})", f.kappa));
  parameter("--csw", a.csw, fmt::format("coefficient of clover's term (default {})", f.csw));
  parameter(
      "--mass", a.mass,
      fmt::format("of staggered, asqtad (as MILC's: M = 2 m + D) and dwf (default {})", f.mass));
  parameter("--u0", a.u0, fmt::format("tadpole factor of asqtad (default {})", f.u0));
  parameter("--Ls", a.length, fmt::format("sites of dwf's fifth dimension (default {})", f.length));
  parameter("--M5", a.m5, fmt::format("dwf's height (default {})", f.m5));

  group = "Solver";
  app.add_option("--precision", a.precision, "double or single")
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--solver", a.solver,
         "eo (even-odd), full, multishift (even-odd, with --shifts), or mixed (even-odd, single "
         "with reliable updates in double)")
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--shifts", a.shifts,
         "S1,S2,... of multishift: (A + S) x = M^dagger b on the odd sites, A = M^dagger M of the "
         "preconditioned M, of staggered fermions 4 m^2 - D D")
      ->group(group);
  app.add_option("--tolerance", a.tolerance,
                 "T of |r| <= T |M^dagger b|, r of the system that is iterated")
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
  app.add_flag("--window-report", a.window_report, window_report_help)->group(group);
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
