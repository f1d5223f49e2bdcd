// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/line_code.hpp"

#include "verif/model/qpace_wire.hpp"

namespace ht::sim {
namespace {

namespace code = model::code_8b10b;

constexpr std::uint8_t kIdle = 0x07, kIdleCode = 0x1c, kError = 0xfe;

/// The byte that travels for an XGMII character.
std::uint8_t to_line(std::uint8_t byte, bool control) {
  if (!control) return byte;
  if (byte == kIdle) return kIdleCode;
  return byte != kIdleCode && code::is_control_code(byte) ? byte : kError;
}

}  // namespace

std::uint32_t QpaceLineCode::differ(const Symbol& a, const Symbol& b) {
  std::uint32_t lanes = static_cast<std::uint32_t>(a.control ^ b.control);
  for (unsigned i = 0; i < kLanes; ++i) lanes |= (a.lane(i) != b.lane(i) ? 1U : 0U) << i;
  return lanes;
}

QpaceLineCode::Coded QpaceLineCode::encode(const Symbol& s, State& state) {
  Coded c{};
  for (unsigned i = 0; i < kLanes; ++i) {
    bool positive = ((state >> i) & 1U) != 0;
    c[i] = code::encode(to_line(s.lane(i), s.is_control(i)), s.is_control(i), positive);
    state = static_cast<State>((state & ~(1U << i)) | ((positive ? 1U : 0U) << i));
  }
  return c;
}

QpaceLineCode::Symbol QpaceLineCode::decode(const Coded& c, State& state) {
  Symbol s{0, 0};
  for (unsigned i = 0; i < kLanes; ++i) {
    bool positive = ((state >> i) & 1U) != 0;
    code::Decoded d = code::decode(c[i], positive);
    state = static_cast<State>((state & ~(1U << i)) | ((positive ? 1U : 0U) << i));
    if (d.error) d = {kError, true, true};
    if (d.control && d.byte == kIdleCode) d.byte = kIdle;
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
    const bool k = s.is_control(i);
    if (code::inverts_disparity(to_line(s.lane(i), k), k)) {
      state = static_cast<State>(state ^ (1U << i));
    }
  }
}

}  // namespace ht::sim
