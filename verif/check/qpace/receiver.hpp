// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "verif/check/qpace/monitor.hpp"

namespace ht::check {

/// Runs beside the receiver of a QPACE link: reads the same words, compares what the hardware's
/// observation port says of them with the format's rules, and records what is needed to tell how
/// damage was detected. Times are edges of the receiver's link clock.
class QpaceReceiver {
 public:
  /// A word, not idle, on the link's input. Edges increase.
  void received(std::int64_t edge, const model::Word& word);

  struct Pulses {
    bool start = false, ok = false, command = false, error = false;
    bool operator==(const Pulses&) const = default;
  };
  /// What the hardware said of the word at `edge`; returns what the error, if any, is about.
  QpaceMonitor::Anomaly observed(std::int64_t edge, const Pulses& pulses);

  /// The sender at this end begins to send a packet again.
  void retransmits(std::int64_t edge);

  /// Call when nothing more comes. Where hardware and rules differed: "edge 123: expected ..., got
  /// ..."; at most a few of them.
  const std::vector<std::string>& close();

  /// Good packets that came although one before them had not: a gap in the sequence numbers.
  const std::vector<std::int64_t>& gaps() const { return gaps_; }
  /// Good packets, hellos and commands; and those that answer this end: hellos and commands.
  const std::vector<std::int64_t>& frames() const { return frames_; }
  const std::vector<std::int64_t>& answers() const { return answers_; }
  /// What the good packet or hello that ended at `edge` said: its words as sent; none if there was
  /// no such frame.
  std::vector<model::Word> frame_at(std::int64_t edge) const;
  /// Packets sent again at this end though no answer had come for `patience` edges.
  std::vector<std::int64_t> timeouts(std::int64_t patience) const;
  /// Ends of 64 words in a row with error characters: the signal was lost.
  const std::vector<std::int64_t>& signal_losses() const { return signal_losses_; }

  const QpaceMonitor& monitor() const { return monitor_; }

 private:
  struct Expected {
    std::int64_t edge;
    Pulses pulses;
    QpaceMonitor::Anomaly anomaly;
  };
  struct Content {
    std::int64_t edge;
    std::optional<model::qpace::DataPacket> packet;
    std::optional<model::qpace::Hello> hello;
  };
  void differ(std::int64_t edge, const Pulses& expected, const Pulses& got);
  void sequence(std::int64_t edge, unsigned number);

  QpaceMonitor monitor_;
  std::deque<Expected> expected_;
  std::vector<std::string> differences_;
  std::deque<Content> contents_;
  std::vector<std::int64_t> gaps_, frames_, answers_, signal_losses_, retransmissions_;
  unsigned next_sequence_ = 0;  ///< after the newest packet seen in order
  std::int64_t error_edge_ = -2;
  int errors_in_a_row_ = 0;
};

}  // namespace ht::check
