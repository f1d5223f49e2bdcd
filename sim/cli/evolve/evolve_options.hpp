// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/cli/common/machine_options.hpp"
#include "sw/dirac/evolve/evolution.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What `hypertorus evolve` was asked for, as text; empty means the option was absent.
struct EvolveArguments : MachineArguments {
  std::string config, field, lattice;
  std::string boundary = "1,1,1,-1";
  std::string integrator = "omelyan";
  double beta = 5.6;
  int flavours = 0;
  std::string kappa, mu;
  int steps = 10;
  double length = 1;
  int trajectories = 1;
  int first = 0;
  double tolerance = 1e-10;
  int max_iterations = 10000;
  std::string save, format = "ildg";
  int save_every = 0;
  std::string json;
  bool quiet = false;
};

/// The same, read and checked; a configuration file is not read yet.
struct EvolveOptions : MachineOptions {
  std::string config;  ///< file, or empty for a generated field
  dirac::EvolutionSpec spec;
  std::string save;  ///< of fields, or empty
  bool nersc = false;
  std::string json;
  bool quiet = false;
};

/// Declares the options of `evolve` on `app`, to be stored in `arguments`.
void declare_evolve_options(CLI::App& app, EvolveArguments& arguments,
                            const MachineCatalog& catalog);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
EvolveOptions check_evolve_options(const EvolveArguments& arguments, const MachineCatalog& catalog);

}  // namespace ht::cli
