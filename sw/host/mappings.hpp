// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace ht::host {

/// Of a fibre: its stack, and the guard below.
constexpr std::size_t fibre_mappings = 2;

/// The memory mappings that this process has; 0 if the computer does not say (no /proc).
std::size_t mappings();

/// Throws UsageError if the kernel would not let this process have so many nodes, with so many more
/// memory mappings each (sysctl vm.max_map_count); it says how many fit. Asked before they are
/// made: what a mapping that cannot be had says is that there is no memory.
void require_mappings(std::size_t nodes, std::size_t each);

}  // namespace ht::host
