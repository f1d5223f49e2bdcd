// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "sim/bench/bench_share.hpp"
#include "sim/output/progress_line.hpp"

namespace ht::cli {

/// What a benchmark is going to measure, weighed by how long nodes are simulated, all together: the
/// progress line's share and time left.
class BenchPlan {
 public:
  /// `link_up_ns` is simulated before each measurement begins.
  BenchPlan(ProgressLine& line, BenchShare& share, double link_up_ns)
      : line_(line), share_(share), link_up_ns_(link_up_ns) {}

  /// Before begin(): so many nodes for so long.
  void expect(int nodes, double ns) { total_ += weight(nodes, ns); }
  void begin() { line_.expect_work(total_, "node-ms"); }
  /// BenchShare::run() of the next measurement, expected like this; `measure` is to call what it is
  /// given with the simulated time.
  template <typename F>
  auto run(const std::string& what, int nodes, double ns, const F& measure) {
    const auto progress = next(what, nodes, ns);
    return share_.run(weight(nodes, ns), [&] { return measure(progress); });
  }

 private:
  std::function<void(Picoseconds)> next(const std::string& what, int nodes, double ns);
  double weight(int nodes, double ns) const { return nodes * (ns + link_up_ns_) * 1e-6; }

  ProgressLine& line_;
  BenchShare& share_;
  double link_up_ns_;
  double total_ = 0, done_ = 0, current_ = 0;
};

}  // namespace ht::cli
