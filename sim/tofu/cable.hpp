// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cable/cable.hpp"
#include "sim/tofu/line_code.hpp"

namespace ht::sim {

/// One direction of a link's cable.
using TofuCable = Cable<TofuLineCode>;
extern template class Cable<TofuLineCode>;

}  // namespace ht::sim
