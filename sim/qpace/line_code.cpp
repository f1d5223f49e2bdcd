// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/line_code.hpp"

#include "sim/cable/coded_character.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::sim {

std::uint32_t QpaceLineCode::differ(const Symbol& a, const Symbol& b) {
  std::uint32_t lanes = static_cast<std::uint32_t>(a.control ^ b.control);
  for (unsigned i = 0; i < kLanes; ++i) lanes |= (a.lane(i) != b.lane(i) ? 1U : 0U) << i;
  return lanes;
}

QpaceLineCode::Coded QpaceLineCode::encode(const Symbol& s, State& state) {
  Coded c{};
  for (unsigned i = 0; i < kLanes; ++i) {
    bool positive = ((state >> i) & 1U) != 0;
    c[i] = CodedCharacter{s.lane(i), s.is_control(i)}.encode(positive);
    state = static_cast<State>((state & ~(1U << i)) | ((positive ? 1U : 0U) << i));
  }
  return c;
}

QpaceLineCode::Symbol QpaceLineCode::decode(const Coded& c, State& state) {
  Symbol s{0, 0};
  for (unsigned i = 0; i < kLanes; ++i) {
    bool positive = ((state >> i) & 1U) != 0;
    const auto d = CodedCharacter::decode(c[i], positive);
    state = static_cast<State>((state & ~(1U << i)) | ((positive ? 1U : 0U) << i));
    s.data |= static_cast<std::uint32_t>(d.byte) << (8 * i);
    s.control = static_cast<std::uint8_t>(s.control | ((d.control ? 1U : 0U) << i));
  }
  return s;
}

bool QpaceLineCode::is(const Symbol& s, Target target) {
  if (target == Target::Idle) return s == idle();
  const std::uint8_t code = target == Target::Packet    ? model::qpace::kStart
                            : target == Target::Command ? model::qpace::kCommand
                                                        : model::qpace::kHello;
  return model::qpace::starts_with(s, code);
}

void QpaceLineCode::track(const Symbol& s, State& state) {
  for (unsigned i = 0; i < kLanes; ++i) {
    if (CodedCharacter{s.lane(i), s.is_control(i)}.inverts_disparity()) {
      state = static_cast<State>(state ^ (1U << i));
    }
  }
}

}  // namespace ht::sim
