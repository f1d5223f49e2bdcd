// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sw/host/hardware_port.hpp"
#include "sw/host/register_map.hpp"

namespace ht::host {

/// Registers of hardware that keeps what it refused in registers of its own: ERROR with a bit for
/// each cause, ERROR_FIRST with the first of them, ERROR_INFO with what that was about.
class CheckedRegisters {
 public:
  struct ErrorRegisters {
    std::uint32_t error, first, info;
    std::span<const Cause> causes;
    std::string says;  ///< "the network processor refused a request"
    /// "link +y: " or the like, from the contents of ERROR_FIRST and ERROR_INFO; may be empty.
    std::string (*where)(std::uint32_t first, std::uint32_t info);
  };
  /// `node` says what errors begin with: "node 3".
  CheckedRegisters(HardwarePort& port, std::function<std::string()> node, ErrorRegisters errors);

  /// Throw HardwareError with all causes if the access is refused.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  [[noreturn]] void throw_error();

 private:
  HardwarePort& port_;
  std::function<std::string()> node_;
  ErrorRegisters errors_;
};

}  // namespace ht::host
