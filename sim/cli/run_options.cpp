// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "sim/cli/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

template <typename T>
void require(bool good, const char* option, const T& value, const char* remedy) {
  if (!good) throw UsageError(fmt::format("{} {}: {}", option, value, remedy));
}

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

std::string choose(const char* option, const std::string& value,
                   std::initializer_list<const char*> choices) {
  std::string list;
  for (const char* c : choices) {
    if (value == c) return value;
    list += (list.empty() ? "" : ", ") + std::string(c);
  }
  throw UsageError(fmt::format("{} {}: choose one of {}", option, value, list));
}

void check_machine(RunOptions& o, const RunArguments& a) {
  o.machine_kind = choose("run", a.machine_kind, {"qpace", "qcdoc", "tofu"});
  if (o.machine_kind != "qpace")
    throw UsageError(
        fmt::format("run {}: this machine is not built yet; qpace is", a.machine_kind));
  o.rtl = choose("--network", a.network, {"rtl", "functional"}) == "rtl";
  o.nodes = parse_shape("--nodes", a.nodes, 1, 4);
  o.machine = a.machine.empty() ? o.nodes : parse_shape("--machine", a.machine, 1, 3);
  const auto without_ones = [](std::vector<int> shape) {
    while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
    return shape;
  };
  if (o.rtl && without_ones(o.nodes).size() > 3)
    throw UsageError(
        fmt::format("--nodes {}: QPACE is a torus of three axes; keep the fourth "
                    "inside the node, as in 2x2x2",
                    a.nodes));
  if (without_ones(o.machine) != without_ones(o.nodes))
    throw UsageError(
        fmt::format("--machine {}: QPACE maps its three axes one to one, so it must "
                    "be --nodes {}",
                    a.machine, a.nodes));
  o.core_period = choose("--core-clock", a.core_clock, {"208", "166"}) == "208" ? 4800 : 6024;
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

void check_errors(RunOptions& o, const RunArguments& a) {
  require(a.ber >= 0 && a.ber <= 1, "--ber", a.ber, "a bit error rate lies in 0..1, as in 1e-6");
  o.ber = a.ber;
  const std::array<std::pair<const char*, int>, 5> counts{{{"--bursts", a.bursts},
                                                           {"--lost", a.lost},
                                                           {"--doubled", a.doubled},
                                                           {"--stuck", a.stuck},
                                                           {"--pulled", a.pulled}}};
  for (const auto& [option, count] : counts)
    require(count >= 0 && count <= 1'000'000, option, count, "a count of errors from 0");
  require(a.burst_bits >= 2 && a.burst_bits <= 4000, "--burst-bits", a.burst_bits,
          "a burst has 2 to 4000 coded bits");
  o.bursts = a.bursts;
  o.burst_bits = a.burst_bits;
  o.lost = a.lost;
  o.doubled = a.doubled;
  o.stuck = a.stuck;
  o.pulled = a.pulled;
  o.error_span = parse_time("--error-span", a.error_span);
  o.seed = a.seed;
}

void check_simulation(RunOptions& o, const RunArguments& a) {
  require(a.threads >= 0 && a.threads <= 1024, "--threads", a.threads,
          "0 (all cores) to 1024 threads");
  o.threads = a.threads > 0 ? a.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  o.skip_idle = !a.no_skip;
  o.random_phases = a.random_phases;
  o.cable_delay = parse_time("--cable-delay", a.cable_delay);
  require(o.cable_delay >= 12'000 && o.cable_delay <= 1'000'000, "--cable-delay", a.cable_delay,
          "PHY and cable take 12ns to 1us");
  o.timeout = parse_time("--timeout", a.timeout);
  o.trace = a.trace;
  o.trace_from = parse_time("--trace-from", a.trace_from);
  o.trace_to = a.trace_to.empty() ? std::numeric_limits<Picoseconds>::max()
                                  : parse_time("--trace-to", a.trace_to);
  const int nodes = std::accumulate(o.nodes.begin(), o.nodes.end(), 1, std::multiplies<>());
  if (a.trace.empty() && !(a.trace_to.empty() && a.trace_nodes.empty()))
    throw UsageError("--trace-to and --trace-nodes need --trace STEM, the files' name");
  if (!a.trace.empty() && !o.rtl)
    throw UsageError("--trace: the functional network has no signals to trace; use --network rtl");
  if (!a.trace_nodes.empty()) {
    o.trace_nodes = parse_list("--trace-nodes", a.trace_nodes, nodes);
  } else if (!a.trace.empty()) {
    o.trace_nodes.resize(static_cast<std::size_t>(nodes));
    std::iota(o.trace_nodes.begin(), o.trace_nodes.end(), 0);
  }
  o.json = a.json;
  o.quiet = a.quiet;
}

}  // namespace

