// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/bench/bench_steps.hpp"
#include "sim/bench/bench_table.hpp"
#include "sim/bench/gnuplot.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/qcdoc/bench/bench.hpp"
#include "sim/qcdoc/bench/cg_report.hpp"
#include "sim/qcdoc/bench/global.hpp"
#include "sim/qcdoc/bench/solve_report.hpp"

namespace ht::cli {
namespace {

using namespace bench;
using Shape = std::vector<int>;

constexpr double bit_ns = 2, word_ns = 144, ns_to_us = 1e-3;
constexpr double rate_limit = 24 * 8 / word_ns;  // GB/s: 64 of 72 bits on 24 connections
constexpr double first_word_limit = 184;         // a frame, the cable, reading memory
constexpr double paper_first_word = 600, paper_rest_us = 3.3, paper_rate = 1.3;
constexpr int cable_limit_bits = 64;  // rtl/qcdoc/README.md: half of two frames, less two headers

struct Curve {
  int links;
  std::vector<std::pair<int, double>> points;  ///< words on each link, us
};

// What the paper's 600 ns from memory to memory leave for reading memory, and twice that.
constexpr int slow_memory_ns[] = {200, 400};
constexpr int ps = 1'000;

double latency_rows(BenchTable& table, BenchSteps& steps) {
  table.heading("Latency, 20 ns cables, memory read in 20 ns");
  const Spread word = steps.run("one word", 2, [] { return qcdoc_mem_to_mem(); });
  table.add({"qcdoc.mem_to_mem_ns", "one word, memory to memory, worst phase", "ns", word.worst,
             paper_first_word, first_word_limit, 1});
  table.add({"qcdoc.mem_to_mem_mean_ns", "  mean", "ns", word.mean, paper_first_word,
             first_word_limit, 1});
  table.add({"qcdoc.mem_to_mem_best_ns", "  best", "ns", word.best, paper_first_word,
             first_word_limit, 1});
  const double first = steps.run("24 words", 1, [] { return qcdoc_transfer_ns(1, 1); });
  const double all = steps.run("24 words", 1, [] { return qcdoc_transfer_ns(24, 1); });
  table.add({"qcdoc.words24_us", "24 words to a neighbour, worst phase", "us", all * ns_to_us,
             paper_first_word * ns_to_us + paper_rest_us,
             (first_word_limit + 23 * word_ns) * ns_to_us});
  table.add({"qcdoc.words24_rest_us", "  of it after the first word", "us",
             (all - first) * ns_to_us, paper_rest_us, 23 * word_ns * ns_to_us});
  for (const int latency : slow_memory_ns) {
    const Spread slow = steps.run("one word", 2, [&] { return qcdoc_mem_to_mem(latency * ps); });
    table.add({fmt::format("qcdoc.mem_to_mem_{}ns_ns", latency),
               fmt::format("one word, worst phase, memory read in {} ns", latency), "ns",
               slow.worst, paper_first_word, first_word_limit - 20 + latency, 1});
    const double words =
        steps.run("24 words", 1, [&] { return qcdoc_transfer_ns(24, 1, latency * ps); });
    table.add({fmt::format("qcdoc.words24_{}ns_us", latency),
               fmt::format("24 words, worst phase, memory read in {} ns", latency), "us",
               words * ns_to_us, paper_first_word * ns_to_us + paper_rest_us,
               (first_word_limit - 20 + latency + 23 * word_ns) * ns_to_us});
  }
  const Spread pass = steps.run("pass-through", 1, [] { return qcdoc_passthrough_bits(); });
  table.add({"qcdoc.passthrough_bits", "global operation, wire in to wire out, mean phase", "bits",
             pass.mean, 8.0, 8.0, 1});
  table.add({"qcdoc.passthrough_best_bits", "  best", "bits", pass.best, 8.0, 8.0, 1});
  table.add({"qcdoc.passthrough_worst_bits", "  worst", "bits", pass.worst, 8.0, 8.0, 1});
  return word.mean;
}

void bandwidth_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  table.heading("Bandwidth");
  const double total = steps.run("24 connections", quick ? 2 : 8,
                                 [&] { return qcdoc_total_rate(quick ? 400 : 2000); });
  table.add({"qcdoc.total_gbs", "all 24 connections of a node busy, payload", "GB/s", total,
             paper_rate, rate_limit});
  for (const int latency : slow_memory_ns) {
    const double rate = steps.run("24 connections", quick ? 2 : 8, [&] {
      return qcdoc_total_rate(quick ? 400 : 2000, latency * ps);
    });
    table.add({fmt::format("qcdoc.total_{}ns_gbs", latency),
               fmt::format("  memory read in {} ns", latency), "GB/s", rate, paper_rate,
               rate_limit});
  }
  // The quick search begins next to what the long one finds.
  const int both = steps.run("longest cable", quick ? 6 : 20, [&] {
    return quick ? qcdoc_longest_cable(Busy::BothWays, 25, 26)
                 : qcdoc_longest_cable(Busy::BothWays, 10, cable_limit_bits + 1);
  });
  const int one = steps.run("longest cable", quick ? 1 : 3, [&] {
    return quick ? qcdoc_longest_cable(Busy::OneWay, 57, 58)
                 : qcdoc_longest_cable(Busy::OneWay, 10, cable_limit_bits + 1);
  });
  table.add({"qcdoc.full_rate_cable_ns",
             "longest cable at full rate both ways, any phase",
             "ns",
             both * bit_ns,
             {},
             cable_limit_bits * bit_ns,
             0});
  table.add({"qcdoc.full_rate_cable_one_way_ns",
             "  one way, nothing to send in the other",
             "ns",
             one * bit_ns,
             {},
             cable_limit_bits * bit_ns,
             0});
}

// Returns the expected global sum on the paper's 128 nodes, us.
double global_rows(BenchTable& table, BenchSteps& steps, bool quick) {
  const Shape sixteen{2, 2, 2, 2}, sixty_four{4, 4, 2, 2};
  // The 1,024 nodes of section 4; of the 12,288 no shape is given: motherboards of 2^6.
  const Shape large{8, 4, 4, 2, 2, 2}, largest{8, 8, 8, 6, 2, 2}, benchmark{4, 4, 4, 2};
  const int rounds = quick ? 4 : 16;
  const auto times = [&](const Shape& shape, Software software, double weight) {
    return steps.run(fmt::format("global operations, {}", fmt::join(shape, "x")), weight,
                     [&] { return qcdoc_global_times(shape, software, rounds); });
  };
  double expected = 0;
  for (const Software software : {Software::Driver, Software::None}) {
    const bool driver = software == Software::Driver;
    if (!driver && quick) break;
    table.heading(driver ? "Global operations of QMP, one word a node"
                         : "The same, software taking no time, no agreement before");
    const GlobalTimes four = times({4}, software, 1), eight = times({8}, software, 1),
                      plane = times({4, 4}, software, 2), small = times(sixteen, software, 2),
                      board = times(sixty_four, software, 12);
    const struct {
      const char *id, *name;
      double GlobalTimes::*time;
    } operations[] = {{"sum", "global sum", &GlobalTimes::sum},
                      {"broadcast", "broadcast", &GlobalTimes::broadcast}};
    for (const auto& operation : operations) {
      const auto time = operation.time;
      const GlobalCost cost = GlobalCost::fit(four.*time, eight.*time, plane.*time);
      const auto row = [&](int nodes, const Shape& shape, double us, const char* how) {
        table.add(
            {fmt::format("qcdoc.{}_{}{}_us", operation.id, nodes, driver ? "" : "_hardware"),
             fmt::format("{}, {} nodes, {}{}", operation.name, nodes, fmt::join(shape, "x"), how),
             "us",
             us,
             {},
             {}});
      };
      row(16, sixteen, small.*time, "");
      row(64, sixty_four, board.*time, "");
      row(1024, large, cost.us(large, sixty_four, board.*time), ", by hops");
      row(12288, largest, cost.us(largest, sixty_four, board.*time), ", by hops");
      table.add({fmt::format("qcdoc.{}_hop{}_ns", operation.id, driver ? "" : "_hardware"),
                 "  each hop",
                 "ns",
                 cost.hop * 1e3,
                 {},
                 {},
                 1});
      if (driver && time == &GlobalTimes::sum)
        expected = cost.us(benchmark, sixty_four, board.*time);
    }
  }
  return expected;
}

// Iterations of the solver on Verilated nodes, by length of the local volume; us.
std::map<int, double> simulated_solves(BenchSteps& steps, const CgNetwork& network, bool quick) {
  const struct {
    int length, iterations;
    double weight;
  } cases[] = {{2, quick ? 1 : 3, quick ? 4.0 : 8.0}, {4, 1, 40}, {6, 1, 130}};
  std::map<int, double> us;
  for (const auto& each : cases) {
    const int length = each.length, iterations = each.iterations;
    if (quick && length > 2) break;
    const host::LocalLattice local{length, length, length, length};
    // Setting up takes about as long as five iterations.
    const double expected_us =
        (iterations + 6) * cg_times(local, qcdoc::Ppc440(local), network).total();
    us[length] = steps.run(fmt::format("CG, {0}x{0}x{0}x{0} a node", length), each.weight, [&] {
      return simulated_iteration_us(local, {}, iterations, [&](Picoseconds now) {
        steps.within(static_cast<double>(now) * 1e-6 / expected_us);
      });
    });
  }
  return us;
}

std::vector<Curve> transfer_curves(BenchRows& rows, BenchSteps& steps, bool quick) {
  std::vector<Curve> curves{{1, {}}, {12, {}}};
  for (Curve& curve : curves) {
    for (int words = 1; words <= (quick ? 64 : 1024); words *= quick ? 8 : 2) {
      const double us = ns_to_us * steps.run(fmt::format("{} words, {} links", words, curve.links),
                                             0.2 + 1e-3 * words * curve.links,
                                             [&] { return qcdoc_transfer_ns(words, curve.links); });
      rows.add(fmt::format("qcdoc.transfer.links{}.{}_us", curve.links, words), us, "us");
      curve.points.emplace_back(words, us);
    }
  }
  return curves;
}

void print_curves(const std::vector<Curve>& curves) {
  fmt::print(
      "\nTransfer to a neighbour, to all twelve at once; Ethernet's 5 to 10 us are its start\n"
      "{:>10}{:>14}{:>14}{:>22}\n",
      "words", "one link, us", "12 links, us", "Ethernet, one, us");
  for (std::size_t i = 0; i < curves[0].points.size(); ++i) {
    const auto& [words, us] = curves[0].points[i];
    const double wire = 64e-3 * words;
    fmt::print("{:>10}{:>14.3f}{:>14.3f}{:>22}\n", words, us, curves[1].points[i].second,
               fmt::format("{:.2f} to {:.2f}", 5 + wire, 10 + wire));
  }
}

void draw(const std::vector<Curve>& curves, const std::string& stem) {
  GnuplotFigure f;
  f.title = "Transfer time, memory to memory, and what Ethernet takes to begin (section 2.2)";
  f.x_label = "64-bit words to each neighbour";
  f.y_label = "time (us)";
  f.log_base = 2;
  f.more = "set logscale y 10\nset yrange [0.1:2000]\nset key top left\n";
  const char* styles[] = {"linespoints lc 1 pt 7 lw 2", "linespoints lc 2 pt 5 lw 2"};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    GnuplotFigure::Curve c{
        curves[i].links == 1 ? "QCDOC, one neighbour" : "QCDOC, twelve neighbours at once",
        styles[i],
        {}};
    for (const auto& [words, us] : curves[i].points) c.points.emplace_back(words, us);
    f.curves.push_back(std::move(c));
  }
  // 1 Gbit/s is ours: the paper names the start only.
  const auto ethernet = [&](double start, int neighbours, const char* name, const char* style) {
    GnuplotFigure::Curve c{name, style, {}};
    for (int words = 1; words <= 1024; words *= 2)
      c.points.emplace_back(words, start + 64e-3 * words * neighbours);
    f.curves.push_back(std::move(c));
  };
  ethernet(5, 1, "Ethernet, 5 us and 1 Gbit/s, one neighbour", "lines lc 'black' dt 2");
  ethernet(10, 1, "Ethernet, 10 us and 1 Gbit/s, one neighbour", "lines lc 'black' dt 3");
  ethernet(5, 12, "Ethernet, 5 us and 1 Gbit/s, twelve neighbours", "lines lc 'gray40' dt 4");
  draw_with_gnuplot(f, stem + ".transfer");
}

}  // namespace

