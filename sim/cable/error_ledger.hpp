// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>
#include <vector>

#include "sim/cable/error_kinds.hpp"
#include "sim/kernel/clock.hpp"

namespace ht::sim {

enum class Fate : std::uint8_t { Open, Detected, Harmless, Undetected };
/// Which of a receiver's checks rejected a word, or some bits.
enum class Complaint : std::uint8_t {
  None,
  Code,
  Framing,
  Check,
  Command,
  Header,
  Parity,
  Marks,
  Training
};
const char* name(Fate fate);

/// Parts of a word that a receiver takes, or rejects, each by itself. A word is one part, except on
/// a line whose words may carry a command beside a frame's.
enum class Part : std::uint8_t { Frame = 1, Command = 2, Whole = 3 };

/// One injected error.
struct InjectedError {
  ErrorKind kind = ErrorKind::Bit;
  Fate fate = Fate::Open;
  Picoseconds time = 0;     ///< when its first symbol was sent
  std::int64_t symbol = 0;  ///< the sender's link clock edge of that symbol
  int lane = -1;            ///< -1: all
  unsigned bit = 0;         ///< of the coded group, for Bit and Burst
  /// Receiver's link clock edges of the first and last word it had an effect on; none if last <
  /// first.
  std::int64_t first = 0, last = -1;
  Complaint complaint = Complaint::None;  ///< the first that covered it, where known
  /// Receiver's link clock edges from `first` to the first complaint that covered it, if one did.
  std::uint32_t complaint_after = 0;
};

struct ErrorTotals {
  std::uint64_t injected = 0, detected = 0, harmless = 0, undetected = 0;
  /// By kind; what is neither detected nor undetected is harmless, once the ledger is closed.
  std::array<std::uint64_t, kErrorKinds> injected_of{}, detected_of{}, undetected_of{};

  bool balanced() const { return injected == detected + harmless + undetected; }
  ErrorTotals& operator+=(const ErrorTotals& other);
  bool operator==(const ErrorTotals&) const = default;
};

/// What the receiver's observation port said of one word: rx_start, rx_ok, rx_command, rx_error,
/// rx_command_error.
struct Observation {
  bool start = false;                     ///< first word of a frame of more than one word
  bool ok = false;                        ///< last word of a frame whose check was good
  bool command = false;                   ///< a one-word frame whose check was good
  bool error = false;                     ///< anything that the receiver rejected
  Complaint complaint = Complaint::None;  ///< with `error`: to what, where a checker knows
  bool aligned = false;  ///< what slipped before is made up for: the receiver aligned itself anew
  bool command_error = false;  ///< a damaged command beside a frame's word
};

/// Follows every error injected on one cable until it is known what became of it:
///  * undetected: the receiver accepted a frame that contains a word it changed (or lost, or
///    repeated), and had not complained of that word; of a word that has two parts, the part that
///    was accepted;
///  * detected: not so, and the receiver complained while a changed word, or a frame with it,
///  passed;
///  * harmless: neither. It had no effect: an idle symbol lost, a command lost (which costs
///    time only) or heard twice, words of a frame already given up.
/// Belongs to the thread of the receiving node. See sim/cable/README.md.
class ErrorLedger {
 public:
  explicit ErrorLedger(std::string cable) : cable_(std::move(cable)) {}

  /// Logs an error; returns its number. The cable calls this and the next two.
  std::size_t inject(const InjectedError& error);
  /// The error changed the word at receiver's edge `edge`, or a part of it.
  void changed(std::size_t number, std::int64_t edge, Part part = Part::Whole);
  /// A symbol was lost or inserted between the words at edges `before` and `after`.
  void slipped(std::size_t number, std::int64_t before, std::int64_t after);

  /// The symbols from receiver's edge `edge` on come `by` symbols later, until the receiver aligns
  /// itself anew, or other slips make up for it: multiples of eight symbols move nothing.
  void slipped_for_good(std::size_t number, std::int64_t edge, int by);

  /// The receiving node calls this for every word of which its hardware reported something.
  /// `edge` is the edge of its link clock at which that word was on its input: the pulse's own edge
  /// minus the hardware's constant latency. Edges must not decrease.
  void observe(std::int64_t edge, const Observation& seen);

  /// No more observations will come: what has no other fate is harmless.
  void close();

  const std::vector<InjectedError>& errors() const { return errors_; }
  /// Throws std::logic_error before close().
  ErrorTotals totals() const;
  /// So far. Before close() no error is known to be harmless.
  ErrorTotals totals_so_far() const { return totals_; }
  const std::string& cable() const { return cable_; }
  /// One line an error: cable, kind, time in ps, symbol, lane, bit, fate.
  void dump(std::ostream& out) const;

 private:
  /// One effect of an error: on a word (before == after), or between two words.
  struct Effect {
    std::size_t number;
    std::int64_t before, after;
    Part part = Part::Whole;
  };

  void complaint(std::int64_t from, std::int64_t to, Part part, Complaint what);
  void acceptance(std::int64_t from, std::int64_t to, Part part);
  void set_fate(std::size_t number, Fate fate);
  void effect(const Effect& e);
  void note(std::size_t number, std::int64_t edge);

  std::string cable_;
  std::vector<InjectedError> errors_;
  std::deque<Effect> effects_;    ///< that no observation has covered yet
  std::vector<Effect> for_good_;  ///< lasting slips that no observation has covered
  struct Move {
    std::int64_t edge;
    int by;
  };
  std::vector<Move> moves_;  ///< all such slips since the receiver aligned itself
  ErrorTotals totals_;
  bool closed_ = false;
  std::int64_t seen_ = -1;   ///< edge of the last observation
  std::int64_t start_ = -1;  ///< edge of the last frame's start, until a frame or command is good
  std::int64_t error_ = -1;  ///< edge of the last complaint
  bool in_frame_ = false;    ///< no complaint since start_
};

}  // namespace ht::sim
