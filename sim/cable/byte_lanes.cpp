// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/byte_lanes.hpp"

#include "sim/cable/coded_character.hpp"

namespace ht::sim {

std::uint32_t ByteLanes::differ(const Symbol& a, const Symbol& b) {
  std::uint32_t lanes = static_cast<std::uint32_t>(a.control ^ b.control);
  for (unsigned i = 0; i < kLanes; ++i) lanes |= (a.lane(i) != b.lane(i) ? 1U : 0U) << i;
  return lanes;
}

ByteLanes::Coded ByteLanes::encode(const Symbol& s, State& state) {
  Coded c{};
  for (unsigned i = 0; i < kLanes; ++i) {
    bool positive = ((state >> i) & 1U) != 0;
    c[i] = CodedCharacter{s.lane(i), s.is_control(i)}.encode(positive);
    state = static_cast<State>((state & ~(1U << i)) | ((positive ? 1U : 0U) << i));
  }
  return c;
}

ByteLanes::Symbol ByteLanes::decode(const Coded& c, State& state) {
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

void ByteLanes::track(const Symbol& s, State& state) {
  for (unsigned i = 0; i < kLanes; ++i) {
    if (CodedCharacter{s.lane(i), s.is_control(i)}.inverts_disparity()) {
      state = static_cast<State>(state ^ (1U << i));
    }
  }
}

}  // namespace ht::sim
