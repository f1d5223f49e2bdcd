// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "sim/cable/byte_lanes.hpp"
#include "sim/cable/cable_impl.hpp"
#include "sim/machine/frame_cutter.hpp"
#include "verif/model/common/crc.hpp"

namespace ht::grid {

using model::Word;

constexpr int links = 4;  ///< of a node: 0 +x, 1 -x, 2 +y, 3 -y
constexpr std::size_t frame_words = 32, line_bytes = 4 * frame_words;  ///< payload of a data frame

enum class Kind : std::uint8_t { Hello, Welcome, Data, Ack, Busy };
/// Of the frame that the word starts.
inline Kind kind_of(const Word& header) {
  return static_cast<Kind>(header.lane(1) & 7);
}
inline bool starts_frame(const Word& word) {
  return word.control == 1 && word.lane(0) == 0xfb;
}

/// Of a frame's words but the last, the start code left out.
inline std::uint32_t crc_of(std::span<const Word> frame) {
  model::Crc32c crc;
  for (unsigned i = 1; i < 4 * (frame.size() - 1); ++i)
    crc.add(std::byte{frame[i / 4].lane(i % 4)});
  return crc.value();
}

/// The line: four lanes of 8b/10b, a code group each a cycle.
struct LineCode : sim::ByteLanes {
  /// Of data: frames are counted by these.
  static bool starts_frame(const Symbol& s) { return is(s, sim::Target::Packet); }
  static bool is(const Symbol& s, sim::Target target) {
    using enum sim::Target;
    static constexpr sim::Target own[] = {Hello, Hello, Packet, Command, Command, Idle, Idle, Idle};
    if (target == Idle) return s == idle();
    return grid::starts_frame(s) && target == own[static_cast<unsigned>(kind_of(s))];
  }
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
struct LinkFrame : machine::WordFrame {
  static std::size_t length(const Word& word) {
    if (!starts_frame(word)) return 0;
    return kind_of(word) == Kind::Data ? frame_words + 2 : 2;
  }
  bool carries_data() const { return kind_of(sent.front()) == Kind::Data; }
  /// It is damaged, and the receiver takes it for a good one.
  bool unseen() const {
    return damaged() && !arrived.empty() && arrived.size() == length(arrived[0]) &&
           std::ranges::count(arrived, 0, &Word::control) + 1 == std::ssize(arrived) &&
           arrived.back().data == crc_of(arrived);
  }
};

}  // namespace ht::grid
