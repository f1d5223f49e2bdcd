// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_options.hpp"

namespace ht::cli {

/// `bench sparc64`: what the model of Tofu's processor says of lattice solvers beside what is
/// published of the K computer. Nothing is simulated.
int bench_sparc64(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
