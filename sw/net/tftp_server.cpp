// SPDX-License-Identifier: Apache-2.0
#include "sw/net/tftp_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/input_file.hpp"

namespace ht::net {
namespace {

using Operation = TftpMessage::Operation;

std::uint64_t key_of(const Endpoint& client) {
  return static_cast<std::uint64_t>(client.ip) << 16 | client.port;
}

Datagram refuse(const Datagram& d, std::uint16_t code, std::string text) {
  TftpMessage m;
  m.operation = Operation::Error;
  m.code = code;
  m.text = std::move(text);
  return {d.to, d.from, encode(m)};
}

}  // namespace

TftpServer::TftpServer(FileSource files, Options options)
    : files_(std::move(files)), options_(options) {}

void TftpServer::receive(const Datagram& d, Picoseconds now, std::vector<Datagram>& out) {
  const auto message = decode(d.payload);
  if (!message) return;
  if (d.to.port == tftp_port) {
    if (message->operation == Operation::ReadRequest) {
      begin(d, *message, now, out);
    } else if (message->operation == Operation::WriteRequest) {
      out.push_back(refuse(d, tftp_illegal, "this server only reads"));
    }
    return;
  }
  const auto found = transfers_.find(key_of(d.from));
  if (found == transfers_.end() || found->second.here != d.to) return;
  Transfer& t = found->second;
  if (message->operation == Operation::Error) {
    transfers_.erase(found);
    return;
  }
  if (message->operation != Operation::Acknowledge ||
      message->block != static_cast<std::uint16_t>(t.block))
    return;
  if (t.finished) {
    transfers_.erase(found);
    return;
  }
  ++t.block;
  send_block(t, now, out);
}

void TftpServer::begin(const Datagram& d, const TftpMessage& request, Picoseconds now,
                       std::vector<Datagram>& out) {
  // The same request again: our answer was lost, or is late.
  if (const auto known = transfers_.find(key_of(d.from)); known != transfers_.end()) {
    ++repeats_;
    say(known->second, now, out);
    return;
  }
  Transfer t;
  t.client = d.from;
  t.here = d.to;
  t.file = files_(request.file);
  if (t.file == nullptr) {
    // A name may be as long as a frame.
    const std::string name = host::printable(request.file);
    out.push_back(refuse(d, tftp_not_found, fmt::format("there is no file {}", name)));
    return;
  }
  t.here.port = next_port_++;
  if (next_port_ == 0) next_port_ = 49152;
  TftpMessage oack;
  oack.operation = Operation::OptionAcknowledge;
  if (const auto asked = request.option("blksize");
      asked && !asked->empty() && asked->size() < 6 &&
      asked->find_first_not_of("0123456789") == std::string::npos && std::stoul(*asked) >= 8) {
    t.block_bytes = std::min<std::size_t>(std::stoul(*asked), options_.max_block);
    oack.options.emplace_back("blksize", std::to_string(t.block_bytes));
  }
  if (request.option("tsize")) oack.options.emplace_back("tsize", std::to_string(t.file->size()));
  Transfer& kept = transfers_[key_of(d.from)] = std::move(t);
  if (oack.options.empty()) {
    kept.block = 1;
    send_block(kept, now, out);
  } else {
    kept.last = encode(oack);
    say(kept, now, out);
  }
}

void TftpServer::send_block(Transfer& t, Picoseconds now, std::vector<Datagram>& out) {
  const std::size_t from = (t.block - 1) * t.block_bytes;
  const std::size_t to = std::min(t.file->size(), from + t.block_bytes);
  TftpMessage m;
  m.operation = Operation::Data;
  m.block = static_cast<std::uint16_t>(t.block);
  m.data.assign(t.file->begin() + static_cast<std::ptrdiff_t>(from),
                t.file->begin() + static_cast<std::ptrdiff_t>(to));
  t.finished = m.data.size() < t.block_bytes;
  t.last = encode(m);
  t.attempts = 0;
  say(t, now, out);
}

void TftpServer::say(Transfer& t, Picoseconds now, std::vector<Datagram>& out) {
  out.push_back({t.here, t.client, t.last});
  t.due = now + options_.timeout;
  ++t.attempts;
}

std::optional<Picoseconds> TftpServer::next_timer() const {
  std::optional<Picoseconds> first;
  for (const auto& [key, t] : transfers_) first = std::min(first.value_or(t.due), t.due);
  return first;
}

void TftpServer::timer(Picoseconds now, std::vector<Datagram>& out) {
  for (auto i = transfers_.begin(); i != transfers_.end();) {
    Transfer& t = i->second;
    if (t.due > now) {
      ++i;
    } else if (t.attempts >= options_.attempts) {
      i = transfers_.erase(i);  // the client is gone, or has all and our ear missed its last word
    } else {
      ++repeats_;
      say(t, now, out);
      ++i;
    }
  }
}

}  // namespace ht::net
