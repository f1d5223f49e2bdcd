// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/forwarder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "sw/host/errors.hpp"
#include "sw/qmp/message_lengths.hpp"

namespace ht::qmp {
namespace {

class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag) { flag_ = true; }
  ~Flag() { flag_ = false; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
};

}  // namespace

Forwarder::Forwarder(Transport& transport, PacketPort& port, std::size_t queue_packets)
    : transport_(transport),
      port_(port),
      queue_packets_(queue_packets),
      messages_([this] { return fmt::format("node {}", transport_.rank()); }),
      ways_(2 * transport.shape().size()),
      arriving_(port.packet_bytes()) {
  if (port.packet_bytes() <= header_bytes || queue_packets < least_queue)
    throw std::logic_error("a forwarder's packets or queues have no room");
  payload_bytes_ = std::min<std::size_t>(port.packet_bytes() - header_bytes, 255);
}

// Byte by byte: nodes agree on it, whatever their computers are.
Forwarder::Header Forwarder::header_of(const Packet& p) {
  const auto number = [&p](std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t i = 4; i-- > 0;) n = n << 8 | static_cast<std::uint32_t>(p[at + i]);
    return n;
  };
  return {static_cast<Kind>(p[0]),
          static_cast<std::uint8_t>(p[1]),
          static_cast<std::uint8_t>(p[2]),
          number(4),
          number(8),
          number(12)};
}

Forwarder::Packet Forwarder::make(const Header& h, const std::byte* data) {
  Packet p(header_bytes + h.length);
  p[0] = static_cast<std::byte>(h.kind);
  p[1] = static_cast<std::byte>(h.length);
  p[2] = static_cast<std::byte>(h.stream);
  const auto put = [&p](std::size_t at, std::uint32_t n) {
    for (std::size_t i = 0; i < 4; ++i) p[at + i] = static_cast<std::byte>(n >> 8 * i);
  };
  put(4, h.from);
  put(8, h.to);
  put(12, h.bytes);
  if (h.length > 0) std::memcpy(p.data() + header_bytes, data, h.length);
  return p;
}

// -------------------------------------------------------------------------------------------------
// Messages

MessageId Forwarder::declare(bool send, int rank, std::uint8_t stream, std::byte* buffer,
                             std::size_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    throw UsageError(fmt::format("node {}: a message of {} bytes {} node {}; 4294967295 at most",
                                 transport_.rank(), bytes, send ? "to" : "from", rank));
  Message m;
  m.send = send;
  m.rank = rank;
  m.stream = stream;
  m.buffer = buffer;
  m.bytes = bytes;
  m.what = fmt::format("{} {} bytes {} node {}, by the nodes in between",
                       send ? "sending" : "receiving", bytes, send ? "to" : "from", rank);
  return messages_.add(std::move(m));
}

void Forwarder::start(MessageId id) {
  Message& m = messages_.at(id);
  if (m.started) messages_.in_flight("started again", m.what);
  m.started = true;
  m.moved = 0;
  Peer& p = peer(m.rank, m.stream);
  if (m.send) {
    p.sends.push_back(id);
  } else {
    p.receives.push_back(id);
    Header h;
    h.stream = m.stream;
    h.from = static_cast<std::uint32_t>(transport_.rank());
    h.to = static_cast<std::uint32_t>(m.rank);
    h.bytes = static_cast<std::uint32_t>(m.bytes);
    ready_.push_back(make(h, nullptr));
  }
  serve();
}

bool Forwarder::is_complete(MessageId id) {
  const Message& m = messages_.at(id);
  transport_.attend();
  if (m.started) transport_.runtime().advance(poll_cost);
  return !m.started;
}

void Forwarder::wait(MessageId id) {
  const Message& m = messages_.at(id);
  for (;;) {
    transport_.attend();
    if (!m.started) return;
    transport_.runtime().wait(m.what);
  }
}

void Forwarder::undeclare(MessageId id) {
  if (messages_.at(id).started) messages_.in_flight("freed", messages_.at(id).what);
  messages_.remove(id);
}

Forwarder::Closed::Closed(Forwarder& forwarder) : forwarder_(forwarder) {
  forwarder_.closed_ = true;
  forwarder_.ready_.clear();
  forwarder_.peers_.clear();
  for (auto& [id, m] : forwarder_.messages_) m.started = false;
}

// -------------------------------------------------------------------------------------------------
// Packets

