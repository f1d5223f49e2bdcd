// SPDX-License-Identifier: Apache-2.0
// What was given for a machine, read and checked.
#include "sim/cli/common/machine_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sim/cli/common/phy_options.hpp"
#include "sim/kernel/free_cores.hpp"
#include "sim/machine/torus.hpp"
#include "sim/plugin/build.hpp"
#include "sim/plugin/parse.hpp"
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

void check_memory(MachineOptions& o, const MachineArguments& a) {
  const std::string usual = o.type->traits().memory_latency;
  o.memory_spread = parse_time("--memory-spread", a.memory_spread);
  if (usual.empty()) {
    if (!a.memory_latency.empty() || o.memory_spread > 0)
      throw UsageError(
          fmt::format("--memory-latency, --memory-spread: {} has no model of its nodes' "
                      "memory; leave them out",
                      o.type->name()));
    return;
  }
  o.memory_latency =
      parse_time("--memory-latency", a.memory_latency.empty() ? usual : a.memory_latency);
  constexpr Picoseconds most = 10'000'000;
  if (o.memory_latency < 1 || o.memory_latency + o.memory_spread > most)
    throw UsageError(
        fmt::format("--memory-latency {} and --memory-spread {}: an access takes 1ps to 10us",
                    a.memory_latency, a.memory_spread));
}

// Lanes between links and cables.
void check_lanes(MachineOptions& o, const MachineArguments& a) {
  o.phy = check_phy_options(a.phy, *o.type, o.set);
  const int forged = o.errors[sim::ErrorKind::Forced].count;
  if (o.phy && forged > 0)
    throw UsageError(
        fmt::format("--forged {}: lanes code words before their cable, so that none can be damaged "
                    "there unseen; leave it out, or --phy lanes",
                    forged));
}

// "3@200us" or "3:+x@200us"
machine::Loss parse_loss(const char* option, const std::string& text, bool cable,
                         const MachineOptions& o) {
  const auto at = text.find('@');
  if (at == std::string::npos)
    throw UsageError(fmt::format("{} {}: write {}, as in {}@200us", option, text,
                                 cable ? "NODE:LINK@TIME" : "NODE@TIME",
                                 cable ? "0:" + o.type->link_name(0) : "3"));
  machine::Loss loss;
  loss.time = parse_time(option, text.substr(at + 1));
  const std::string what = text.substr(0, at);
  const int nodes = machine::node_count(o.machine);
  if (cable) {
    const auto ports = machine::parse_ports(option, what, nodes, *o.type);
    if (ports.size() != 1)
      throw UsageError(fmt::format("{} {}: one cable each, as in 0:{}@200us", option, text,
                                   o.type->link_name(0)));
    loss.node = ports[0].first;
    loss.link = ports[0].second;
  } else {
    const auto list = machine::parse_list(option, what, nodes);
    if (list.size() != 1)
      throw UsageError(fmt::format("{} {}: one node each, as in 3@200us", option, text));
    loss.node = list[0];
  }
  return loss;
}

void check_losses(MachineOptions& o, const MachineArguments& a) {
  for (const std::string& text : a.kill) o.losses.push_back(parse_loss("--kill", text, false, o));
  for (const std::string& text : a.cut) o.losses.push_back(parse_loss("--cut", text, true, o));
  if (!o.losses.empty() && o.partitions > 1)
    throw UsageError("--kill and --cut: of a machine with one job; leave --partition out");
  if (machine::node_count(o.machine) == 1 && !o.losses.empty())
    throw UsageError(
        "--kill and --cut: a machine of one node would have none left; take a larger machine");
}

void check_simulation(MachineOptions& o, const MachineArguments& a) {
  require(a.threads >= 0 && a.threads <= 1024, "--threads", a.threads,
          "0 (the free cores) to 1024 threads");
  o.threads = a.threads > 0 ? a.threads : sim::free_cores();
  o.skip_idle = !a.no_skip;
  o.random_phases = a.random_phases;
  o.random_state = a.random_state;
  const machine::MachineTraits& defaults = o.type->traits();
  o.cable_delay =
      parse_time("--cable-delay", a.cable_delay.empty() ? defaults.cable_delay : a.cable_delay);
  if (o.cable_delay < defaults.least_delay || o.cable_delay > 1'000'000)
    throw UsageError(fmt::format("--cable-delay {}: PHY and cable take {}ns to 1us", a.cable_delay,
                                 defaults.least_delay / 1000));
  o.cable_spread = parse_time("--cable-spread", a.cable_spread);
  if (o.cable_delay + o.cable_spread > 1'000'000)
    throw UsageError(
        fmt::format("--cable-spread {}: with {}, the longest cable takes more than 1us",
                    a.cable_spread, "--cable-delay"));
  check_memory(o, a);
  o.timeout = parse_time("--timeout", a.timeout);
  if (!a.stop_at.empty()) o.stop_at = parse_time("--stop-at", a.stop_at);
  // Of all threads. Nodes in a row may have to be simulated for a long time before any gets on.
  o.processor_timeout =
      a.processor_timeout.empty()
          ? 60.0 + machine::node_count(o.machine)
          : static_cast<double>(parse_time("--processor-timeout", a.processor_timeout)) * 1e-12;
  if (a.noise.empty()) return;
  if (!o.rtl)
    throw UsageError(
        fmt::format("--noise {}: the functional network's programs take no time; use --network "
                    "rtl, or leave it out",
                    a.noise));
  o.noise = parse_noise("--noise", a.noise);
  o.noise->seed = a.seed;
}

