// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/message_table.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// Messages between any two nodes of a torus whose hardware knows only neighbours: the processors
/// in between store packets and pass them on, whenever their programs look at the network, and when
/// they have ended. One per node, over its PacketPort; called only from the node's fibre.
///
/// A receiver says that it is ready, with the room it has; then the sender sends. So a packet that
/// has come to its node never waits there. Packets go along one axis after the other, the shorter
/// way round, and keep their order. A node has a queue for each way out; what goes on in a ring
/// needs one place in it, what comes into the ring two, so that no ring ever is full and none of
/// its packets waits for ever (bubble flow control). Axes are waited for in their order only.
class Forwarder final : public MessageService {
 public:
  /// Packets of a queue by default, and the fewest.
  static constexpr std::size_t usual_queue = 4, least_queue = 2;
  /// Of a packet: what it is, from where and to where, and how long the message is.
  static constexpr std::size_t header_bytes = 16;
  /// What the processor spends on a packet beside its copy, and on looking in vain: our
  /// assumptions.
  static constexpr Picoseconds handling_cost = 100'000, poll_cost = 20'000;

  /// Messages that must not be matched with each other: those by number, by their channel, and
  /// those between neighbours, by the direction in which they leave.
  static constexpr std::uint8_t by_number = 0, first_direction = routed_channels;
  static constexpr std::uint8_t stream_of(Channel channel) {
    return static_cast<std::uint8_t>(channel);
  }

  /// Both must outlive it. `queue_packets`: of the queue of each way out. Throws std::logic_error
  /// for fewer than least_queue, or a port whose packets hold no more than a header.
  Forwarder(Transport& transport, PacketPort& port, std::size_t queue_packets = usual_queue);

  /// Declares a message to, or from, a rank that is not this one's. Matching: the n-th started from
  /// rank a to rank b on a stream goes to the n-th receive started there from a, which may be
  /// longer. One of no bytes is a packet, too. Throws UsageError for one of 2^32 bytes and more.
  MessageId declare(bool send, int rank, std::uint8_t stream, std::byte* buffer, std::size_t bytes);
  /// Throws std::logic_error for one in flight.
  void start(MessageId message) override;
  bool is_complete(MessageId message) override;
  void wait(MessageId message) override;
  void undeclare(MessageId message) override;

  /// Passes on what came, and sends what can be sent; to be called whenever the node looks at its
  /// hardware. False if there was nothing to do. Throws ProtocolError for a message that is longer
  /// than its receive.
  bool serve();
  /// No program runs, from its making to its end: what comes for this node is dropped, what its
  /// program left under way is forgotten, and what others need goes on.
  class Closed {
   public:
    explicit Closed(Forwarder& forwarder);
    ~Closed() { forwarder_.closed_ = false; }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    Forwarder& forwarder_;
  };

  /// Packets of other nodes that this one has passed on.
  std::uint64_t passed_on() const { return passed_on_; }

 private:
  enum class Kind : std::uint8_t { Ready = 1, Data = 2 };
  struct Header {
    Kind kind = Kind::Ready;
    std::uint8_t length = 0;  ///< bytes that follow
    std::uint8_t stream = 0;
    std::uint32_t from = 0, to = 0;
    std::uint32_t bytes = 0;  ///< of the message, or the room for it
  };
  using Packet = std::vector<std::byte>;
  struct Message {
    bool send = false, started = false;
    int rank = 0;
    std::uint8_t stream = 0;
    std::byte* buffer = nullptr;
    std::size_t bytes = 0, moved = 0;
    std::string what;
  };
  /// A stream to and from a rank: messages that were started.
  struct Peer {
    std::deque<MessageId> sends, receives;
    std::deque<std::uint32_t> ready;  ///< of the receives there that wait for ours: their room
  };
  struct Way {
    std::deque<Packet> queue;
    std::optional<Packet> arrived;  ///< from the neighbour there, and not placed yet
  };

  Peer& peer(int rank, std::uint8_t stream) { return peers_[{rank, stream}]; }
  Way& way(Direction d) { return ways_[static_cast<std::size_t>(d)]; }
  Direction way_to(int rank) const;
  bool has_room(Direction d, std::size_t places) {
    return way(d).queue.size() + places <= queue_packets_;
  }
  bool place(const Packet& packet, Direction came_from);
  void deliver(const Packet& packet);
  bool serve_neighbour(Direction d);
  bool inject();
  bool inject_data(int rank, Peer& peer);
  void push(Direction d, Packet packet);
  static Header header_of(const Packet& packet);
  static Packet make(const Header& header, const std::byte* data);

  Transport& transport_;
  PacketPort& port_;
  std::size_t queue_packets_, payload_bytes_ = 0;
  MessageTable<Message> messages_;
  std::map<std::pair<int, std::uint8_t>, Peer> peers_;
  std::deque<Packet> ready_;  ///< of receives that were started, to be injected
  std::vector<Way> ways_;
  Packet arriving_;
  std::uint64_t passed_on_ = 0;
  bool serving_ = false, closed_ = false;
};

}  // namespace ht::qmp
