// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/net/packet.hpp"

namespace ht::net {

/// A message of the Trivial File Transfer Protocol: RFC 1350, options of RFC 2347, block size of
/// RFC 2348, transfer size of RFC 2349. Which members count depends on `operation`.
struct TftpMessage {
  enum class Operation : std::uint8_t {
    ReadRequest = 1,
    WriteRequest = 2,
    Data = 3,
    Acknowledge = 4,
    Error = 5,
    OptionAcknowledge = 6
  };
  Operation operation = Operation::Error;
  std::string file, mode;                                    ///< requests
  std::vector<std::pair<std::string, std::string>> options;  ///< requests, OptionAcknowledge
  std::uint16_t block = 0;                                   ///< Data, Acknowledge
  Bytes data;                                                ///< Data
  std::uint16_t code = 0;                                    ///< Error
  std::string text;                                          ///< Error

  /// The value of an option, or nothing.
  std::optional<std::string> option(std::string_view name) const;
};

constexpr std::uint16_t tftp_port = 69;
constexpr std::uint16_t tftp_not_found = 1, tftp_illegal = 4;

Bytes encode(const TftpMessage& message);
/// Nothing if it is no well-formed message.
std::optional<TftpMessage> decode(std::span<const std::uint8_t> bytes);

}  // namespace ht::net
