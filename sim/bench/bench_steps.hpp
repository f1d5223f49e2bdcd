// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>

#include "sim/bench/bench_share.hpp"
#include "sim/output/progress_line.hpp"

namespace ht::cli {

/// The progress line of measurements, by steps done: simulated time says little where most of it is
/// idle.
class BenchSteps {
 public:
  BenchSteps(ProgressLine& line, BenchShare& share, double steps) : line_(line), share_(share) {
    line_.expect_work(steps, "steps");
  }
  /// BenchShare::run() of `measure`, which is worth `weight` steps.
  template <typename F>
  auto run(const std::string& what, double weight, const F& measure) {
    line_.stage(what);
    line_.work(done_);
    weight_ = weight;
    auto result = share_.run(weight, measure);
    done_ += weight;
    return result;
  }
  /// For measurements that take long: this share of the step is done.
  void within(double share) { line_.work(done_ + weight_ * std::min(share, 1.0)); }

 private:
  ProgressLine& line_;
  BenchShare& share_;
  double done_ = 0, weight_ = 0;
};

}  // namespace ht::cli
