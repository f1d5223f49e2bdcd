// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/line_code.hpp"

#include "sim/cable/coded_character.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::sim {
namespace {

constexpr unsigned kGroup = 10;
constexpr std::uint32_t kGroupMask = (1U << kGroup) - 1;

CodedCharacter character(const model::Beat& s, unsigned byte) {
  return {s.byte(byte), s.is_control(byte)};
}

std::uint32_t differing_lanes(const model::Beat& a, const model::Beat& b, unsigned from,
                              unsigned to) {
  std::uint32_t lanes = 0;
  for (unsigned i = from; i < to; ++i)
    if (a.byte(i) != b.byte(i) || a.is_control(i) != b.is_control(i))
      lanes |= 1U << (i % TofuLineCode::kLanes);
  return lanes;
}

/// Lets `step` see and change the running disparity of each lane.
template <class Step>
void each_lane(TofuLineCode::State& state, Step step) {
  for (unsigned lane = 0; lane < TofuLineCode::kLanes; ++lane) {
    bool positive = ((state >> lane) & 1U) != 0;
    step(lane, positive);
    state =
        static_cast<TofuLineCode::State>((state & ~(1U << lane)) | ((positive ? 1U : 0U) << lane));
  }
}

}  // namespace

bool TofuLineCode::starts_frame(const Symbol& s) {
  return s.is(0, model::tofu::kStart);
}

bool TofuLineCode::is(const Symbol& s, Target target) {
  switch (target) {
    case Target::Idle:
      return s == idle();
    case Target::Packet:
      return starts_frame(s);
    case Target::Command:
      return s.is(8, model::tofu::kControl);
    case Target::Hello:
      return s.is(0, model::tofu::kHello);
  }
  return false;
}

TofuLineCode::Symbol TofuLineCode::flip(const Symbol& s, std::uint32_t mask) {
  Symbol flipped = s;
  flipped.word[0] ^= mask;
  return flipped;
}

std::uint32_t TofuLineCode::differ(const Symbol& a, const Symbol& b) {
  if (a == b) return 0;
  return differing_lanes(a, b, 0, Symbol::kBytes);
}

bool TofuLineCode::has_command_half(const Symbol& s) {
  return s.is_control(0) && s.byte(0) != model::tofu::kStart && s.byte(0) != model::tofu::kHello;
}

std::uint32_t TofuLineCode::changed_frame(const Symbol& sent, const Symbol& got) {
  return differing_lanes(sent, got, 0, has_command_half(sent) ? kLanes : Symbol::kBytes);
}

std::uint32_t TofuLineCode::changed_command(const Symbol& sent, const Symbol& got) {
  return has_command_half(sent) ? differing_lanes(sent, got, kLanes, Symbol::kBytes) : 0;
}

TofuLineCode::Coded TofuLineCode::encode(const Symbol& s, State& state) {
  Coded c{};
  each_lane(state, [&](unsigned lane, bool& positive) {
    const std::uint32_t first = character(s, lane).encode(positive);
    c[lane] = first | static_cast<std::uint32_t>(character(s, lane + kLanes).encode(positive))
                          << kGroup;
  });
  return c;
}

TofuLineCode::Symbol TofuLineCode::decode(const Coded& c, State& state) {
  Symbol s;
  each_lane(state, [&](unsigned lane, bool& positive) {
    for (unsigned i = 0; i < 2; ++i) {
      const auto group = static_cast<std::uint16_t>(c[lane] >> (kGroup * i) & kGroupMask);
      const auto got = CodedCharacter::decode(group, positive);
      s.set(lane + kLanes * i, got.byte, got.control);
    }
  });
  return s;
}

void TofuLineCode::track(const Symbol& s, State& state) {
  for (unsigned i = 0; i < Symbol::kBytes; ++i) {
    if (character(s, i).inverts_disparity()) {
      state = static_cast<State>(state ^ (1U << (i % kLanes)));
    }
  }
}

}  // namespace ht::sim
