// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {

/// Bytes of a prepared command in a program's memory, of whatever kind.
constexpr std::size_t prepared_bytes = 64;
/// Where a put or a get among them has its number of blocks, 32 bits.
constexpr std::size_t prepared_blocks = 48;

/// Writes a command that check() has accepted to `to`, prepared_bytes there, unaligned. cbdata
/// comes when it is posted.
void prepare(utofu_vcq_hdl_t handle, const UtofuQueues::Request& request, void* to);

/// Commands that were prepared one after the other for this VCQ. Nothing if there are other bytes
/// among them, or a command for another VCQ.
std::optional<std::vector<UtofuQueues::Request>> prepared(utofu_vcq_hdl_t handle, const void* from,
                                                          std::size_t count, void* cbdata);

}  // namespace ht::tofu
