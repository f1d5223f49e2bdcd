// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

#include "verif/model/tofu/beat.hpp"

namespace ht::test {

/// What is done to beats on their way; probabilities for each beat.
struct BeatDamage {
  double flip = 0;        ///< one to four data bits
  double error_byte = 0;  ///< one byte becomes an error character
  double garble = 0;      ///< anything at all in all 144 bits
  double lose = 0;        ///< the beat vanishes; the next idle beat is doubled
  double repeat = 0;      ///< the beat comes twice; a later idle beat vanishes
};

/// One direction of a Tofu cable: beats come out `delay` cycles after they went in, with damage.
class BeatCable {
 public:
  BeatCable(unsigned delay, std::uint64_t seed) : beats_(delay), random_(seed) {}

  /// Both once a cycle.
  void push(model::Beat beat);
  model::Beat pop();

  BeatDamage damage;
  /// While pulled, the receiver sees error characters only (or idle beats, if `silent`).
  bool pulled = false;
  bool silent = false;
  /// Sees every beat before damage; returns false to let an idle beat go in its place.
  std::function<bool(model::Beat&)> filter;
  std::uint64_t damaged = 0;  ///< beats damaged so far

 private:
  bool chance(double p) {
    return p > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < p;
  }

  std::deque<model::Beat> beats_;
  std::mt19937_64 random_;
  int surplus_ = 0;  ///< beats too many in the cable
};

}  // namespace ht::test
