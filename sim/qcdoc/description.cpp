// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/description.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/plugin/parse.hpp"
#include "sim/qcdoc/machine.hpp"
#include "sim/qcdoc/rtl_parameters.hpp"
#include "sw/qcdoc/fold.hpp"
#include "sw/qcdoc/partitions.hpp"
#include "sw/qcdoc/ppc440.hpp"

namespace ht::machine {
namespace {

constexpr MachineTraits qcdoc_traits{
    .name = "qcdoc",
    .title = "QCDOC",
    .axes = 6,
    .links = qcdoc::links,
    .every_cable = "+x,+y,+z,+t,+u,+v",
    .nodes = "2x2x2x2",
    .bit_error_rate = 1e-8,
    .bursts = 0,  // two parity bits let one burst in four pass that hits a word
    .lanes = 1,
    .lane_bytes = 1,
    .cable_delay = "20ns",
    .memory_latency = "20ns",
    .least_delay = 4'000,
    .wire_bits = 1,
    .node_gbytes = 2,
    .simulated_bytes = qcdoc_node_bytes,
    .partition_help = "cut, as in t:1+1,u:1+1",
};

struct QcdocSettings final : OwnSettings {
  std::string fold;   ///< the machine's axes in each of the application's; empty: any
  std::string cuts;   ///< --partition
  bool boot = false;  ///< nodes find out where they are
  Picoseconds period = 2000;
};

// One node has other hardware than the others: it has none of its own over the functional network,
// and only one set of parameters was placed.
void check_far(const std::string& far, const MachineArguments& a, const MachineOptions& o) {
  if (far.empty()) return;
  choose("--far", far, {"netlist", "spoilt"});
  if (!o.rtl)
    throw UsageError(
        "--far: the functional network has no hardware; leave it out, or take --network rtl");
  if (o.set.empty() && a.phy.phy == "wires") return;
  throw UsageError(fmt::format(
      "--far {}: only the unit that cables with wires and usual parameters have is placed and "
      "routed; leave {} out",
      far, o.set.empty() ? "--phy" : "--set"));
}

// Whole picoseconds: 359.97, 419.99 and 450.05 MHz.
Picoseconds qcdoc_period(const std::string& mhz) {
  return std::llround(1e6 / std::stod(mhz));
}

const QcdocSettings& settings_of(const MachineOptions& o) {
  static const QcdocSettings defaults;
  return o.own == nullptr ? defaults : static_cast<const QcdocSettings&>(*o.own);
}

// A link waits for answers as long as they take over a cable of CABLE_BITS; sooner resends would
// feed on themselves.
void check_cable(const MachineArguments& a, const MachineOptions& o, Picoseconds period) {
  const Picoseconds delay =
      parse_time("--cable-delay", a.cable_delay.empty() ? qcdoc_traits.cable_delay : a.cable_delay);
  Picoseconds longest = delay + parse_time("--cable-spread", a.cable_spread);
  if (o.phy)
    longest += lane_cycles * period + o.phy->lanes.skew + o.phy->lanes.jitter + o.phy->lanes.drift;
  const long bits = value_of(qcdoc::rtl_parameters, o.set, "CABLE_BITS");
  if (o.set.empty() || longest <= bits * period) return;
  throw UsageError(fmt::format(
      "--set CABLE_BITS={}: links made for cables of up to {} ns, and the longest takes {} ns; "
      "take "
      "{} or more, or a shorter --cable-delay and --cable-spread",
      bits, bits * period / 1000, longest / 1000, ((longest + period - 1) / period + 3) / 4 * 4));
}

class QcdocDescription final : public MachineDescription {
 public:
  const MachineTraits& traits() const override { return qcdoc_traits; }
  RtlParameters rtl_parameters() const override { return qcdoc::rtl_parameters; }

  std::vector<OwnOption> own_options() const override {
    return {
        {.name = "--fold",
         .help = "qcdoc: the machine's axes in each axis of --nodes, as in xy,z,t (default: any)"},
        {.name = "--boot",
         .help = "qcdoc: the boot program first: nodes find the machine's size and their places",
         .kind = OwnOption::Kind::Flag},
        {.name = "--node-clock",
         .help = "qcdoc, MHz: 500 (the paper's target, default), or 360, 420, 450 as its machines "
                 "ran: processor, unit and links",
         .hardware = true},
        {.name = "--far",
         .help = "qcdoc: netlist: the last node's unit is the one placed and routed for an ECP5 "
                 "(built once, up to an hour); spoilt: with some of its tables inverted"}};
  }

