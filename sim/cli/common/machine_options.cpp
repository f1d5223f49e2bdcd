// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

#include "sim/machine/parse.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/fold.hpp"
#include "sw/qcdoc/partitions.hpp"
#include "sw/tofu/ranks/rank_map.hpp"

namespace ht::cli {
namespace {

template <typename T>
void require(bool good, const char* option, const T& value, const char* remedy) {
  if (!good) throw UsageError(fmt::format("{} {}: {}", option, value, remedy));
}

std::vector<int> without_ones(std::vector<int> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

// Options that other machines have no hardware for.
void refuse_foreign(const MachineOptions& o, const MachineArguments& a) {
  struct Choice {
    std::string option;
    bool given;
    MachineKind only;
  };
  const std::string failed = a.failed.empty() ? "" : a.failed.front();
  const Choice choices[] = {
      {"--core-clock " + a.core_clock, !a.core_clock.empty(), MachineKind::Qpace},
      {"--barrier " + a.barrier, !a.barrier.empty(), MachineKind::Qpace},
      {"--fold " + a.fold, !a.fold.empty(), MachineKind::Qcdoc},
      {"--failed " + failed, !a.failed.empty(), MachineKind::Tofu},
      {"--io-nodes", a.io_nodes, MachineKind::Tofu}};
  for (const Choice& c : choices) {
    if (c.given && o.kind != c.only)
      throw UsageError(fmt::format("{}: {} has no such choice; leave it out, or take {}", c.option,
                                   name(o.kind), name(c.only)));
  }
  if (o.kind != MachineKind::Tofu) return;
  if (!a.partition.empty())
    throw UsageError(
        fmt::format("--partition {}: tofu runs one job at a time; leave it out, or take qpace or "
                    "qcdoc",
                    a.partition));
  if (a.forged > 0)
    throw UsageError(
        fmt::format("--forged {}: leave it out; what Tofu's CRC does not see is for inject tofu "
                    "--forged-every",
                    a.forged));
}

// "0,1,0,0,2,1": X, Y, Z, A, B, C. Whether the machine has it RankMap says.
tofu::Coordinates parse_place(const char* option, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(option, text, 6);
  tofu::Coordinates place;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    require(numbers[axis] >= 0 && numbers[axis] == std::floor(numbers[axis]) && numbers[axis] < 32,
            option, text, "a node's X,Y,Z,A,B,C are six whole numbers from 0");
    place.at[axis] = static_cast<int>(numbers[axis]);
  }
  return place;
}

// The machine's six axes, and the torus of ranks that is laid onto its nodes.
void check_tofu_shape(MachineOptions& o, const MachineArguments& a) {
  for (const std::string& place : a.failed) o.failed.push_back(parse_place("--failed", place));
  o.io_nodes = a.io_nodes;
  if (a.machine.empty() && (a.io_nodes || !a.failed.empty()))
    throw UsageError(fmt::format("{}: give the machine, too, as in --machine 1x1x1x2x3x2",
                                 a.io_nodes ? "--io-nodes" : "--failed"));
  if (!o.rtl && (a.io_nodes || !a.failed.empty()))
    throw UsageError(
        fmt::format("{}: the functional network has no nodes to leave out; use --network rtl",
                    a.io_nodes ? "--io-nodes" : "--failed"));
  std::vector<int> application;
  if (!a.nodes.empty() || a.machine.empty()) {
    const std::string nodes = a.nodes.empty() ? traits(o.kind).nodes : a.nodes;
    application = without_ones(parse_shape("--nodes", nodes, 1, 6));
    if (application.size() > 3)
      throw UsageError(
          fmt::format("--nodes {}: Tofu's ranks are a torus of one to three axes; keep the fourth "
                      "inside the node, as in 2x2x2",
                      nodes));
  }
  const std::vector<int> machine =
      a.machine.empty() ? application : parse_shape("--machine", a.machine, 1, 6);
  tofu::Shape shape;
  std::ranges::copy(machine, shape.length.begin());
  const tofu::RankOptions ranks{o.io_nodes, o.failed};
  const tofu::RankMap map = application.empty() ? tofu::RankMap::largest(shape, ranks)
                                                : tofu::RankMap(shape, application, ranks);
  o.nodes = without_ones(map.torus());
  o.machine.assign(shape.length.begin(), shape.length.end());
}

// The machine's six axes, the part of them that a job has, and what that presents itself as.
void check_qcdoc_shape(MachineOptions& o, const MachineArguments& a) {
  std::vector<int> application;
  if (!a.nodes.empty()) application = parse_shape("--nodes", a.nodes, 1, 6);
  if (!a.machine.empty()) {
    o.machine = parse_shape("--machine", a.machine, 1, 6);
  } else if (!a.partition.empty() || !a.fold.empty()) {
    throw UsageError(fmt::format("{}: give the machine, too, as in --machine 2x2x2x2x1x1",
                                 a.partition.empty() ? "--fold" : "--partition"));
  } else {
    if (application.empty()) application = parse_shape("--nodes", traits(o.kind).nodes, 1, 6);
    o.machine = application;
  }
  const qcdoc::Partitions partitions(o.machine, a.partition);
  o.nodes = without_ones(qcdoc::Fold(partitions.axes(), application, a.fold).shape());
  o.fold = a.fold;
  o.cuts = a.partition;
  o.partitions = partitions.count();
}

void check_qpace_shape(MachineOptions& o, const MachineArguments& a) {
  const std::string nodes = a.nodes.empty() ? traits(o.kind).nodes : a.nodes;
  o.nodes = parse_shape("--nodes", nodes, 1, 4);
  o.machine = a.machine.empty() ? o.nodes : parse_shape("--machine", a.machine, 1, 3);
  if (o.rtl && without_ones(o.nodes).size() > 3)
    throw UsageError(
        fmt::format("--nodes {}: QPACE is a torus of three axes; keep the fourth "
                    "inside the node, as in 2x2x2",
                    nodes));
  if (without_ones(o.machine) != without_ones(o.nodes))
    throw UsageError(
        fmt::format("--machine {}: QPACE maps its three axes one to one, so it must "
                    "be --nodes {}",
                    a.machine, nodes));
}

void check_machine(MachineOptions& o, const std::string& command, const MachineArguments& a) {
  o.kind = parse_machine_kind(command, a.machine_kind);
  refuse_foreign(o, a);
  if (a.boot && (o.kind != MachineKind::Qcdoc || a.network != "rtl"))
    throw UsageError(
        "--boot: it is QCDOC's nodes that find out the machine's size, over their links; leave it "
        "out, or take qcdoc over --network rtl");
  o.boot = a.boot;
  o.rtl = choose("--network", a.network, {"rtl", "functional"}) == "rtl";
  switch (o.kind) {
    case MachineKind::Qpace:
      check_qpace_shape(o, a);
      break;
    case MachineKind::Qcdoc:
      check_qcdoc_shape(o, a);
      break;
    case MachineKind::Tofu:
      check_tofu_shape(o, a);
      break;
  }
  o.job_nodes = o.nodes;
  const std::string clock = a.core_clock.empty() ? "208" : a.core_clock;
  o.core_period = choose("--core-clock", clock, {"208", "166"}) == "208" ? 4800 : 6024;
}

// "z:4+4": the axis and the halves of its rings.
void check_partition(MachineOptions& o, const MachineArguments& a) {
  o.tree_barrier =
      choose("--barrier", a.barrier.empty() ? "tree" : a.barrier, {"tree", "torus"}) == "tree";
  if (a.partition.empty() || o.kind != MachineKind::Qpace) return;
  const auto refuse = [&](const std::string& remedy) {
    throw UsageError(fmt::format("--partition {}: {}", a.partition, remedy));
  };
  const std::size_t axis = std::string("xyz").find(a.partition[0]);
  const std::size_t plus = a.partition.find('+');
  const auto number = [&](std::size_t from, std::size_t to) {
    const std::string text = a.partition.substr(from, to - from);
    if (text.empty() || text.size() > 4 ||
        text.find_first_not_of("0123456789") != std::string::npos)
      refuse("write an axis and its two halves, as in --nodes 1x1x8 --partition z:4+4");
    return std::stoi(text);
  };
  if (axis == std::string::npos || a.partition.size() < 5 || a.partition[1] != ':' ||
      plus == std::string::npos)
    refuse("write an axis and its two halves, as in --nodes 1x1x8 --partition z:4+4");
  const int first = number(2, plus), second = number(plus + 1, a.partition.size());
  if (!o.rtl) refuse("the functional network has no cables to switch; leave out --network");
  if (axis >= o.nodes.size())
    refuse(fmt::format("--nodes {} has no axis {}", a.nodes, a.partition[0]));
  const int length = o.nodes[axis];
  if (first != second || first + second != length || first == 0)
    refuse(fmt::format(
        "redundant interfaces make two equal rings of one, so that the axis of {} "
        "nodes splits as {}",
        length,
        length % 2 == 0 ? fmt::format("{}:{}+{}", a.partition[0], length / 2, length / 2)
                        : "nothing: its length is odd"));
  o.split_axis = static_cast<int>(axis);
  o.partitions = 2;
  o.job_nodes[axis] /= 2;
}

void check_errors(MachineOptions& o, const MachineArguments& a) {
  const MachineTraits& defaults = traits(o.kind);
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
  const MachineTraits& defaults = traits(o.kind);
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

void declare_machine_options(CLI::App& app, MachineArguments& a) {
  const char* group = "Machine";
  app.add_option("--nodes", a.nodes,
                 "node grid the application sees, x first (default 2x2x2, qcdoc 2x2x2x2)")
      ->group(group);
  app.add_option("--machine", a.machine,
                 "physical node grid, where it differs: up to six axes (tofu: X,Y,Z,A,B,C)")
      ->group(group);
  app.add_option("--fold", a.fold,
                 "qcdoc: the machine's axes in each axis of --nodes, as in xy,z,t (default: any)")
      ->group(group);
  app.add_option("--network", a.network, "rtl, or functional: the same program without hardware")
      ->capture_default_str()
      ->group(group);
  app.add_option("--core-clock", a.core_clock,
                 "qpace, MHz: 208 (the paper's target, default) or 166")
      ->group(group);
  app.add_option("--cable-delay", a.cable_delay,
                 "PHYs and cable, one way, our assumption (default 250ns, qcdoc 20ns, tofu 64ns)")
      ->group(group);

  app.add_option(
         "--partition", a.partition,
         "jobs side by side: an axis split by redundant cables, as in z:4+4; qcdoc: cut, as "
         "in t:1+1,u:1+1")
      ->group(group);
  app.add_option("--barrier", a.barrier,
                 "qpace: over the global signal tree (default), or the torus")
      ->group(group);
  app.add_flag("--boot", a.boot,
               "qcdoc: the boot program first: nodes find the machine's size and their places")
      ->group(group);
  app.add_option("--failed", a.failed,
                 "tofu: X,Y,Z,A,B,C of a node that is out of service; may be repeated")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--io-nodes", a.io_nodes, "tofu: nodes with Z = 0 do input and output, and no job")
      ->group(group);
  app.add_option("--noise", a.noise,
                 "operating systems interrupt programs, as in 1ms,20us,50us: mean interval, "
                 "shortest and longest interruption (default: none)")
      ->group(group);
  app.add_flag("--random-phases", a.random_phases, "every node's clocks start at a random phase")
      ->group(group);
}

void declare_error_options(CLI::App& app, MachineArguments& a) {
  const char* group = "Cable errors";
  app.add_option("--ber", a.ber,
                 "bit error rate on the coded line, 0..1 (default 1e-6, qcdoc 1e-8)")
      ->group(group);
  app.add_option("--bursts", a.bursts,
                 "bursts, on random cables at random times (default 1, qcdoc 0)")
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

MachineOptions check_machine_options(const std::string& command, const MachineArguments& a) {
  MachineOptions o;
  check_machine(o, command, a);
  check_partition(o, a);
  check_errors(o, a);
  check_simulation(o, a);
  return o;
}

}  // namespace ht::cli
