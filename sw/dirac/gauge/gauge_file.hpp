// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the readers of the single formats share. Users include sw/dirac/gauge/gauge.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"

namespace ht::dirac::file {

using Bytes = std::span<const std::byte>;

/// Throws DataError "file: what; remedy".
[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what,
                       const std::string& remedy);

/// Writes a whole file, as host::write_file() does. Throws DataError.
void write_all(const std::filesystem::path& file, Bytes content);

/// A number stored in the given byte order at `offset`; the caller has checked the size.
template <class T>
T load(Bytes data, std::size_t offset, std::endian order) {
  std::byte raw[sizeof(T)];
  std::memcpy(raw, data.data() + offset, sizeof(T));
  if (order != std::endian::native) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
  }
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// Appends a number in the given byte order.
template <class T>
void append(std::vector<std::byte>& to, T value, std::endian order) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to.push_back(raw[order == std::endian::native ? i : sizeof(T) - 1 - i]);
  }
}

/// NERSC's checksum: the sum of the data's 32-bit words, as numbers, modulo 2^32.
std::uint32_t nersc_checksum(Bytes data, std::endian order);

/// How links are stored: all links of a site together, sites in lexicographic order.
struct Storage {
  int precision_bits = 64;
  std::endian order = std::endian::big;
  int rows = 3;  ///< 2: the third is to be completed
  std::size_t site_bytes() const {
    return static_cast<std::size_t>(4 * rows * 6 * precision_bits / 8);
  }
};

/// What a format's reader found in the file, before the common checks.
struct Header {
  Coordinates lattice{};
  Storage storage;
  std::string format;                ///< for the description
  std::optional<double> plaquette;   ///< the file's own
  std::optional<double> link_trace;  ///< the file's own
  double plaquette_rounded = 0,
         link_trace_rounded = 0;      ///< half of their last decimal place, if known
  std::vector<std::string> verified;  ///< checksums that agreed
  Bytes data;                         ///< the links, exactly their size
};

/// Throws DataError unless the extents are sensible and `bytes` is what the lattice needs.
void check_size(const std::filesystem::path& file, const Coordinates& lattice,
                const Storage& storage, std::size_t bytes);

Header read_nersc(const std::filesystem::path& file, Bytes content);
Header read_lime(const std::filesystem::path& file, Bytes content);
Header read_milc(const std::filesystem::path& file, Bytes content);

bool is_nersc(Bytes content);
bool is_lime(Bytes content);
bool is_milc(Bytes content);

}  // namespace ht::dirac::file