  // The machine's six axes, the part of them that a job has, and what that presents itself as.
  void check(const MachineArguments& a, MachineOptions& o) const override {
    auto own = std::make_shared<QcdocSettings>();
    own->fold = a.own.text("--fold");
    own->cuts = a.partition;
    own->boot = a.own.has("--boot");
    own->period = qcdoc_period(
        choose("--node-clock", a.own.text("--node-clock", "500"), {"500", "450", "420", "360"}));
    if (own->boot && !o.rtl)
      throw UsageError(
          "--boot: it is QCDOC's nodes that find out the machine's size, over their links; leave "
          "it "
          "out, or take qcdoc over --network rtl");
    if (!own->fold.empty() && !o.rtl && !a.nodes.empty())
      throw UsageError(
          "--fold: no effect on the functional network, which has the axes of --nodes; leave one "
          "of the two out, or use --network rtl");
    o.far = a.own.text("--far");
    check_far(o.far, a, o);
    check_cable(a, o, own->period);
    std::vector<int> application;
    if (!a.nodes.empty()) application = parse_shape("--nodes", a.nodes, 1, 6);
    if (!a.machine.empty()) {
      o.machine = parse_shape("--machine", a.machine, 1, 6);
    } else if (!own->cuts.empty() || !own->fold.empty()) {
      throw UsageError(fmt::format("{}: give the machine, too, as in --machine 2x2x2x2x1x1",
                                   own->cuts.empty() ? "--fold" : "--partition"));
    } else {
      if (application.empty()) application = parse_shape("--nodes", qcdoc_traits.nodes, 1, 6);
      o.machine = application;
    }
    const qcdoc::Partitions partitions(o.machine, own->cuts);
    o.nodes = without_ones(qcdoc::Fold(partitions.axes(), application, own->fold).shape());
    o.job_nodes = o.nodes;
    o.partitions = partitions.count();
    o.own = std::move(own);
  }

  std::vector<Setting> settings(const MachineOptions& o) const override {
    const QcdocSettings& own = settings_of(o);
    return {{"period_ps", fmt::format("{}", own.period)},
            {"fold", fmt::format("\"{}\"", own.fold)},
            {"boot", own.boot ? "true" : "false"}};
  }
  std::string clocks(const MachineOptions& o) const override {
    return fmt::format("{:.0f} MHz", 1e6 / static_cast<double>(settings_of(o).period));
  }

