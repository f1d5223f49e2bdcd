// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/kernel/clock.hpp"
#include "sim/machine/memory_times.hpp"
#include "sim/machine/resting_parts.hpp"
#include "sim/machine/verilated_node.hpp"
#include "sim/qcdoc/cable.hpp"
#include "sim/qcdoc/scu_watch.hpp"

class Vqcdoc_scu;

namespace ht::machine {

/// How a QCDOC node is built. Times in ps.
struct ScuNodeOptions {
  sim::Clock clock{2000, 0};  ///< 500 MHz, the processor's and the links': a bit a cycle
  /// The node's bytes begin so many cycles later: 0 to 7. Nodes come out of reset by themselves.
  int byte_phase = 0;
  std::size_t memory_bytes = std::size_t{64} << 20;
  Picoseconds memory_latency =
      20'000;                     ///< of a word: one is taken a cycle, this much later it is here
  Picoseconds memory_spread = 0;  ///< a read takes longer by up to this, at random
  /// The memory takes nothing in this many of 256 pieces of 8 cycles, chosen by chance: for tests.
  std::uint32_t memory_stalls = 0;
  /// The processor and the unit share the embedded memory. While the processor computes with a
  /// memory busy for a share of the time, so much of each comes in the other's way: of the cycles
  /// that a word takes the memory from the processor, and a line from the unit.
  int word_cycles = 2, line_cycles = 2;
  /// The slow global clock, about 40 MHz ([QCDOC2004] section 2.4), and how much later than at the
  /// origin of time this node hears it.
  Picoseconds global_period = 25'000;
  Picoseconds global_skew = 0;
  bool skip_idle = true;  ///< jump over cycles in which nothing can change
  /// The unit is the one that was placed and routed for an FPGA; of a build that has it (far/).
  bool routed = false;
  /// Registers and memories come up with random bits drawn from this; nothing: with zeros.
  std::optional<std::uint32_t> initial_state;
};

/// A word that the unit moves to or from the node's memory.
struct MemoryAccess {
  Picoseconds time;  ///< of the clock edge at which memory takes the request
  bool write;
  std::uint64_t offset;  ///< bytes
  std::uint64_t data;
};

/// One QCDOC node: a Verilated qcdoc_scu, its memory behind it, twelve serial cables.
class ScuNode final : public VerilatedNode<Vqcdoc_scu, sim::QcdocCable> {
 public:
  static constexpr int links = 12;

  /// Throws UsageError for a clock, byte phase or latency that cannot be.
  ScuNode(int rank, const ScuNodeOptions& options);
  ~ScuNode() override;

  /// All twelve links, before the first run().
  void connect(int link, sim::QcdocCable& out, sim::QcdocCable& in);

  /// Has links followed whose cables have no faults, too; before the first run().
  void watch_all_links();
  /// Calls `watcher`, on the node's thread, for every word to or from memory; for measurements.
  void watch_memory(std::function<void(const MemoryAccess&)> watcher) {
    watcher_ = std::move(watcher);
  }

  /// Edges of single links that were left out while the unit was awake.
  std::uint64_t link_edges_left_out() const { return resting_.left_out(); }

  /// Computing that uses memory: words that the unit moves meanwhile make it longer, and are
  /// slower.
  void compute(Picoseconds duration, double memory_share) override;

  /// A model beside the receiver of link `link` (null: not listened to, and its cable is free of
  /// faults), for what it counted and where it and the hardware differed.
  check::QcdocReceiver* receiver_of(unsigned link) { return watch_.receiver_of(link); }
  void tell_ledgers() override;

 private:
  struct Read {
    std::int64_t due;  ///< edge
    std::uint64_t data;
  };

  void set_inputs() override;
  void take_requests() override;
  void before_rise() override;
  void take_outputs() override;
  StateBits state_bits() override;
  TraceTop trace_top() override;
  bool rests() const override;
  void drive_inputs();
  void receive_symbols();
  void send_symbols();
  void receive_bytes();
  void send_bytes();
  void observe();
  std::uint32_t accessed_links() const;
  void make_up(std::uint32_t links);
  void stop_resting();

  ScuNodeOptions options_;
  Picoseconds reset_time_;
  MemoryTimes read_times_;
  ScuWatch watch_;
  std::function<void(const MemoryAccess&)> watcher_;

  sim::SerialHistory sent_, received_;
  Picoseconds next_tick_ = 0;  ///< when the count of the global clock changes next
  std::uint32_t symbols_ = 0;  ///< bit i: wire i of those that come did not repeat itself now
  std::uint32_t sent_symbols_ = 0;
  RestingParts resting_;
  /// Verilator's, for each link, of what its clock was (ClockPin).
  bool links_rest_ = false;
  int quiet_edges_ = 0;  ///< since some wire did not repeat itself
  int idle_edges_ = 0;   ///< since the unit said it was busy
  std::deque<Read> reads_;
  double memory_share_ = 0;  ///< of the cycles, in which memory works for the processor
  double taken_ = 0;         ///< cycles that words of the unit took from the processor
  double in_the_way_ = 0;    ///< cycles that lines of the processor's took from the unit
};

}  // namespace ht::machine
