// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "sim/kernel/kernel.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/soft_errors.hpp"

namespace ht::machine {

/// The soft errors of one node, at times drawn from the seed and the node's number (those of a
/// Poisson process, seen when the node looks); none without a site.
class SoftErrorSource {
 public:
  SoftErrorSource(const host::SoftErrors& errors, std::uint64_t seed, int node,
                  std::unique_ptr<host::SoftErrorSite> site)
      : errors_(errors), site_(std::move(site)), node_(node) {
    std::seed_seq numbers{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                          static_cast<std::uint32_t>(node)};
    draw_.seed(numbers);
    if (site_) next_ = pause();
  }

  /// How often look() is to be called, at least every `other`.
  Picoseconds every(Picoseconds other) const {
    if (!site_) return other;
    const double quarter = millisecond / errors_.rate / 4;  // of the time between two
    return static_cast<Picoseconds>(std::clamp(quarter, 1e5, static_cast<double>(other)));
  }
  /// Makes one, if its time has come.
  void look(Picoseconds now) {
    if (!site_ || now < next_) return;
    next_ = now + pause();
    const bool two = std::bernoulli_distribution(errors_.two_bits)(draw_);
    site_->flip(draw_, two);
    ++made_.made;
    made_.two_bits += two ? 1 : 0;
  }
  /// Throws HardwareError if the node's hardware has failed.
  void check() {
    if (const std::string what = fault(); !what.empty())
      throw HardwareError("node " + std::to_string(node_) + ": " + what);
  }
  std::string fault() { return site_ ? site_->fault() : std::string(); }
  host::SoftErrorTotals totals() {
    if (site_) made_.corrected = site_->corrected();
    return made_;
  }

 private:
  static constexpr double millisecond = 1e9;  // ps
  Picoseconds pause() {
    constexpr double never = 1e18;
    const double time = std::exponential_distribution<double>(errors_.rate)(draw_) * millisecond;
    return static_cast<Picoseconds>(std::min(time, never));
  }

  host::SoftErrors errors_;
  std::unique_ptr<host::SoftErrorSite> site_;
  int node_;
  std::mt19937_64 draw_;
  Picoseconds next_ = 0;
  host::SoftErrorTotals made_;
};

}  // namespace ht::machine
