// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "sw/host/hardware_port.hpp"

namespace ht::qpace {

/// Driver of one of the two serial ports: eight data bits, no parity, one stop bit.
class Uart {
 public:
  /// `index` 0 or 1; `divisor`: cycles of 4 ns a bit. Resets the port's format and errors.
  Uart(host::HardwarePort& port, unsigned index, std::uint32_t divisor = 16);

  /// Sends text; returns when the last character is in the port's FIFO. Takes the time the line
  /// takes.
  void write(std::string_view text);

  /// A character that was received, or -1. Throws HardwareError for one that is damaged or was
  /// lost.
  int read();

 private:
  host::HardwarePort& port_;
  std::uint32_t index_;
  Picoseconds character_time_;
  unsigned room_ = 0;  ///< characters that certainly fit
};

}  // namespace ht::qpace
