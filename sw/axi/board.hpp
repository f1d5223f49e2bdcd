// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "sw/host/time.hpp"

namespace ht::axi {

/// What a board's processor has of a node behind AXI (rtl/bus): its registers, memory that both
/// reach, time.
class Board {
 public:
  virtual ~Board() = default;

  /// A register, by its byte address at the node's AXI4-Lite port. Throws HardwareError for an
  /// access that the bus refuses, where the processor can know.
  virtual std::uint32_t read(std::uint32_t address) = 0;
  virtual void write(std::uint32_t address, std::uint32_t value) = 0;

  /// Memory that processor and node both see without flushing (uncached, or through a coherent
  /// port), and its address on the bus.
  virtual std::span<std::byte> memory() = 0;
  virtual std::uint64_t memory_address() const = 0;

  /// Since some moment in the past.
  virtual Picoseconds now() = 0;
  /// Lets at least that time pass.
  virtual void pause(Picoseconds duration) = 0;
  /// Charges time that a processor model computes. A real processor has taken its own already.
  virtual void compute(Picoseconds /*duration*/) {}

  /// Level of the node's interrupt.
  virtual bool interrupt() = 0;
  /// Whether the programs of all nodes have ended. True where nothing can tell, as on a board:
  /// linger() then waits for this node's own puts only.
  virtual bool job_ended() { return true; }
};

}  // namespace ht::axi
