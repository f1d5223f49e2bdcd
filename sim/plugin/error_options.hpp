// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cable/error_kinds.hpp"
#include "sim/machine/cable_errors.hpp"

namespace ht::machine {

struct MachineTraits;

/// The options about errors on the cables as they were given; what was not given has a default.
struct ErrorArguments {
  std::optional<double> bit_error_rate;
  std::array<std::optional<int>, sim::kErrorKinds> count{};          ///< by kind
  std::array<std::optional<std::int64_t>, sim::kErrorKinds> size{};  ///< by kind
  std::string span = "500us";

  std::optional<int>& count_of(sim::ErrorKind kind) {
    return count[static_cast<std::size_t>(kind)];
  }
  /// What was given, or 0.
  int asked(sim::ErrorKind kind) const { return count[static_cast<std::size_t>(kind)].value_or(0); }
};

/// How many errors of a kind a machine's cables have, if nobody asks for another number.
int default_count(sim::ErrorKind kind, const MachineTraits& machine);

/// Reads and checks the options for that machine. Throws UsageError that names the option and the
/// remedy.
CableErrors check_error_options(const ErrorArguments& arguments, const MachineTraits& machine);

/// Counts and sizes by their keys in JSON, in the order of the kinds, and the time they happen in.
std::vector<std::pair<std::string, std::int64_t>> settings(const CableErrors& errors);

/// For people: "bit error rate 1e-06, 1 bursts, 0 lost".
std::string describe(const CableErrors& errors);

}  // namespace ht::machine
