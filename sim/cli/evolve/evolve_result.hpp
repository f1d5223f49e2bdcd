// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/evolve/evolve_options.hpp"
#include "sim/machine/machine.hpp"

namespace ht::cli {

/// Everything one evolution found out.
struct EvolveResult : machine::CableAccount {
  EvolveOptions options;
  dirac::EvolutionResult evolution;
  std::string field;                                    ///< that it started from
  std::size_t words_compared = 0, words_different = 0;  ///< 32-bit words of the last field
  /// Trajectories of which a number differs from the functional run's.
  std::size_t trajectories_different = 0;
  std::uint32_t field_crc32 = 0;  ///< over the last field's links, lexicographic
  std::string data_unit;
  Picoseconds machine_time = 0;
  double wall_seconds = 0;
  bool interrupted = false;

  bool bit_exact() const;
  std::string verdict() const;  ///< "bit-exact", "mismatch" or "interrupted"
};

void print_evolve_setup(const EvolveOptions& options, const std::string& field);
void print_trajectory(const dirac::Trajectory& trajectory);
void print_evolve_result(const EvolveResult& result);
nlohmann::ordered_json evolve_document(const EvolveResult& result);

}  // namespace ht::cli
