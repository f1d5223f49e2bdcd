// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "sw/dirac/gauge/lime_records.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"

namespace ht::dirac {
namespace {

constexpr int longest_extent = 1 << 14;  // four of them and a site's bytes: less than 2^64
constexpr std::size_t kSpinReals = 6;    // 3 colours, (re, im)
constexpr int kMostColumns = 12 * 64;    // of a job: 64 shifts

std::size_t real_bytes(Precision p) {
  return p == Precision::Double ? 8 : 4;
}

/// Numbers of `bytes` bytes each from one byte order to the other, or none.
void big_endian(std::span<std::byte> data, std::size_t bytes) {
  if constexpr (std::endian::native == std::endian::big) return;
  for (std::size_t at = 0; at < data.size(); at += bytes) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + bytes));
  }
}

}  // namespace

double Solution::real(std::size_t i) const {
  if (precision == Precision::Double) return file::load<double>(data, 8 * i, std::endian::native);
  return static_cast<double>(file::load<float>(data, 4 * i, std::endian::native));
}

void write_solution(const Solution& s, const std::filesystem::path& path) {
  using Place = file::LimeWriter::Place;
  const char* letter = s.precision == Precision::Double ? "D" : "F";
  const std::size_t site = static_cast<std::size_t>(s.spins) * kSpinReals * real_bytes(s.precision);
  const std::size_t column = static_cast<std::size_t>(volume_of(s.lattice)) * site;
  file::LimeWriter lime;
  lime.add("scidac-private-file-xml",
           fmt::format("{}<scidacFile><version>1.1</version><spacetime>4</spacetime>"
                       "<dims>{} {} {} {} </dims><volfmt>0</volfmt></scidacFile>",
                       file::kXml, s.lattice[0], s.lattice[1], s.lattice[2], s.lattice[3]),
           Place::First);
  lime.add("scidac-file-xml",
           fmt::format("{}<hypertorusSolution><columns>{}</columns><run>{}</run>"
                       "</hypertorusSolution>",
                       file::kXml, s.columns, s.description),
           Place::Last);
  for (int c = 0; c < s.columns; ++c) {
    std::vector<std::byte> data(
        s.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * column),
        s.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c + 1) * column));
    big_endian(data, real_bytes(s.precision));
    // A constant date, so that equal solutions are equal files.
    lime.add("scidac-private-record-xml",
             fmt::format("{}<scidacRecord><version>1.1</version>"
                         "<date>Thu Jan 01 00:00:00 1970 UTC</date><recordtype>0</recordtype>"
                         "<datatype>QDP_{}3_{}</datatype><precision>{}</precision>"
                         "<colors>3</colors>{}<typesize>{}</typesize>"
                         "<datacount>1</datacount></scidacRecord>",
                         file::kXml, letter, s.spins == 4 ? "DiracFermion" : "ColorVector", letter,
                         s.spins == 4 ? "<spins>4</spins>" : "", site),
             Place::First);
    lime.add("scidac-record-xml",
             fmt::format("{}<hypertorusColumn><colour>{}</colour><spin>{}</spin>"
                         "</hypertorusColumn>",
                         file::kXml, c / s.shifts / s.spins, c / s.shifts % s.spins),
             Place::Inside);
    lime.add("scidac-binary-data", file::Bytes(data), Place::Inside);
    lime.add(file::scidac_checksum(data, site));
  }
  file::write_all(path, lime.content());
}

