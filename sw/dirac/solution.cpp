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

Solution::Label read_label(const std::filesystem::path& path, std::string_view xml,
                           const Solution& s) {
  const auto colour = file::number<int>(path, xml, "colour");
  const auto spin = file::number<int>(path, xml, "spin");
  if (!colour || !spin || *colour < 0 || *colour > 2 || *spin < 0 || *spin >= s.spins) {
    file::fail(path,
               fmt::format("does not say which colour and spin column {} has", s.labels.size()),
               file::kLimeDamaged);
  }
  return {*colour, *spin};
}

/// "colour 0, spin 1"; staggered fermions have no spin.
std::string text_of_label(const Solution& s, const Solution::Label& label) {
  return s.spins == 1 ? fmt::format("colour {}", label.colour)
                      : fmt::format("colour {}, spin {}", label.colour, label.spin);
}

/// Whether two numbers differ: in any bit, or, if one is wider, in value or sign.
bool differ(const Solution& a, const Solution& b, std::size_t i) {
  if (a.precision == b.precision) {
    const std::size_t bytes = real_bytes(a.precision);
    return std::memcmp(&a.data[bytes * i], &b.data[bytes * i], bytes) != 0;
  }
  const double x = a.real(i), y = b.real(i);
  if (std::isnan(x) && std::isnan(y)) return false;
  return x != y || std::signbit(x) != std::signbit(y);
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
  std::string_view column_xml;
  for (const file::LimeRecord& part : records) {
    if (part.type == "scidac-record-xml") {
      column_xml = text_of(&part);
    } else if (part.type == "scidac-binary-data") {
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
      s.labels.push_back(read_label(path, column_xml, s));
      s.data.insert(s.data.end(), data->data.begin(), data->data.end());
      data = nullptr;
      column_xml = {};
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

std::string place_of(const Solution& s, std::size_t i) {
  const std::size_t reals = static_cast<std::size_t>(s.spins) * kSpinReals;
  const std::size_t volume = static_cast<std::size_t>(volume_of(s.lattice));
  const std::size_t within = i % reals, site = i / reals % volume, record = i / reals / volume;
  // Columns with one label are one column's for several shifts.
  const auto labels = s.labels.begin();
  const auto here = labels + static_cast<std::ptrdiff_t>(record);
  const auto shift = std::count(labels, here, *here);
  std::ptrdiff_t column = 0;
  for (auto other = labels; other != here; ++other) {
    if (*other != *here && std::find(labels, other, *other) == other) ++column;
  }
  std::string text = fmt::format("column {} ({})", column, text_of_label(s, *here));
  if (std::count(labels, s.labels.end(), *here) > 1) text += fmt::format(", shift {}", shift);
  const auto x = coordinates_of(static_cast<std::int64_t>(site), s.lattice);
  text += fmt::format(", site ({},{},{},{})", x[0], x[1], x[2], x[3]);
  if (s.spins > 1) text += fmt::format(", spin {}", within / kSpinReals);
  return text + fmt::format(", colour {}, {}", within / 2 % 3, within % 2 == 0 ? "re" : "im");
}

SolutionDifference compare_solutions(const Solution& a, const Solution& b) {
  if (a.lattice != b.lattice || a.columns != b.columns || a.spins != b.spins) {
    throw DataError(fmt::format(
        "the solutions have {} and {} columns of {} and {} spins on {} and {} lattices; "
        "compare runs of the same problem",
        a.columns, b.columns, a.spins, b.spins, to_string(a.lattice), to_string(b.lattice)));
  }
  const auto [one, other] =
      std::mismatch(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end());
  if (one != a.labels.end() && other != b.labels.end()) {
    throw DataError(
        fmt::format("the solutions' columns differ: record {} is of {} and of {}; compare runs of "
                    "the same problem, with as many shifts",
                    one - a.labels.begin(), text_of_label(a, *one), text_of_label(b, *other)));
  }
  SolutionDifference d;
  if (a.precision == b.precision) {
    d.words = a.data.size() / 4;
    for (std::size_t i = 0; i < d.words; ++i) {
      if (std::memcmp(&a.data[4 * i], &b.data[4 * i], 4) != 0) ++d.words_different;
    }
  }
  double largest = 0;
  bool finite = true;
  for (std::size_t i = 0; i < a.reals(); ++i) {
    const double x = a.real(i), y = b.real(i);
    finite = finite && std::isfinite(x) && std::isfinite(y);
    largest = std::fmax(largest, std::fabs(x));
    if (!differ(a, b, i)) continue;
    if (!d.first) d.first = i;
    // fmax() would drop a difference that is no number.
    const double difference = std::fabs(x - y);
    if (std::isnan(difference) || difference > d.largest) d.largest = difference;
  }
  if (d.first && !finite) {
    d.relative = std::numeric_limits<double>::infinity();
  } else if (d.largest > 0) {
    d.relative = largest > 0 ? d.largest / largest : std::numeric_limits<double>::infinity();
  }
  return d;
}

}  // namespace ht::dirac
