// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vaxi_host.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "verif/check/bus/axi_memory.hpp"

namespace ht::test {

/// An axi_host of three ports of 8 bytes between a model of a node, whose ports read and write at
/// random, and a check::AxiMemory. Every edge checks: reads bring what was written before them
/// through their port, what is written behind everything comes behind everything, what is not
/// pending is written. Behind an access beyond the memory, or one that memory refuses, none of that
/// is: no answer, nothing written behind everything, no register of the node read.
class HostBench {
 public:
  static constexpr unsigned ports = 3;
  static constexpr unsigned unit = 8;        ///< bytes of a beat
  static constexpr unsigned timeout = 4096;  ///< of registers and memory, cycles
  /// Of memory, each port its own; in the last of them all is written behind everything.
  static constexpr unsigned port_pages = 3;
  static constexpr unsigned pages = ports * port_pages;
  static constexpr std::uint32_t base = 0x40021000;
  static constexpr std::uint32_t window = 4U << 8;  ///< bytes of the node's registers

  HostBench(std::uint64_t seed, double stall);
  ~HostBench();
  HostBench(const HostBench&) = delete;

  /// The node's ports work, with this share of cycles in which they ask for something.
  double load = 0.7;
  /// Share of the accesses that lie beyond the node's memory.
  double beyond = 0;
  /// Share of the reads that ask for what was written last through their port.
  double again = 0;
  bool orderly = false;  ///< long runs of consecutive addresses

  void step();
  void run(unsigned cycles) {
    while (cycles-- > 0) step();
  }
  /// Until all that the ports asked for is answered. Throws after a while.
  void settle();
  void reset();
  /// Holds the node and starts it again, with memory as it is.
  void hold();

  struct Reply {
    std::uint32_t value;
    unsigned response;
  };
  /// AXI4-Lite. A write's address and data come apart by up to some cycles, at random.
  Reply read(std::uint32_t byte_address);
  unsigned write(std::uint32_t byte_address, std::uint32_t value, unsigned strobes = 0xF);
  /// Says where memory is and lets the node out of reset.
  void start(std::uint32_t memory_pages = pages);

  /// The node's registers; one that is not here is refused, one of `dead` is never answered.
  std::map<std::uint32_t, std::uint32_t> registers;
  std::set<std::uint32_t> dead;
  unsigned node_accesses = 0;

  check::AxiMemory memory;
  std::uint64_t reads_checked = 0, writes_taken = 0, range_reads = 0, range_writes = 0;
  std::uint64_t fences_checked = 0, behinds_checked = 0;
  bool interrupt() const { return top_->irq != 0; }

 private:
  struct Access {
    std::uint32_t address;  ///< in units
    std::uint64_t data;
    unsigned strobe;
    bool last, after;
  };
  struct Port {
    std::optional<Access> write, read;
    std::uint32_t next_write = 0, next_read = 0;
    std::optional<std::uint32_t> last_write;
    struct Expected {
      std::uint32_t address;
      std::optional<std::uint64_t> value;  ///< unless it may be that of a write that is not made
      bool never;                          ///< it cannot be read
    };
    std::deque<Expected> expected;  ///< of reads under way
    std::uint64_t in_range = 0;     ///< beats taken
    bool lost = false;              ///< a write that cannot be made was taken
    bool stuck() const { return !expected.empty() && expected.front().never; }
  };

  bool in_reset() const { return top_->rst != 0 || top_->node_rst != 0; }
  void resync();
  std::uint64_t& reference(std::uint32_t address) { return reference_.at(address); }
  void before_edge();
  void after_edge();
  void drive(unsigned number);
  void check_behind(unsigned id, std::uint64_t address);
  void node_registers();
  void answer_look();
  std::uint32_t place(unsigned number, std::uint32_t& next);
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::uint32_t any(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vaxi_host> top_;
  std::mt19937_64 random_;
  std::array<Port, ports> ports_;
  std::vector<std::uint64_t> reference_;  ///< memory by unit, if it took all at once
  /// By the address that is written behind everything: beats that are to be answered before, or
  /// nothing if one of them is not made.
  std::map<std::uint64_t, std::deque<std::optional<std::uint64_t>>> behind_;
  unsigned register_wait_ = 0;
  std::optional<unsigned> seen_in_;  ///< cycles until a look is answered
  /// Taken before a register was read; nothing: some of it is lost.
  std::optional<std::array<std::optional<std::uint64_t>, ports>> fence_;
};

}  // namespace ht::test
