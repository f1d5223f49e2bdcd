// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/lane/bundle.hpp"
#include "verif/model/common/word.hpp"

namespace ht::sim {

/// A word of a QPACE link as lanes take it, and back.
inline lanes::Word lane_word(const model::Word& word) {
  lanes::Word w;
  for (unsigned i = 0; i < 4; ++i) w.data[i] = static_cast<std::uint8_t>(word.data >> 8 * i);
  w.control = word.control;
  return w;
}
inline model::Word word_of(const lanes::Word& word) {
  model::Word w{0, static_cast<std::uint8_t>(word.control)};
  for (unsigned i = 0; i < 4; ++i) w.data |= std::uint32_t{word.data[i]} << 8 * i;
  return w;
}

}  // namespace ht::sim
