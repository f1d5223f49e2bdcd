// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/host/noisy_port.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

class MachineDescription;

/// "2x2x2" -> {2, 2, 2}. Lengths are 1 to 4096, at least `least` and at most `most` of them. Throws
/// UsageError naming `option`.
std::vector<int> parse_shape(const std::string& option, const std::string& text, std::size_t least,
                             std::size_t most);

/// Throws UsageError with option, value and remedy unless it is good.
template <typename T>
void require(bool good, const char* option, const T& value, const char* remedy) {
  if (!good) throw UsageError(fmt::format("{} {}: {}", option, value, remedy));
}

/// `value`, if it is one of `choices`; else throws UsageError listing them.
std::string choose(const char* option, const std::string& value,
                   std::initializer_list<const char*> choices);

/// "10us", "250ns", "4000ps", "1.5ms" -> picoseconds (rounded to whole ones). Throws UsageError.
Picoseconds parse_time(const std::string& option, const std::string& text);

/// "1ms,20us,50us" -> how operating systems interrupt programs: mean interval, shortest and longest
/// interruption. Throws UsageError.
host::OsNoise parse_noise(const std::string& option, const std::string& text);

/// "1,1,1,-1" -> numbers, exactly `count` of them. Throws UsageError.
std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count);

/// "0,3,5-7" -> {0, 3, 5, 6, 7}, each below `limit`. Throws UsageError.
std::vector<int> parse_list(const std::string& option, const std::string& text, int limit);

/// "+x,-z" -> {0, 5}: numbers of links. Throws UsageError.
std::vector<int> parse_links(const std::string& option, const std::string& text,
                             const MachineDescription& machine);

/// "+x,3:-z" -> {(0, 0), (1, 0), ..., (3, 5)}: pairs of node, below `nodes`, and link; a link
/// without node is that of every node. Throws UsageError.
std::vector<std::pair<int, int>> parse_ports(const std::string& option, const std::string& text,
                                             int nodes, const MachineDescription& machine);

}  // namespace ht::machine
