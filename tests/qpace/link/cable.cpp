// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/link/cable.hpp"

namespace ht::test {

bool Cable::chance(double p) {
  return p > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < p;
}

void Cable::push(WireWord w) {
  if (!w.idle()) ++carried;
  if (filter && !filter(w)) w = WireWord{};
  if (w.idle() && surplus_ > 0) {
    --surplus_;
    return;
  }
  if (w.idle() && surplus_ < 0) {
    ++surplus_;
    words_.push_back(w);
  }
  const WireWord before = w;
  if (chance(damage.flip)) {
    const auto n = 1 + random_() % 4;
    for (std::uint64_t i = 0; i < n; ++i) w.data ^= 1U << (random_() % 32);
  }
  if (chance(damage.error_lane)) {
    const auto lane = random_() % 4;
    w.data = (w.data & ~(0xffU << (8 * lane))) | (0xfeU << (8 * lane));
    w.control = static_cast<std::uint8_t>(w.control | (1U << lane));
  }
  if (chance(damage.garble)) {
    w.data = static_cast<std::uint32_t>(random_());
    w.control = static_cast<std::uint8_t>(random_() & 0xfU);
  }
  if (w != before) ++damaged;
  if (chance(damage.lose)) {
    ++damaged;
    --surplus_;
    return;
  }
  words_.push_back(w);
  if (chance(damage.repeat)) {
    ++damaged;
    ++surplus_;
    ++doubled;
    words_.push_back(w);
  }
}

WireWord Cable::pop() {
  WireWord w;
  if (!words_.empty()) {
    w = words_.front();
    words_.pop_front();
  }
  if (pulled) w = silent ? WireWord{} : WireWord{0xfefefefeU, 0xf};
  return w;
}

}  // namespace ht::test
