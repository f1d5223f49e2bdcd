// SPDX-License-Identifier: Apache-2.0
#include "sw/net/tftp_client.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"
#include "sw/net/tftp.hpp"

namespace ht::net {
namespace {

using Operation = TftpMessage::Operation;

TftpMessage acknowledge(std::uint16_t block) {
  TftpMessage m;
  m.operation = Operation::Acknowledge;
  m.block = block;
  return m;
}

// The block size the server agreed to. RFC 2348: no more than was asked for.
std::size_t agreed(const TftpMessage& m, const std::string& file, std::size_t asked) {
  const auto value = m.option("blksize");
  if (!value) return 512;
  const bool digits = !value->empty() && value->size() < 6 &&
                      value->find_first_not_of("0123456789") == std::string::npos;
  const std::size_t bytes = digits ? std::stoul(*value) : 0;
  if (bytes < 8 || bytes > asked)
    throw ProtocolError(
        fmt::format("reading {} over Ethernet: the server answered a block size of {}", file,
                    host::printable(*value)));
  return bytes;
}

}  // namespace

TftpTransfer tftp_read(Interface& interface, const Endpoint& me, Endpoint server,
                       const std::string& file, const TftpClientOptions& options) {
  const Picoseconds begin = interface.now();
  TftpTransfer transfer;
  TftpMessage request;
  request.operation = Operation::ReadRequest;
  request.file = file;
  request.mode = "octet";
  request.options = {{"blksize", std::to_string(options.block_bytes)}};
  Bytes last = encode(request);
  std::size_t block_bytes = 512;
  std::uint16_t expected = 1;
  bool answered = false;
  int attempts = 0;
  Picoseconds deadline = 0;
  const auto say = [&] {
    interface.send(build({me, server, last}));
    deadline = interface.now() + options.timeout;
    ++attempts;
  };
  say();
  for (;;) {
    const auto frame = interface.receive(deadline);
    if (!frame) {
      if (attempts >= options.attempts)
        throw TimeoutError(fmt::format(
            "reading {} over Ethernet: the server did not answer {} times", file, attempts));
      ++transfer.repeats;
      say();
      continue;
    }
    const auto datagram = parse(*frame);
    if (!datagram || datagram->to != me || datagram->from.ip != server.ip) continue;
    // The server answers from a port of its own, which is its end from then on.
    if (answered && datagram->from.port != server.port) continue;
    const auto message = decode(datagram->payload);
    if (!message) continue;
    if (message->operation == Operation::Error) {
      const std::string what =
          fmt::format("reading {} over Ethernet: {}", file, host::printable(message->text));
      if (message->code == tftp_not_found) throw DataError(what);
      throw ProtocolError(what);
    }
    if (message->operation == Operation::OptionAcknowledge && !answered) {
      block_bytes = agreed(*message, file, options.block_bytes);
      server = datagram->from;
      answered = true;
      last = encode(acknowledge(0));
    } else if (message->operation == Operation::Data && message->block == expected) {
      if (!answered) server = datagram->from;  // a server without options: blocks of 512
      answered = true;
      if (message->data.size() > block_bytes)
        throw ProtocolError(fmt::format("reading {} over Ethernet: a block of {} bytes, not {}",
                                        file, message->data.size(), block_bytes));
      transfer.data.insert(transfer.data.end(), message->data.begin(), message->data.end());
      ++transfer.blocks;
      last = encode(acknowledge(expected));
      ++expected;
      if (message->data.size() < block_bytes) {
        say();
        transfer.time = interface.now() - begin;
        return transfer;
      }
    } else if (message->operation == Operation::Data && answered) {
      // Again what we have: our acknowledgement was lost.
      ++transfer.repeats;
    } else if (message->operation == Operation::OptionAcknowledge) {
      ++transfer.repeats;
    } else {
      continue;
    }
    attempts = 0;
    say();
  }
}

}  // namespace ht::net
