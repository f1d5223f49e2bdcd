// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/tofu/registers.hpp"

/// Registers of barrier interfaces that TofuD has besides the K computer's, or has more of
/// (rtl/tofu/gates/tbi_registers.toml).
namespace ht::tofu {

/// Where the map of barrier interface `interface` of a node begins, and how long it is.
constexpr std::uint32_t barrier_base(int interface) {
  return interface == 0 ? registers::tbi::base
                        : 0x4000U + 0x1000U * static_cast<std::uint32_t>(interface - 1);
}
constexpr std::uint32_t barrier_stride = 0x1000;

/// Word `word` of a channel's operand, or result, of any number of states.
constexpr std::uint32_t operand_word(std::uint32_t channel, std::uint32_t word) {
  namespace tbi = registers::tbi;
  return word < tbi::operand_words ? tbi::operand(channel, word)
                                   : tbi::operand_more(channel, word - tbi::operand_words);
}
constexpr std::uint32_t result_word(std::uint32_t channel, std::uint32_t word) {
  namespace tbi = registers::tbi;
  return word < tbi::operand_words ? tbi::result(channel, word)
                                   : tbi::result_more(channel, word - tbi::operand_words);
}

/// A remote gate's interface in GATE_SOURCE and GATE_DESTINATION, which have it in the same bits.
constexpr std::uint32_t gate_interface_bits(std::uint32_t interface) {
  namespace tbi = registers::tbi;
  return tbi::gate_source_interface_high.put(interface >> 1) |
         tbi::gate_source_interface_low.put(interface & 1);
}
constexpr std::uint32_t gate_interface(std::uint32_t value) {
  namespace tbi = registers::tbi;
  return tbi::gate_source_interface_high.get(value) << 1 |
         tbi::gate_source_interface_low.get(value);
}
static_assert(registers::tbi::gate_source_interface_high.mask ==
                  registers::tbi::gate_destination_interface_high.mask &&
              registers::tbi::gate_source_interface_low.mask ==
                  registers::tbi::gate_destination_interface_low.mask);

}  // namespace ht::tofu
