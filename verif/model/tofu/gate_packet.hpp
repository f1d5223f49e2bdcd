// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "verif/model/tofu/gates.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::model {

/// A gate's packet in its frame: rtl/tofu/README.md, "Header".
tofu::Packet to_frame(const GatePacket& packet);

/// What the frame says, or nothing if it is no sound packet of a gate.
std::optional<GatePacket> from_frame(const tofu::Packet& frame);

}  // namespace ht::model
