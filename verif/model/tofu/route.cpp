// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/route.hpp"

#include <stdexcept>

namespace ht::model::tofu {

namespace {
constexpr std::array<unsigned, 6> kMost{32, 32, 32, 2, 3, 2};
constexpr const char* kAxisName = "XYZABC";
}  // namespace

unsigned Shape::nodes() const {
  unsigned n = 1;
  for (const unsigned l : length) n *= l;
  return n;
}

bool Shape::contains(const Coordinates& place) const {
  for (unsigned axis = 0; axis < 6; ++axis)
    if (place[axis] >= length[axis]) return false;
  return true;
}

unsigned Shape::index(const Coordinates& place) const {
  unsigned n = 0;
  for (unsigned axis = 6; axis-- > 0;) n = n * length[axis] + place[axis];
  return n;
}

Coordinates Shape::place(unsigned index) const {
  Coordinates p{};
  for (unsigned axis = 0; axis < 6; ++axis) {
    p[axis] = index % length[axis];
    index /= length[axis];
  }
  return p;
}

std::uint32_t Shape::bits() const {
  Coordinates last = length;
  for (unsigned& l : last) --l;
  std::uint32_t word = pack(last);
  for (unsigned axis = 0; axis < 3; ++axis)
    if (ring[axis]) word |= 1U << (24 + axis);
  return word;
}

std::string Shape::name() const {
  std::string text;
  for (unsigned axis = 0; axis < 6; ++axis) {
    if (axis > 0) text += 'x';
    text += std::to_string(length[axis]);
    if (axis < 3 && ring[axis]) text += 'r';
  }
  return text;
}

void check(const Shape& shape) {
  for (unsigned axis = 0; axis < 6; ++axis)
    if (shape.length[axis] < 1 || shape.length[axis] > kMost[axis])
      throw std::invalid_argument(std::string("axis ") + kAxisName[axis] + " has a length of " +
                                  std::to_string(shape.length[axis]) + "; 1 to " +
                                  std::to_string(kMost[axis]) + " can be");
}

std::uint32_t pack(const Coordinates& p) {
  return p[X] | p[Y] << 5 | p[Z] << 10 | pack_path(p) << 15;
}

std::uint32_t pack_path(const Coordinates& p) {
  return p[A] | p[B] << 1 | p[C] << 3;
}

Step axis_step(unsigned axis, unsigned length, bool ring, unsigned from, unsigned here, unsigned to,
               Rule rule) {
  Step step;
  step.plus = to > here;
  if (ring) {
    const unsigned ahead = (to + length - here) % length;
    step.plus = 2 * ahead < length || (2 * ahead == length && (axis >= B || here % 2 == 0));
  }
  // The cable between the last place and 0 is ahead, or has been passed (or is this very hop).
  const bool wraps = step.plus ? to < here : to > here;
  const bool wrapped = step.plus ? from > here : from < here;
  const bool this_wraps = step.plus ? here == length - 1 : here == 0;
  if (rule == Rule::DatelineAlone)
    step.channel = wrapped || this_wraps ? 1 : 0;
  else if (axis < 3)  // who never wraps may use either all the way: spread them
    step.channel = wraps ? 0 : wrapped ? 1 : to % 2;
  return step;
}

std::optional<Hop> next_hop(const Shape& shape, const Coordinates& here, const Journey& journey,
                            Rule rule) {
  const bool leg = journey.leg || (here[A] == journey.path[A] && here[B] == journey.path[B] &&
                                   here[C] == journey.path[C]);
  const auto hop = [&](unsigned axis, unsigned from, unsigned to, unsigned channel) {
    const Step step =
        axis_step(axis, shape.length[axis], shape.is_ring(axis), from, here[axis], to, rule);
    const bool own = axis < 3 || rule == Rule::DatelineAlone;
    return Hop{port_of(axis, step.plus), own ? step.channel : channel, leg};
  };
  if (!leg)
    for (const unsigned axis : {B, C, A})
      if (here[axis] != journey.path[axis])
        return hop(axis, journey.from[axis], journey.path[axis], 0);
  for (const unsigned axis : {X, Y, Z})
    if (here[axis] != journey.to[axis]) return hop(axis, journey.from[axis], journey.to[axis], 0);
  for (const unsigned axis : {A, C, B})
    if (here[axis] != journey.to[axis]) return hop(axis, journey.path[axis], journey.to[axis], 1);
  return std::nullopt;
}

bool is_valid(const Shape& shape, const Journey& journey, unsigned interface) {
  Coordinates turn = journey.path;
  turn[X] = turn[Y] = turn[Z] = 0;
  return shape.contains(journey.to) && shape.contains(turn) && interface <= 4;
}

unsigned port_of(unsigned axis, bool plus) {
  if (axis == A) return APort;
  if (axis == C) return CPort;
  return (axis == B ? BPlus : 2 * axis) + (plus ? 0 : 1);
}

unsigned axis_of(unsigned port) {
  return port < APort ? port / 2 : port == APort ? A : port == CPort ? C : B;
}

std::optional<Coordinates> neighbour(const Shape& shape, const Coordinates& here, unsigned port) {
  const unsigned axis = axis_of(port), n = shape.length[axis];
  Coordinates there = here;
  if (port == APort || port == CPort) {
    if (n < 2) return std::nullopt;
    there[axis] = 1 - here[axis];
    return there;
  }
  const bool plus = port == port_of(axis, true);
  const bool end = plus ? here[axis] == n - 1 : here[axis] == 0;
  if (n < 2 || (end && !shape.is_ring(axis))) return std::nullopt;
  there[axis] = (here[axis] + (plus ? 1 : n - 1)) % n;
  return there;
}

unsigned opposite(unsigned port) {
  return port == APort || port == CPort ? port : port < APort ? port ^ 1U : BPlus + BMinus - port;
}

}  // namespace ht::model::tofu
