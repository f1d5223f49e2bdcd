// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_options.hpp"

namespace ht::cli {

/// `hypertorus bench cell`: the processor model of [Cell2007] ("QCD on the Cell Broadband Engine")
/// beside every number the paper prints: table 1, the figures of the text, equation 6.1. With
/// --json also as rows {id, value, unit, paper, limit}. Returns 0 if all agree in the digits
/// printed there, else 1; throws DataError.
int bench_cell(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
