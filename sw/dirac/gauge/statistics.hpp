// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

namespace ht::dirac {

/// Mean of a Markov chain's measurements and its statistical error, autocorrelation included.
struct ChainMean {
  double mean = 0;
  double error = 0;        ///< one standard deviation of the mean
  double naive_error = 0;  ///< as if the measurements were independent
  /// Integrated autocorrelation time in measurements, 1/2 if they are independent.
  double autocorrelation = 0.5;
};

/// Fewer measurements than this many autocorrelation times say little about the error.
inline constexpr double kFewTimes = 100;

/// By the autocorrelation function, summed up to a window that it chooses itself (U. Wolff, Comput.
/// Phys. Commun. 156 (2004) 143, hep-lat/0306017). Throws UsageError for fewer than 2 measurements.
ChainMean chain_mean(std::span<const double> measurements);

}  // namespace ht::dirac
