// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench_tofu.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "sim/bench/tofu_gates.hpp"
#include "sim/cli/bench_steps.hpp"
#include "sim/cli/bench_table.hpp"
#include "sim/cli/gnuplot.hpp"
#include "sim/cli/report.hpp"
#include "sim/cli/run_json.hpp"
#include "sw/tofu/barrier_latency.hpp"

namespace ht::cli {
namespace {

using bench::CollectiveTime;
using tofu::Algorithm;
using tofu::AllreduceTrial;

constexpr double paper_hop = 31;  // 0.1 us (section 4.2), PHY and cable included
constexpr int largest_machine = 100'000;

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

// Measured times of a pattern, by nodes.
struct Curve {
  std::string name;
  std::vector<std::pair<int, double>> us;
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
                   fmt::format("{}, {} nodes, {} gates a node", text, n, t.gates),
                   "us",
                   us,
                   {},
                   {}});
      };
      row("barrier", "barrier", t.barrier_us);
      row("sum", "sum of a double", t.sum_us);
      curve.us.emplace_back(n, t.barrier_us);
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
                 fmt::format("barrier, {} nodes, {}, {} gates a node at most", n, p.name,
                             pattern.most_gates()),
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

std::vector<Curve> noise_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  AllreduceTrial trial;
  trial.rounds = quick ? 20 : 100;
  trial.work = 100'000'000;
  host::OsNoise noise;
  noise.mean_interval = 1'000'000'000;
  noise.longest = 50'000'000;
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
        curve.us.emplace_back(n, us);
      }
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

void draw(const std::vector<Curve>& curves, const std::string& title, const std::string& y_label,
          const std::string& stem) {
  GnuplotFigure f;
  f.title = title;
  f.x_label = "nodes";
  f.y_label = y_label;
  f.log_base = 2;
  f.more = "set logscale y 10\nset key top left\n";
  int number = 0;
  for (const Curve& c : curves) {
    ++number;
    GnuplotFigure::Curve drawn{c.name, fmt::format("linespoints lc {0} pt {0} lw 2", number), {}};
    for (const auto& [nodes, us] : c.us) drawn.points.emplace_back(nodes, us);
    f.curves.push_back(std::move(drawn));
  }
  draw_with_gnuplot(f, stem);
}

}  // namespace

void declare_bench_tofu_options(CLI::App& app, BenchTofuOptions& options) {
  app.add_option("--json", options.json, "write rows {id, value, unit, paper, limit} to FILE");
  app.add_option("--plot", options.plot,
                 "draw STEM.barrier and STEM.noise, .svg and .png, with gnuplot");
  app.add_option("--cells", options.cells,
                 "show and pass on the rows of FILE, written by fpga/common/cells.py --table");
  app.add_flag("--quick", options.quick, "fewer points: seconds");
}

int bench_tofu(const BenchTofuOptions& options) {
  BenchRows rows(options.json);
  if (!options.plot.empty()) {
    require_gnuplot("--plot");
    for (const char* figure : {".barrier.svg", ".noise.svg"}) check_writable(options.plot + figure);
  }
  const std::vector<BenchLine> cells =
      options.cells.empty() ? std::vector<BenchLine>{} : read_bench_lines(options.cells);
  ProgressLine line(false);
  BenchTable table(rows, line);
  BenchSteps steps(line, options.quick ? 189 : 3760);
  latency_rows(table, steps);
  const std::vector<Curve> collectives = collective_rows(table, steps, options.quick);
  model_rows(table);
  const std::vector<Curve> noise = noise_rows(table, steps, options.quick);
  line.clear();
  if (!cells.empty()) table.heading("Cells, by Yosys");
  for (const BenchLine& cell : cells) table.add(cell);
  if (!options.plot.empty()) {
    draw(collectives, "Barriers by gates, all nodes at once", "time (us)",
         options.plot + ".barrier");
    draw(noise, "A sum of all nodes, and 100 us of computing before it", "time of a round (us)",
         options.plot + ".noise");
  }
  rows.write();
  return 0;
}

}  // namespace ht::cli
