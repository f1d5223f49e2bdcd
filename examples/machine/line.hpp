// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "sim/cable/cable.hpp"
#include "sim/machine/frame.hpp"

namespace ht::grid {

constexpr int links = 4;  ///< of a node: 0 +x, 1 -x, 2 +y, 3 -y
constexpr std::size_t frame_words = 32, line_bytes = 4 * frame_words;  ///< payload of a data frame

/// Four bytes on the wire, byte 0 first, and which of them are control characters.
struct Word {
  std::uint32_t data = 0x07070707;
  std::uint8_t control = 0xf;

  std::uint8_t byte(unsigned i) const { return static_cast<std::uint8_t>(data >> (8 * i)); }
  bool starts() const { return control == 1 && byte(0) == 0xfb; }
  bool operator==(const Word&) const = default;
};

enum class Kind : std::uint8_t { Hello, Welcome, Data, Ack, Busy };
/// Of a frame, by its header.
inline Kind kind_of(const Word& header) {
  return static_cast<Kind>(header.data >> 8 & 7);
}
inline std::size_t words_of(Kind kind) {
  return kind == Kind::Data ? frame_words + 2 : 2;
}
/// Whether these are the words of a whole frame whose CRC is good.
bool is_good_frame(std::span<const Word> words);

/// The line: four lanes of 8b/10b, a code group each a cycle. See sim::LineCode.
struct LineCode {
  using Symbol = Word;
  using Coded = std::array<std::uint16_t, 4>;
  using State = std::uint8_t;  ///< a lane a bit: running disparity is positive
  using Frames = sim::NoFrames;
  static constexpr unsigned kLanes = 4, kGroupBits = 10;
  static constexpr bool kRecentres = true, kLasting = true;

  static constexpr Symbol idle() { return {}; }
  static Symbol no_signal(State& /*state*/) { return {0xfefefefe, 0xf}; }
  static bool starts_frame(const Symbol& s) { return s.starts() && kind_of(s) == Kind::Data; }
  static bool is(const Symbol& s, sim::Target target);
  static Symbol flip(const Symbol& s, std::uint32_t mask) { return {s.data ^ mask, s.control}; }
  static std::uint32_t differ(State a, State b) { return static_cast<std::uint32_t>(a ^ b); }
  static std::uint32_t differ(const Symbol& a, const Symbol& b);
  static std::uint32_t changed(const Symbol& sent, const Symbol& got, State, State) {
    return differ(sent, got);
  }
  static Coded encode(const Symbol& s, State& state);
  static Symbol decode(const Coded& c, State& state);
  static void track(const Symbol& s, State& state) { encode(s, state); }
  static void pass_idle(State& /*state*/, std::int64_t /*symbols*/) {}
  static bool repeats(State /*state*/) { return false; }
};
static_assert(sim::LineCode<LineCode>);
using Cable = sim::Cable<LineCode>;

/// Damage to the `frame`-th data frame of a cable that its CRC does not see; `bit` is inverted.
sim::FaultPlan::Forced forged_frame(std::uint64_t frame, unsigned bit);

/// A frame as it was put on a cable, and what arrived of it, for captures.
struct LinkFrame : machine::Frame<Word> {
  bool unseen() const { return damaged() && is_good_frame(arrived); }
  std::string damage() const { return damage_of("word"); }
  /// Bytes of all words in the order they are on the line, then their control bits, a byte each.
  static void store(std::vector<std::uint8_t>& out, const std::vector<Word>& words);
};

/// Cuts what goes over one direction of a cable into frames.
class Frames final : public sim::CableTap<Word> {
 public:
  explicit Frames(const sim::Clock& sender) : sender_(sender) {}
  void carried(std::int64_t slot, const Word& sent, const Word* received) override;
  void inserted(std::int64_t slot, const Word& received) override;
  std::deque<LinkFrame>& complete() { return complete_; }
  const std::deque<LinkFrame>& complete() const { return complete_; }
  std::optional<Picoseconds> open_since(Picoseconds /*now*/) const;
  void cut();

 private:
  void close();

  sim::Clock sender_;
  std::deque<LinkFrame> complete_;
  LinkFrame frame_;
  std::size_t words_ = 0;  ///< of the frame; 0 outside of one
};

}  // namespace ht::grid

namespace ht::sim {
extern template class Cable<grid::LineCode>;
}
