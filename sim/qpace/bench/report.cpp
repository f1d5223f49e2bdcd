// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/bench/bench_plan.hpp"
#include "sim/bench/bench_table.hpp"
#include "sim/bench/gnuplot.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/qpace/bench/barrier_report.hpp"
#include "sim/qpace/bench/bench.hpp"
#include "sim/qpace/bench/cell_report.hpp"
#include "sim/qpace/bench/go_back_n.hpp"
#include "sim/qpace/bench/solve_report.hpp"
#include "sim/qpace/nwp_node.hpp"

namespace ht::cli {
namespace {

using namespace bench;

constexpr double line_bytes = 128, wire_limit = 128.0 / 136;

/// GB/s: of the port, or of the six wires.
double port_limit() {
  return std::min(static_cast<double>(machine::NwpNode::port_bytes) / 4.8, 6 * wire_limit);
}
constexpr double paper_maximum = 0.9;         // GB/s, "theoretical maximum" of section 6
constexpr double packet_ns = 136;             // on the wire
constexpr Picoseconds host_path = 2'500'000;  // 3 us less 0.5 us, section 6
constexpr Picoseconds cable_delay = PairOptions{}.cable_delay;

constexpr double link_up_ns = 4000;

struct ExchangePoint {
  bool host;
  int in_flight;
  std::uint64_t bytes;

