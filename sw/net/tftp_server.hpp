// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sw/host/time.hpp"
#include "sw/net/tftp.hpp"

namespace ht::net {

/// Where a server's files come from: the bytes of a file, or null if there is none of that name.
using FileSource = std::function<std::shared_ptr<const Bytes>(const std::string& name)>;

/// The serving end of TFTP, read only, without input or output of its own: datagrams go in,
/// datagrams come out. Lost ones are made up for by its timer; a repeated acknowledgement is not
/// answered with a repeated block (RFC 1123, 4.2.3.1).
class TftpServer {
 public:
  struct Options {
    std::size_t max_block = max_payload - 4;
    Picoseconds timeout = 200'000'000;  ///< without an acknowledgement a block is sent again
    int attempts = 10;                  ///< of one block, before a transfer is given up
  };

  explicit TftpServer(FileSource files, Options options);
  explicit TftpServer(FileSource files) : TftpServer(std::move(files), Options{}) {}

  /// Takes a datagram that came to this host at time `now`; appends its answers to `out`.
  void receive(const Datagram& datagram, Picoseconds now, std::vector<Datagram>& out);
  /// When timer() has something to do, or nothing.
  std::optional<Picoseconds> next_timer() const;
  void timer(Picoseconds now, std::vector<Datagram>& out);

  std::uint64_t repeats() const { return repeats_; }  ///< blocks sent again

 private:
  struct Transfer {
    Endpoint client, here;
    std::shared_ptr<const Bytes> file;
    std::size_t block_bytes = 512;
    std::size_t block = 0;  ///< on its way, from 1; 0: the option acknowledgement
    bool finished = false;
    Bytes last;
    Picoseconds due = 0;
    int attempts = 0;
  };
  void begin(const Datagram& datagram, const TftpMessage& request, Picoseconds now,
             std::vector<Datagram>& out);
  void send_block(Transfer& t, Picoseconds now, std::vector<Datagram>& out);
  void say(Transfer& t, Picoseconds now, std::vector<Datagram>& out);

  FileSource files_;
  Options options_;
  std::map<std::uint64_t, Transfer> transfers_;  ///< by the client's address and port
  std::uint16_t next_port_ = 49152;
  std::uint64_t repeats_ = 0;
};

}  // namespace ht::net
