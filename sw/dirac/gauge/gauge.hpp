// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sw/dirac/gauge/generate.hpp"
#include "sw/dirac/gauge/plaquette.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/su3.hpp"

namespace ht::dirac {

/// A whole gauge field, as a file holds it: read once on the host, then each node takes its part.
struct GlobalGauge {
  Coordinates lattice{};
  std::vector<SiteLinks> links;  ///< lexicographic, x fastest
  int precision_bits = 64;       ///< of the numbers it came from
  std::string description;  ///< "NERSC 4D_SU3_GAUGE float32 field.nersc" or "weak field, seed 1"
  std::vector<std::string> verified;  ///< what was checked: "checksum 337cf07b", ...
  Plaquette plaquette;                ///< measured
  double link_trace = 0;              ///< measured, <Re tr U>/3

  const SiteLinks& at(const Coordinates& x) const {
    return links[static_cast<std::size_t>(lexicographic(x, lattice))];
  }
};

/// Reads a configuration in NERSC (two or three rows, 32 or 64 bits, either byte order), ILDG/LIME
/// or MILC v5 (either byte order) format; recognised by content, not by name. Verifies what
/// the file allows: its size, every checksum it holds, its own plaquette and link trace, and that
/// every link is in SU(3). If `expected` is given, the lattice must be that. Throws DataError,
/// naming the file, what is wrong, and the remedy.
GlobalGauge read_gauge_file(const std::filesystem::path& file,
                            const std::optional<Coordinates>& expected = std::nullopt);

/// A generated field on the host, for tests and tools; nodes make their own part themselves.
GlobalGauge generate_gauge(FieldKind kind, std::uint64_t seed, const Coordinates& lattice);

/// Measures plaquette and link trace of a host field into it.
void measure(GlobalGauge& gauge);

}  // namespace ht::dirac
