// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace ht::qmp {

/// Holds a program to who owns a receive buffer: the network does, from the start of a receive
/// until the program knows it to be complete. Meanwhile the buffer holds a pattern, which is no
/// number in single or double precision, and what arrives is kept elsewhere. So a program that
/// reads the buffer does not find the last message there, and one that writes it is found at
/// completion.
class ReceiveGuard {
 public:
  static void fill(std::span<std::byte> buffer);
  /// Throws ProtocolError, naming the message, if somebody wrote to the buffer.
  static void check(std::span<const std::byte> buffer, const std::function<std::string()>& name);
};

}  // namespace ht::qmp
