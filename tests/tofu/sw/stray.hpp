// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/tofu/transport.hpp"
#include "sw/tofu/transport_layout.hpp"

namespace ht::test {

/// Puts bytes where the transport of the node `victim`, of whatever job, has all of its memory;
/// returns what became of it.
tofu::TniCause write_into(tofu::Transport& from, const tofu::Coordinates& victim);

}  // namespace ht::test
