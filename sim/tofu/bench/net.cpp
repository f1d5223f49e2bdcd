// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/net.hpp"

#include <Vtofu_router_top.h>

#include <array>
#include <bit>

#include "sim/tofu/bench/net_impl.hpp"
#include "verif/model/common/secded.hpp"

namespace ht::bench {
namespace {

// By bytes, from the model's columns.
std::uint32_t check_bits(std::uint64_t data) {
  static const auto table = [] {
    std::array<std::array<std::uint8_t, 256>, 8> t{};
    for (unsigned i = 0; i < 8; ++i)
      for (std::uint64_t byte = 0; byte < 256; ++byte)
        t[i][byte] = model::secded_check(byte << 8 * i);
    return t;
  }();
  std::uint32_t check = 0;
  for (unsigned i = 0; i < 8; ++i) check ^= table[i][data >> 8 * i & 255U];
  return check;
}

}  // namespace

TofuBeat tofu_beat(std::uint64_t low, std::uint64_t high, bool first, bool last, bool bad) {
  std::uint32_t control = (first ? 1U : 0U) | (last ? 2U : 0U) | (bad ? 4U : 0U);
  if (std::popcount(control) % 2 == 0) control |= 8U;
  return {low, high, check_bits(low) | check_bits(high) << 8 | control << 16};
}

template class RouterNet<Vtofu_router_top>;

}  // namespace ht::bench
