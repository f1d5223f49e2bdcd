// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/run/run_options.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What `hypertorus compare` was asked for, as text.
struct CompareArguments {
  std::vector<std::string> machines;
  std::string nodes = "2x2x2";
  std::string lattice = "4x4x4x8";
  double ber = 1e-6;
  std::vector<std::string> set;
  std::uint64_t seed = 1;
  double tolerance = 1e-12;
  std::int64_t largest = 65536;
  int threads = 0;
  std::string json;
  std::string plot;
  bool quiet = false;
};

/// The same, read and checked.
struct CompareOptions {
  std::vector<RunOptions> runs;  ///< one a machine, alike in all that machines share
  std::vector<std::size_t> message_sizes;
  std::string json;
  std::string plot;  ///< stem, or empty
  bool quiet = false;
};

/// Declares the options of `compare` on `app`, to be stored in `arguments`.
void declare_compare_options(CLI::App& app, CompareArguments& arguments,
                             const MachineCatalog& catalog);

/// Reads and checks them. Throws UsageError naming the option and the remedy.
CompareOptions check_compare_options(const CompareArguments& arguments,
                                     const MachineCatalog& catalog);

}  // namespace ht::cli
