// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/measurement.hpp"
#include "sw/qcdoc/ppc440.hpp"

namespace ht::cli {

/// Microseconds of simulated time an iteration of the even-odd conjugate gradient takes on sixteen
/// QCDOC nodes, 2x2x2x2, with `local` sites each: the program of `hypertorus run` over Verilated
/// nodes, its computing charged by the model of the processor. Mean of `iterations` after the
/// first.
double simulated_iteration_us(const host::LocalLattice& local, const qcdoc::Ppc440Options& options,
                              int iterations, const bench::Progress& progress);

}  // namespace ht::cli
