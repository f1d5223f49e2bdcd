// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verif/model/qcdoc/reader.hpp"

namespace ht::check {

/// Runs beside the receiver of a QCDOC link: reads the same bits, compares what the hardware's
/// observation port says of them with the format's rules, and reports to a ledger of errors which
/// bits were accepted and which were rejected. Times are edges of the receiver's clock.
class QcdocReceiver {
 public:
  enum class State : std::uint8_t { Down, Train, Up };
  using Anomaly = model::qcdoc::ByteReader::Anomaly;

  struct Pulses {
    bool start = false, ok = false, error = false;
    bool operator==(const Pulses&) const = default;
    bool any() const { return start || ok || error; }
  };

  /// What became of bits, in order of edges. Something begins at `start`; `ok`: what began was
  /// accepted, its last bit at this edge; `error`: it was rejected. Bytes repeated without
  /// change are not reported.
  struct Verdict {
    std::int64_t edge = 0;
    bool start = false, ok = false, error = false;
    Anomaly anomaly = Anomaly::None;  ///< with `error`; None: a training sequence
    bool aligned = false;             ///< the byte boundary was set: earlier slips are over
  };
  using Sink = std::function<void(const Verdict&)>;

  explicit QcdocReceiver(Sink sink = {}) : sink_(std::move(sink)) {}

  /// The bit on the wire at this edge is not the one of eight edges before (all others are). Edges
  /// increase.
  void received(std::int64_t edge);
  /// The link's state in the cycle after that edge: to be given before its pulses.
  void state(std::int64_t edge, State state);
  /// The pulses in the cycle after that edge, that is, about a byte whose last bit was on the wire
  /// at that edge. Need not be given if there are none.
  void observed(std::int64_t edge, const Pulses& pulses);

  /// Reads on to that edge: nothing else will be reported of what lies before it.
  void advance(std::int64_t edge);
  /// Call when nothing more comes. Where hardware and rules differed: "edge 123: expected ..., got
  /// ..."; at most a few of them.
  const std::vector<std::string>& close(std::int64_t edge);

  struct Counts {
    std::uint64_t header_errors = 0, parity_errors = 0, marker_errors = 0, refused = 0;
    std::uint64_t frames = 0;     ///< good ones with a payload
    std::uint64_t trainings = 0;  ///< TRAIN entered
  };
  const Counts& counts() const { return counts_; }
  /// Ends of good frames with a payload: data words, supervisor words, interrupts.
  const std::vector<std::int64_t>& frames() const { return frames_; }

 private:
  void step(std::int64_t edge, const Pulses& pulses);
  void read_byte(std::int64_t edge, std::uint8_t byte, const Pulses& pulses);
  void train(std::int64_t edge, const model::qcdoc::BitAligner::Event& e);
  void tell(std::int64_t edge, Verdict verdict);
  void tell_whole(std::int64_t first, std::int64_t last, Verdict verdict);
  void differ(std::int64_t edge, const Pulses& expected, const Pulses& got);

  Sink sink_;
  std::deque<std::int64_t> changes_;  ///< edges that were not read yet
  std::array<bool, 8> wire_{};        ///< last bits, by edge modulo 8
  std::int64_t next_ = 0;             ///< edge to be read
  State state_ = State::Down;
  bool entered_ = false;  ///< the state is new in this cycle
  bool unsure_ = false;   ///< a good supervisor word or interrupt came that is not believed yet
  std::optional<std::int64_t> word_end_;  ///< the same of a data word: its last bit's edge
  model::qcdoc::BitAligner aligner_;
  model::qcdoc::ByteReader bytes_;
  std::optional<std::uint8_t> repeated_;  ///< the last byte was this bare one, and accepted
  std::optional<std::uint8_t> status_;    ///< of the last training sequence since TRAIN began
  std::int64_t sequence_end_ = 0;         ///< with status_: of that, or of a bad one in its place
  std::int64_t told_ = 0;
  Counts counts_;
  std::vector<std::int64_t> frames_;
  std::vector<std::string> differences_;
};

}  // namespace ht::check
