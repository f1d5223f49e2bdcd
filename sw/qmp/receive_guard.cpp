// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/receive_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sw/host/errors.hpp"

namespace ht::qmp {
namespace {

// All bits of the exponent, and some of the mantissa's, as a float and, twice, as a double.
constexpr std::array<unsigned char, 4> kPattern{0xAD, 0xDE, 0xF4, 0x7F};

std::byte expected(std::size_t i) {
  return static_cast<std::byte>(kPattern[i % kPattern.size()]);
}

}  // namespace

void ReceiveGuard::fill(std::span<std::byte> buffer) {
  std::size_t filled = std::min(buffer.size(), kPattern.size());
  for (std::size_t i = 0; i < filled; ++i) buffer[i] = expected(i);
  // Twice as much every time, of what is there: no byte is made by itself.
  while (filled < buffer.size()) {
    const std::size_t more = std::min(filled, buffer.size() - filled);
    std::memcpy(buffer.data() + filled, buffer.data(), more);
    filled += more;
  }
}

void ReceiveGuard::check(std::span<const std::byte> buffer,
                         const std::function<std::string()>& name) {
  const std::size_t begin = std::min(buffer.size(), kPattern.size());
  bool intact = true;
  for (std::size_t i = 0; i < begin; ++i) intact = intact && buffer[i] == expected(i);
  // Every byte equals the one a pattern earlier.
  intact = intact && std::memcmp(buffer.data(), buffer.data() + begin, buffer.size() - begin) == 0;
  if (intact) return;
  std::size_t first = 0;
  while (buffer[first] == expected(first)) ++first;
  throw ProtocolError(fmt::format(
      "{}: byte {} of the receive buffer was written between start and completion, while the "
      "buffer belonged to the network",
      name(), first));
}

}  // namespace ht::qmp
