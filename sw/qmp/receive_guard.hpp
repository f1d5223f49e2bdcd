// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace ht::qmp {

/// Enforces the ownership of receive buffers: a buffer belongs to the network from the start of a
/// receive until the program knows it to be complete. Meanwhile it holds a pattern, which is NaN in
/// single and double precision, and what arrives is kept elsewhere. So a program that
/// reads the buffer does not find the last message there, and one that writes it is found at
/// completion.
class ReceiveGuard {
 public:
  static void fill(std::span<std::byte> buffer);
  /// Throws ProtocolError, naming the message, if the program wrote to the buffer.
  static void check(std::span<const std::byte> buffer, const std::function<std::string()>& name);
};

}  // namespace ht::qmp
