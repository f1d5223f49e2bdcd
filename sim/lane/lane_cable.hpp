// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "sim/cable/cable.hpp"
#include "sim/cable/fault_random.hpp"
#include "sim/cable/fault_schedule.hpp"
#include "sim/cable/line_errors.hpp"
#include "sim/lane/bundle.hpp"
#include "sim/lane/lane_account.hpp"

namespace ht::sim::lanes {

/// The lanes of a cable, and how they differ from wires without a length. Times in ps.
struct LaneOptions {
  Shape shape{4, 4};
  int every = 1;           ///< cycles of the link's clock for a word
  Picoseconds skew = 0;    ///< each lane is longer by up to this, drawn
  Picoseconds jitter = 0;  ///< each word of a lane comes later by up to this, drawn
  /// Each lane's delay grows by up to this and shrinks again, once in drift_period.
  Picoseconds drift = 0;
  Picoseconds drift_period = 100'000'000;
  WordParts parts{};  ///< of the link's words
};

/// Listens to one direction of a cable: the words that the sender's link handed to its lanes, in
/// order, but for idle ones. Called by the receiver's thread, at the ends of windows.
class LaneTap {
 public:
  virtual ~LaneTap() = default;
  /// `number`: of the word, those that are idle counted; `now`: when the lanes took it.
  virtual void sent(std::int64_t number, Picoseconds now, const Word& word) = 0;
};

/// One direction of a cable of serial lanes. The sender's bundle puts a word's bits on all lanes at
/// each edge of its clock; the receiver has words of each lane, cut out of the bits anywhere, at
/// times of their own: a lane's recovered clock. The clocks of both ends may differ.
///
/// Errors are those of any cable, in coded bits; a pulled cable has no signal and, plugged again,
/// cuts the bits at other places; a silent one has a signal and no clock. A lost or doubled symbol
/// is a word of all lanes. Forced and aimed errors, which look for words, are refused.
class LaneCable final : public CableBase {
 public:
  /// `options.sender`, `options.receiver`: the links' clocks. Throws UsageError for a shape that is
  /// not built, lanes that differ by more than receivers make up for, or a bad fault plan.
  LaneCable(CableOptions options, const LaneOptions& lanes);

  unsigned width() const { return width_; }  ///< bits of a lane in a word
  const LaneOptions& lanes() const { return lanes_; }
  const CableOptions& options() const { return options_; }

  /// The sender's link handed over `word`; its lanes put `bits` on the line: word `number`, at
  /// `now`. None is left out but before the first.
  void send(std::int64_t number, Picoseconds now, const Word& word, const Bits& bits);

  /// A word of a lane, bit 0 first on the line.
  struct Arrival {
    Picoseconds time;
    Bits bits;
  };
  /// The next word of a lane, if it has come by `now`; else null.
  const Arrival* arrived(unsigned lane, Picoseconds now) const;
  void take(unsigned lane) { lines_[lane].arrivals.pop_front(); }
  /// Whether the receiver hears anything at that time; times increase.
  bool signal(Picoseconds now);

  LaneAccount& account() { return account_; }
  /// From now on `tap` hears every word; null: nobody.
  void listen(LaneTap* tap) { tap_ = tap; }

  const std::string& name() const override { return options_.name; }
  Picoseconds safe_window() const override {
    return options_.delay - options_.receiver.longest_cycle();
  }
  void transfer(Picoseconds end) override;
  Picoseconds next_arrival() const override;
  /// Lanes never rest, so that nobody jumps over a fault.
  Picoseconds next_fault_arrival() const override { return kNever; }
  /// 1 while a word may still be under way that is neither idle nor the same as the one before: a
  /// link may say nothing by a word that it repeats.
  std::size_t in_flight() const override;
  std::uint64_t sent() const override { return sent_count_; }
  std::vector<std::byte> take_sent() override;
  void put_sent(std::span<const std::byte> bytes) override;
  ErrorLedger& ledger() override { return ledger_; }
  const ErrorLedger& ledger() const override { return ledger_; }
  Clock receiver_clock() const override { return options_.receiver; }

 private:
  struct Sent {
    std::int64_t number;
    Picoseconds time;
    Word word;
    Bits bits;
  };
  struct Line {
    Picoseconds delay = 0;  ///< beside the cable's
    Picoseconds phase = 0;  ///< of its drift
    Bits bits{};            ///< of the word that is coming
    unsigned count = 0;     ///< of them
    Picoseconds last = 0;
    std::uint64_t words = 0;
    std::deque<Arrival> arrivals;
  };
  struct SignalChange {
    Picoseconds time;
    bool signal;
  };

  void carry(const Sent& sent);
  void begin_outages(const Sent& sent);
  void damage_lanes(Bits& bits) const;
  void put(unsigned lane, const Bits& bits, Picoseconds now);
  void cut_anywhere();
  Picoseconds drift_of(const Line& line, Picoseconds now) const;

  CableOptions options_;
  LaneOptions lanes_;
  Clock words_;  ///< when words are sent, nearly: some edge of `every` of the sender's
  unsigned width_;
  Word idle_;
  ErrorLedger ledger_;
  LaneAccount account_;
  FaultSchedule schedule_;
  LineErrors errors_;
  FaultRandom random_;
  LaneTap* tap_ = nullptr;
  std::uint64_t cuts_ = 0;              ///< how often bits were cut anew
  alignas(64) std::vector<Sent> sent_;  ///< the sender's, between transfers
  std::uint64_t sent_count_ = 0;        ///< of those, too, that are neither idle nor repeated
  Word sent_last_;
  alignas(64) std::vector<Line> lines_;
  std::deque<SignalChange> changes_;
  bool signal_ = true, broken_ = false;
  bool plugged_ = true;                 ///< of the words that are being carried
  Picoseconds carried_ = 0, busy_ = 0;  ///< end of what was carried; the last word of that sort
  Word carried_last_;

  std::vector<FaultSchedule::Flip> flips_;  ///< of this word; kept for their storage
  std::vector<FaultSchedule::Slip> slips_;
  std::vector<std::size_t> outages_;
};

}  // namespace ht::sim::lanes
