// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sw/dirac/operator/su3.hpp"

namespace ht::dirac {

/// Fields that need no file. Weak: every link near 1 (plaquette about 0.994). Hot: every link
/// distributed by the Haar measure, independent of all others.
enum class FieldKind : std::uint8_t { Unit, Weak, Hot };

/// "unit", "weak", "hot"; nothing if it is none of them.
std::optional<FieldKind> parse_field_kind(std::string_view name);
std::string_view to_string(FieldKind kind);

/// "weak field, seed 1".
std::string describe(FieldKind kind, std::uint64_t seed);

/// The link of axis `mu` at the site with this global lexicographic index. A function of its
/// arguments alone (Philox 4x32-10, counter = site, link, draw; key = seed) in integers, + - * /
/// and sqrt: the same bits on every node grid and every computer.
Link generate_link(FieldKind kind, std::uint64_t seed, std::int64_t global_site, int mu);

}  // namespace ht::dirac
