// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <thread>
#include <utility>

#include "sim/machine/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::choose;
using machine::OwnOption;
using machine::parse_noise;
using machine::parse_time;
using machine::require;

bool has_option(const MachineDescription& machine, const std::string& name) {
  return std::ranges::any_of(machine.own_options(),
                             [&](const OwnOption& o) { return o.name == name; });
}

// Options that this machine has no hardware for.
void refuse_foreign(const MachineOptions& o, const MachineArguments& a,
                    const MachineCatalog& catalog) {
  for (const auto& [name, values] : a.own.all()) {
    if (has_option(*o.type, name)) continue;
    std::string others;
    for (const MachineDescription* other : catalog.machines()) {
      if (has_option(*other, name)) others += (others.empty() ? "" : " or ") + other->name();
    }
    throw UsageError(fmt::format("{}{}{}: {} has no such choice; leave it out, or take {}", name,
                                 values.front().empty() ? "" : " ", values.front(), o.type->name(),
                                 others));
  }
}

// "(default 2x2x2, qcdoc 2x2x2x2)": the first machine's, and those that differ from it.
std::string defaults(const MachineCatalog& catalog,
                     const std::function<std::string(const MachineDescription&)>& of) {
  std::string text, first;
  for (const MachineDescription* machine : catalog.machines()) {
    const std::string value = of(*machine);
    if (text.empty()) {
      first = value;
      text = "(default " + value;
    } else if (value != first) {
      text += ", " + machine->name() + " " + value;
    }
  }
  return text.empty() ? text : text + ")";
}

void check_errors(MachineOptions& o, const MachineArguments& a) {
  const machine::MachineTraits& defaults = o.type->traits();
  o.ber = a.ber.value_or(defaults.bit_error_rate);
  o.bursts = a.bursts.value_or(defaults.bursts);
  require(o.ber >= 0 && o.ber <= 1, "--ber", o.ber, "a bit error rate lies in 0..1, as in 1e-6");
  const std::array<std::pair<const char*, int>, 6> counts{{{"--bursts", o.bursts},
                                                           {"--lost", a.lost},
                                                           {"--doubled", a.doubled},
                                                           {"--stuck", a.stuck},
                                                           {"--pulled", a.pulled},
                                                           {"--forged", a.forged}}};
  for (const auto& [option, count] : counts)
    require(count >= 0 && count <= 1'000'000, option, count, "a count of errors from 0");
  require(a.burst_bits >= 2 && a.burst_bits <= 4000, "--burst-bits", a.burst_bits,
          "a burst has 2 to 4000 coded bits");
  o.burst_bits = a.burst_bits;
  o.lost = a.lost;
  o.doubled = a.doubled;
  o.stuck = a.stuck;
  o.pulled = a.pulled;
  o.forged = a.forged;
  o.error_span = parse_time("--error-span", a.error_span);
  o.seed = a.seed;
}

void check_simulation(MachineOptions& o, const MachineArguments& a) {
  require(a.threads >= 0 && a.threads <= 1024, "--threads", a.threads,
          "0 (all cores) to 1024 threads");
  o.threads = a.threads > 0 ? a.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  o.skip_idle = !a.no_skip;
  o.random_phases = a.random_phases;
  const machine::MachineTraits& defaults = o.type->traits();
  o.cable_delay =
      parse_time("--cable-delay", a.cable_delay.empty() ? defaults.cable_delay : a.cable_delay);
  if (o.cable_delay < defaults.least_delay || o.cable_delay > 1'000'000)
    throw UsageError(fmt::format("--cable-delay {}: PHY and cable take {}ns to 1us", a.cable_delay,
                                 defaults.least_delay / 1000));
  o.timeout = parse_time("--timeout", a.timeout);
  if (a.noise.empty()) return;
  if (!o.rtl)
    throw UsageError(
        fmt::format("--noise {}: the functional network's programs take no time; use --network "
                    "rtl, or leave it out",
                    a.noise));
  o.noise = parse_noise("--noise", a.noise);
  o.noise->seed = a.seed;
}

}  // namespace

std::string machine_names(const MachineCatalog& catalog) {
  std::string text;
  const auto& machines = catalog.machines();
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (i > 0) text += i + 1 < machines.size() ? ", " : " or ";
    text += machines[i]->name();
  }
  return text;
}

void declare_machine_word(CLI::App& app, std::string& word, const MachineCatalog& catalog) {
  if (word.empty() && !catalog.machines().empty()) word = catalog.machines().front()->name();
  app.add_option("machine", word, machine_names(catalog))->capture_default_str();
}

