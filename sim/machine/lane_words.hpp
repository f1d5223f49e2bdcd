// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cable/cable.hpp"
#include "sim/lane/lane_cable.hpp"

namespace ht::machine {

/// What a link hands to its lanes, for a tap of cables that carry its words: all of them arrive as
/// they were sent, as far as that one is told, which hears nothing of errors.
template <class Symbol>
class LaneWords final : public sim::lanes::LaneTap {
 public:
  using ToSymbol = Symbol (*)(const sim::lanes::Word& word);
  LaneWords(sim::CableTap<Symbol>& tap, ToSymbol symbol) : tap_(tap), symbol_(symbol) {}

  void sent(std::int64_t number, Picoseconds /*now*/, const sim::lanes::Word& word) override {
    const Symbol symbol = symbol_(word);
    tap_.carried(number, symbol, &symbol);
  }

 private:
  sim::CableTap<Symbol>& tap_;
  ToSymbol symbol_;
};

}  // namespace ht::machine
