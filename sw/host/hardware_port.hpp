// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>

#include "sw/host/memory.hpp"
#include "sw/host/runtime.hpp"

namespace ht::host {

/// The one way a driver talks to its network hardware, so that the same driver runs on the
/// simulator and on a board's processor. Errors the hardware reports are read from its registers.
class HardwarePort : public Runtime {
 public:
  /// Reads / writes a 32-bit register; `address` counts registers (words), as in the machine's
  /// register map. Blocks for the bus access. Throws HardwareError if the bus answers with an
  /// error.
  virtual std::uint32_t read_register(std::uint32_t address) = 0;
  virtual void write_register(std::uint32_t address, std::uint32_t value) = 0;

  /// Hands a put of `bytes` bytes at byte offset `source` of the node's memory to the DMA engine
  /// that feeds the hardware's posted-write port at byte address `address`. Returns at once; the
  /// memory must not change until posted_done(ticket). Tickets of one `queue` (the engine's
  /// queues are independent and keep order, one a link for instance) complete in order. Hardware
  /// that has no such port, because it reads memory itself: std::logic_error.
  virtual std::uint64_t post_write(unsigned /*queue*/, std::uint64_t /*address*/,
                                   std::uint64_t /*source*/, std::uint64_t /*bytes*/) {
    throw std::logic_error("this hardware has no posted-write port");
  }

  /// True once the hardware took the last beat of that put: its source may be reused.
  virtual bool posted_done(unsigned /*queue*/, std::uint64_t /*ticket*/) const {
    throw std::logic_error("this hardware has no posted-write port");
  }

  /// Level of the hardware's interrupt line: some sticky error waits to be read. Raising it also
  /// ends wait().
  virtual bool interrupt() const = 0;

  /// The node's memory, which hardware addresses by byte offset.
  virtual NodeMemory& memory() = 0;
};

}  // namespace ht::host
