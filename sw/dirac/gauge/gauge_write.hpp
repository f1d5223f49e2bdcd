// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"

namespace ht::dirac {

enum class GaugeFormat : std::uint8_t { Nersc, Ildg };

struct GaugeWriteOptions {
  GaugeFormat format = GaugeFormat::Ildg;
  int precision_bits = 64;  ///< 32 or 64
  int rows = 3;             ///< NERSC only: 2 is 4D_SU3_GAUGE, 3 is 4D_SU3_GAUGE_3x3
};

/// The bytes of a configuration in a format, big-endian. The same field always gives the same
/// bytes: no date, no name of a computer. Plaquette and link trace are those of the links as they
/// are stored, that is, after rounding. Links that come from 32 bits and go into 64 are made
/// unitary anew, since readers ask more of a double. Throws UsageError for a precision or number of
/// rows that a format does not have, DataError for a link that is not in SU(3).
std::vector<std::byte> encode_gauge(const GlobalGauge& gauge, const GaugeWriteOptions& options);

/// Writes it. Throws DataError if that fails; then there is no half-written file.
void write_gauge_file(const GlobalGauge& gauge, const std::filesystem::path& file,
                      const GaugeWriteOptions& options);

}  // namespace ht::dirac