Solution read_solution(const std::filesystem::path& path) {
  constexpr const char* kGive = "give a file that run --save-solution wrote";
  const host::InputFile input(path, kGive);
  const file::Bytes content = input.content();
  if (!file::is_lime(content)) file::fail(path, "is no solution: it has no LIME records", kGive);
  const file::LimeRecords records = file::split_lime(path, content);
  const std::string_view user = text_of(file::find_record(records, "scidac-file-xml"));
  const auto columns = file::number<int>(path, user, "columns");
  if (!columns) file::fail(path, "is a LIME file, but no solution", kGive);
  Solution s;
  s.columns = *columns;
  s.description = host::printable(file::element(user, "run"), 400);
  const std::string dims(
      file::element(text_of(file::find_record(records, "scidac-private-file-xml")), "dims"));
  if (std::sscanf(dims.c_str(), "%d %d %d %d", &s.lattice[0], &s.lattice[1], &s.lattice[2],
                  &s.lattice[3]) != 4 ||
      *std::min_element(s.lattice.begin(), s.lattice.end()) < 1 ||
      *std::max_element(s.lattice.begin(), s.lattice.end()) > longest_extent || s.columns < 1 ||
      s.columns > kMostColumns) {
    file::fail(
        path, fmt::format("says {} columns on a lattice of '{}'", s.columns, host::printable(dims)),
        file::kLimeDamaged);
  }
  const std::string_view record = text_of(file::find_record(records, "scidac-private-record-xml"));
  if (file::element(record, "datatype").ends_with("ColorVector")) s.spins = 1;
  const auto precision = file::element(record, "precision");
  if (precision != "D" && precision != "F") {
    file::fail(path, fmt::format("has precision '{}'", precision), file::kLimeDamaged);
  }
  s.precision = precision == "D" ? Precision::Double : Precision::Single;
  const std::size_t site = static_cast<std::size_t>(s.spins) * kSpinReals * real_bytes(s.precision);
  const std::size_t column = static_cast<std::size_t>(volume_of(s.lattice)) * site;
  const file::LimeRecord* data = nullptr;
  for (const file::LimeRecord& part : records) {
    if (part.type == "scidac-binary-data") {
      if (data != nullptr) break;  // one without a checksum
      if (part.data.size() != column) {
        file::fail(path,
                   fmt::format("column {} has {} bytes instead of {}", s.verified.size(),
                               part.data.size(), column),
                   file::kLimeDamaged);
      }
      data = &part;
    } else if (part.type == "scidac-checksum" && data != nullptr) {
      s.verified.push_back(file::verify_checksum(path, part, data->data, site));
      s.data.insert(s.data.end(), data->data.begin(), data->data.end());
      data = nullptr;
    }
  }
  if (data != nullptr || s.verified.size() != static_cast<std::size_t>(s.columns)) {
    file::fail(path,
               fmt::format("has {} whole columns instead of {}", s.verified.size(), s.columns),
               "the file is truncated: write it again");
  }
  big_endian(s.data, real_bytes(s.precision));
  return s;
}

SolutionDifference compare_solutions(const Solution& a, const Solution& b) {
  if (a.lattice != b.lattice || a.columns != b.columns || a.spins != b.spins) {
    throw DataError(fmt::format(
        "the solutions have {} and {} columns of {} and {} spins on {} and {} lattices; "
        "compare runs of the same problem",
        a.columns, b.columns, a.spins, b.spins, to_string(a.lattice), to_string(b.lattice)));
  }
  SolutionDifference d;
  if (a.precision == b.precision) {
    d.words = a.data.size() / 4;
    for (std::size_t i = 0; i < d.words; ++i) {
      if (std::memcmp(&a.data[4 * i], &b.data[4 * i], 4) != 0) ++d.words_different;
    }
  }
  double largest = 0;
  bool found = false, finite = true;
  for (std::size_t i = 0; i < a.reals(); ++i) {
    const double x = a.real(i), y = b.real(i);
    finite = finite && std::isfinite(x) && std::isfinite(y);
    if (!found && (x != y || std::signbit(x) != std::signbit(y))) {
      found = true;
      d.first = i;
    }
    d.largest = std::fmax(d.largest, std::fabs(x - y));
    largest = std::fmax(largest, std::fabs(x));
  }
  if (!finite) {
    d.relative = std::numeric_limits<double>::infinity();
  } else if (d.largest > 0) {
    d.relative = largest > 0 ? d.largest / largest : std::numeric_limits<double>::infinity();
  }
  return d;
}

}  // namespace ht::dirac
