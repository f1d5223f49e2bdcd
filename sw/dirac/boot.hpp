// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sw/dirac/job.hpp"

namespace ht::dirac {

/// What a node reads before its program starts, as lines of text "key value ...": the job, numbers
/// in hexadecimal so that no bit is lost. The last line is "end" with the CRC-32 of those before.
std::string to_boot_block(const JobSpec& spec);

/// The job a boot block describes; without its field, progress and load. Throws DataError naming
/// what is missing, unknown or damaged.
JobSpec from_boot_block(std::string_view text);

/// A box of the lattice: its first site, and how many sites in each direction.
struct Box {
  Coordinates origin{}, extents{};
  bool operator==(const Box&) const = default;
};

/// The file that holds a box's links: "gauge/X,Y,Z,T/LXxLYxLZxLT", and back (nothing if it is no
/// such name).
std::string box_name(const Box& box);
std::optional<Box> parse_box_name(std::string_view name);

/// Its content: the links of the box's sites, lexicographic, each as 4 x 3 x 3 x (re, im) doubles,
/// most significant byte first; then the CRC-32 of all that. The box must lie in the lattice.
std::vector<std::uint8_t> encode_box(const GlobalGauge& gauge, const Box& box);
/// Throws DataError naming the box if size or CRC are wrong.
std::vector<SiteLinks> decode_box(std::span<const std::uint8_t> bytes, const Box& box);

}  // namespace ht::dirac
