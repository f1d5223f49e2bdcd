// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace ht::cli {

/// Options of `hypertorus inject MACHINE`, as text.
struct InjectArguments {
  std::int64_t runs = 100;
  std::uint64_t seed = 1;
  std::string nodes;  ///< empty: two
  std::string kinds;
  int forged_every = 50;
  bool no_checksums = false;
  int threads = 0;
  std::int64_t replay = -1;
  std::string trace, json;
  bool quiet = false;
  bool residual = false;
};

void declare_inject_options(CLI::App& app, InjectArguments& arguments);
/// What only QPACE's has.
void declare_inject_residual(CLI::App& app, InjectArguments& arguments);

/// `hypertorus inject qpace`: a fault campaign. Returns 0, or 1 if anything was lost, doubled,
/// altered or undetected. Throws UsageError or DataError.
int inject_qpace(const InjectArguments& arguments, const std::atomic<bool>& stop);
/// `hypertorus inject qcdoc`: the same; what the checksums at both ends, or a link's own report,
/// tell of is not held against it.
int inject_qcdoc(const InjectArguments& arguments, const std::atomic<bool>& stop);
/// `hypertorus inject tofu`: the same for operations of barrier gates.
int inject_tofu(const InjectArguments& arguments, const std::atomic<bool>& stop);

}  // namespace ht::cli
