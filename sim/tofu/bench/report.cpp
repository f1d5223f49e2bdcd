// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/bench/bench_steps.hpp"
#include "sim/bench/bench_table.hpp"
#include "sim/bench/gnuplot.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/plugin/parse.hpp"
#include "sim/tofu/bench/congestion.hpp"
#include "sim/tofu/bench/gates.hpp"
#include "sim/tofu/bench/link_rate.hpp"
#include "sim/tofu/bench/puts.hpp"
#include "sim/tofu/bench/sparc64_report.hpp"
#include "sw/tofu/gates/barrier_latency.hpp"

namespace ht::cli {
namespace {

/// How operating systems interrupt programs: from one to the next on average, shortest, longest.
constexpr const char* default_noise = "1ms,20us,50us";

using bench::CollectiveTime;
using tofu::Algorithm;
using tofu::AllreduceTrial;

constexpr double paper_hop = 31;  // 0.1 us (section 4.2), PHY and cable included
constexpr int largest_machine = 100'000;
constexpr double congestion_steps = 1e-4;  // a node and cycle of routers

struct Named {
  Algorithm algorithm;
  const char *id, *name;
};
constexpr Named patterns[] = {{Algorithm::RecursiveDoubling, "doubling", "recursive doubling"},
                              {Algorithm::DoubleRing, "ring", "double ring"},
                              {Algorithm::Tree, "tree", "tree"},
                              {Algorithm::WideTree, "wide_tree", "wide tree"}};

struct Way {
  AllreduceTrial::Way way;
  const char *id, *name;
};
constexpr Way ways[] = {
    {AllreduceTrial::Way::Hosts, "hosts", "by hosts"},
    {AllreduceTrial::Way::Gates, "gates", "by gates"},
    {AllreduceTrial::Way::GatesBehind, "gates_behind", "by gates, while hosts compute"}};

// What a figure shows: times by nodes, in us; accepted beats by those offered.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

void latency_rows(BenchTable& table, BenchSteps& steps) {
  table.heading("Between a node's pins, without PHY and cable");
  const bench::TofuCycles c = steps.run("router and gates", 1, [] { return bench::tofu_cycles(); });
  table.add({"tofu.hop_cycles",
             "a hop, head in to head out, nothing else under way",
             "cycles",
             static_cast<double>(c.hop),
             paper_hop,
             {},
             0});
  table.add({"tofu.gate_cycles",
             "a barrier gate, last beat in to first beat out",
             "cycles",
             static_cast<double>(c.gate),
             {},
             {},
             0});
  table.add({"tofu.gate_wire_cycles",
             "  with links and router around it",
             "cycles",
             static_cast<double>(c.gate_wire),
             {},
             {},
             0});
}

void link_rows(BenchTable& table, BenchSteps& steps) {
  constexpr unsigned cable = 20, packets = 64;
  constexpr double paper_share = 0.9;                // section 4.2
  constexpr double bytes = 2048, overhead = 32 + 8;  // a packet, its header and CRC
  table.heading("A link, full packets both ways, acknowledgements included");
  table.add({"tofu.payload_fraction", "payload, the slower direction, 64 ns of cable and PHY", "",
             steps.run("link", 1, [] { return bench::tofu_payload_fraction(cable, packets); }),
             paper_share, 1 - overhead / bytes});
}

// Our assumptions: memory next to the controller, and behind a processor's caches and buses.
constexpr int memory_ns[] = {20, 200};

void put_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  // TofuD's, PHY, cable and memory included (CLUSTER 2018); 16 bytes a cycle.
  constexpr double paper_put8 = 490, link_rate = 5;
  const std::uint64_t bytes = quick ? 200'000 : 1'000'000;
  table.heading("Network interfaces, from memory to a neighbour's memory");
  table.add({"tofu.put8_ns",
             "a put of 8 bytes, doorbell to data; no PHY, cable or memory latency",
             "ns",
             steps.run("put of 8 bytes", 1, [] { return bench::tofu_put8_ns(); }),
             paper_put8,
             {},
             0});
  for (const int latency : memory_ns) {
    table.add({fmt::format("tofu.put8_{}ns_ns", latency),
               fmt::format("  memory read in {} ns, counted", latency),
               "ns",
               steps.run("put of 8 bytes", 1, [&] { return bench::tofu_put8_ns(latency * 1'000); }),
               paper_put8,
               {},
               0});
  }
  for (const int n : {1, 4}) {
    const double rate = steps.run(fmt::format("puts by {} interfaces", n), n,
                                  [&] { return bench::tofu_put_rate(n, bytes); });
    table.add({fmt::format("tofu.put_{}_gb_s", n),
               fmt::format("long puts by {} of four interfaces, each to a neighbour", n),
               "GB/s",
               rate * 1e-9,
               {},
               link_rate * n});
  }
  for (const int latency : memory_ns) {
    const double rate = steps.run("puts by an interface", 1,
                                  [&] { return bench::tofu_put_rate(1, bytes, latency * 1'000); });
    table.add({fmt::format("tofu.put_1_{}ns_gb_s", latency),
               fmt::format("  by one of them, memory read in {} ns", latency),
               "GB/s",
               rate * 1e-9,
               {},
               link_rate});
  }
}

// Tori for the router's schedules.
struct Torus {
  const char *id, *name;
  model::tofu::Shape shape;
  double hot;  // share of packets to one node
};

// What routers get through when more is offered than they can take.
std::vector<Curve> congestion_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  std::vector<Torus> tori = {{"8x8", "8x8, 64 nodes", {{8, 8, 1, 1, 1, 1}, {true, true}}, 0}};
  if (!quick) {
    tori.push_back({"3x3x1x2x3x2", "3x3x1 x 2x3x2, 108", {{3, 3, 1, 2, 3, 2}, {true, true}}, 0});
    tori.push_back({"hot_8x1x1x2x3x1",
                    "8x1x1 x 2x3x1, 48, 5 % of packets to one",
                    {{8, 1, 1, 2, 3, 1}, {true}},
                    0.05});
  }
  table.heading("Routers under random traffic, by their outputs' schedule");
  std::vector<Curve> curves;
  for (const Torus& torus : tori) {
    Curve by_schedule[2] = {{fmt::format("{}, in turn", torus.name), {}},
                            {fmt::format("{}, transit first", torus.name), {}}};
    for (const double offered :
         quick ? std::vector<double>{4} : std::vector<double>{0.5, 1, 2, 4}) {
      for (const bool in_turn : {true, false}) {
        bench::TofuLoad load;
        load.offered = offered;
        load.hot = torus.hot;
        const unsigned cycles = quick ? 1200 : 2400;
        const char* const schedule = in_turn ? "in turn" : "transit first";
        const double weight = torus.shape.nodes() * cycles * congestion_steps;
        const auto r = steps.run(
            fmt::format("routers, {}, {} offered, {}", torus.name, offered, schedule), weight,
            [&] { return bench::tofu_throughput(torus.shape, load, in_turn, cycles); });
        table.add({fmt::format("tofu.accepted_{}_{:g}_{}", torus.id, offered,
                               in_turn ? "in_turn" : "transit_first"),
                   fmt::format("{}; {:g} offered, {}", torus.name, offered, schedule),
                   "beats/cycle",
                   r.accepted,
                   {},
                   offered});
        by_schedule[in_turn ? 0 : 1].points.emplace_back(offered, r.accepted);
      }
    }
    std::ranges::move(by_schedule, std::back_inserter(curves));
  }
  return curves;
}

// Every collective begun by all nodes at once, until the last has the result. Cables of 64 ns.
std::vector<Curve> collective_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  const std::vector<int> sizes = quick ? std::vector<int>{2, 3, 4, 8, 12}
                                       : std::vector<int>{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  std::vector<Curve> curves;
  for (const Named& p : patterns) {
    table.heading(fmt::format("Collectives by {}", p.name));
    Curve curve{p.name, {}};
    for (const int n : sizes) {
      const CollectiveTime t = steps.run(fmt::format("{}, {} nodes", p.name, n), n, [&] {
        return bench::tofu_collective(n, p.algorithm, quick ? 1 : 4);
      });
      const auto row = [&](const char* what, const char* text, double us) {
        table.add({fmt::format("tofu.{}_{}_{}_us", what, p.id, n),
                   fmt::format("  {}", text),
                   "us",
                   us,
                   {},
                   {}});
      };
      table.add({fmt::format("tofu.gates_{}_{}", p.id, n),
                 fmt::format("{} nodes: gates of the one with most", n),
                 "gates",
                 static_cast<double>(t.gates),
                 {},
                 {},
                 0});
      row("barrier", "barrier", t.barrier_us);
      row("sum", "sum of a double", t.sum_us);
      curve.points.emplace_back(n, t.barrier_us);
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

void model_rows(BenchTable& table) {
  table.heading("By the model of latency (sw/tofu), from gate to gate");
  for (const int n : {64, largest_machine}) {
    for (const Named& p : patterns) {
      if (n == largest_machine && p.algorithm == Algorithm::DoubleRing) continue;  // seconds
      const tofu::BarrierPattern pattern(p.algorithm, n);
      const auto l =
          tofu::latency(pattern, tofu::Shape::for_nodes(n), tofu::BarrierTiming::barrier());
      table.add({fmt::format("tofu.model_barrier_{}_{}_us", p.id, n),
                 fmt::format("barrier, {} nodes, {}, {} gates", n, p.name, pattern.most_gates()),
                 "us",
                 l.nanoseconds() * 1e-3,
                 {},
                 {}});
    }
  }
}

tofu::Shape trial_machine(int nodes) {
  tofu::Shape shape{{1, 1, 1, 2, 1, 2}, {true, true, true}};
  for (std::size_t axis = 0; shape.nodes() < nodes; axis = (axis + 1) % 3) shape.length[axis] *= 2;
  return shape;
}

std::vector<Curve> noise_rows(BenchTable& table, BenchSteps& steps, host::OsNoise noise,
                              bool quick) {
  AllreduceTrial trial;
  trial.rounds = quick ? 20 : 100;
  trial.work = 100'000'000;
  noise.begin = trial.begin;
  table.heading(
      fmt::format("{} sums, {} us of computing before each; noise: every node interrupted every {} "
                  "us, for {} to {} us",
                  trial.rounds, trial.work / 1'000'000, noise.mean_interval / 1'000'000,
                  noise.shortest / 1'000'000, noise.longest / 1'000'000));
  std::vector<Curve> curves;
  for (const bool noisy : {false, true}) {
    for (const Way& w : ways) {
      Curve curve{fmt::format("{}{}", w.name, noisy ? ", noise" : ""), {}};
      for (const int n : quick ? std::vector<int>{4, 8} : std::vector<int>{8, 16, 32, 64}) {
        trial.way = w.way;
        trial.noise = noisy ? std::optional(noise) : std::nullopt;
        const double us =
            1e-6 * steps.run(fmt::format("sums {}, {} nodes", curve.name, n), quick ? n : 4 * n,
                             [&] { return bench::tofu_trial(trial_machine(n), trial); });
        table.add({fmt::format("tofu.round_{}{}_{}_us", w.id, noisy ? "_noise" : "", n),
                   fmt::format("a round, {} nodes, {}", n, curve.name),
                   "us",
                   us,
                   {},
                   static_cast<double>(trial.work) * 1e-6});
        curve.points.emplace_back(n, us);
      }
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

void draw(const std::vector<Curve>& curves, const std::string& title, const std::string& x_label,
          const std::string& y_label, const std::string& more, const std::string& stem) {
  GnuplotFigure f;
  f.title = title;
  f.x_label = x_label;
  f.y_label = y_label;
  f.log_base = 2;
  f.more = more + "set key top left\n";
  int number = 0;
  for (const Curve& c : curves) {
    ++number;
    GnuplotFigure::Curve drawn{c.name, fmt::format("linespoints lc {0} pt {0} lw 2", number), {}};
    drawn.points = c.points;
    f.curves.push_back(std::move(drawn));
  }
  draw_with_gnuplot(f, stem);
}

}  // namespace

int bench_tofu(const BenchOptions& options, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  const std::vector<BenchLine> cells =
      check_bench_options(options, {".congestion", ".barrier", ".noise"});
  const host::OsNoise interruptions =
      machine::parse_noise("--noise", options.own.text("--noise", default_noise));
  ProgressLine line(!session.reports(), &session.stop);
  BenchTable table(rows, line);
  BenchShare share(session.ranks, session.stop);
  BenchSteps steps(line, share, options.quick ? 199 : 3770);
  latency_rows(table, steps);
  link_rows(table, steps);
  put_rows(table, steps, options.quick);
  const std::vector<Curve> congestion = congestion_rows(table, steps, options.quick);
  const std::vector<Curve> collectives = collective_rows(table, steps, options.quick);
  model_rows(table);
  const std::vector<Curve> noise = noise_rows(table, steps, interruptions, options.quick);
  line.clear();
  table.add_cells(cells);
  if (!options.plot.empty()) {
    const char* const logarithmic = "set logscale y 10\n";
    draw(congestion, "Routers under random traffic", "offered, beats a node and cycle",
         "accepted, beats a node and cycle", "set xrange [0.4:5]\nset yrange [0:]\n",
         options.plot + ".congestion");
    draw(collectives, "Barriers by gates, all nodes at once", "nodes", "time (us)", logarithmic,
         options.plot + ".barrier");
    draw(noise, "A sum of all nodes, and 100 us of computing before it", "nodes",
         "time of a round (us)", logarithmic, options.plot + ".noise");
  }
  return 0;
}

namespace {

int run(const std::string& name, const BenchOptions& options, const BenchSession& session) {
  return name == "sparc64" ? bench_sparc64(options, session) : bench_tofu(options, session);
}

}  // namespace
}  // namespace ht::cli

extern "C" const ht::cli::MachineBenches* hypertorus_bench() {
  static constexpr ht::cli::MachineBenches benches{ht::cli::run};
  return &benches;
}