std::vector<int> long_axes(std::vector<int> shape) {
  std::erase(shape, 1);
  return shape;
}

// The functional network has neither cables nor clocks: who gives these options believes that they
// do something.
void refuse_without_hardware(const std::string& command, const MachineArguments& a,
                             const MachineOptions& o) {
  const MachineArguments defaults;
  std::vector<std::string> given;
  const auto look = [&given](bool differs, std::string_view option) {
    if (differs) given.push_back(fmt::format("--{}", option));
  };
  look(a.errors.bit_error_rate.value_or(0) > 0, "ber");
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted) continue;
    const auto number = static_cast<std::size_t>(kind.kind);
    look(a.errors.count[number].value_or(0) > 0, kind.counted->option);
    if (kind.counted->size.option != nullptr)
      look(a.errors.size[number].has_value(), kind.counted->size.option);
  }
  look(a.errors.span != defaults.errors.span, "error-span");
  look(!a.set.empty(), "set");
  look(!a.cable_delay.empty(), "cable-delay");
  look(a.cable_spread != defaults.cable_spread, "cable-spread");
  look(!a.memory_latency.empty(), "memory-latency");
  look(a.memory_spread != defaults.memory_spread, "memory-spread");
  look(a.phy.phy != defaults.phy.phy, "phy");
  look(a.random_phases, "random-phases");
  look(a.random_state, "random-state");
  look(a.no_skip, "no-skip");
  look(a.timeout != defaults.timeout, "timeout");
  // Of programs that are not ours: they may wait for ever.
  look(command != "exec" && !a.processor_timeout.empty(), "processor-timeout");
  // What programs of exec run on: the solver has a functional network of its own.
  look(command != "exec" && a.own.has("--profile"), "profile");
  for (const OwnOption& own : o.type->own_options())
    look(own.hardware && a.own.has(own.name), std::string_view(own.name).substr(2));
  // Without --nodes it says how many there are; an interface of its own tells programs their
  // places.
  const bool places = command == "exec" && o.type->traits().own_interface;
  look(!a.nodes.empty() && !a.machine.empty() && !places &&
           long_axes(o.machine) != long_axes(o.nodes),
       "machine");
  // It runs on one.
  look(a.threads > 1, "threads");
  look(!a.stop_at.empty(), "stop-at");
  look(!a.kill.empty(), "kill");
  look(!a.cut.empty(), "cut");
  look(!a.soft_errors.empty(), "soft-errors");
  if (given.empty()) return;
  throw UsageError(
      fmt::format("{}: no effect on the functional network, which has no hardware; leave {} out, "
                  "or use --network rtl",
                  fmt::join(given, ", "), given.size() == 1 ? "it" : "them"));
}

// How long errors are, and when they happen, that there are none of.
void refuse_sizes_of_none(const MachineArguments& a, const MachineOptions& o) {
  for (const auto& kind : sim::error_kinds()) {
    if (!kind.counted || kind.counted->size.option == nullptr) continue;
    const auto number = static_cast<std::size_t>(kind.kind);
    if (a.errors.size[number] && o.errors[kind.kind].count == 0)
      throw UsageError(fmt::format("--{}: no effect without --{}; say how many, or leave it out",
                                   kind.counted->size.option, kind.counted->option));
  }
  const bool any = std::ranges::any_of(
      sim::error_kinds(), [&](const auto& k) { return k.counted && o.errors[k.kind].count > 0; });
  if (!any && a.errors.span != MachineArguments{}.errors.span)
    throw UsageError(fmt::format(
        "--error-span {}: no effect without errors that are counted, as --lost has them; say how "
        "many, or leave it out",
        a.errors.span));
}

// "10" or "10,0.01"
void check_soft_errors(MachineOptions& o, const std::string& text) {
  if (text.empty()) return;
  const auto comma = text.find(',');
  const auto number = [&](const std::string& part, double most) {
    double value = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !(value >= 0 && value <= most))
      throw UsageError(fmt::format(
          "--soft-errors {}: write RATE or RATE,SHARE: 0 to 10000 of a node in a millisecond, and "
          "a share of 0 to 1 with two bits",
          text));
    return value;
  };
  o.soft_errors.rate = number(text.substr(0, comma), 10'000);
  if (comma != std::string::npos) o.soft_errors.two_bits = number(text.substr(comma + 1), 1);
  if (o.soft_errors.rate > 0 && o.partitions > 1)
    throw UsageError("--soft-errors: of a machine with one job; leave --partition out");
}

}  // namespace

MachineOptions check_machine_options(const std::string& command, const MachineArguments& a,
                                     const MachineCatalog& catalog) {
  MachineOptions o;
  o.type = &catalog.find(command, a.machine_kind);
  refuse_foreign(o, a, catalog);
  o.set = machine::parse_rtl_values(*o.type, a.set);
  o.rtl = choose("--network", a.network, {"rtl", "functional"}) == "rtl";
  o.type->check(a, o);
  o.errors = machine::check_error_options(a.errors, o.type->traits());
  if (!o.rtl) refuse_without_hardware(command, a, o);
  refuse_sizes_of_none(a, o);
  o.seed = a.seed;
  o.partition = a.partition;
  check_simulation(o, a);
  check_losses(o, a);
  check_soft_errors(o, a.soft_errors);
  check_lanes(o, a);
  // Last, because it may take minutes. The settings it has of its own are that library's.
  const MachineDescription& variant = catalog.variant(*o.type, o.set, o.far);
  if (&variant != o.type) {
    o.type = &variant;
    variant.check(a, o);
  }
  return o;
}

}  // namespace ht::cli
