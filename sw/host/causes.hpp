// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "sw/host/register_map.hpp"

namespace ht::host {

/// The texts of the causes whose bits are set in a register of sticky errors, joined.
inline std::string causes(std::span<const Cause> table, std::uint32_t bits) {
  std::string text;
  for (const Cause& c : table) {
    if ((bits & c.field.mask) != 0) text += (text.empty() ? "" : " ") + std::string(c.doc);
  }
  return text;
}

}  // namespace ht::host
