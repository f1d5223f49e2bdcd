// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/functional_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"
#include "sw/qmp/message_lengths.hpp"

namespace ht::qmp {
namespace {

constexpr const char* axis_names = "xyzabc";
constexpr std::uint64_t advances_a_turn = 1024;

std::string direction_name(Direction d) {
  return fmt::format("{}{}", d % 2 == 0 ? '+' : '-', axis_names[d / 2]);
}

}  // namespace

int FunctionalNetwork::rank_of(const std::vector<int>& coordinates) const {
  int rank = 0;
  for (std::size_t a = shape.size(); a-- > 0;) rank = rank * shape[a] + coordinates[a];
  return rank;
}

std::vector<int> FunctionalNetwork::coordinates_of(int rank) const {
  std::vector<int> coordinates;
  for (const int length : shape) {
    coordinates.push_back(rank % length);
    rank /= length;
  }
  return coordinates;
}

FunctionalNode::FunctionalNode(FunctionalNetwork& network, int rank)
    : network_(network),
      rank_(rank),
      coordinates_(network.coordinates_of(rank)),
      memory_(network.options.memory_bytes),
      messages_([this] { return name(); }),
      from_neighbours_(4 * network.shape.size()),
      cable_free_(2 * network.shape.size() + 1) {}

std::string FunctionalNode::description() const {
  return fmt::format("functional torus {}", fmt::join(network_.shape, "x"));
}

std::string FunctionalNode::name() const {
  return fmt::format("node {} ({})", rank_, fmt::join(coordinates_, ","));
}

std::string FunctionalNode::describe(const Message& m) const {
  const std::string other = network_.nodes[static_cast<std::size_t>(m.peer)]->name();
  std::string text = fmt::format("{} {} bytes {} {}", m.send ? "sending" : "receiving", m.bytes,
                                 m.send ? "to" : "from", other);
  if (!m.routed) text += fmt::format(" over {}", direction_name(m.direction));
  if (m.channel == Channel::Collective) text += ", in a global operation";
  return text;
}

void* FunctionalNode::allocate(std::size_t bytes, std::size_t alignment) {
  return memory_.allocate(bytes, alignment);
}

void FunctionalNode::release(void* pointer) {
  memory_.release(pointer);
}

MessageId FunctionalNode::declare_send(Direction direction, Channel channel, const void* buffer,
                                       std::size_t bytes) {
  Message m;
  m.send = true;
  m.direction = direction;
  m.channel = channel;
  // A send's buffer is only read.
  m.buffer = static_cast<std::byte*>(const_cast<void*>(buffer));
  m.bytes = bytes;
  return declare(m);
}

MessageId FunctionalNode::declare_receive(Direction direction, Channel channel, void* buffer,
                                          std::size_t bytes) {
  Message m;
  m.direction = direction;
  m.channel = channel;
  m.buffer = static_cast<std::byte*>(buffer);
  m.bytes = bytes;
  return declare(m);
}

MessageId FunctionalNode::declare_send_to(int rank, const void* buffer, std::size_t bytes,
                                          Channel channel) {
  Message m;
  m.channel = channel;
  m.send = m.routed = true;
  m.peer = rank;
  m.buffer = static_cast<std::byte*>(const_cast<void*>(buffer));
  m.bytes = bytes;
  return declare(m);
}

MessageId FunctionalNode::declare_receive_from(int rank, void* buffer, std::size_t bytes,
                                               Channel channel) {
  Message m;
  m.channel = channel;
  m.routed = true;
  m.peer = rank;
  m.buffer = static_cast<std::byte*>(buffer);
  m.bytes = bytes;
  return declare(m);
}

MessageId FunctionalNode::declare(const Message& wanted) {
  Message m = wanted;
  const int axes = static_cast<int>(network_.shape.size());
  if (m.bytes > 0 && m.buffer == nullptr) throw UsageError(name() + ": a message without memory");
  if (m.routed) {
    if (m.peer < 0 || m.peer >= static_cast<int>(network_.nodes.size()) || m.peer == rank_) {
      throw UsageError(fmt::format("{}: a message to or from node {}", name(), m.peer));
    }
  } else {
    if (m.direction < 0 || m.direction >= 2 * axes) {
      throw UsageError(fmt::format("{}: direction {} on {} axes", name(), m.direction, axes));
    }
    std::vector<int> there = coordinates_;
    const auto axis = static_cast<std::size_t>(m.direction / 2);
    const int length = network_.shape[axis];
    there[axis] = (there[axis] + (m.direction % 2 == 0 ? 1 : length - 1)) % length;
    m.peer = network_.rank_of(there);
  }
  // As a machine's node, which has a copy.
  if (m.bytes > network_.options.memory_bytes) throw std::bad_alloc();
  return messages_.add(m);
}

FunctionalNode::Queue& FunctionalNode::queue_for(const Message& m) {
  FunctionalNode& receiver = m.send ? *network_.nodes[static_cast<std::size_t>(m.peer)] : *this;
  if (m.routed) return receiver.from_ranks_[{m.send ? rank_ : m.peer, m.channel}];
  const Direction in = m.send ? opposite(m.direction) : m.direction;
  return receiver.from_neighbours_[static_cast<std::size_t>(2 * in + static_cast<int>(m.channel))];
}

void FunctionalNode::start(MessageId id) {
  Message& m = messages_.at(id);
  if (m.state == State::Started || (m.state == State::Done && m.done > now_)) {
    messages_.in_flight("started again", describe(m));
  }
  advance(network_.options.start_cost);
  ++network_.activity;
  m.state = State::Started;
  m.started = now_;
  if (!m.send) {
    m.before.assign(m.buffer, m.buffer + m.bytes);
    if (m.bytes > 0) ReceiveGuard::fill({m.buffer, m.bytes});
  }
  Queue& queue = queue_for(m);
  (m.send ? queue.sends : queue.receives).push_back({this, id});
  match(queue);
}

void FunctionalNode::match(Queue& queue) {
  while (!queue.sends.empty() && !queue.receives.empty()) {
    const End from = queue.sends.front();
    const End to = queue.receives.front();
    queue.sends.pop_front();
    queue.receives.pop_front();
    transfer(from, to);
  }
}

void FunctionalNode::transfer(const End& from, const End& to) {
  Message& s = from.message();
  Message& r = to.message();
  if (s.bytes > r.bytes)
    throw ProtocolError(fmt::format(
        "{}; {} is {}, {} is {}", too_short(from.node->rank_, s.bytes, to.node->rank_, r.bytes),
        from.node->name(), from.node->describe(s), to.node->name(), to.node->describe(r)));
  r.arrived.assign(s.buffer, s.buffer + s.bytes);
  Picoseconds hops = 1;
  if (s.routed) {
    hops = 0;
    for (std::size_t a = 0; a < network_.shape.size(); ++a) {
      const int way = std::abs(from.node->coordinates_[a] - to.node->coordinates_[a]);
      hops += std::min(way, network_.shape[a] - way);
    }
  }
  Picoseconds& free = from.node->cable_free_[s.routed ? from.node->cable_free_.size() - 1
                                                      : static_cast<std::size_t>(s.direction)];
  free = std::max(free, s.started) +
         static_cast<Picoseconds>(s.bytes) * 1'000'000 / network_.options.bytes_per_us;
  s.done = free;
  r.done = std::max(free + hops * network_.options.latency, r.started);
  s.state = r.state = State::Done;
  ++network_.activity;
  from.node->wake();
  to.node->wake();
}

// The buffer is the network's until now, and what arrived is seen only from now on.
void FunctionalNode::complete(Message& m) {
  if (m.state == State::Done && !m.send && m.bytes > 0) {
    ReceiveGuard::check({m.buffer, m.bytes}, [&] { return name() + ": " + describe(m); });
    std::memcpy(m.buffer, m.arrived.data(), m.arrived.size());
    // Behind it there is what was there before.
    std::memcpy(m.buffer + m.arrived.size(), m.before.data() + m.arrived.size(),
                m.bytes - m.arrived.size());
  }
  m.state = State::Idle;
}

bool FunctionalNode::is_complete(MessageId id) {
  Message& m = messages_.at(id);
  if (m.state == State::Idle || (m.state == State::Done && m.done <= now_)) {
    complete(m);
    ++network_.activity;
    return true;
  }
  advance(network_.options.poll_cost);
  if (m.state == State::Started) {
    waiting_for_ = "(asking again and again) " + describe(m);
    in_vain_ = true;
    host::Fibre::suspend();  // another node's turn; this one stays ready
    in_vain_ = false;
  }
  return false;
}

void FunctionalNode::wait(MessageId id) {
  while (messages_.at(id).state == State::Started) block(describe(messages_.at(id)));
  Message& m = messages_.at(id);
  if (m.state == State::Done) now_ = std::max(now_, m.done);
  complete(m);
}

void FunctionalNode::undeclare(MessageId id) {
  Message& m = messages_.at(id);
  if (m.state == State::Started || (m.state == State::Done && m.done > now_)) {
    messages_.in_flight("freed", describe(m));
  }
  messages_.remove(id);
}

void FunctionalNode::advance(Picoseconds duration) {
  now_ += duration;
  // A program that only lets time pass (and asks for the hour) must not keep the others from
  // theirs, nor the machine from noticing that nothing will come of it if it waits for itself.
  if (++advances_ % advances_a_turn == 0) {
    waiting_for_ = "time to pass";
    host::Fibre::suspend();
    in_vain_ = false;
  }
}

void FunctionalNode::charge_copy(std::size_t bytes) {
  ++network_.activity;
  Transport::charge_copy(bytes);
}

void FunctionalNode::wait(std::string_view what) {
  for (;;) {
    // What has met its other end arrives by itself: the next thing to happen here.
    Picoseconds next = std::numeric_limits<Picoseconds>::max();
    for (const auto& [id, m] : messages_) {
      if (m.state == State::Done && m.done > now_) next = std::min(next, m.done);
    }
    const bool arrives = next != std::numeric_limits<Picoseconds>::max();
    if (arrives) now_ = next;
    if (arrives || events_ != events_seen_) break;
    block(std::string(what));
  }
  events_seen_ = events_;
}

void FunctionalNode::wake() {
  ++events_;
  blocked_ = false;
}

void FunctionalNode::block(std::string what) {
  blocked_ = true;
  waiting_for_ = std::move(what);
  host::Fibre::suspend();
}

}  // namespace ht::qmp
