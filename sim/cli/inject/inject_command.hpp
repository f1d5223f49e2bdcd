// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/common/command.hpp"
#include "sim/plugin/catalog.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// Options of `hypertorus inject MACHINE`, as text.
struct InjectArguments {
  std::optional<std::int64_t> runs;  ///< 100; of a soak 1,000
  std::uint64_t seed = 1;
  std::string nodes;  ///< empty: the campaign's
  std::string kinds;
  std::optional<int> forged_every;  ///< 50; over lanes none
  bool no_checksums = false;
  int threads = 0;
  std::optional<std::int64_t> replay;
  std::string keep, shard;
  bool shrink = false;
  std::vector<std::string> set;
  machine::PhyArguments phy;
  std::vector<std::string> resume;  ///< the first is written
  std::vector<std::string> soak;    ///< likewise, of soak runs
  std::string trace, json;
  bool quiet = false;
  machine::OwnArguments own;
  std::vector<std::string> given;  ///< names of the options that were given
};

void declare_inject_options(CLI::App& app, InjectArguments& arguments,
                            const machine::MachineDescription& machine);

/// `hypertorus inject MACHINE`: a fault campaign. Returns 0, or 1 if anything was lost, doubled,
/// altered or undetected that the machine's own checks should have reported. Throws UsageError or
/// DataError.
int inject_command(const InjectArguments& arguments, const machine::MachineDescription& type,
                   const machine::MachineCatalog& catalog, Session& session);

}  // namespace ht::cli
