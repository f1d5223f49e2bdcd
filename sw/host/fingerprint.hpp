// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace ht::host {

/// FNV-1a, 64 bits: distinguishes copies, no more. `hash`: of what came before.
constexpr std::uint64_t fingerprint(std::string_view bytes,
                                    std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace ht::host
