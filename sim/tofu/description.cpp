// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "sim/plugin/catalog.hpp"
#include "sim/plugin/parse.hpp"
#include "sim/tofu/machine.hpp"
#include "sim/tofu/rtl_parameters.hpp"
#include "sim/tofu/tofud.hpp"
#include "sw/tofu/functional/functional_job.hpp"
#include "sw/tofu/ranks/rank_map.hpp"
#include "sw/tofu/sparc64viiifx.hpp"

namespace ht::machine {
namespace {

constexpr MachineTraits tofu_traits{
    .name = "tofu",
    .title = "Tofu",
    .axes = 6,
    .links = tofu::links_per_node,
    .every_cable = "X+,Y+,Z+,A,B+,C",
    .nodes = "2x2x2",
    .bit_error_rate = 1e-6,
    .bursts = 1,
    .lanes = 8,
    .lane_bytes = 16,
    .cable_delay = "64ns",
    .memory_latency = "20ns",
    .least_delay = 6'400,
    .wire_bits = 128,
    .node_gbytes = 16,
    .simulated_bytes = tofu_node_bytes,
    .axes_help = "X,Y,Z,A,B,C",
    .partition_help = "two halves of X, Y or Z, as in z:2+2",
    .own_interface = true,
};

struct TofuSettings final : OwnSettings {
  std::vector<tofu::Coordinates> failed;  ///< nodes out of service
  bool io_nodes = false;                  ///< those with Z = 0 hold no rank
  int split_axis = -1;                    ///< of the machine; -1: one job
  tofu::Profile profile;
};

const TofuSettings& settings_of(const MachineOptions& o) {
  static const TofuSettings defaults;
  return o.own == nullptr ? defaults : static_cast<const TofuSettings&>(*o.own);
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

void refuse_what_there_is_not(const MachineArguments& a) {
  if (const int forged = a.errors.asked(sim::ErrorKind::Forced); forged > 0)
    throw UsageError(
        fmt::format("--forged {}: leave it out; what Tofu's CRC does not see is for inject tofu "
                    "--forged-every",
                    forged));
}

tofu::Profile read_profile(const MachineArguments& a) {
  const std::string name = a.own.text("--profile", "k");
  return choose("--profile", name, {"k", "tofud"}) == "k" ? tofu::Profile{} : tofu::tofud;
}

// "z:2+2": an axis of the machine, and its halves.
int split_axis(const MachineArguments& a, const std::vector<int>& machine) {
  if (a.partition.empty()) return -1;
  if (a.machine.empty())
    throw UsageError("--partition: give the machine, too, as in --machine 2x2x4");
  const auto refuse = [&](const std::string& remedy) {
    throw UsageError(fmt::format("--partition {}: {}", a.partition, remedy));
  };
  const std::size_t axis = std::string("xyz").find(a.partition[0]);
  if (axis == std::string::npos || axis >= machine.size())
    refuse(
        "two halves of one of the machine's axes x, y, z, as in --machine 2x2x4 --partition z:2+2");
  const int length = machine[axis];
  const std::string halves = fmt::format("{}:{}+{}", a.partition[0], length / 2, length / 2);
  if (length % 2 != 0 || a.partition != halves)
    refuse(
        fmt::format("the ways of a job stay in its part if that is half of a ring, so that the "
                    "axis of {} nodes splits as {}",
                    length, length % 2 == 0 ? halves : "nothing: its length is odd"));
  return static_cast<int>(axis);
}

class TofuDescription final : public MachineDescription {
 public:
  const MachineTraits& traits() const override { return tofu_traits; }
  RtlParameters rtl_parameters() const override { return tofu::rtl_parameters; }
  std::string link_name(int link) const override { return tofu::link_name(link); }

  std::vector<OwnOption> own_options() const override {
    return {{.name = "--failed",
             .help = "tofu: X,Y,Z,A,B,C of a node that is out of service; may be repeated",
             .kind = OwnOption::Kind::List},
            {.name = "--io-nodes",
             .help = "tofu: nodes with Z = 0 do input and output, and no job",
             .kind = OwnOption::Kind::Flag},
            {.name = "--profile", .help = "tofu: k, the K computer's numbers, or tofud, TofuD's"}};
  }

  // The machine's six axes, and the torus of ranks that is laid onto its nodes.
  void check(const MachineArguments& a, MachineOptions& o) const override {
    refuse_what_there_is_not(a);
    auto own = std::make_shared<TofuSettings>();
    for (const std::string& place : a.own.list("--failed"))
      own->failed.push_back(parse_place("--failed", place));
    own->io_nodes = a.own.has("--io-nodes");
    own->profile = read_profile(a);
    if (own->profile.wide() && !o.set.empty())
      throw UsageError(
          "--set: of the K computer's hardware; leave it out with --profile tofud, or take "
          "--profile "
          "k");
    const bool left_out = own->io_nodes || !own->failed.empty();
    const char* const option = own->io_nodes ? "--io-nodes" : "--failed";
    if (a.machine.empty() && left_out)
      throw UsageError(
          fmt::format("{}: give the machine, too, as in --machine 1x1x1x2x3x2", option));
    if (!o.rtl && left_out)
      throw UsageError(fmt::format(
          "{}: the functional network has no nodes to leave out; use --network rtl", option));
    std::vector<int> application;
    if (!a.nodes.empty() || a.machine.empty()) {
      const std::string nodes = a.nodes.empty() ? tofu_traits.nodes : a.nodes;
      application = without_ones(parse_shape("--nodes", nodes, 1, 6));
      if (application.size() > 3)
        throw UsageError(fmt::format(
            "--nodes {}: Tofu's ranks are a torus of one to three axes; keep the fourth "
            "inside the node, as in 2x2x2",
            nodes));
    }
    const std::vector<int> machine =
        a.machine.empty() ? application : parse_shape("--machine", a.machine, 1, 6);
    own->split_axis = split_axis(a, machine);
    if (own->split_axis >= 0 && !o.rtl)
      throw UsageError(
          fmt::format("--partition {}: the functional network has no routers; leave out --network",
                      a.partition));
    tofu::Shape shape;
    std::ranges::copy(machine, shape.length.begin());
    tofu::RankOptions ranks{own->io_nodes, own->failed};
    if (own->split_axis >= 0) {
      // Both jobs have the torus of the first half.
      const auto axis = static_cast<std::size_t>(own->split_axis);
      for (int n = 0; n < shape.nodes(); ++n) {
        const tofu::Coordinates place = shape.place(n);
        if (place.at[axis] >= shape.length[axis] / 2) ranks.others.push_back(place);
      }
      if (application.empty()) {
        tofu::Shape half = shape;
        half.length[axis] /= 2;
        half.ring[axis] = false;
        application = tofu::RankMap::largest(half, {own->io_nodes, {}}).torus();
      }
    }
    const tofu::RankMap map = application.empty() ? tofu::RankMap::largest(shape, ranks)
                                                  : tofu::RankMap(shape, application, ranks);
    o.nodes = without_ones(map.torus());
    o.job_nodes = o.nodes;
    o.partitions = own->split_axis < 0 ? 1 : 2;
    o.machine.assign(shape.length.begin(), shape.length.end());
    o.own = std::move(own);
  }

  std::vector<Setting> settings(const MachineOptions& o) const override {
    const TofuSettings& own = settings_of(o);
    std::string failed;
    for (const tofu::Coordinates& node : own.failed)
      failed += fmt::format("{}[{}]", failed.empty() ? "" : ",", fmt::join(node.at, ","));
    return {{"failed_nodes", "[" + failed + "]"},
            {"io_nodes", own.io_nodes ? "true" : "false"},
            {"profile", own.profile.wide() ? "\"tofud\"" : "\"k\""}};
  }

  std::string clocks(const MachineOptions& o) const override {
    return settings_of(o).profile.wide() ? "425 MHz" : "312.5 MHz";
  }

  std::vector<Example> examples() const override {
    return {
        {"run", "tofu --profile k --lattice 4x4x4x4",
         "eight nodes of Tofu, the K computer's: messages by put, sums by barrier gates"},
        {"run", "tofu --machine 1x1x1x2x3x2 --failed 0,0,0,1,1,0 --lattice 4x4x4x4",
         "a group of twelve nodes, one of them lost: a torus of 2x2x2 round it"},
        {"run", "tofu --machine 4x1x3x1x1x1 --io-nodes --nodes 4x2 --lattice 4x4x4x4",
         "nodes with Z = 0 are for input and output"},
        {"run", "tofu --machine 2x2x4 --partition z:2+2 --lattice 4x4x4x4",
         "two jobs at once on one machine, each in a group of its own"},
        {"exec", "tofu --machine 2x1x2x2x3x1 --io-nodes --failed 1,0,1,0,2,0 -- ./hello",
         "on Tofu, without the nodes for input and output, round a lost one"},
        {"exec", "tofu --network functional --profile tofud -- ./one_sided 5000",
         "six network interfaces with gates on each, as TofuD has them; without hardware"},
        {"inject tofu", "--runs 1000", "a thousand random runs; exit 1 if anything went wrong"},
        {"inject tofu",
         "--runs 100 --phy lanes --lanes 4 --ppm 200 --lane-skew 20ns --lane-jitter 200ps "
         "--lane-drift 1ns",
         "errors of cables that carry bits on serial lanes, whose ends have clocks of their own"},
        {"inject tofu", "--runs 100 --seed 7 --nodes 2x1x1x2x1x2 --threads 2 --json campaign.json",
         "another machine; the same numbers from any number of threads"},
        {"inject tofu", "--runs 200 --kinds commands,hellos --forged-every 0 --quiet",
         "two kinds of faults only"},
        {"inject tofu", "--runs 2 --kinds hellos --forged-every 1 --no-checksums",
         "forged packets, and checksums are not compared: exit 1"},
        {"inject tofu", "--runs 2 --kinds bits,hellos --forged-every 1 --no-checksums --shrink",
         "the first of them made smaller: what must go wrong, and what must be sent: exit 1"},
        {"inject tofu", "--seed 7 --replay 350 --keep 0-2",
         "run 350 with the first three of its errors only, and without its messages"},
        {"inject tofu", "--runs 400 --shard 2/8 --resume tofu.piece2",
         "the second of eight pieces; ended at any time, the same command goes on"},
        {"inject tofu", "--runs 8 --shard 3/8 --soak tofu.soak",
         "one run in eight of a soak: all cables busy, and errors all the time"},
        {"inject tofu", "--seed 7 --replay 350 --trace wave",
         "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},
        {"bench sparc64", "--json sparc64.json",
         "what solvers sustain on Tofu's processor, beside published figures"},
        {"bench tofu", "--plot tofu --json tofu.json",
         "hop, link, gates, routers under load, collectives, noise; draws tofu.barrier and "
         "tofu.noise, "
         ".svg and .png"},
        {"run", "tofu --lattice 4x4x4x4 --set WINDOW=16",
         "links that keep sixteen packets until they are acknowledged"},
        {"compare", "--set tofu.WINDOW=16", "with a variant of one of them"},
        {"bench tofu", "--quick --set WINDOW=16", "of a variant"},
        {"inject tofu", "--set WINDOW=16 --runs 200", "random errors on a variant"},
        {"bench tofu", "--quick --cells cells.json",
         "fewer points, and the numbers that fpga/common/cells.py wrote"},
        {"bench tofu", "--quick --noise 10ms,20us,2ms",
         "rare but long interruptions, as the paper has them"},
    };
  }

  std::unique_ptr<Machine> build(const MachineOptions& o,
                                 const BuildRequirements& r) const override {
    const TofuSettings& own = settings_of(o);
    auto m = common_options<TofuMachineOptions>(o, r);
    std::ranges::copy(o.machine, m.shape.length.begin());
    m.application = o.nodes;
    m.ranks = {own.io_nodes, own.failed};
    m.split_axis = own.split_axis;
    if (!own.profile.wide()) return std::make_unique<TofuMachine>(std::move(m));
    static const Plugin tofud(MachineCatalog::folder() / "hypertorus-tofud-tofu.so");
    return tofud.object<const TofudBuilder>("hypertorus_tofud")
        ->build(with_profile(std::move(m), own.profile));
  }

  std::unique_ptr<qmp::FunctionalTorus> build_functional(const MachineOptions& o,
                                                         double processor_timeout) const override {
    tofu::Shape shape;
    std::ranges::copy(o.machine, shape.length.begin());
    return std::make_unique<tofu::FunctionalJob>(
        shape, tofu::RankLayout::of(tofu::RankMap(shape, o.nodes, {false, {}})), processor_timeout,
        settings_of(o).profile);
  }

  // Ranks are laid round what is lost; with as many of them as there are places for.
  MachineOptions without(const MachineOptions& o, const Losses& losses) const override {
    auto own = std::make_shared<TofuSettings>(settings_of(o));
    tofu::Shape shape;
    std::ranges::copy(o.machine, shape.length.begin());
    for (const Loss& loss : losses) {
      const tofu::Coordinates place = shape.place(loss.node);
      if (std::ranges::find(own->failed, place) == own->failed.end()) own->failed.push_back(place);
    }
    const auto count = [](const std::vector<int>& grid) {
      return std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>());
    };
    std::vector<std::vector<int>> grids{o.nodes};
    for (std::size_t i = 0; i < grids.size(); ++i) {
      for (std::size_t axis = 0; axis < o.nodes.size(); ++axis) {
        std::vector<int> half = grids[i];
        if (half[axis] % 2 != 0) continue;
        half[axis] /= 2;
        if (std::ranges::find(grids, half) == grids.end()) grids.push_back(half);
      }
    }
    std::ranges::stable_sort(grids, std::greater<>(), count);
    for (const std::vector<int>& grid : grids) {
      try {
        const tofu::RankMap map(shape, grid, {own->io_nodes, own->failed});
        MachineOptions rest = o;
        rest.nodes = rest.job_nodes = grid;
        rest.losses.clear();
        rest.soft_errors = {};
        rest.own = own;
        return rest;
      } catch (const UsageError&) {
        continue;
      }
    }
    throw UsageError("nothing is left of the machine that ranks could be laid onto");
  }

  std::unique_ptr<host::ProcessorModel> processor(const MachineOptions& /*options*/,
                                                  const host::LocalLattice& local) const override {
    return std::make_unique<tofu::Sparc64Viiifx>(local);
  }

  // Nodes are numbered along A, B, C, X, Y, Z; axes of length 1 may come last as well.
  FigureAxes figure_axes(const MachineOptions& o,
                         const std::vector<LinkReport>& links) const override {
    constexpr std::size_t axes = 6;
    std::array<std::size_t, axes> drawn{3, 4, 5, 0, 1, 2}, place{};
    std::ranges::stable_partition(drawn, [&](std::size_t axis) { return o.machine[axis] > 1; });
    FigureAxes a;
    for (std::size_t i = 0; i < axes; ++i) {
      place[drawn[i]] = i;
      a.lengths.push_back(o.machine[drawn[i]]);
      a.names.emplace_back(1, "XYZABC"[drawn[i]]);
    }
    a.links = links;
    for (LinkReport& l : a.links) {
      const std::size_t axis = place[std::string("XYZABC").find(l.name[0])];
      int at = l.from;
      for (std::size_t i = 0; i < axis; ++i) at /= a.lengths[i];
      // A and C have one cable, between two nodes.
      const bool back = l.name.size() > 1 ? l.name[1] == '-' : at % a.lengths[axis] > 0;
      l.link = 2 * static_cast<int>(axis) + (back ? 1 : 0);
    }
    return a;
  }

  std::vector<BenchTraits> benches() const override {
    return {{.name = "tofu",
             .help = "the Tofu router and barrier gates beside the paper's numbers",
             .figures = "STEM.congestion, .barrier and .noise",
             .quick = "fewer points: seconds",
             .options = {{.name = "--noise",
                          .help = "how programs are interrupted: mean interval, shortest, longest "
                                  "interruption (default 1ms,20us,50us)",
                          .group = ""}}},
            {.name = "sparc64",
             .help = "Tofu's processor by its model beside what the K computer reached",
             .figures = "",
             .quick = "",
             .options = {},
             .hardware = false}};
  }
  std::string campaign() const override {
    return "the same for Tofu: operations of barrier gates, and remote memory";
  }
  SpeedTraits speed() const override {
    return {.reference = 64, .shape = [](int nodes) { return equal_axes(nodes, 6); }};
  }
};

}  // namespace
}  // namespace ht::machine

extern "C" const ht::machine::MachineDescription* hypertorus_machine() {
  static const ht::machine::TofuDescription description;
  return &description;
}
