// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/soft_errors.hpp"

#include <fmt/format.h>

#include <array>

#include "sw/host/causes.hpp"
#include "sw/qcdoc/registers.hpp"

namespace ht::qcdoc {
namespace {

namespace scu = registers::scu;
namespace link_regs = registers::link;

struct Memory {
  std::uint32_t number;  ///< INJECT.MEMORY
  unsigned bits;         ///< of a word, with those that check it
};
constexpr std::array<Memory, 6> memories{{{scu::inject_memory_send, 72},
                                          {scu::inject_memory_receive, 72},
                                          {scu::inject_memory_instruction, 32},
                                          {scu::inject_memory_moving, 72},
                                          {scu::inject_memory_fixed, 61},
                                          {scu::inject_memory_word, 72}}};

}  // namespace

void SoftErrorSite::flip(std::mt19937_64& draw, bool two_bits) {
  const auto below = [&draw](unsigned n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(draw);
  };
  const Memory& memory = memories.at(below(memories.size()));
  const std::uint32_t first = below(memory.bits);
  const std::uint32_t second =
      two_bits ? (first + 1 + below(memory.bits - 1)) % memory.bits : first;
  port_.write_register(scu::inject,
                       scu::inject_memory.put(memory.number) | scu::inject_link.put(below(links)) |
                           scu::inject_bit.put(first) | scu::inject_second.put(second));
}

std::uint64_t SoftErrorSite::corrected() {
  return port_.read_register(scu::corrected);
}

std::string SoftErrorSite::fault() {
  constexpr std::uint32_t fatal = scu::error_engine_memory.mask | scu::error_dma_blocked.mask;
  if (const std::uint32_t error = port_.read_register(scu::error) & fatal; error != 0)
    return fmt::format("{} (register ERROR {:#x})", host::causes(scu::error_causes, error), error);
  for (std::uint32_t link = 0; link < static_cast<std::uint32_t>(links); ++link) {
    const std::uint32_t error =
        port_.read_register(link_regs::error(link)) & link_regs::error_memory.mask;
    if (error != 0)
      return fmt::format("link {}: {} (register ERROR {:#x})", link_name(static_cast<int>(link)),
                         host::causes(link_regs::error_causes, error), error);
  }
  return {};
}

}  // namespace ht::qcdoc
