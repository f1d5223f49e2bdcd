// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sim/cable/fault_plan.hpp"
#include "sim/cable/fault_random.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::sim {

/// A FaultPlan spelled out: what happens in which slot. A slot is one symbol time of the sender,
/// and has the number of its link clock edge.
class FaultSchedule {
 public:
  static constexpr std::int64_t kNoSlot = std::numeric_limits<std::int64_t>::max();

  struct Line {
    unsigned lanes, group_bits;
    Clock sender;
    Picoseconds delay;
    std::uint64_t seed;
    std::uint32_t cable;
  };
  FaultSchedule(const FaultPlan& plan, const Line& line);

  /// An inverted coded bit. Errors that invert several share a `source`; bit errors have none (-1).
  struct Flip {
    std::int64_t slot;
    unsigned lane, bit;
    int source;
  };
  struct Slip {
    std::int64_t slot;
    bool busy;
    bool doubled;
  };
  /// Slots [from, until). A fault of lanes, or a pulled cable: then of all lanes.
  struct Outage {
    std::int64_t from, until;
    LaneFault fault;  ///< a pulled cable: only its kind has a meaning
    bool pulled;
  };
  /// An aimed error whose target has not been sent yet: the first one in `slot` or later.
  struct Aim {
    std::int64_t slot;
    std::size_t number;  ///< in FaultPlan::aimed
  };

  /// First slot at or after `slot` in which something happens, whatever is sent. Slots before
  /// `slot` must have been taken.
  std::int64_t next_slot(std::int64_t slot) const;
  /// First slot in which a busy slip is due.
  std::int64_t next_busy_slip() const;

  /// The flips of `slot` (and drops those before it).
  void take_flips(std::int64_t slot, std::vector<Flip>& out);
  /// The slips due at `slot`; `busy` if its symbol is not idle.
  void take_slips(std::int64_t slot, bool busy, std::vector<Slip>& out);
  /// The outages that cover `slot`, by number.
  void outages_at(std::int64_t slot, std::vector<std::size_t>& out) const;
  const Outage& outage(std::size_t number) const { return outages_[number]; }
  /// Aimed errors that still wait for their target.
  const std::vector<Aim>& aims() const { return aims_; }
  /// The slot from which on nothing waits for its target any more.
  std::int64_t waits_until() const { return waits_until_; }
  /// Aim number `i` of those has found its target in `slot`, which was not taken yet.
  void hit(std::size_t i, std::int64_t slot);
  /// Forced pattern number `i` inverts the only bit of these slots, in order, none taken yet.
  void force(std::size_t i, const std::vector<std::int64_t>& slots);
  /// What a flip's source is: a burst, an aimed error or a forced pattern.
  ErrorKind kind_of(int source) const {
    return source < first_aimed_    ? ErrorKind::Burst
           : source < first_forced_ ? ErrorKind::Aimed
                                    : ErrorKind::Forced;
  }
  std::size_t outage_count() const { return outages_.size(); }

 private:
  void add_burst(const FaultPlan::Burst& burst, unsigned first_bit, unsigned number);
  void draw_all(const FaultPlan::Drawn& drawn);
  void next_bit_error();
  void insert(const Flip& flip);

  Line line_;
  FaultRandom random_;
  double rate_;
  std::int64_t bit_end_;            ///< first coded bit that no bit error may hit
  std::int64_t bit_position_ = -1;  ///< of the next bit error, in coded bits since slot 0
  std::uint64_t bit_number_ = 0;    ///< of bit errors drawn
  Flip bit_error_{kNoSlot, 0, 0, -1};
  std::vector<Flip> flips_;  ///< of bursts, by slot; from flip_ on
  std::size_t flip_ = 0;
  std::vector<Slip> slips_, busy_slips_;  ///< by slot
  std::size_t slip_ = 0, busy_slip_ = 0;
  std::vector<Outage> outages_;  ///< by first slot
  std::vector<FaultPlan::Aimed> aimed_;
  std::vector<Aim> aims_;
  std::int64_t waits_until_;
  int first_aimed_ = 0, first_forced_ = 0;  ///< of the sources
};

}  // namespace ht::sim
