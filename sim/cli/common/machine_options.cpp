// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "sim/cli/common/phy_options.hpp"
#include "sim/plugin/build.hpp"

namespace ht::cli {
namespace {

using machine::MachineTraits;
using machine::OwnOption;

// "(default 2x2x2, NAME 2x2x2x2)": the first machine's, and those that differ from it.
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

// The options of a kind of errors: how many, and how long each is.
void declare_counted(CLI::App& app, machine::ErrorArguments& a,
                     const sim::ErrorKindDescription& kind, const MachineCatalog& catalog,
                     const char* group) {
  const sim::CountedError& counted = *kind.counted;
  const auto number = static_cast<std::size_t>(kind.kind);
  auto* count = app.add_option(fmt::format("--{}", counted.option), a.count[number], counted.help)
                    ->group(group);
  if (counted.machine_default) {
    const auto of = [&](const MachineDescription& m) {
      return fmt::format("{}", machine::default_count(kind.kind, m.traits()));
    };
    count->description(fmt::format("{} {}", counted.help, defaults(catalog, of)));
  } else {
    count->default_str("0");
  }
  if (counted.size.option == nullptr) return;
  app.add_option(fmt::format("--{}", counted.size.option), a.size[number], counted.size.help)
      ->default_str(fmt::format("{}", counted.size.value))
      ->group(group);
}

// "up to six axes; NAME: X,Y,Z,A,B,C": what is said of all, and of each machine that has something
// to say.
std::string each(const MachineCatalog& catalog, const char* MachineTraits::*what,
                 std::string text) {
  for (const MachineDescription* machine : catalog.machines()) {
    const std::string own = machine->traits().*what;
    if (!own.empty()) text += (text.empty() ? "" : "; ") + machine->name() + ": " + own;
  }
  return text;
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
  if (word.empty()) word = machine::machines_of_the_tree().front();
  app.add_option("machine", word, machine_names(catalog))->capture_default_str();
}

void declare_set_option(CLI::App& app, std::vector<std::string>& set, const char* group) {
  app.add_option("--set", set,
                 "NAME=VALUE, a parameter of the machine's Verilog: a variant is built once and "
                 "kept (docs/howto/what-if.md); may be repeated")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(group);
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
      if (o.kind == OwnOption::Kind::Text) option->expected(1);
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
  const auto latency = [](const MachineDescription& m) {
    const std::string usual = m.traits().memory_latency;
    return usual.empty() ? "none" : usual;
  };
  app.add_option("--nodes", a.nodes,
                 "node grid the application sees, x first " + defaults(catalog, nodes))
      ->group(group);
  app.add_option("--machine", a.machine,
                 "physical node grid, where it differs: " +
                     each(catalog, &MachineTraits::axes_help, "up to six axes"))
      ->group(group);
  app.add_option("--network", a.network, "rtl, or functional: the same program without hardware")
      ->capture_default_str()
      ->group(group);
  declare_set_option(app, a.set, group);
  app.add_option("--cable-delay", a.cable_delay,
                 "PHYs and cable, one way, our assumption " + defaults(catalog, delay))
      ->group(group);
  app.add_option("--cable-spread", a.cable_spread,
                 "up to this delay is added to each cable, drawn from --seed")
      ->capture_default_str()
      ->group(group);
  declare_phy_options(app, a.phy, group);
  app.add_option("--memory-latency", a.memory_latency,
                 "of an access by the network, our assumption " + defaults(catalog, latency))
      ->group(group);
  app.add_option("--memory-spread", a.memory_spread,
                 "up to this latency is added to each access, at random")
      ->capture_default_str()
      ->group(group);
  app.add_option("--partition", a.partition,
                 "jobs side by side: " + each(catalog, &MachineTraits::partition_help, ""))
      ->group(group);
  app.add_option("--noise", a.noise,
                 "operating systems interrupt programs, as in 1ms,20us,50us: mean interval, "
                 "shortest and longest interruption (default: none)")
      ->group(group);
  app.add_flag("--random-phases", a.random_phases, "every node's clocks start at a random phase")
      ->group(group);
  app.add_flag(
         "--random-state", a.random_state,
         "every node's registers and memories come up with random bits, drawn from --seed, and "
         "clock-domain crossings randomly take one cycle more")
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
  app.add_option("--ber", a.errors.bit_error_rate,
                 "bit error rate on the coded line, 0..0.5 " + defaults(catalog, rate))
      ->group(group);
  for (const auto& kind : sim::error_kinds()) {
    if (kind.counted) declare_counted(app, a.errors, kind, catalog, group);
  }
  app.add_option("--error-span", a.errors.span, "these happen within that time after link-up")
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", a.seed, "of generated field and errors")
      ->capture_default_str()
      ->group(group);
}

void declare_simulation_options(CLI::App& app, MachineArguments& a) {
  const char* group = "Simulation";
  app.add_option("--threads", a.threads, "0: the cores that are free at the start")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--no-skip", a.no_skip, "evaluate idle cycles too (same result, slower)")
      ->group(group);
  app.add_option("--timeout", a.timeout,
                 "fail when nothing moves for that simulated time; 0s: never")
      ->capture_default_str()
      ->group(group);
  app.add_option("--processor-timeout", a.processor_timeout,
                 "or for that time of this computer's processors; 0s: never (default 60s and 1s a "
                 "node)")
      ->group(group);
}

void declare_loss_options(CLI::App& app, MachineArguments& a) {
  const char* group = "Losses";
  app.add_option(
         "--kill", a.kill,
         "NODE@TIME: the node stops permanently; the others detect it, exit 7; may be repeated")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(group);
  app.add_option(
         "--cut", a.cut,
         "NODE:LINK@TIME: the cable plugged in there has no signal from then on, either way")
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(group);
}

void declare_soft_error_options(CLI::App& app, MachineArguments& a) {
  app.add_option("--soft-errors", a.soft_errors,
                 "RATE[,SHARE]: bits that flip in memories of the network's hardware, of a node in "
                 "a millisecond of the machine; of SHARE (default 0) two bits of a word, which "
                 "stops the node, exit 7")
      ->group("Losses");
}

void declare_stop_option(CLI::App& app, MachineArguments& a) {
  app.add_option("--stop-at", a.stop_at,
                 "end at that time in the machine, with state, waves and report as they are then")
      ->group("Simulation");
}

}  // namespace ht::cli
