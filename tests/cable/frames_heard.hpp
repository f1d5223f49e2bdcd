// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <vector>

#include "sim/cable/cable.hpp"

// What the tests of frames on a cable of symbols without gaps do alike.
namespace ht::test {

constexpr std::int64_t first_slot = 100;

inline Picoseconds time_of(std::int64_t slot) {
  return sim::Clock{}.edge(slot);
}

/// The frames of symbols sent from `first_slot` on over a cable with these faults, idle symbols
/// behind them. In two windows, the second from symbol `border` of the first frame on, so that it
/// lies across their border.
template <class Cable, class Frames, class Symbol>
auto frames_heard(const std::vector<Symbol>& symbols, std::size_t border,
                  const sim::FaultPlan& faults) {
  sim::CableOptions options;
  options.name = "test";
  options.faults = faults;
  Cable cable(options);
  Frames frames(options.sender);
  cable.listen(&frames);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::int64_t slot = first_slot + static_cast<std::int64_t>(i);
    if (i == border) {
      cable.transfer(options.sender.edge(slot));
      CHECK(frames.complete().empty());  // in order of time: the first frame comes first
      CHECK(frames.open_since() == options.sender.edge(first_slot));
    }
    cable.send(slot, symbols[i]);
  }
  cable.transfer(options.sender.edge(first_slot + 200));
  CHECK(!frames.open_since());
  return std::vector(frames.complete().begin(), frames.complete().end());
}

}  // namespace ht::test
