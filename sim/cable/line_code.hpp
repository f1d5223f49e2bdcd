// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstdint>

#include "sim/cable/fault_plan.hpp"

namespace ht::sim {

/// For codes whose symbols show where frames begin (`starts_frame`, `is`); others
/// have a reader of their own as `Frames`, as a line of bits has.
struct NoFrames {
  struct Mark {
    std::int64_t slot;
    Target target;
  };
};

/// What a Cable must know of the line it models: a symbol a link clock goes as kLanes groups of
/// kGroupBits coded bits. State is whatever encoder or decoder carry from symbol to symbol; two
/// equal states treat all that follows alike. kRecentres: the elastic buffer at the receiver makes
/// up for a lost or doubled symbol at an idle one; otherwise nothing does.
/// kLasting: an error may change symbols after its own, through the receiver's state.
template <class C>
concept LineCode = requires(const typename C::Symbol s, const typename C::Coded c,
                            typename C::State state, std::uint32_t mask, Target target,
                            std::int64_t count) {
  { C::kLanes } -> std::convertible_to<unsigned>;
  { C::kGroupBits } -> std::convertible_to<unsigned>;
  { C::idle() } -> std::same_as<typename C::Symbol>;
  { C::kRecentres } -> std::convertible_to<bool>;
  { C::kLasting } -> std::convertible_to<bool>;
  // What the receiver, in its state, sees of a pulled cable.
  { C::no_signal(state) } -> std::same_as<typename C::Symbol>;
  { C::starts_frame(s) } -> std::same_as<bool>;
  { C::is(s, target) } -> std::same_as<bool>;
  { C::flip(s, mask) } -> std::same_as<typename C::Symbol>;  // data bits inverted
  { C::encode(s, state) } -> std::same_as<typename C::Coded>;
  { C::decode(c, state) } -> std::same_as<typename C::Symbol>;
  {C::track(s, state)};          // state as after encode(s, state)
  {C::pass_idle(state, count)};  // as after encode(idle(), state), so many times
  // Lanes in which `s`, sent, was received as something else; states as after it.
  { C::changed(s, s, state, state) } -> std::same_as<std::uint32_t>;
  { C::repeats(state) } -> std::same_as<bool>;  // if not kRecentres: a slip here shows later
  typename C::Frames;
  requires std::equality_comparable<typename C::State>;
  requires std::equality_comparable<typename C::Symbol>;
};

}  // namespace ht::sim
