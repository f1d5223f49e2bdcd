// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

// Figures of one run, each an SVG document. Empty if the run has nothing to show there: it was
// interrupted, or had no hardware.

/// |r| / |M^dagger b| by iteration, a curve a column; the tolerance as a line.
std::string residual_figure(const RunResult& result);

/// Bars of compute, halo and sum: the mean, and each node while there are at most 64.
std::string time_figure(const RunResult& result);

/// The pion correlator by t.
std::string correlator_figure(const RunResult& result);

/// The torus: nodes by coordinates, every direction of every cable in the colour and width of its
/// packets, retransmissions marked.
std::string torus_figure(const RunResult& result);

}  // namespace ht::cli
