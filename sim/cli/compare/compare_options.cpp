// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/compare/compare_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>

#include "sim/bench/message_times.hpp"
#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::cli {
namespace {

RunOptions options_of(const std::string& machine, const CompareArguments& a,
                      const MachineCatalog& catalog) {
  RunArguments run;
  run.machine_kind = machine;
  const std::string prefix = machine + ".";
  for (const std::string& word : a.set) {
    if (word.starts_with(prefix)) run.set.push_back(word.substr(prefix.size()));
  }
  run.nodes = a.nodes;
  run.lattice = a.lattice;
  run.errors.bit_error_rate = a.ber;
  // What a burst does depends on the code most of all.
  run.errors.count_of(sim::ErrorKind::Burst) = 0;
  run.seed = a.seed;
  run.tolerance = a.tolerance;
  run.threads = a.threads;
  run.quiet = true;
  return check_run_options(run, catalog);
}

// Parameters are one machine's.
void check_set(const std::vector<std::string>& set, const std::vector<std::string>& machines) {
  for (const std::string& word : set) {
    const std::string machine = word.substr(0, word.find('.'));
    if (word.find('.') == std::string::npos ||
        std::ranges::find(machines, machine) == machines.end())
      throw UsageError(fmt::format(
          "--set {}: say whose parameter it is, as in --set {}.NAME=VALUE; machines are {}{}", word,
          machines.front(), fmt::join(machines, ", "), host::did_you_mean(machine, machines)));
  }
}

}  // namespace

void declare_compare_options(CLI::App& app, CompareArguments& a, const MachineCatalog& catalog) {
  app.add_option("machines", a.machines, "which of " + machine_names(catalog) + " (default all)");
  const char* group = "Machines and job";
  app.add_option("--nodes", a.nodes, "node grid the application sees, x first")
      ->capture_default_str()
      ->group(group);
  app.add_option("--lattice", a.lattice, "of a weak field")->capture_default_str()->group(group);
  app.add_option("--ber", a.ber, "bit error rate on the coded lines, 0..0.5")
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--set", a.set,
         "MACHINE.NAME=VALUE, a parameter of that machine's Verilog (docs/howto/what-if.md); "
         "may be repeated")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--seed", a.seed, "of field and errors")->capture_default_str()->group(group);
  app.add_option("--tolerance", a.tolerance, "T of |r| <= T |M^dagger b|")
      ->capture_default_str()
      ->group(group);
  app.add_option("--largest", a.largest,
                 "bytes of the largest message, a power of 2 from 8 to 1048576")
      ->capture_default_str()
      ->group(group);
  group = "Simulation";
  app.add_option("--threads", a.threads, "0: the cores that are free at the start")
      ->capture_default_str()
      ->group(group);
  app.add_option("--plot", a.plot,
                 "draw the time of a message by its size as STEM.svg and .png, with gnuplot")
      ->group(group);
  app.add_option("--json", a.json, "write the results to FILE")->group(group);
  app.add_flag("--quiet", a.quiet, "no progress line")->group(group);
}

CompareOptions check_compare_options(const CompareArguments& a, const MachineCatalog& catalog) {
  std::vector<std::string> machines = a.machines;
  if (machines.empty()) {
    for (const MachineDescription* machine : catalog.machines())
      machines.push_back(machine->name());
  }
  CompareOptions o;
  check_set(a.set, machines);
  for (const std::string& machine : machines) {
    const std::string name = catalog.find("compare", machine).name();
    if (std::ranges::any_of(o.runs, [&](const RunOptions& r) { return r.type->name() == name; }))
      throw UsageError(fmt::format("compare {0} {0}: name each machine once", machine));
    o.runs.push_back(options_of(machine, a, catalog));
  }
  if (machine::node_count(o.runs.front().nodes) < 2)
    throw UsageError(
        fmt::format("--nodes {}: messages need a neighbour; take at least two nodes", a.nodes));
  if (a.largest < 8 || a.largest > 1'048'576)
    throw UsageError(fmt::format("--largest {}: messages have 8 to 1048576 bytes", a.largest));
  const auto largest = static_cast<unsigned>(a.largest);
  if (!std::has_single_bit(largest))
    throw UsageError(
        fmt::format("--largest {}: messages grow from 8 bytes by doubling; take {} or {}",
                    a.largest, std::bit_floor(largest), std::bit_ceil(largest)));
  o.message_sizes = bench::message_sizes(static_cast<std::size_t>(a.largest));
  o.json = a.json;
  o.plot = a.plot;
  o.quiet = a.quiet;
  return o;
}

}  // namespace ht::cli
