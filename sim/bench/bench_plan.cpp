// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_plan.hpp"

#include <algorithm>

namespace ht::cli {

std::function<void(Picoseconds)> BenchPlan::next(const std::string& what, int nodes, double ns) {
  done_ += current_;
  current_ = weight(nodes, ns);
  line_.stage(what);
  return [this, nodes](Picoseconds now) {
    const double share = nodes * static_cast<double>(now) * 1e-9;
    line_.work(done_ + std::min(current_, share));
  };
}

}  // namespace ht::cli
