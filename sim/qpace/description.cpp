// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/description.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/plugin/parse.hpp"
#include "sim/qpace/machine.hpp"
#include "sim/qpace/rtl_parameters.hpp"
#include "sw/qpace/powerxcell.hpp"

namespace ht::machine {
namespace {

constexpr MachineTraits qpace_traits{
    .name = "qpace",
    .title = "QPACE",
    .axes = 3,
    .links = qpace::links,
    .every_cable = "+x,+y,+z",
    .nodes = "2x2x2",
    .bit_error_rate = 1e-6,
    .bursts = 1,
    .lanes = 4,
    .lane_bytes = 4,
    .cable_delay = "250ns",
    .memory_latency = "20ns",
    .least_delay = 12'000,
    .wire_bits = 32,
    .node_gbytes = 4,
    .simulated_bytes = qpace_node_bytes,
    .partition_help = "an axis split by redundant cables, as in z:4+4",
};

struct QpaceSettings final : OwnSettings {
  Picoseconds core_period = NwpNodeOptions{}.core_clock.period;
  bool tree_barrier = true;    ///< barriers over the global signal tree; else over the torus
  bool check_buffers = false;  ///< qmp::DriverSettings::guard_receives
  int split_axis = -1;         ///< the axis that --partition splits in two halves; -1: none
};

const QpaceSettings& settings_of(const MachineOptions& o) {
  static const QpaceSettings defaults;
  return o.own == nullptr ? defaults : static_cast<const QpaceSettings&>(*o.own);
}

void check_shape(MachineOptions& o, const MachineArguments& a) {
  const std::string nodes = a.nodes.empty() ? qpace_traits.nodes : a.nodes;
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
  o.job_nodes = o.nodes;
}

// "z:4+4": the axis and the halves of its rings.
void check_partition(MachineOptions& o, QpaceSettings& own, const MachineArguments& a) {
  if (a.partition.empty()) return;
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
  own.split_axis = static_cast<int>(axis);
  o.partitions = 2;
  o.job_nodes[axis] /= 2;
}

// As many nodes along each of three axes.
std::vector<int> cube(int nodes) {
  const int edge = static_cast<int>(std::lround(std::cbrt(nodes)));
  if (nodes < 1 || edge * edge * edge != nodes) return {};
  return {edge, edge, edge};
}

class QpaceDescription final : public MachineDescription {
 public:
  const MachineTraits& traits() const override { return qpace_traits; }
  RtlParameters rtl_parameters() const override { return qpace::rtl_parameters; }

  std::vector<OwnOption> own_options() const override {
    return {
        {.name = "--core-clock",
         .help = "qpace, MHz: 208 (the paper's target, default), 166 (what it ran at), or 312: the "
                 "port's 16 bytes then make the processor link's 5 GB/s",
         .hardware = true},
        {.name = "--barrier",
         .help = "qpace: over the global signal tree (default), or the torus",
         .hardware = true},
        {.name = "--check-buffers",
         .help = "qpace: a program that writes to a receive buffer too early is found, as on the "
                 "functional network",
         .kind = OwnOption::Kind::Flag}};
  }

  void check(const MachineArguments& a, MachineOptions& o) const override {
    auto own = std::make_shared<QpaceSettings>();
    check_shape(o, a);
    const std::string clock =
        choose("--core-clock", a.own.text("--core-clock", "208"), {"208", "166", "312"});
    own->core_period = clock == "208" ? 4800 : clock == "166" ? 6024 : 3200;
    own->tree_barrier =
        choose("--barrier", a.own.text("--barrier", "tree"), {"tree", "torus"}) == "tree";
    own->check_buffers = a.own.has("--check-buffers");
    check_partition(o, *own, a);
    o.own = std::move(own);
  }