  std::vector<Example> examples() const override {
    return {
        {"run", "qcdoc --lattice 4x4x4x4 --set CABLE_BITS=64", "links made for short cables"},
        {"bench qcdoc", "--set CABLE_BITS=64", "of such links"},
        {"inject qcdoc", "--set CABLE_BITS=64 --runs 200", "random errors on a variant"},
        {"compare", "qcdoc --nodes 2x2 --lattice 4x4x4x4 --tolerance 1e-3 --largest 1024",
         "one machine beside the functional network, four nodes, a quick solve, short messages"},
        {"run", "qcdoc --nodes 2x2x2x2 --lattice 4x4x4x4",
         "the same program on 16 nodes of QCDOC, the same bits"},
        {"run", "qcdoc --nodes 2x2 --lattice 4x4x4x4 --memory-latency 200ns --memory-spread 400ns",
         "where memory is slow, and not always as slow"},
        {"exec", "qcdoc --nodes 2x2 --memory-latency 200ns --memory-spread 400ns -- ./hello",
         "the same"},
        {"run", "qcdoc --machine 2x2x2x1x2x1 --nodes 4x2x2 --fold xy,z,u --lattice 4x4x4x2",
         "a six-dimensional machine, folded into three"},
        {"run", "qcdoc --boot --machine 2x2x2 --partition z:1+1 --lattice 4x4x4x4",
         "nodes find out where they are; then two jobs side by side, each on a slice of the "
         "machine"},
        {"run", "qcdoc --nodes 2x2 --lattice 4x4x4x4 --ber 0 --bursts 0 --forged 1",
         "two errors that parity cannot see: exit 1, and the link's name"},
        {"run", "qcdoc --nodes 2x2 --lattice 4x4x2x2 --soft-errors 200",
         "bits flip in the network's memories, 200 times of a node in a millisecond; all are "
         "corrected"},
        {"exec", "qcdoc --boot --machine 2x2x2 --nodes 4x2 --fold xy,z -- ./hello",
         "the same program on QCDOC, folded into two dimensions"},
        {"run", "qcdoc --nodes 2x2 --lattice 4x4x4x4 --node-clock 450",
         "at the speed of the paper's benchmarks"},
        {"exec", "qcdoc --nodes 2x2 --node-clock 360 -- ./hello", "the same program, slower"},
        {"run", "qcdoc --nodes 2 --lattice 4x2x2x2 --far netlist",
         "one node's unit as it was placed and routed for an FPGA; built once, up to an hour"},
        {"exec", "qcdoc --nodes 2 --far netlist -- ./hello", "a program on such a node"},
        {"inject qcdoc", "--runs 2000",
         "two thousand random runs; exit 1 if anything went unnoticed"},
        {"inject qcdoc",
         "--runs 100 --phy lanes --lanes 1 --ppm 200 --lane-skew 40ns --lane-jitter 200ps "
         "--lane-drift 1ns",
         "errors of cables that carry bits on serial lanes, whose ends have clocks of their own"},
        {"inject qcdoc", "--runs 1000 --seed 7 --nodes 2x2 --threads 2 --json campaign.json",
         "another machine; the same numbers from any number of threads"},
        {"inject qcdoc", "--runs 200 --kinds pulled --forged-every 0 --quiet",
         "cables pulled and put back only"},
        {"inject qcdoc", "--runs 2 --kinds idle --forged-every 1 --no-checksums",
         "forged words, and checksums are not compared: exit 1"},
        {"inject qcdoc", "--runs 2 --kinds bits,idle --forged-every 1 --no-checksums --shrink",
         "the first of them made smaller: what must go wrong, and what must be sent: exit 1"},
        {"inject qcdoc", "--seed 7 --replay 350 --keep 0-2",
         "run 350 with the first three of its errors only, and without its messages"},
        {"inject qcdoc", "--runs 400 --shard 2/8 --resume qcdoc.piece2",
         "the second of eight pieces; ended at any time, the same command goes on"},
        {"inject qcdoc", "--runs 8 --shard 3/8 --soak qcdoc.soak",
         "one run in eight of a soak: all cables busy, and errors all the time"},
        {"inject qcdoc", "--seed 7 --replay 350 --trace wave",
         "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},
        {"bench qcdoc", "--plot qcdoc --json qcdoc.json",
         "section 2.2 of the paper, and its 40 % of peak; draws qcdoc.transfer.svg and .png"},
        {"bench qcdoc", "--quick --cells cells.json",
         "the same numbers from fewer points, and those that fpga/common/cells.py wrote"},
        {"bench ppc440", "--json ppc440.json",
         "what solvers sustain on QCDOC by operator, volume and clock, beside the paper's"},
        {"bench sim", "qcdoc --nodes 64 --threads 1", "QCDOC's, all 24 connections of a node busy"},
    };
  }

  std::unique_ptr<Machine> build(const MachineOptions& o,
                                 const BuildRequirements& r) const override {
    const QcdocSettings& own = settings_of(o);
    auto m = common_options<QcdocMachineOptions>(o, r);
    m.shape = o.machine;
    m.application = o.nodes;
    m.fold = own.fold;
    m.cuts = own.cuts;
    m.boot = own.boot;
    m.routed_far = !o.far.empty();
    m.driver.forwards = r.forwards;
    m.node.clock.period = own.period;
    return std::make_unique<QcdocMachine>(std::move(m));
  }

  std::unique_ptr<host::ProcessorModel> processor(const MachineOptions& o,
                                                  const host::LocalLattice& local) const override {
    const double clock = 1e12 / static_cast<double>(settings_of(o).period);
    return std::make_unique<qcdoc::Ppc440>(local, qcdoc::Ppc440Options{.clock = clock});
  }

  std::vector<BenchTraits> benches() const override {
    return {{.name = "qcdoc",
             .help = "the QCDOC network and processor beside the paper's numbers",
             .figures = "STEM.transfer",
             .quick = "fewer points: seconds",
             .options = {}},
            {.name = "ppc440",
             .help = "QCDOC's processor by its model beside every performance figure of the paper",
             .figures = "",
             .quick = "",
             .options = {},
             .hardware = false}};
  }
  std::string campaign() const override {
    return "the same for QCDOC: reported by the link, the checksums, or a link that is down";
  }
  SpeedTraits speed() const override {
    return {.reference = 64, .shape = [](int nodes) { return equal_axes(nodes, 6); }};
  }
};

}  // namespace
}  // namespace ht::machine

extern "C" const ht::machine::MachineDescription* hypertorus_machine() {
  static const ht::machine::QcdocDescription description;
  return &description;
}
