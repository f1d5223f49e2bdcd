// SPDX-License-Identifier: Apache-2.0
#include "sw/host/mappings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "sw/host/errors.hpp"

namespace ht::host {

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

void require_mappings(std::size_t nodes, std::size_t each) {
  // What large blocks of memory, threads and libraries take that come later.
  constexpr std::size_t spare = 256;
  std::size_t most = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> most)) return;
  const std::size_t taken = mappings() + spare;
  const std::size_t fit = most > taken ? (most - taken) / each : 0;
  if (nodes <= fit) return;
  throw UsageError(
      fmt::format("{} nodes need {} memory mappings, and the kernel lets a process have {} (sysctl "
                  "vm.max_map_count): take a smaller node grid; {} nodes fit",
                  nodes, nodes * each, most, fit));
}

}  // namespace ht::host
