// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/link/beat_cable.hpp"

namespace ht::test {

using model::Beat;
using model::kIdleBeat;

void BeatCable::push(Beat b) {
  const bool idle = b == kIdleBeat;
  if (filter && !filter(b)) b = kIdleBeat;
  if (chance(damage.flip)) {
    for (auto n = 1 + random_() % 4; n > 0; --n) {
      const auto bit = random_() % 128;
      b.word[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    }
    ++damaged;
  }
  if (chance(damage.error_byte)) {
    b.set(static_cast<unsigned>(random_() % 16), 0xfe, true);
    ++damaged;
  }
  if (chance(damage.garble)) {
    b = {{random_(), random_()}, static_cast<std::uint16_t>(random_())};
    ++damaged;
  }
  if (chance(damage.lose)) {
    ++damaged;
    --surplus_;
    return;
  }
  if (idle && surplus_ > 0) {
    --surplus_;
    return;
  }
  beats_.push_back(b);
  if (idle && surplus_ < 0) {
    beats_.push_back(b);
    ++surplus_;
  }
  if (chance(damage.repeat)) {
    beats_.push_back(b);
    ++damaged;
    ++surplus_;
  }
}

Beat BeatCable::pop() {
  // Lost beats shorten the cable until idle ones make up for them.
  Beat b = kIdleBeat;
  if (!beats_.empty()) {
    b = beats_.front();
    beats_.pop_front();
  } else {
    ++surplus_;
  }
  return !pulled ? b : silent ? kIdleBeat : model::kErrorBeat;
}

}  // namespace ht::test