  // As many after the first ones as say something new, and no more than time allows.
  int messages() const {
    const auto more =
        std::clamp<std::uint64_t>(65536 / bytes, 2, 4 * static_cast<std::uint64_t>(in_flight));
    return in_flight + static_cast<int>(more);
  }
  double expected_ns() const {
    const double each = static_cast<double>(bytes) / line_bytes * packet_ns;
    return messages() * std::max(each, ((host ? 2500 : 0) + 500 + each) / in_flight);
  }
};

struct GoodputPoint {
  const char* rate_text;
  double rate;
  int packets, quick_packets;
  double expected_ns(int n) const { return n * line_bytes / go_back_n_rate(rate, cable_delay); }
};

constexpr GoodputPoint goodput_points[] = {
    {"1e-8", 1e-8, 8000, 0},  {"1e-7", 1e-7, 16000, 0},    {"1e-6", 1e-6, 32000, 6000},
    {"3e-6", 3e-6, 16000, 0}, {"1e-5", 1e-5, 16000, 6000}, {"3e-5", 3e-5, 8000, 0},
    {"1e-4", 1e-4, 4000, 0},
};

std::vector<ExchangePoint> exchange_points(bool quick) {
  std::vector<ExchangePoint> points;
  for (const bool host : {true, false}) {
    for (const int n : {1, 2, 4, 8}) {
      if (quick && n != 1 && n != 8) continue;
      for (std::uint64_t bytes = 128; bytes <= (host ? 262144U : 16384U); bytes *= 2) {
        if (!quick || bytes == 128 || bytes == 2048 || bytes == 16384)
          points.push_back({host, n, bytes});
      }
    }
  }
  return points;
}

void latency_rows(BenchTable& table, BenchShare& share, int rounds) {
  table.heading("Latency");
  const FifoToDma fifo = share.run(0.1, [] { return fifo_to_dma(); });
  table.add({"qpace.fifo_to_dma_cycles", "transmit FIFO to receive DMA, no PHY or cable, worst",
             "cycles", static_cast<double>(fifo.cycles()), 125, 34, 0});
  const double with_phys = static_cast<double>(fifo.to_wire + fifo.from_wire + cable_delay) * 1e-6;
  table.add({"qpace.fifo_to_dma_phys_us",
             "the same with 250 ns for PHYs and cable",
             "us",
             with_phys,
             0.5,
             {},
             3});
  const auto ping_us = [&](Picoseconds host, Software software) {
    PairOptions pair;
    pair.host_path = host;
    const double node_ms = 2 * rounds * 3e-3;  // as long as in the paper
    return share.run(node_ms, [&] { return ping_pong(pair, rounds, software); }) * 1e-6;
  };
  table.add({"qpace.pingpong_us",
             "ping-pong, 128 B, memory to memory, no host path",
             "us",
             ping_us(0, Software::None),
             3,
             {},
             3});
  table.add({"qpace.pingpong_host_path_us",
             "  with a host path of 2.5 us, as in the paper's",
             "us",
             ping_us(host_path, Software::None),
             3,
             {},
             3});
  table.add({"qpace.pingpong_driver_us",
             "  through the driver under QMP, no host path",
             "us",
             ping_us(0, Software::Driver),
             {},
             {},
             3});
  table.add({"qpace.pingpong_driver_host_path_us",
             "  through the driver, with the host path",
             "us",
             ping_us(host_path, Software::Driver),
             3,
             {},
             3});
}

struct Measured {
  std::vector<std::pair<ExchangePoint, double>> exchange;
  std::vector<std::pair<GoodputPoint, double>> goodput;
};

void print_figure_6(const Measured& m) {
  fmt::print("\nFigure 6: GB/s a direction, both ways, n messages in flight (limit {:.3f})\n{:>10}",
             wire_limit, "bytes");
  std::map<std::pair<bool, int>, std::size_t> columns;  // those with the host path first
  std::map<std::uint64_t, std::vector<std::string>> lines;
  for (const auto& [p, rate] : m.exchange) columns.try_emplace({!p.host, p.in_flight}, 0);
  for (auto& [key, column] : columns) {
    column = static_cast<std::size_t>(std::distance(columns.begin(), columns.find(key)));
    fmt::print("{:>8}", fmt::format("n = {}", key.second));
  }
  fmt::print("    (second half: no host path)\n");
  for (const auto& [p, rate] : m.exchange) {
    auto& line = lines[p.bytes];
    line.resize(columns.size(), "-");
    line[columns.at({!p.host, p.in_flight})] = fmt::format("{:.3f}", rate);
  }
  for (const auto& [bytes, line] : lines) {
    fmt::print("{:>10}", bytes);
    for (const std::string& text : line) fmt::print("{:>8}", text);
    fmt::print("\n");
  }
}

void draw(const Measured& m, const std::string& stem) {
  GnuplotFigure six;
  six.title = "Bandwidth of one link, both directions busy (figure 6 of the paper)";
  six.x_label = "message size (bytes)";
  six.y_label = "payload a direction (GB/s)";
  six.log_base = 2;
  six.more =
      "set key bottom right\nset xtics ('128' 128, '512' 512, '2k' 2048, '8k' 8192, '32k' 32768, "
      "'128k' 131072)\n";
  for (const bool host : {true, false}) {
    int colour = 0;
    for (const int n : {1, 2, 4, 8}) {
      ++colour;
      GnuplotFigure::Curve curve;
      curve.name = fmt::format("n = {}{}", n, host ? "" : ", no host path");
      curve.style = fmt::format("{} lc {} lw 2", host ? "linespoints pt 7" : "lines dt 3", colour);
      for (const auto& [point, rate] : m.exchange) {
        if (point.host == host && point.in_flight == n)
          curve.points.emplace_back(static_cast<double>(point.bytes), rate);
      }
      if (!curve.points.empty()) six.curves.push_back(std::move(curve));
    }
  }
  six.curves.push_back({"the paper's maximum, 0.9",
                        "lines lc 'black' dt 2",
                        {{128, paper_maximum}, {262144, paper_maximum}}});
  draw_with_gnuplot(six, stem + ".figure6");

  GnuplotFigure good;
  good.title = "Goodput of one link one way, 250 ns each way";
  good.x_label = "bit error rate of the coded line";
  good.y_label = "payload (GB/s)";
  good.more = "set xrange [1e-8:2e-4]\nset key bottom left\nset format x '10^{%L}'\n";
  GnuplotFigure::Curve here{"simulated", "points lc 1 pt 7 ps 1.4", {}};
  for (const auto& [point, rate] : m.goodput) here.points.emplace_back(point.rate, rate);
  GnuplotFigure::Curve theory{"go-back-N, theory", "lines lc 'black' lw 2", {}};
  for (double rate = 1e-8; rate < 1.1e-4; rate *= 1.2)
    theory.points.emplace_back(rate, go_back_n_rate(rate, cable_delay));
  good.curves = {theory, here};
  draw_with_gnuplot(good, stem + ".goodput");
}

}  // namespace

int bench_qpace(const BenchOptions& options, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  const std::vector<BenchLine> cells = check_bench_options(options, {".figure6", ".goodput"});
  ProgressLine line(!session.reports(), &session.stop);
  BenchTable table(rows, line);
  BenchShare share(session.ranks, session.stop);
  BenchPlan plan(line, share, link_up_ns);

  const int packets = options.quick ? 600 : 2000, six_packets = options.quick ? 256 : 600;
  const double six_ns = six_packets * 6 * line_bytes / port_limit();
  const std::vector<ExchangePoint> exchanges = exchange_points(options.quick);
  plan.expect(2, packets * packet_ns);
  plan.expect(8, six_ns);
  for (const ExchangePoint& p : exchanges) plan.expect(2, p.expected_ns());
  const auto packets_of = [&](const GoodputPoint& p) {
    return options.quick ? p.quick_packets : p.packets;
  };
  for (const GoodputPoint& p : goodput_points) {
    if (packets_of(p) > 0) plan.expect(2, p.expected_ns(packets_of(p)));
  }

  latency_rows(table, share, options.quick ? 20 : 100);
  barrier_rows(table, share, options.quick);
  plan.begin();
  table.heading("Bandwidth: payload a direction");
  table.add(
      {"qpace.payload_bidir_gbs", "one link, both directions busy", "GB/s",
       plan.run("one link", 2, packets * packet_ns,
                [&](const Progress& progress) { return bidirectional_rate(packets, progress); }),
       paper_maximum, wire_limit});
  table.add(
      {"qpace.six_links_gbs",
       "all six links of eight nodes, a node",
       "GB/s",
       plan.run("six links", 8, six_ns,
                [&](const Progress& progress) { return six_link_rate(six_packets, progress); }),
       {},
       port_limit()});

  Measured measured;
  table.heading("Goodput one way, 250 ns each way; limit: go-back-N, theory");
  for (const GoodputPoint& p : goodput_points) {
    const int n = packets_of(p);
    if (n == 0) continue;
    PairOptions pair;
    pair.bit_error_rate = p.rate;
    const Goodput g =
        plan.run(fmt::format("goodput at {}", p.rate_text), 2, p.expected_ns(n),
                 [&](const Progress& progress) { return goodput(pair, n, progress); });
    table.add({fmt::format("qpace.goodput_ber{}_gbs", p.rate_text),
               fmt::format("bit error rate {}: {} errors, {} of {} packets again", p.rate_text,
                           g.errors, g.retransmitted, n),
               "GB/s",
               g.rate,
               {},
               go_back_n_rate(p.rate, cable_delay)});
    measured.goodput.emplace_back(p, g.rate);
  }

  for (const ExchangePoint& p : exchanges) {
    PairOptions pair;
    pair.host_path = p.host ? host_path : 0;
    const double rate =
        plan.run(fmt::format("figure 6: {} bytes, n = {}", p.bytes, p.in_flight), 2,
                 p.expected_ns(), [&](const Progress& progress) {
                   return exchange_rate(pair, p.bytes, p.in_flight, p.messages(), progress);
                 });
    rows.add(
        fmt::format("qpace.exchange{}.n{}.{}_gbs", p.host ? "" : "_no_host", p.in_flight, p.bytes),
        rate, "GB/s", {}, wire_limit);
    measured.exchange.emplace_back(p, rate);
  }
  line.clear();
  solve_rows(table, share, line, options.quick);
  line.clear();
  print_figure_6(measured);
  table.add_cells(cells);
  if (!options.plot.empty()) draw(measured, options.plot);
  return 0;
}

namespace {

int run(const std::string& name, const BenchOptions& options, const BenchSession& session) {
  return name == "cell" ? bench_cell(options, session) : bench_qpace(options, session);
}

}  // namespace
}  // namespace ht::cli

extern "C" const ht::cli::MachineBenches* hypertorus_bench() {
  static constexpr ht::cli::MachineBenches benches{ht::cli::run};
  return &benches;
}
