// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sim/cable/fault_plan.hpp"
#include "sim/cable/line_code.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::sim {

/// One direction between two ports, as the kernel sees it: something that carries what a node sent
/// during a window to another node, and has it there before that node may need it.
class CableBase {
 public:
  virtual ~CableBase() = default;

  virtual const std::string& name() const = 0;

  /// Longest window for which everything sent in it arrives at its end or later, ps:
  /// the delay minus one symbol, by which a lost symbol moves its followers up.
  virtual Picoseconds safe_window() const = 0;

  /// Moves what was sent before `end` through the line to the receiver's queue. Called at the end
  /// of a window, by the receiver's thread, while no node runs.
  virtual void transfer(Picoseconds end) = 0;

  /// Time of the receiver's next queued symbol, or kNever.
  virtual Picoseconds next_arrival() const = 0;
  /// Earliest time at which the receiver could see a fault that is still to come, if nobody sends
  /// anything; kNever if there is none.
  virtual Picoseconds next_fault_arrival() const = 0;
  /// Symbols sent and not yet taken by the receiver, and idle ones that errors made something of.
  virtual std::size_t in_flight() const = 0;
  /// Symbols sent here since the machine was switched on, those left out that say nothing.
  virtual std::uint64_t sent() const = 0;

  /// For cables between MPI ranks: what was sent since the last transfer, as bytes; and the same
  /// bytes put into the copy of this cable that the receiver's rank holds.
  virtual std::vector<std::byte> take_sent() = 0;
  virtual void put_sent(std::span<const std::byte> bytes) = 0;

  virtual ErrorLedger& ledger() = 0;
  virtual const ErrorLedger& ledger() const = 0;
  /// The clock whose edges the ledger numbers.
  virtual Clock receiver_clock() const { return {1, 0}; }
};

struct CableOptions {
  std::string name;             ///< "(0,0,0) +x -> (1,0,0) -x": for people
  std::uint32_t number = 0;     ///< keys the random errors: unique in a machine, fixed by its shape
  Clock sender, receiver;       ///< link clocks of both ends: equal true periods, any phases
  Picoseconds delay = 250'000;  ///< PHYs and cable; at least two symbols
  std::uint64_t seed = 1;
  FaultPlan faults;
};

/// Listens to one direction of a cable: what the sender put on the line, and what the receiver got
/// of it, in order. Called by the receiver's thread, at the ends of windows.
template <class Symbol>
class CableTap {
 public:
  virtual ~CableTap() = default;
  /// `slot`: number of the sender's link clock edge. `received` is null if nothing came of it (a
  /// lost symbol). An idle symbol that arrived as such is not reported.
  virtual void carried(std::int64_t slot, const Symbol& sent, const Symbol* received) = 0;
  /// The receiver got a symbol more than was sent.
  virtual void inserted(std::int64_t slot, const Symbol& received) = 0;
};

/// A symbol on its way, with the number of an edge of the sender's or receiver's link clock.
template <class Symbol>
struct TimedSymbol {
  std::int64_t edge;
  Symbol symbol;
};

/// A cable whose symbols go through a line code. One symbol a link clock; idle symbols need not be
/// sent. The receiver takes at its edge t what arrived in (t - period, t], else idle. Where clocks
/// have an `off_fs`, that holds for the symbol of edge 0, the others follow edge by edge: none is
/// taken before it arrived, and one in a while a picosecond later than this.
template <LineCode Code>
class Cable final : public CableBase {
 public:
  using Symbol = typename Code::Symbol;

  /// Throws UsageError for unequal true periods, a delay under two symbols, or a bad fault plan.
  explicit Cable(CableOptions options);
  ~Cable() override;

  /// The sender put `symbol` on the line with edge number `edge` of its link clock. Idle symbols
  /// may be left out. Edges must increase.
  void send(std::int64_t edge, const Symbol& symbol);

  /// What the receiver sees at edge number `edge` of its link clock. Edges must increase; none with
  /// a symbol queued may be left out (std::logic_error).
  Symbol receive(std::int64_t edge) {
    if (head_ == queue_.size() || queue_[head_].edge > edge) return Code::idle();
    return pop(edge);
  }
  /// Receiver's edge of the next queued symbol, or nothing.
  std::optional<std::int64_t> next_edge() const {
    if (head_ == queue_.size()) return std::nullopt;
    return queue_[head_].edge;
  }

  /// From now on `tap` hears everything; null: nobody does, which costs nothing. While no node
  /// runs.
  void listen(CableTap<Symbol>* tap) { tap_ = tap; }

  const std::string& name() const override { return options_.name; }
  Picoseconds safe_window() const override {
    return options_.delay - options_.sender.longest_cycle();
  }
  void transfer(Picoseconds end) override;
  Picoseconds next_arrival() const override;
  Picoseconds next_fault_arrival() const override;
  std::size_t in_flight() const override { return sent_.size() + queue_.size() - head_; }
  std::uint64_t sent() const override { return sent_before_ + sent_.size(); }
  std::vector<std::byte> take_sent() override;
  void put_sent(std::span<const std::byte> bytes) override;
  ErrorLedger& ledger() override { return ledger_; }
  const ErrorLedger& ledger() const override { return ledger_; }
  Clock receiver_clock() const override { return options_.receiver; }

  const CableOptions& options() const { return options_; }

 private:
  using Timed = TimedSymbol<Symbol>;
  class Line;  // the coded line with its faults: sim/cable/line.hpp

  Symbol pop(std::int64_t edge);

  CableOptions options_;
  ErrorLedger ledger_;
  std::unique_ptr<Line> line_;
  CableTap<Symbol>* tap_ = nullptr;
  alignas(64) std::vector<Timed> sent_;   ///< the sender's, between transfers
  alignas(64) std::vector<Timed> queue_;  ///< the receiver's; from head_ on
  std::size_t head_ = 0;
  std::uint64_t sent_before_ = 0;  ///< symbols that are in sent_ no more
};

}  // namespace ht::sim
