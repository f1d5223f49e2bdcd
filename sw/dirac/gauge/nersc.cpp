// SPDX-License-Identifier: Apache-2.0
// NERSC archive format: ASCII "BEGIN_HEADER", lines "KEY = VALUE", "END_HEADER", then the links.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "sw/dirac/gauge/gauge_file.hpp"
#include "sw/host/input_file.hpp"

namespace ht::dirac::file {
namespace {

constexpr std::string_view kBegin = "BEGIN_HEADER";
constexpr std::string_view kEnd = "END_HEADER";
constexpr const char* kRefetch = "the header is damaged: fetch the file again";

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view kSpace = " \t\r";
  const auto begin = s.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpace) - begin + 1);
}

/// Where the first line begins that is this word, but for blanks.
std::size_t find_line(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (trimmed(text.substr(at, end - at)) == word) return at;
    at = end + 1;
  }
  return std::string_view::npos;
}

class Keys {
 public:
  Keys(const std::filesystem::path& file, std::string_view text) : file_(file) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      const auto equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view key = trimmed(line.substr(0, equals));
      const std::string_view value = trimmed(line.substr(equals + 1));
      if (const auto [first, added] = value_.emplace(key, value); !added && first->second != value)
        fail(file_, fmt::format("its header has two values of {}", host::printable(key)), kRefetch);
    }
  }

  std::string_view text(std::string_view key) const {
    const auto it = value_.find(key);
    if (it == value_.end()) fail(file_, fmt::format("its header lacks {}", key), kRefetch);
    return it->second;
  }

  template <class T, class... Base>
  T number(std::string_view key, Base... base) const {
    const std::string_view s = text(key);
    T value{};
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base...);
    if (error != std::errc{} || end != s.data() + s.size()) {
      fail(file_,
           fmt::format("its header has {} = '{}', which is {}", key, host::printable(s),
                       error == std::errc::result_out_of_range && end == s.data() + s.size()
                           ? "too large"
                           : "no number"),
           kRefetch);
    }
    return value;
  }

 private:
  const std::filesystem::path& file_;
  std::map<std::string, std::string, std::less<>> value_;
};

/// Of a decimal number without an exponent; 0 of others.
double half_of_last_place(std::string_view number) {
  const auto point = number.find('.');
  if (point == std::string_view::npos || number.find_first_of("eE") != std::string_view::npos)
    return 0;
  return 0.5 * std::pow(10, -static_cast<double>(number.size() - point - 1));
}

}  // namespace

std::uint32_t nersc_checksum(Bytes data, std::endian order) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + 4 <= data.size(); at += 4) {
    sum += load<std::uint32_t>(data, at, order);
  }
  return sum;
}

bool is_nersc(Bytes content) {
  return content.size() > kBegin.size() &&
         std::memcmp(content.data(), kBegin.data(), kBegin.size()) == 0;
}

Header read_nersc(const std::filesystem::path& file, Bytes content) {
  const std::string_view all(reinterpret_cast<const char*>(content.data()), content.size());
  const auto end = find_line(all, kEnd);
  const auto line_end = end == std::string_view::npos ? end : all.find('\n', end);
  if (line_end == std::string_view::npos) {
    fail(file, "its NERSC header has no END_HEADER", "the file is truncated: fetch it again");
  }
  const Keys keys(file, all.substr(0, end));

  Header header;
  const std::string_view type = keys.text("DATATYPE");
  if (type == "4D_SU3_GAUGE") {
    header.storage.rows = 2;
  } else if (type == "4D_SU3_GAUGE_3x3" || type == "4D_SU3_GAUGE_3X3") {
    header.storage.rows = 3;
  } else {
    fail(file, fmt::format("its DATATYPE is {}", host::printable(type)),
         "only 4D_SU3_GAUGE and 4D_SU3_GAUGE_3x3 can be read");
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    header.lattice[axis] = keys.number<int>(fmt::format("DIMENSION_{}", axis + 1));
  }
  std::string_view format = keys.text("FLOATING_POINT");
  const std::string full_format(format);
  if (format.starts_with("IEEE32")) {
    header.storage.precision_bits = 32;
  } else if (format.starts_with("IEEE64")) {
    header.storage.precision_bits = 64;
  } else {
    fail(file, fmt::format("its FLOATING_POINT is {}", host::printable(format)),
         "only IEEE32 and IEEE64, BIG or LITTLE, can be read");
  }
  format.remove_prefix(6);
  header.data = content.subspan(line_end + 1);
  check_size(file, header.lattice, header.storage, header.data.size());

  const auto expected = keys.number<std::uint32_t>("CHECKSUM", 16);
  if (format == "BIG") {
    header.storage.order = std::endian::big;
  } else if (format == "LITTLE") {
    header.storage.order = std::endian::little;
  } else if (format.empty()) {
    // Programs disagree on what a bare "IEEE32" means; the checksum knows.
    header.storage.order = nersc_checksum(header.data, std::endian::little) == expected
                               ? std::endian::little
                               : std::endian::big;
  } else {
    fail(file, fmt::format("its FLOATING_POINT is {}", host::printable(full_format)),
         "only IEEE32 and IEEE64, BIG or LITTLE, can be read");
  }
  const std::uint32_t found = nersc_checksum(header.data, header.storage.order);
  if (found != expected) {
    fail(file, fmt::format("checksum is {:08x}, its header says {:08x}", found, expected),
         "the file is corrupted: fetch it again");
  }
  header.verified.push_back(fmt::format("checksum {:08x}", found));
  header.plaquette = keys.number<double>("PLAQUETTE");
  header.link_trace = keys.number<double>("LINK_TRACE");
  header.plaquette_rounded = half_of_last_place(keys.text("PLAQUETTE"));
  header.link_trace_rounded = half_of_last_place(keys.text("LINK_TRACE"));
  header.format = fmt::format("NERSC {}", type);
  return header;
}

}  // namespace ht::dirac::file
