// SPDX-License-Identifier: Apache-2.0
#include "sw/host/checked_registers.hpp"

#include <fmt/format.h>

#include <utility>

#include "sw/host/causes.hpp"
#include "sw/host/errors.hpp"

namespace ht::host {

CheckedRegisters::CheckedRegisters(HardwarePort& port, std::function<std::string()> node,
                                   ErrorRegisters errors)
    : port_(port), node_(std::move(node)), errors_(std::move(errors)) {}

std::uint32_t CheckedRegisters::read(std::uint32_t address) {
  try {
    return port_.read_register(address);
  } catch (const HardwareError&) {
    throw_error();
  }
}

void CheckedRegisters::write(std::uint32_t address, std::uint32_t value) {
  try {
    port_.write_register(address, value);
  } catch (const HardwareError&) {
    throw_error();
  }
}

void CheckedRegisters::throw_error() {
  const std::uint32_t cause = port_.read_register(errors_.error);
  const std::uint32_t first = port_.read_register(errors_.first);
  const std::uint32_t info = port_.read_register(errors_.info);
  throw HardwareError(fmt::format("{}: {}{}: {} (registers ERROR {:#x}, ERROR_INFO {:#x})", node_(),
                                  errors_.where(first, info), errors_.says,
                                  causes(errors_.causes, cause), cause, info));
}

}  // namespace ht::host