void declare_own_options(CLI::App& app, std::span<const OwnOption> options,
                         machine::OwnArguments& arguments) {
  for (const OwnOption& o : options) {
    if (app.get_option_no_throw(o.name) != nullptr) continue;
    CLI::Option* option = nullptr;
    if (o.kind == OwnOption::Kind::Flag) {
      option = app.add_flag_callback(
          o.name, [&arguments, name = o.name] { arguments.give(name, {}); }, o.help);
    } else {
      option = app.add_option_function<std::vector<std::string>>(
          o.name,
          [&arguments, name = o.name](const std::vector<std::string>& values) {
            for (const std::string& value : values) arguments.give(name, value);
          },
          o.help);
      option->type_size(1)->allow_extra_args(false);
      if (o.kind == OwnOption::Kind::Text)
        option->expected(1);
      else
        option->type_name("TEXT ...");
    }
    option->group(o.group.empty() ? "Options" : o.group);
  }
}

void declare_machine_options(CLI::App& app, MachineArguments& a, const MachineCatalog& catalog) {
  const char* group = "Machine";
  const auto nodes = [](const MachineDescription& m) { return std::string(m.traits().nodes); };
  const auto delay = [](const MachineDescription& m) {
    return std::string(m.traits().cable_delay);
  };
  app.add_option("--nodes", a.nodes,
                 "node grid the application sees, x first " + defaults(catalog, nodes))
      ->group(group);
  app.add_option("--machine", a.machine,
                 "physical node grid, where it differs: the machine's own axes")
      ->group(group);
  app.add_option("--network", a.network, "rtl, or functional: the same program without hardware")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cable-delay", a.cable_delay,
                 "PHYs and cable, one way, our assumption " + defaults(catalog, delay))
      ->group(group);
  app.add_option("--partition", a.partition,
                 "jobs side by side, on machines that have partitions: an axis and the lengths of "
                 "its parts, as in z:4+4")
      ->group(group);
  app.add_option("--noise", a.noise,
                 "operating systems interrupt programs, as in 1ms,20us,50us: mean interval, "
                 "shortest and longest interruption (default: none)")
      ->group(group);
  app.add_flag("--random-phases", a.random_phases, "every node's clocks start at a random phase")
      ->group(group);
  for (const MachineDescription* machine : catalog.machines())
    declare_own_options(app, machine->own_options(), a.own);
}

void declare_error_options(CLI::App& app, MachineArguments& a, const MachineCatalog& catalog) {
  const char* group = "Cable errors";
  // As people write it: 1e-6, not 1e-06.
  const auto rate = [](const MachineDescription& m) {
    std::string text = fmt::format("{:g}", m.traits().bit_error_rate);
    if (const auto at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    return text;
  };
  const auto bursts = [](const MachineDescription& m) {
    return fmt::format("{}", m.traits().bursts);
  };
  app.add_option("--ber", a.ber,
                 "bit error rate on the coded line, 0..1 " + defaults(catalog, rate))
      ->group(group);
  app.add_option("--bursts", a.bursts,
                 "bursts, on random cables at random times " + defaults(catalog, bursts))
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
  app.add_option("--forged", a.forged, "packets or words damaged so that the link cannot see it")
      ->capture_default_str()
      ->group(group);
  app.add_option("--error-span", a.error_span, "these happen within that time after link-up")
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", a.seed, "of generated field and errors")
      ->capture_default_str()
      ->group(group);
}

void declare_simulation_options(CLI::App& app, MachineArguments& a) {
  const char* group = "Simulation";
  app.add_option("--threads", a.threads, "0: all cores")->capture_default_str()->group(group);
  app.add_flag("--no-skip", a.no_skip, "evaluate idle cycles too (same result, slower)")
      ->group(group);
  app.add_option("--timeout", a.timeout, "fail when nothing moves for that simulated time")
      ->capture_default_str()
      ->group(group);
}

MachineOptions check_machine_options(const std::string& command, const MachineArguments& a,
                                     const MachineCatalog& catalog) {
  MachineOptions o;
  o.type = &catalog.find(command, a.machine_kind);
  refuse_foreign(o, a, catalog);
  o.rtl = choose("--network", a.network, {"rtl", "functional"}) == "rtl";
  o.type->check(a, o);
  check_errors(o, a);
  check_simulation(o, a);
  return o;
}

}  // namespace ht::cli
