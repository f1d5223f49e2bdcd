// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sw/host/errors.hpp"

namespace ht::dirac {

ChainMean chain_mean(std::span<const double> measurements) {
  const std::size_t count = measurements.size();
  if (count < 2) throw UsageError("an error needs at least 2 measurements; allow more sweeps");
  const auto n = static_cast<double>(count);
  ChainMean result;
  for (const double x : measurements) result.mean += x / n;
  // Gamma(t), with the mean of these measurements
  const auto correlation = [&](std::size_t t) {
    double sum = 0;
    for (std::size_t i = 0; i + t < count; ++i)
      sum += (measurements[i] - result.mean) * (measurements[i + t] - result.mean);
    return sum / static_cast<double>(count - t);
  };
  const double at_once = correlation(0);
  result.naive_error = std::sqrt(at_once / (n - 1));
  result.error = result.naive_error;
  if (!(at_once > 0)) return result;
  // The window grows until what it leaves out is less than the noise of what it has, with
  // S = 1.5.
  constexpr double kFactor = 1.5;
  double sum = at_once;
  std::size_t window = 0;
  while (window < count / 2) {
    sum += 2 * correlation(++window);
    const double time = sum / (2 * at_once);
    const double decay = time > 0.5 ? kFactor / std::log((2 * time + 1) / (2 * time - 1))
                                    : std::numeric_limits<double>::min();
    const auto w = static_cast<double>(window);
    if (std::exp(-w / decay) < decay / std::sqrt(w * n)) break;
  }
  // The mean was these measurements' own: a bias of 1 / n.
  sum *= 1 + (2 * static_cast<double>(window) + 1) / n;
  result.autocorrelation = std::max(0.5, sum / (2 * at_once));
  result.error = result.naive_error * std::sqrt(2 * result.autocorrelation);
  return result;
}

}  // namespace ht::dirac
