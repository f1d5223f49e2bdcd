// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "sim/cable/cable_impl.hpp"
#include "sim/cable/coded_character.hpp"
#include "sim/machine/frame.hpp"
#include "verif/model/common/crc.hpp"

namespace ht::grid {

constexpr int links = 4;  ///< of a node: 0 +x, 1 -x, 2 +y, 3 -y
constexpr std::size_t frame_words = 32, line_bytes = 4 * frame_words;  ///< payload of a data frame

enum class Kind : std::uint8_t { Hello, Welcome, Data, Ack, Busy };

/// Four bytes on the wire, byte 0 first, and which of them are control characters.
struct Word {
  std::uint32_t data = 0x07070707;
  std::uint8_t control = 0xf;

  std::uint8_t byte(unsigned i) const { return static_cast<std::uint8_t>(data >> (8 * i)); }
  bool starts_frame() const { return control == 1 && byte(0) == 0xfb; }
  /// Of the frame that it starts, and how many words that has.
  Kind kind() const { return static_cast<Kind>(data >> 8 & 7); }
  std::size_t frame_length() const { return kind() == Kind::Data ? frame_words + 2 : 2; }
  bool operator==(const Word&) const = default;
};

/// Of a frame's words but the last, the start code left out.
inline std::uint32_t crc_of(std::span<const Word> frame) {
  model::Crc32c crc;
  for (std::size_t i = 1; i < 4 * (frame.size() - 1); ++i)
    crc.add(std::byte{frame[i / 4].byte(i % 4)});
  return crc.value();
}

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
  static bool starts_frame(const Symbol& s) { return is(s, sim::Target::Packet); }
  static bool is(const Symbol& s, sim::Target target) {
    using enum sim::Target;
    static constexpr sim::Target own[] = {Hello, Hello, Packet, Command, Command, Idle, Idle, Idle};
    if (target == Idle) return s == idle();
    return s.starts_frame() && target == own[static_cast<unsigned>(s.kind())];
  }
  static Symbol flip(const Symbol& s, std::uint32_t mask) { return {s.data ^ mask, s.control}; }
  static std::uint32_t differ(State a, State b) { return static_cast<std::uint32_t>(a ^ b); }
  static std::uint32_t differ(const Symbol& a, const Symbol& b) {
    std::uint32_t lanes = static_cast<std::uint32_t>(a.control ^ b.control);
    for (unsigned i = 0; i < kLanes; ++i) lanes |= a.byte(i) != b.byte(i) ? 1U << i : 0U;
    return lanes;
  }
  static std::uint32_t changed(const Symbol& sent, const Symbol& got, State, State) {
    return differ(sent, got);
  }
  static Coded encode(const Symbol& s, State& state) {
    Coded c{};
    for (unsigned i = 0; i < kLanes; ++i) {
      bool positive = (state >> i & 1) != 0;
      c[i] = sim::CodedCharacter{s.byte(i), (s.control >> i & 1) != 0}.encode(positive);
      state = static_cast<State>((state & ~(1U << i)) | (positive ? 1U << i : 0U));
    }
    return c;
  }
  static Symbol decode(const Coded& c, State& state) {
    Symbol s{0, 0};
    for (unsigned i = 0; i < kLanes; ++i) {
      bool positive = (state >> i & 1) != 0;
      const auto d = sim::CodedCharacter::decode(c[i], positive);
      state = static_cast<State>((state & ~(1U << i)) | (positive ? 1U << i : 0U));
      s.data |= static_cast<std::uint32_t>(d.byte) << (8 * i);
      s.control = static_cast<std::uint8_t>(s.control | (d.control ? 1U << i : 0U));
    }
    return s;
  }
  static void track(const Symbol& s, State& state) { encode(s, state); }
  static void pass_idle(State& /*state*/, std::int64_t /*symbols*/) {}
  static bool repeats(State /*state*/) { return false; }
};
using Cable = sim::Cable<LineCode>;

/// Damage to the `frame`-th data frame of a cable that its CRC does not see; payload bit `bit` is
/// inverted. The CRC is linear: what a bit changes of it, it changes of any frame's.
inline sim::FaultPlan::Forced forged_frame(std::uint64_t frame, unsigned bit) {
  std::array<Word, frame_words + 2> words;
  words.fill({0, 0});
  const std::uint32_t before = crc_of(words);
  words[1 + bit / 32].data = 1U << bit % 32;
  return {frame, {{1 + bit / 32, 1U << bit % 32}, {frame_words + 1, before ^ crc_of(words)}}};
}

/// A frame as it was put on a cable, and what arrived of it, for captures.
struct LinkFrame : machine::Frame<Word> {
  /// It is damaged, and the receiver takes it for a good one.
  bool unseen() const {
    if (!damaged() || arrived.empty() || !arrived[0].starts_frame()) return false;
    const auto plain = std::ranges::count(arrived, 0, &Word::control);
    return arrived.size() == arrived[0].frame_length() && plain + 1 == std::ssize(arrived) &&
           arrived.back().data == crc_of(arrived);
  }
  std::string damage() const { return damage_of("word"); }
  /// Bytes of all words in the order they are on the line, then their control bits, a byte each.
  static void store(std::vector<std::uint8_t>& out, const std::vector<Word>& words) {
    for (std::size_t i = 0; i < 4 * words.size(); ++i) out.push_back(words[i / 4].byte(i % 4));
    for (const Word& w : words) out.push_back(w.control);
  }
};

/// Cuts what goes over one direction of a cable into frames.
class Frames final : public sim::CableTap<Word> {
 public:
  explicit Frames(const sim::Clock& sender) : sender_(sender) {}

  void carried(std::int64_t slot, const Word& sent, const Word* received) override {
    if (sent.starts_frame()) {
      cut();
      frame_.emplace().time = sender_.edge(slot);
    }
    if (!frame_) return;  // a damaged idle word between frames belongs to none
    frame_->sent.push_back(sent);
    if (received == nullptr) ++frame_->lost;
    if (received != nullptr && *received != sent) ++frame_->changed;
    if (received != nullptr && *received != Word{}) frame_->arrived.push_back(*received);
    if (frame_->sent.size() == frame_->sent[0].frame_length()) close();
  }
  // A copy follows its original: it belongs to that one's frame, which may just have ended.
  void inserted(std::int64_t /*slot*/, const Word& received) override {
    LinkFrame* const frame = frame_ ? &*frame_ : complete_.empty() ? nullptr : &complete_.back();
    if (frame == nullptr) return;
    ++frame->inserted;
    frame->arrived.push_back(received);
  }

  std::deque<LinkFrame>& complete() { return complete_; }
  const std::deque<LinkFrame>& complete() const { return complete_; }
  std::optional<Picoseconds> open_since(Picoseconds /*now*/) const {
    return frame_ ? std::optional(frame_->time) : std::nullopt;
  }
  void cut() {
    if (!frame_) return;
    frame_->cut_short = true;
    close();
  }

 private:
  void close() {
    complete_.push_back(std::move(*frame_));
    frame_.reset();
  }

  sim::Clock sender_;
  std::deque<LinkFrame> complete_;
  std::optional<LinkFrame> frame_;  ///< the one that is under way
};

}  // namespace ht::grid
