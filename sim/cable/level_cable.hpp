// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/cable/cable.hpp"

namespace ht::sim {

/// Something that shows other levels on a cable for a time, at the receiver's end.
struct Disturbance {
  Picoseconds from = 0, until = 0;  ///< [from, until)
  std::uint8_t level = 0;           ///< what the receiver sees meanwhile
};

/// One direction of a cable of plain wires that keep their level: what is sent are changes, at any
/// time of the sender's, and the receiver sees them `delay` later. For slow signals; no line code,
/// and so no ledger of errors: what receives must cope with disturbances itself.
class LevelCable : public CableBase {
 public:
  /// All wires are 0 at first. Throws UsageError for a delay under 1 ps, or disturbances that are
  /// not in order of time.
  LevelCable(std::string name, Picoseconds delay, std::vector<Disturbance> disturbances = {});

  /// The sender's wires show `level` from `time` on. Times must increase.
  void send(Picoseconds time, std::uint8_t level);

  /// What the receiver's wires show at `time`. Times must not decrease.
  std::uint8_t receive(Picoseconds time);

  /// When the receiver's wires may next change after the last receive(), or kNever.
  Picoseconds next_change() const;

  const std::string& name() const override { return name_; }
  Picoseconds safe_window() const override { return delay_; }
  void transfer(Picoseconds end) override;
  Picoseconds next_arrival() const override;
  Picoseconds next_fault_arrival() const override;
  std::size_t in_flight() const override { return sent_.size() + queue_.size() - head_; }
  std::uint64_t sent() const override { return changes_; }
  std::vector<std::byte> take_sent() override;
  void put_sent(std::span<const std::byte> bytes) override;
  ErrorLedger& ledger() override { return ledger_; }
  const ErrorLedger& ledger() const override { return ledger_; }

 private:
  struct Change {
    Picoseconds time;  ///< at the sender in sent_, at the receiver in queue_
    std::uint64_t level;
  };

  std::string name_;
  Picoseconds delay_;
  std::vector<Disturbance> disturbances_;
  std::size_t disturbance_ = 0;  ///< the first that is not over
  bool disturbed_ = false;       ///< it has begun
  ErrorLedger ledger_;
  std::uint8_t level_ = 0;
  std::uint64_t changes_ = 0;              ///< sent here
  alignas(64) std::vector<Change> sent_;   ///< the sender's, between transfers
  alignas(64) std::vector<Change> queue_;  ///< the receiver's; from head_ on
  std::size_t head_ = 0;
};

}  // namespace ht::sim
