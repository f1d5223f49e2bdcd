// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/cable/error_kinds.hpp"
#include "sim/cable/fault_plan.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

/// What goes wrong on the cables. The bit error rate holds for every cable; counts are of the whole
/// machine, at random times in [from, until) on random cables, drawn from the seed.
struct CableErrors {
  double bit_error_rate = 0;
  struct Counted {
    int count = 0;
    std::int64_t size = 0;  ///< of each: sim::CountedError::Size
  };
  /// By kind; those that are not counted (sim::ErrorKindDescription::counted) stay 0. At first
  /// none, with the sizes that the descriptions have.
  std::array<Counted, sim::kErrorKinds> counted = none();
  Picoseconds from = 5'000'000, until = 505'000'000;

  Counted& operator[](sim::ErrorKind kind) { return counted[static_cast<std::size_t>(kind)]; }
  const Counted& operator[](sim::ErrorKind kind) const {
    return counted[static_cast<std::size_t>(kind)];
  }

 private:
  static std::array<Counted, sim::kErrorKinds> none();
};

/// The cables of a machine, as far as errors are concerned. Cable number = node * links + link.
struct CableGrid {
  int nodes = 0, links = 0;
  unsigned lanes = 1;  ///< of a cable
  /// Node at the other end of a node's link; the other direction of that cable is the neighbour's
  /// `far_link(link)`.
  std::function<int(int node, int link)> neighbour;
  std::function<int(int link)> far_link = [](int link) { return link ^ 1; };
  /// Damage to the `frame`-th packet or word of a cable that the link cannot see; `payload_bit`,
  /// one of `payload_bits`, is inverted for certain.
  std::function<sim::FaultPlan::Forced(std::uint64_t frame, unsigned payload_bit)> forge;
  unsigned payload_bits = 64;
  /// Cables from a node to itself, along axes of length 1, are in use: they are trained, too. Else
  /// nothing counted hits them.
  bool self_cables = true;
};

/// Adds to `plans` (one a cable; missing ones are empty) what `errors` says. Throws UsageError for
/// errors that these cables cannot have.
std::vector<sim::FaultPlan> draw_faults(const CableErrors& errors, const CableGrid& grid,
                                        std::uint64_t seed, std::vector<sim::FaultPlan> plans);

}  // namespace ht::machine
