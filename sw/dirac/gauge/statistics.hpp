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
  double autocorrelation() const;
};

/// Binning: measurements are averaged over bins of 1, 2, 4, ... as long as there are 32 bins; the
/// error is the largest that the bins' means give. Throws UsageError for fewer than 2 measurements.
ChainMean chain_mean(std::span<const double> measurements);

}  // namespace ht::dirac