int bench_qcdoc(const BenchOptions& options, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  const std::vector<BenchLine> cells = check_bench_options(options, {".transfer"});
  ProgressLine line(!session.reports(), &session.stop);
  BenchTable table(rows, line);
  BenchShare share(session.ranks, session.stop);
  BenchSteps steps(line, share, options.quick ? 43 : 271);
  const double first_word = latency_rows(table, steps);
  bandwidth_rows(table, steps, options.quick);
  const double sum_us = global_rows(table, steps, options.quick);
  const std::vector<Curve> curves = transfer_curves(rows, steps, options.quick);
  const CgNetwork network{first_word, word_ns, sum_us};
  const std::map<int, double> solves = simulated_solves(steps, network, options.quick);
  line.clear();
  cg_rows(table, network, solves);
  print_curves(curves);
  table.add_cells(cells);
  if (!options.plot.empty()) draw(curves, options.plot);
  return 0;
}

namespace {

int run(const std::string& name, const BenchOptions& options, const BenchSession& session) {
  return name == "ppc440" ? bench_ppc440(options, session) : bench_qcdoc(options, session);
}

}  // namespace
}  // namespace ht::cli

extern "C" const ht::cli::MachineBenches* hypertorus_bench() {
  static constexpr ht::cli::MachineBenches benches{ht::cli::run};
  return &benches;
}
