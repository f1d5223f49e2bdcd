// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "sw/axi/board.hpp"
#include "sw/host/hardware_port.hpp"

namespace ht::axi {

/// Which node is behind the buses: what rtl/bus/README.md says of its top.
struct PortOptions {
  std::uint32_t registers = 0x4000;  ///< bytes of the node's registers; the buses' are behind them
  bool puts = false;                 ///< axi_puts is there
  Picoseconds poll = 200'000;        ///< wait() returns after so long
};

/// The port of a driver on a board's processor: registers over AXI4-Lite, memory shared with the
/// node, puts by axi_puts. One BoardPort for each node, in one process; its constructor resets the
/// node, and packets not sent by then are lost.
///
/// Memory is ordered as it has to be: what the program wrote is there before a register is written,
/// and what the node wrote before it is read after a register was. wait() lets `poll` pass, then
/// looks at the puts once: its caller checks its condition and calls again. wait() and advance()
/// throw what check_errors() does when the node's interrupt is up.
class BoardPort final : public host::HardwarePort {
 public:
  /// Says where memory is and lets the node out of reset. Throws HardwareError, naming what is
  /// there instead, if no such node answers, or if it does not come out of reset within 1 ms.
  BoardPort(Board& board, const PortOptions& options);
  /// The node goes on: what it was given is still to be sent, and others may want its links.
  ~BoardPort() override = default;
  BoardPort(const BoardPort&) = delete;
  BoardPort& operator=(const BoardPort&) = delete;

  std::uint32_t read_register(std::uint32_t address) override;
  void write_register(std::uint32_t address, std::uint32_t value) override;
  /// Throws UsageError for what is no put: whole lines of 128 bytes inside the node's memory.
  std::uint64_t post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                           std::uint64_t bytes) override;
  /// As of the last wait(), advance() or post_write().
  bool posted_done(unsigned queue, std::uint64_t ticket) const override;
  bool interrupt() const override { return board_.interrupt(); }
  host::NodeMemory& memory() override { return memory_; }

  Picoseconds now() const override { return board_.now(); }
  void advance(Picoseconds duration) override;
  void compute(Picoseconds duration, double memory_share) override;
  void wait(std::string_view what) override;
  /// Calls `service` until the node has taken all puts and job_ended(); then returns. To be called
  /// at the end of every program, behind driver.linger() too, which returns at once if the driver
  /// forwards nothing: puts that are not taken yet are lost when the node is reset.
  void linger(const std::function<void()>& service) override;

  /// Throws HardwareError for what the buses refused: the causes in ERROR, and where.
  void check_errors();

 private:
  struct Put {
    std::uint64_t address, source, lines, ticket;
  };
  struct Queue {
    std::deque<Put> waiting;
    std::uint64_t under_way = 0;  ///< ticket of the put that axi_puts has, if it is its last part
    bool busy = false;
    std::uint64_t issued = 0, completed = 0;
  };

  std::uint32_t control(std::uint32_t reg) const { return options_.registers + 4 * reg; }
  void move_puts();
  void look();
  void pump(unsigned number, Queue& queue);

  Board& board_;
  PortOptions options_;
  host::NodeMemory memory_;
  std::vector<Queue> queues_;
};

}  // namespace ht::axi
