// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/evolve/evolve_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::choose;
using machine::parse_numbers;
using machine::parse_shape;
using machine::require;

void check_fermions(dirac::EvolutionSpec& s, const EvolveArguments& a) {
  require(a.flavours == 0 || a.flavours == 2, "--flavours", a.flavours,
          "0 (pure gauge) or 2 of Wilson fermions");
  s.flavours = a.flavours;
  if (s.flavours == 0) {
    const EvolveArguments defaults;
    if (!a.kappa.empty() || !a.mu.empty() || a.boundary != defaults.boundary ||
        a.tolerance != defaults.tolerance || a.max_iterations != defaults.max_iterations)
      throw UsageError(
          "--kappa, --mu, --boundary, --tolerance, --max-iterations: no effect without fermions; "
          "add --flavours 2, or leave them out");
    return;
  }
  if (!a.kappa.empty()) s.kappa = parse_numbers("--kappa", a.kappa, 1)[0];
  require(s.kappa > 0 && s.kappa < 1, "--kappa", a.kappa,
          "must lie between 0 and 1; 0.125 is the free massless point");
  if (!a.mu.empty()) s.mu = parse_numbers("--mu", a.mu, 1)[0];
  const auto boundary = parse_numbers("--boundary", a.boundary, 4);
  for (std::size_t axis = 0; axis < 4; ++axis) s.boundary[axis] = boundary[axis];
  require(a.tolerance > 0 && a.tolerance < 1, "--tolerance", a.tolerance,
          "must lie between 0 and 1");
  s.tolerance = a.tolerance;
  require(a.max_iterations >= 1, "--max-iterations", a.max_iterations, "must be at least 1");
  s.max_iterations = a.max_iterations;
}

}  // namespace

void declare_evolve_options(CLI::App& app, EvolveArguments& a, const MachineCatalog& catalog) {
  declare_machine_word(app, a.machine_kind, catalog);
  const char* group = "Machine";
  const auto add = [&](const char* option, auto& value, const char* what) {
    return app.add_option(option, value, what)->group(group);
  };
  add("--nodes", a.nodes, "node grid, x first (default: as run's)");
  add("--network", a.network, "rtl, or functional: the same program without hardware")
      ->capture_default_str();
  group = "Field";
  add("--config", a.config, "it starts from this field: NERSC, ILDG/LIME or MILC v5 file");
  add("--field", a.field, "or from a generated one: hot, weak or unit (default hot)");
  add("--lattice", a.lattice, "of a generated field (default 4x4x4x4)");
  add("--save", a.save, "write the field after the last trajectory to FILE, 64 bits");
  add("--format", a.format, "of these files: ildg or nersc")->capture_default_str();
  add("--save-every", a.save_every,
      "and to FILE.N after every this many trajectories, N the trajectory's number")
      ->capture_default_str();
  group = "Action";
  add("--beta", a.beta, "coupling of Wilson's plaquette action")->capture_default_str();
  add("--flavours", a.flavours, "0, or 2 of Wilson fermions")->capture_default_str();
  add("--kappa", a.kappa, "their hopping parameter (default 0.1)");
  add("--mu", a.mu, "their twisted mass: 1/(2 kappa) +- i mu gamma_5 - D/2 (default 0)");
  add("--boundary", a.boundary, "their phases of the last slices, x,y,z,t")->capture_default_str();
  add("--tolerance", a.tolerance, "T of their solves' |r| <= T |phi|")->capture_default_str();
  add("--max-iterations", a.max_iterations, "of a solve; then exit 6")->capture_default_str();
  group = "Trajectories";
  add("--trajectories", a.trajectories, "how many")->capture_default_str();
  add("--first", a.first, "number of the first: goes on where an evolution of the same seed ended")
      ->capture_default_str();
  add("--length", a.length, "of a trajectory")->capture_default_str();
  add("--steps", a.steps, "of a trajectory")->capture_default_str();
  add("--integrator", a.integrator, "omelyan or leapfrog")->capture_default_str();
  declare_error_options(app, a, catalog);
  declare_simulation_options(app, a);
  group = "Simulation";
  add("--json", a.json, "write the results to FILE");
  app.add_flag("--quiet", a.quiet, "only the verdict")->group(group);
}

EvolveOptions check_evolve_options(const EvolveArguments& a, const MachineCatalog& catalog) {
  EvolveOptions o;
  static_cast<MachineOptions&>(o) = check_machine_options("evolve", a, catalog);
  if (o.partitions > 1)
    throw UsageError("--partition: an evolution has the whole machine; leave it out");
  dirac::EvolutionSpec& s = o.spec;
  s.node_grid = o.nodes;
  s.seed = o.seed;
  o.config = a.config;
  if (!a.config.empty() && !(a.field.empty() && a.lattice.empty()))
    throw UsageError(
        "--config and --field or --lattice: a file brings its own lattice; give one or the other");
  s.field = *dirac::parse_field_kind(
      choose("--field", a.field.empty() ? "hot" : a.field, {"hot", "weak", "unit"}));
  const auto lattice = parse_shape("--lattice", a.lattice.empty() ? "4x4x4x4" : a.lattice, 4, 4);
  for (std::size_t mu = 0; mu < 4; ++mu) s.lattice[mu] = lattice[mu];
  require(std::isfinite(a.beta) && a.beta >= 0, "--beta", a.beta, "a number from 0, as 5.6");
  s.beta = a.beta;
  check_fermions(s, a);
  s.integrator =
      *dirac::parse_integrator(choose("--integrator", a.integrator, {"omelyan", "leapfrog"}));
  require(std::isfinite(a.length) && a.length > 0, "--length", a.length, "must be above 0");
  s.length = a.length;
  require(a.steps >= 1 && a.length / a.steps <= 0.5, "--steps", a.steps,
          "take so many that a step is at most 0.5 long");
  s.steps = a.steps;
  require(a.trajectories >= 1 && a.trajectories <= 1'000'000, "--trajectories", a.trajectories,
          "1 to 1000000");
  s.trajectories = a.trajectories;
  require(a.first >= 0 && a.first <= 1'000'000'000 - a.trajectories, "--first", a.first,
          "0 to 999000000");
  s.first = a.first;
  o.save = a.save;
  o.nersc = choose("--format", a.format, {"ildg", "nersc"}) == "nersc";
  require(a.save_every >= 0, "--save-every", a.save_every,
          "a number of trajectories, 0: at the end");
  if (a.save.empty() && (a.save_every > 0 || a.format != EvolveArguments{}.format))
    throw UsageError(
        "--save-every, --format: no effect without --save; say where, or leave them out");
  s.save_every = a.save_every;
  o.json = a.json;
  o.quiet = a.quiet;
  return o;
}

}  // namespace ht::cli
