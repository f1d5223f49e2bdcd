// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sw/net/interface.hpp"

namespace ht::net {

struct TftpClientOptions {
  std::size_t block_bytes = 8192;     ///< 8 to 8964, what a jumbo frame holds
  Picoseconds timeout = 300'000'000;  ///< without an answer the last message is sent again: 0.3 ms
  int attempts = 20;                  ///< of one message, before the transfer fails
};

/// How a transfer went.
struct TftpTransfer {
  Bytes data;
  int blocks = 0, repeats = 0;  ///< messages sent again
  Picoseconds time = 0;
};

/// Reads `file` from the server at `server` (its port is tftp_port). `me.port` is this transfer's;
/// use a new one each time. Throws TimeoutError if the server does not answer, DataError if it has
/// no such file, ProtocolError if it breaks the rules.
TftpTransfer tftp_read(Interface& interface, const Endpoint& me, Endpoint server,
                       const std::string& file, const TftpClientOptions& options = {});

}  // namespace ht::net
