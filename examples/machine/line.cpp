// SPDX-License-Identifier: Apache-2.0
#include "line.hpp"

#include "sim/cable/cable_impl.hpp"
#include "sim/cable/coded_character.hpp"
#include "verif/model/common/crc.hpp"

template class ht::sim::Cable<ht::grid::LineCode>;

namespace ht::grid {
namespace {

/// Lets `step` see and change the running disparity of each lane.
template <class Step>
void each_lane(LineCode::State& state, Step step) {
  for (unsigned lane = 0; lane < LineCode::kLanes; ++lane) {
    bool positive = (state >> lane & 1) != 0;
    step(lane, positive);
    state = static_cast<LineCode::State>((state & ~(1U << lane)) | (positive ? 1U << lane : 0U));
  }
}

/// Over all words but the last, the start code left out.
std::uint32_t crc_of(std::span<const Word> words) {
  model::Crc32c crc;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (unsigned byte = i == 0 ? 1 : 0; byte < 4; ++byte) crc.add(std::byte{words[i].byte(byte)});
  }
  return crc.value();
}

}  // namespace

bool is_good_frame(std::span<const Word> words) {
  if (words.empty() || !words[0].starts() || words.size() != words_of(kind_of(words[0])))
    return false;
  for (const Word& w : words.subspan(1)) {
    if (w.control != 0) return false;
  }
  return words.back().data == crc_of(words);
}

bool LineCode::is(const Symbol& s, sim::Target target) {
  if (target == sim::Target::Idle) return s == idle();
  if (!s.starts()) return false;
  const Kind kind = kind_of(s);
  if (target == sim::Target::Packet) return kind == Kind::Data;
  return (target == sim::Target::Hello) == (kind == Kind::Hello || kind == Kind::Welcome) &&
         kind != Kind::Data;
}

std::uint32_t LineCode::differ(const Symbol& a, const Symbol& b) {
  std::uint32_t lanes = static_cast<std::uint32_t>(a.control ^ b.control);
  for (unsigned i = 0; i < kLanes; ++i) lanes |= a.byte(i) != b.byte(i) ? 1U << i : 0U;
  return lanes;
}

LineCode::Coded LineCode::encode(const Symbol& s, State& state) {
  Coded c{};
  each_lane(state, [&](unsigned i, bool& positive) {
    c[i] = sim::CodedCharacter{s.byte(i), (s.control >> i & 1) != 0}.encode(positive);
  });
  return c;
}

LineCode::Symbol LineCode::decode(const Coded& c, State& state) {
  Symbol s{0, 0};
  each_lane(state, [&](unsigned i, bool& positive) {
    const auto d = sim::CodedCharacter::decode(c[i], positive);
    s.data |= static_cast<std::uint32_t>(d.byte) << (8 * i);
    s.control = static_cast<std::uint8_t>(s.control | (d.control ? 1U << i : 0U));
  });
  return s;
}

// The CRC is linear: what a bit changes of it, it changes of any frame's.
sim::FaultPlan::Forced forged_frame(std::uint64_t frame, unsigned bit) {
  std::array<Word, frame_words + 2> words;
  words.fill({0, 0});
  const std::uint32_t before = crc_of(words);
  words[1 + bit / 32].data = 1U << bit % 32;
  return {frame,
          {{1 + bit / 32, 1U << bit % 32},
           {static_cast<unsigned>(frame_words) + 1, before ^ crc_of(words)}}};
}

void LinkFrame::store(std::vector<std::uint8_t>& out, const std::vector<Word>& words) {
  for (const Word& w : words) {
    for (unsigned i = 0; i < 4; ++i) out.push_back(w.byte(i));
  }
  for (const Word& w : words) out.push_back(w.control);
}

void Frames::carried(std::int64_t slot, const Word& sent, const Word* received) {
  if (sent.starts()) {
    cut();
    frame_.time = sender_.edge(slot);
    words_ = words_of(kind_of(sent));
  }
  if (words_ == 0) return;  // a damaged idle word between frames belongs to none
  frame_.sent.push_back(sent);
  if (received == nullptr) {
    ++frame_.lost;
  } else {
    if (*received != sent) ++frame_.changed;
    if (*received != Word{}) frame_.arrived.push_back(*received);
  }
  if (frame_.sent.size() == words_) close();
}

void Frames::inserted(std::int64_t /*slot*/, const Word& received) {
  // A copy follows its original: it belongs to that one's frame, which may just have ended.
  LinkFrame* frame = words_ > 0 ? &frame_ : complete_.empty() ? nullptr : &complete_.back();
  if (frame == nullptr) return;
  ++frame->inserted;
  frame->arrived.push_back(received);
}

std::optional<Picoseconds> Frames::open_since(Picoseconds /*now*/) const {
  return words_ == 0 ? std::nullopt : std::optional(frame_.time);
}

void Frames::cut() {
  frame_.cut_short = true;
  if (words_ != 0) close();
  frame_.cut_short = false;
}

void Frames::close() {
  complete_.push_back(std::move(frame_));
  frame_ = {};
  words_ = 0;
}

}  // namespace ht::grid