Direction Forwarder::way_to(int rank) const {
  const std::span<const int> shape = transport_.shape(), here = transport_.coordinates();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int length = shape[axis], there = rank % length;
    rank /= length;
    const int forwards = (there - here[axis] + length) % length;
    if (forwards != 0)
      return direction_of(static_cast<int>(axis), 2 * forwards <= length ? +1 : -1);
  }
  throw std::logic_error("a packet to oneself");
}

void Forwarder::push(Direction d, Packet packet) {
  transport_.runtime().advance(handling_cost);
  transport_.charge_copy(packet.size());
  way(d).queue.push_back(std::move(packet));
}

bool Forwarder::place(const Packet& packet, Direction came_from) {
  const int to = static_cast<int>(header_of(packet).to);
  if (to == transport_.rank()) {
    deliver(packet);
    return true;
  }
  const Direction d = way_to(to);
  const bool goes_on = d == opposite(came_from);
  if (!has_room(d, goes_on ? 1 : 2)) return false;
  ++passed_on_;
  push(d, packet);
  return true;
}

void Forwarder::deliver(const Packet& packet) {
  const Header h = header_of(packet);
  transport_.runtime().advance(handling_cost);
  if (closed_) return;
  Peer& p = peer(static_cast<int>(h.from), h.stream);
  if (h.kind == Kind::Ready) {
    p.ready.push_back(h.bytes);
    return;
  }
  if (p.receives.empty())
    throw ProtocolError(fmt::format("node {}: a packet from node {} that nobody waits for",
                                    transport_.rank(), h.from));
  Message& m = messages_.at(p.receives.front());
  transport_.charge_copy(h.length);
  if (h.length > 0) std::memcpy(m.buffer + m.moved, packet.data() + header_bytes, h.length);
  m.moved += h.length;
  if (m.moved < h.bytes) return;
  m.started = false;
  p.receives.pop_front();
}

bool Forwarder::inject() {
  bool moved = false;
  while (!ready_.empty()) {
    const Direction d = way_to(static_cast<int>(header_of(ready_.front()).to));
    if (!has_room(d, 2)) break;
    Packet packet = std::move(ready_.front());
    ready_.pop_front();
    push(d, std::move(packet));
    moved = true;
  }
  for (auto& [key, p] : peers_) moved = inject_data(key.first, p) || moved;
  return moved;
}

// A packet to each in turn: a long message does not keep the others.
bool Forwarder::inject_data(int rank, Peer& p) {
  if (p.sends.empty() || p.ready.empty()) return false;
  Message& m = messages_.at(p.sends.front());
  if (m.bytes > p.ready.front())
    throw ProtocolError(too_short(transport_.rank(), m.bytes, rank, p.ready.front()));
  const Direction d = way_to(rank);
  if (!has_room(d, 2)) return false;
  Header h;
  h.kind = Kind::Data;
  h.length = static_cast<std::uint8_t>(std::min(payload_bytes_, m.bytes - m.moved));
  h.stream = m.stream;
  h.from = static_cast<std::uint32_t>(transport_.rank());
  h.to = static_cast<std::uint32_t>(rank);
  h.bytes = static_cast<std::uint32_t>(m.bytes);
  Packet packet = make(h, m.buffer + m.moved);
  m.moved += h.length;
  if (m.moved == m.bytes) {
    m.started = false;
    p.sends.pop_front();
    p.ready.pop_front();
  }
  push(d, std::move(packet));
  return true;
}

bool Forwarder::serve_neighbour(Direction d) {
  bool moved = false;
  Way& w = way(d);
  while (!w.queue.empty() && port_.try_send(d, w.queue.front())) {
    w.queue.pop_front();
    moved = true;
  }
  if (!w.arrived) {
    if (const std::size_t n = port_.try_receive(d, arriving_); n > 0) {
      w.arrived.emplace(arriving_.begin(), arriving_.begin() + static_cast<std::ptrdiff_t>(n));
      moved = true;
    }
  }
  if (w.arrived && place(*w.arrived, d)) {
    w.arrived.reset();
    moved = true;
  }
  return moved;
}

bool Forwarder::serve() {
  if (serving_) return false;
  const Flag serving(serving_);
  bool any = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t d = 0; d < ways_.size(); ++d)
      moved = serve_neighbour(static_cast<Direction>(d)) || moved;
    moved = inject() || moved;
    any = any || moved;
  }
  port_.flush();
  return any;
}

}  // namespace ht::qmp
