// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace ht::qmp {

/// The message, on every machine, for a receive that is shorter than what is sent.
inline std::string too_short(int sender, std::size_t sent, int receiver, std::size_t room) {
  return fmt::format(
      "node {} receives {} bytes from node {}, which sends {}: a receive may be longer than what "
      "is sent, not shorter",
      receiver, room, sender, sent);
}

}  // namespace ht::qmp