void declare_run_options(CLI::App& app, RunArguments& a) {
  app.add_option("machine", a.machine_kind, "qpace (qcdoc and tofu follow)")->capture_default_str();
  const char* group = "Machine";
  app.add_option("--nodes", a.nodes, "node grid the application sees, x first")
      ->capture_default_str()
      ->group(group);
  app.add_option("--machine", a.machine, "physical node grid, where it differs")->group(group);
  app.add_option("--network", a.network, "rtl, or functional: the same program without hardware")
      ->capture_default_str()
      ->group(group);
  app.add_option("--core-clock", a.core_clock, "MHz: 208 (the paper's target) or 166")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cable-delay", a.cable_delay, "PHYs and cable, one way (our assumption)")
      ->capture_default_str()
      ->group(group);

  app.add_flag("--random-phases", a.random_phases, "every node's clocks start at a random phase")
      ->group(group);

  group = "Lattice";
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

  group = "Cable errors";
  app.add_option("--ber", a.ber, "bit error rate on the coded line, 0..1")
      ->capture_default_str()
      ->group(group);
  app.add_option("--bursts", a.bursts, "bursts, on random cables at random times")
      ->capture_default_str()
      ->group(group);
  app.add_option("--burst-bits", a.burst_bits, "length of a burst in coded bits")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lost", a.lost, "symbols lost")->capture_default_str()->group(group);
  app.add_option("--doubled", a.doubled, "symbols doubled")->capture_default_str()->group(group);
  app.add_option("--stuck", a.stuck, "lanes stuck for 100 symbols")
      ->capture_default_str()
      ->group(group);
  app.add_option("--pulled", a.pulled, "cables pulled, and put back after 5 us")
      ->capture_default_str()
      ->group(group);
  app.add_option("--error-span", a.error_span, "these happen within that time after link-up")
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", a.seed, "of generated field and errors")
      ->capture_default_str()
      ->group(group);

  group = "Simulation";
  app.add_option("--threads", a.threads, "0: all cores")->capture_default_str()->group(group);
  app.add_flag("--no-skip", a.no_skip, "evaluate idle cycles too (same result, slower)")
      ->group(group);
  app.add_option("--timeout", a.timeout, "fail when nothing moves for that simulated time")
      ->capture_default_str()
      ->group(group);
  app.add_option("--trace", a.trace, "write STEM.node<N>.fst waves for GTKWave")->group(group);
  app.add_option("--trace-from", a.trace_from, "start of the waves")
      ->capture_default_str()
      ->group(group);
  app.add_option("--trace-to", a.trace_to, "end of the waves (default: the run's)")->group(group);
  app.add_option("--trace-nodes", a.trace_nodes, "nodes to trace, as in 0,3-5 (default: all)")
      ->group(group);
  app.add_option("--json", a.json, "write the results to FILE")->group(group);
  app.add_flag("--quiet", a.quiet, "only the verdict")->group(group);
}

RunOptions check_run_options(const RunArguments& a) {
  RunOptions o;
  check_machine(o, a);
  check_physics(o, a);
  check_errors(o, a);
  check_simulation(o, a);
  return o;
}

}  // namespace ht::cli
