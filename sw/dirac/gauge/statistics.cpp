// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "sw/host/errors.hpp"

namespace ht::dirac {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

/// Standard error of the mean of `bins` bins of `length` measurements.
double error_of_bins(std::span<const double> values, std::size_t length) {
  const std::size_t bins = values.size() / length;
  const double mean = mean_of(values.first(bins * length));
  double square = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const double d = mean_of(values.subspan(b * length, length)) - mean;
    square += d * d;
  }
  const auto n = static_cast<double>(bins);
  return std::sqrt(square / (n * (n - 1)));
}

}  // namespace

double ChainMean::autocorrelation() const {
  return naive_error > 0 ? 0.5 * (error / naive_error) * (error / naive_error) : 0.5;
}

ChainMean chain_mean(std::span<const double> measurements) {
  constexpr std::size_t kFewestBins = 32;
  if (measurements.size() < 2) {
    throw UsageError("an error needs at least 2 measurements; allow more sweeps");
  }
  ChainMean result;
  result.mean = mean_of(measurements);
  result.naive_error = error_of_bins(measurements, 1);
  result.error = result.naive_error;
  for (std::size_t length = 2; measurements.size() / length >= kFewestBins; length *= 2) {
    result.error = std::max(result.error, error_of_bins(measurements, length));
  }
  return result;
}

}  // namespace ht::dirac
