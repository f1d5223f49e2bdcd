// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sw/dirac/job.hpp"

namespace ht::dirac {

/// Columns of a propagator as a file holds them.
struct Solution {
  Coordinates lattice{};
  Precision precision = Precision::Double;
  int columns = 0;  ///< of every shift
  int spins = 4;    ///< 1 of staggered fermions
  int shifts = 1;   ///< columns that belong to one source
  /// Column, site (lexicographic, x fastest), spin, colour, (re, im), in native byte order: as
  /// JobSink::solution().
  std::vector<std::byte> data;
  std::string description;            ///< of the run, free text
  std::vector<std::string> verified;  ///< checksums, one a column
  /// Whose column each record is; of several shifts as many in a row. Of a file that was read:
  /// write_solution() knows them from the numbers above.
  struct Label {
    int colour = 0, spin = 0;
    bool operator==(const Label&) const = default;
  };
  std::vector<Label> labels;

  std::size_t reals() const { return data.size() / (precision == Precision::Double ? 8 : 4); }
  /// The i-th real number in the order of `data`.
  double real(std::size_t i) const;
};

/// A SciDAC file: one record QDP_D3_DiracFermion or QDP_F3_DiracFermion a column, of one spin
/// QDP_D3_ColorVector or QDP_F3_ColorVector, big-endian, each with its checksum. Equal solutions
/// give equal bytes. Throws DataError if it cannot be written.
void write_solution(const Solution& solution, const std::filesystem::path& file);

/// Reads one back, with labels; verifies sizes and every checksum. Throws DataError naming file and
/// remedy.
Solution read_solution(const std::filesystem::path& file);

struct SolutionDifference {
  std::size_t words = 0;            ///< 32-bit words compared; 0 if the precisions differ
  std::size_t words_different = 0;  ///< of them, in any bit
  double largest = 0;               ///< max |a - b| over all real numbers; NaN if one is
  /// That over max |a|; infinite if a number differs and any is not finite.
  double relative = 0;
  /// Index of the first real number that differs, be it in its sign only.
  std::optional<std::size_t> first;
};

/// Where the i-th real number of a solution that was read is, as in "column 1 (colour 0, spin 1),
/// site (1,0,2,0), spin 3, colour 2, im".
std::string place_of(const Solution& solution, std::size_t i);

/// Throws DataError if lattices or columns differ: such files are not comparable.
SolutionDifference compare_solutions(const Solution& a, const Solution& b);

}  // namespace ht::dirac
