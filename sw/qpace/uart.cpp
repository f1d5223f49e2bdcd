// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/uart.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {
namespace regs = registers::uart;
constexpr Picoseconds io_cycle = 4000;
constexpr int bits_a_character = 10;
}  // namespace

Uart::Uart(host::HardwarePort& port, unsigned index, std::uint32_t divisor)
    : port_(port), index_(index), character_time_(bits_a_character * io_cycle * divisor) {
  port_.write_register(regs::divisor(index_), divisor);
  port_.write_register(regs::control(index_), regs::control_trigger.put(1));
  port_.write_register(regs::error(index_), ~std::uint32_t{0});
}

void Uart::write(std::string_view text) {
  for (const char c : text) {
    while (room_ == 0) {
      const std::uint32_t status = port_.read_register(regs::status(index_));
      room_ = regs::fifo - regs::status_tx_level.get(status);
      if (room_ == 0) port_.advance(regs::fifo / 2 * character_time_);
    }
    port_.write_register(regs::data(index_), static_cast<std::uint8_t>(c));
    --room_;
  }
}

int Uart::read() {
  const std::uint32_t word = port_.read_register(regs::data(index_));
  if ((word & regs::data_valid.mask) == 0) {
    const std::uint32_t error = port_.read_register(regs::error(index_));
    if (error == 0) return -1;
    port_.write_register(regs::error(index_), error);
    throw HardwareError(
        fmt::format("serial port {}: characters were lost or damaged (register "
                    "ERROR {:#x}): do both ends have the same bit time?",
                    index_, error));
  }
  return static_cast<int>(regs::data_character.get(word));
}

}  // namespace ht::qpace
