// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>

#include "verif/model/tofu/gates.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::model {

/// A gate's packet in its frame, with the data of so many states: rtl/tofu/README.md, "Header".
tofu::Packet to_frame(const GatePacket& packet, std::size_t states = 1);

/// What the frame says, or nothing if it is no sound packet of a gate.
std::optional<GatePacket> from_frame(const tofu::Packet& frame, std::size_t states = 1);

}  // namespace ht::model