  std::vector<Setting> settings(const MachineOptions& o) const override {
    const QpaceSettings& own = settings_of(o);
    return {{"core_period_ps", fmt::format("{}", own.core_period)},
            {"barrier", own.tree_barrier ? "\"tree\"" : "\"torus\""},
            {"check_buffers", own.check_buffers ? "true" : "false"}};
  }

  std::string clocks(const MachineOptions& o) const override {
    return fmt::format("core {:.1f} MHz, links 250 MHz",
                       1e6 / static_cast<double>(settings_of(o).core_period));
  }
  // Its axes are the application's, but for axes of length 1.
  bool folded(const MachineOptions& /*options*/) const override { return false; }

  std::vector<Example> examples() const override {
    return {
        {"run", "--ber 0 --bursts 0 --cable-delay 40ns --core-clock 166", "good, short cables"},
        {"run", "--ber 0 --bursts 0 --core-clock 312", "a processor port of 5 GB/s"},
        {"run", "--set TX_PACKETS=32 --set RX_SLOTS=4",
         "links with twice the transmit FIFO and half the receive buffer: the same bits"},
        {"exec", "--set RX_SLOTS=2 -- ./ping_pong 65536", "the smallest receive buffers"},
        {"bench sim", "qpace --nodes 8 --threads 1 --set RX_SLOTS=2", "of a variant"},
        {"bench qpace", "--set RX_SLOTS=2", "the smallest receive buffers"},
        {"inject qpace", "--set RX_SLOTS=2 --runs 200", "random errors on a variant"},
        {"run", "--nodes 1x1x8 --partition z:4+4 --barrier torus",
         "one machine, two jobs at once, on rings of four made by redundant cables"},
        {"run", "--nodes 2x2 --lattice 4x4x4x4 --memory-latency 200ns --memory-spread 400ns",
         "where memory is slow, and not always as slow"},
        {"exec", "qpace --nodes 2x2 --memory-latency 200ns --memory-spread 400ns -- ./hello",
         "the same"},
        {"run", "--check-buffers --nodes 2 --lattice 4x4x4x4",
         "the job must leave receive buffers alone until their messages are complete"},
        {"run", "--forged 1 --trace wave --trace-on mismatch",
         "an error no CRC sees: exit 1, and waves"},
        {"run", "--load ethernet --ethernet-ber 1e-7 --ethernet-pcap boot.pcapng --console",
         "nodes boot and read their field over Ethernet, and say so on their serial lines"},
        {"bench cell", "--json cell.json",
         "table 1, the text's figures and equation 6.1 of [Cell2007]"},
        {"exec", "qpace --nodes 1x1x4 --partition z:2+2 --barrier torus -- ./hello",
         "on both halves of a machine, each a job of its own"},
        {"exec", "qpace --nodes 2x2x2 -- ./hello -v",
         "a program of hypertorus-cc, and its arguments"},
        {"exec", "--check-buffers -- ./ping_pong 1024",
         "the program must leave receive buffers alone until their messages are complete"},
        {"exec", "--console -- ./hello", "what it prints goes over the nodes' serial lines"},
        {"exec", "--lost 20 --doubled 20 --stuck 5 --pulled 2 --forged 1 -- ./hello", "worse ones"},
        {"exec", "--ber 0 --bursts 0 --cable-delay 40ns --core-clock 166 -- ./ping_pong 65536",
         "good, short cables"},
        {"inject qpace", "--runs 2000", "two thousand random runs; exit 1 if anything went wrong"},
        {"inject qpace",
         "--runs 100 --phy lanes --lanes 2 --ppm 200 --lane-skew 20ns --lane-jitter 200ps "
         "--lane-drift 1ns",
         "errors of cables that carry bits on serial lanes, whose ends have clocks of their own"},
        {"inject qpace", "--runs 1000 --seed 7 --nodes 2x2x1 --threads 2 --json campaign.json",
         "another machine; the same numbers from any number of threads"},
        {"inject qpace", "--runs 200 --kinds commands,hellos --forged-every 0 --quiet",
         "two kinds of faults only"},
        {"inject qpace", "--residual --json residual.json",
         "the residual risk of CRC and line code, computed"},
        {"inject qpace", "--runs 2 --kinds hellos --forged-every 1 --no-checksums",
         "forged packets, and checksums are not compared: exit 1"},
        {"inject qpace", "--runs 2 --kinds bits,hellos --forged-every 1 --no-checksums --shrink",
         "the first of them made smaller: what must go wrong, and what must be sent: exit 1"},
        {"inject qpace", "--seed 7 --replay 350 --keep 0-2",
         "run 350 with the first three of its errors only, and without its messages"},
        {"inject qpace", "--runs 400 --shard 2/8 --resume qpace.piece2",
         "the second of eight pieces; ended at any time, the same command goes on"},
        {"inject qpace", "--runs 8 --shard 3/8 --soak qpace.soak",
         "one run in eight of a soak: all cables busy, and errors all the time"},
        {"inject qpace", "--seed 7 --replay 350 --trace wave",
         "run 350 of seed 7 again: what was drawn, what became of each error, and waves"},
        {"bench qpace", "--plot qpace --json qpace.json",
         "section 6 of the paper; draws qpace.figure6.svg, qpace.goodput.png and so on"},
        {"bench qpace", "--quick --cells cells.json",
         "the same numbers from shorter runs, and those that fpga/common/cells.py wrote"},
    };
  }

