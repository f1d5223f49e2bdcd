// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/lane/lane_account.hpp"
#include "verif/model/tofu/beat.hpp"

namespace ht::sim {

/// A beat as lanes take it, and back.
lanes::Word lane_word(const model::Beat& beat);
model::Beat beat_of(const lanes::Word& word);

/// The link control packet in a beat's upper half is a part of its own.
lanes::WordParts beat_parts();

}  // namespace ht::sim
