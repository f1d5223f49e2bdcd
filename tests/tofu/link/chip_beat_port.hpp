// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "verif/model/tofu/wire.hpp"

namespace ht::test {

/// A port of 148 bits, as Verilator has it in five words, and the beat it carries.
template <class Wide>
void put_beat(Wide& to, const model::tofu::ChipBeat& b) {
  for (std::size_t i = 0; i < 4; ++i)
    to[i] = static_cast<std::uint32_t>(b.data[i / 2] >> (32 * (i % 2)));
  to[4] = b.ecc | (b.first ? 1U << 16 : 0U) | (b.last ? 1U << 17 : 0U) | (b.bad ? 1U << 18 : 0U) |
          (b.parity ? 1U << 19 : 0U);
}

template <class Wide>
model::tofu::ChipBeat get_beat(const Wide& from) {
  model::tofu::ChipBeat b;
  for (std::size_t i = 0; i < 2; ++i)
    b.data[i] = from[2 * i] | static_cast<std::uint64_t>(from[2 * i + 1]) << 32;
  b.ecc = static_cast<std::uint16_t>(from[4]);
  b.first = (from[4] >> 16 & 1) != 0;
  b.last = (from[4] >> 17 & 1) != 0;
  b.bad = (from[4] >> 18 & 1) != 0;
  b.parity = (from[4] >> 19 & 1) != 0;
  return b;
}

}  // namespace ht::test
