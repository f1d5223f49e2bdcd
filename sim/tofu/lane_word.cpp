// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/lane_word.hpp"

#include <cstring>

#include "sim/tofu/line_code.hpp"

namespace ht::sim {

lanes::Word lane_word(const model::Beat& beat) {
  lanes::Word word;
  static_assert(sizeof word.data == sizeof beat.word);
  std::memcpy(word.data.data(), beat.word.data(), sizeof beat.word);
  word.control = beat.control;
  return word;
}

model::Beat beat_of(const lanes::Word& word) {
  model::Beat beat;
  std::memcpy(beat.word.data(), word.data.data(), sizeof beat.word);
  beat.control = static_cast<std::uint16_t>(word.control);
  return beat;
}

lanes::WordParts beat_parts() {
  return {.frame =
              [](const lanes::Word& sent, const lanes::Word& got) {
                return TofuLineCode::changed_frame(beat_of(sent), beat_of(got)) == 0;
              },
          .command =
              [](const lanes::Word& sent, const lanes::Word& got) {
                const model::Beat s = beat_of(sent), g = beat_of(got);
                return TofuLineCode::has_command_half(s) &&
                       TofuLineCode::changed_command(s, g) == 0;
              }};
}

}  // namespace ht::sim