  std::unique_ptr<Machine> build(const MachineOptions& o,
                                 const BuildRequirements& r) const override {
    const QpaceSettings& own = settings_of(o);
    auto m = common_options<QpaceMachineOptions>(o, r);
    m.shape = o.nodes.empty() ? o.machine : o.nodes;
    m.node.core_clock.period = own.core_period;
    m.node.put_latency = r.host_path / 2;
    m.node.notify_latency = r.host_path - m.node.put_latency;
    m.split_axis = own.split_axis;
    m.split = own.split_axis >= 0;
    m.kill_on_error = r.kill_on_error;
    m.driver.tree_barrier = own.tree_barrier;
    m.driver.guard_receives = own.check_buffers;
    m.driver.forwards = r.forwards;
    m.driver.signal_path = m.node.put_latency;
    m.ethernet.files = r.ethernet_files;
    m.ethernet.bit_error_rate = r.ethernet_bit_error_rate;
    return std::make_unique<QpaceMachine>(std::move(m));
  }

  std::unique_ptr<host::ProcessorModel> processor(const MachineOptions& /*options*/,
                                                  const host::LocalLattice& local) const override {
    return std::make_unique<qpace::PowerXCell8i>(local);
  }
  Picoseconds program_host_path() const override { return qpace::PowerXCell8i::measured_host_path; }

  bool has_console() const override { return true; }
  bool has_ethernet() const override { return true; }

  std::vector<BenchTraits> benches() const override {
    return {{.name = "qpace",
             .help = "the QPACE torus network beside the paper's numbers",
             .figures = "STEM.figure6 and STEM.goodput",
             .quick = "fewer points and shorter runs: seconds",
             .options = {}},
            {.name = "cell",
             .help = "the Cell's performance model beside the paper's numbers",
             .figures = "",
             .quick = "",
             .options = {},
             .hardware = false}};
  }
  std::string campaign() const override {
    return "random errors over random traffic, every one accounted for";
  }
  SpeedTraits speed() const override {
    return {.own_links = true, .reference = 8, .takes = "cubes", .shape = cube};
  }
  std::vector<OwnOption> campaign_options() const override {
    return {{.name = "--residual",
             .help = "no runs: compute the probability that the link's checks accept damaged data",
             .kind = OwnOption::Kind::Flag,
             .group = ""}};
  }
};

}  // namespace
}  // namespace ht::machine

extern "C" const ht::machine::MachineDescription* hypertorus_machine() {
  static const ht::machine::QpaceDescription description;
  return &description;
}
