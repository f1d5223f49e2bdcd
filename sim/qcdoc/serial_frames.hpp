// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/lane/lane_cable.hpp"
#include "sim/machine/frame.hpp"
#include "sim/qcdoc/cable.hpp"
#include "verif/model/qcdoc/reader.hpp"

namespace ht::machine {

/// What was put on a QCDOC cable as a whole - a header with its payload or without one, marks with
/// their record, a training sequence, a break - and what arrived of it.
/// The symbols are bytes, but errors are counted in bits. Cut short: another frame follows before
/// its end.
struct SerialFrame : Frame<std::uint8_t> {
  static constexpr int symbol_edges = 8;
  /// A header and eight bytes; a supervisor's word has a check byte more.
  bool carries_data() const { return sent.size() == 9; }
  bool damaged() const { return changed + lost + inserted > 0; }
  /// The receiver, if it is in step, takes a damaged frame for a good one.
  bool unseen() const;
  /// The bytes as they are.
  static void store(std::vector<std::uint8_t>& out, const std::vector<std::uint8_t>& bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  /// What is damaged, for people: "2 bits changed"; empty if nothing is.
  std::string damage() const { return damage_of("bit"); }
};

/// Cuts what goes over one direction of a QCDOC cable into frames. What repeats the byte, or the
/// training sequence, before it and is whole is none.
class SerialFrames final : public sim::CableTap<std::uint8_t> {
 public:
  using Frame = SerialFrame;
  explicit SerialFrames(const sim::Clock& sender) : sender_(sender) {}

  void carried(std::int64_t slot, const std::uint8_t& sent, const std::uint8_t* received) override;
  void inserted(std::int64_t slot, const std::uint8_t& received) override;
  /// Instead of all symbols: a byte that lanes took, `slot` its first bit's. What else is on the
  /// line are no bytes.
  void byte(std::int64_t slot, std::uint8_t value);

  /// Frames that are complete, oldest first; the caller takes them away.
  std::deque<SerialFrame>& complete() { return complete_; }
  const std::deque<SerialFrame>& complete() const { return complete_; }
  /// Begin of what is not complete, of all that was sent before `now`, a window's end.
  std::optional<Picoseconds> open_since(Picoseconds now);
  /// Takes what there is of an open frame for all of it.
  void cut();

 private:
  using State = sim::QcdocLineCode::State;

  void idle_until(std::int64_t slot);
  void push(bool sent, std::optional<bool> arrived);
  void end_byte(std::uint8_t value, const model::qcdoc::ByteReader::Event& b,
                const SerialFrame& byte);
  SerialFrame last_bits(std::size_t bytes) const;
  SerialFrame last_bytes(std::size_t bytes) const;
  void train(const SerialFrame& sequence);
  bool in_step() const { return over_lanes_ ? lane_reader_.in_step() : reader_.in_step(); }
  bool in_record() const { return over_lanes_ ? lane_reader_.in_record() : reader_.in_record(); }
  void finish();

  sim::Clock sender_;
  std::deque<SerialFrame> complete_;
  model::qcdoc::SenderReader reader_;
  State tx_ = 0, rx_ = 0;  ///< the last eight bits at both ends
  std::int64_t slot_ = 0;  ///< next
  struct Bit {
    bool sent;
    std::vector<bool> arrived;  ///< none: lost; two: doubled
  };
  std::deque<Bit> bits_;  ///< the last ones
  bool over_lanes_ = false;
  model::qcdoc::ByteReader lane_reader_;
  struct Byte {
    std::int64_t slot;
    std::uint8_t value;
  };
  std::deque<Byte> lane_bytes_;  ///< the last four that lanes took
  std::optional<SerialFrame> frame_;
  std::optional<std::uint8_t> repeated_;  ///< the last byte was this one, by itself
  std::optional<std::uint8_t> status_;    ///< of the last training sequence, if another may follow
};

/// The bytes that a link hands to its lanes.
class SerialBytes final : public sim::lanes::LaneTap {
 public:
  SerialBytes(SerialFrames& frames, const sim::Clock& sender) : frames_(frames), sender_(sender) {}

  void sent(std::int64_t /*number*/, Picoseconds now, const sim::lanes::Word& word) override {
    if (word.control == 0) frames_.byte(sender_.first_edge(now), word.data[0]);
  }

 private:
  SerialFrames& frames_;
  sim::Clock sender_;
};

}  // namespace ht::machine
