// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/lanes/lane_tofu_pair.hpp"

namespace ht::test {
namespace {

using model::Beat;

Word word_of(const Beat& beat) {
  Word word;
  for (unsigned b = 0; b < 16; ++b)
    word.data[b] = static_cast<std::uint8_t>(beat.word[b / 8] >> 8 * (b % 8));
  word.control = beat.control;
  return word;
}

Beat beat_of(const Word& word) {
  Beat beat{{0, 0}, static_cast<std::uint16_t>(word.control)};
  for (unsigned b = 0; b < 16; ++b) beat.word[b / 8] |= std::uint64_t{word.data[b]} << 8 * (b % 8);
  return beat;
}

}  // namespace

LaneTofuPair::LaneTofuPair(const PairOptions& lanes, std::uint64_t seed)
    : TofuPair(0, seed, Idle{}), lanes_(lanes) {
  for (unsigned i = 0; i < 2; ++i) {
    lanes_.sink[i] = [this, i](const Word& word) { came_[i] = beat_of(word); };
    lanes_.source[i] = [this, i](const BundleOutputs& out) { return clock(i, out); };
  }
  run(12);
  end_reset();
  run(12);
}

Word LaneTofuPair::clock(unsigned i, const BundleOutputs& out) {
  const Beat sent = edge(i, came_[i], out.tx_pause);
  if (watch) watch(i, sent, out.tx_pause);
  if (i == 0) count_cycle();
  return word_of(sent);
}

void LaneTofuPair::step() {
  const auto before = cycle();
  while (cycle() == before) lanes_.step();
}

}  // namespace ht::test
