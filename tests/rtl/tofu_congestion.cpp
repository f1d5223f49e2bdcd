// SPDX-License-Identifier: Apache-2.0
// What the router's schedules do under congestion: accepted against offered load, in beats a node
// and cycle, printed as a table. Links take `--delay` cycles.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/tofu/registers.hpp"
#include "tests/rtl/tofu_traffic.hpp"

using namespace ht::test;
using ht::model::tofu::Shape;

namespace {

Shape parse(const std::string& text) {
  Shape shape;
  std::size_t at = 0;
  for (unsigned axis = 0; axis < 6; ++axis) {
    std::size_t used = 0;
    shape.length[axis] = static_cast<unsigned>(std::stoul(text.substr(at), &used));
    at += used;
    if (axis < 3 && at < text.size() && text[at] == 'r') {
      shape.ring[axis] = true;
      ++at;
    }
    ++at;  // the x between
  }
  check(shape);
  return shape;
}

struct Result {
  double accepted = 0;  ///< beats a node and cycle
  double worst = 0;     ///< of the node that got out least
  double latency = 0;   ///< mean, cycles, from the queue to the last beat
};

Result measure(const Shape& shape, const TofuLoad& load, bool in_turn, unsigned delay,
               unsigned cycles) {
  TofuNet net(shape, delay);
  for (unsigned i = 0; i < shape.nodes(); ++i)
    net.write(i, ht::tofu::registers::icc::router_control, in_turn ? 1 : 0);
  TofuTraffic traffic(net, load);
  std::vector<double> from(shape.nodes(), 0);
  double latency = 0, packets = 0, beats = 0;
  bool counting = false;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) {
    if (!counting) return;
    beats += p.length();
    from[p.from] += p.length();
    latency += static_cast<double>(net.cycle - p.began);
    ++packets;
  };
  for (unsigned i = 0; i < cycles + cycles / 2; ++i) {
    counting = i >= cycles / 2;
    traffic.offer();
    net.step();
  }
  const double n = cycles;
  return {beats / n / shape.nodes(), *std::min_element(from.begin(), from.end()) / n,
          latency / std::max(packets, 1.0)};
}

struct Options {
  unsigned cycles = 2400, delay = 20;
  std::vector<double> loads{0.5, 1, 2, 4};
  bool any_path = false;
};

double table(const std::string& name, double hot, const Options& options) {
  const Shape shape = parse(name);
  std::printf("%s, %u nodes; %.0f %% of packets to one node\n", name.c_str(), shape.nodes(),
              100 * hot);
  std::printf("%-9s%-26s%s\n", "offered", "in turn", "transit first");
  for (const double offered : options.loads) {
    std::printf("%-7.2f", offered);
    for (const bool in_turn : {true, false}) {
      TofuLoad load;
      load.offered = offered;
      load.hot = hot;
      load.any_path = options.any_path;
      const Result r = measure(shape, load, in_turn, options.delay, options.cycles);
      std::printf("  %5.3f (%5.3f; %6.0f)  ", r.accepted, r.worst, r.latency);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return 3.0 * options.cycles * static_cast<double>(options.loads.size()) * shape.nodes();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Schedules of the Tofu router under congestion"};
  Options options;
  std::string shape;
  double hot = 0;
  app.add_option("--shape", shape,
                 "X x Y x Z x A x B x C, an r after a ring's length: 8rx8rx1x1x1x1");
  app.add_option("--hot", hot, "with --shape: share of packets to one node");
  app.add_option("--cycles", options.cycles, "measured, after half as many to settle");
  app.add_option("--delay", options.delay, "of a link, cycles");
  app.add_option("--loads", options.loads, "offered, beats a node and cycle");
  app.add_flag("--any-path", options.any_path, "first legs at random");
  CLI11_PARSE(app, argc, argv);
  std::printf(
      "Accepted beats a node and cycle (of the node that got least; mean latency in cycles)\n");
  const auto begin = std::chrono::steady_clock::now();
  double node_cycles = 0;
  if (shape.empty()) {
    node_cycles += table("8rx8rx1x1x1x1", 0, options);
    node_cycles += table("3rx3rx1x2x3x2", 0, options);
    node_cycles += table("8rx1x1x2x3x1", 0.05, options);
  } else {
    node_cycles += table(shape, hot, options);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%.0f node-cycles/s, links and traffic included\n",
               node_cycles / took.count());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tofu_congestion: %s\n", error.what());
  return 2;
}
