// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "sw/qmp/transport.hpp"

// What a machine may be able to do beyond messages to neighbours. A Transport hands out those that
// its machine has; without them QMP does the same by messages, or says that it is not supported.
namespace ht::qmp {

/// Wires by which all nodes learn whether all, or any, of them have voted true; QMP's barrier uses
/// them. Every node must call the same operations in the same order.
class GlobalSignals {
 public:
  virtual void signal_barrier() = 0;
  virtual bool signal_all(bool mine) = 0;
  virtual bool signal_any(bool mine) = 0;

 protected:
  ~GlobalSignals() = default;
};

/// Hardware that merges states of reproducible sums (model::OrderIndependentSum);
/// QMP_binary_reduction() with one of the functions of sum_states.hpp uses it. Every node must call
/// it with as many states, in the same order of operations; all get the same bits.
class StateSums {
 public:
  /// Any number of states of 40 bytes, each merged over all nodes.
  virtual void sum_states(std::span<std::byte> states) = 0;

 protected:
  ~StateSums() = default;
};

/// Switches that pass words on while they arrive; QMP's sums and broadcasts use them instead of
/// messages on Channel::Collective. Every node must call the same operations in the same order;
/// memory is allocate()d, lengths are multiples of granularity().
class GlobalOperations {
 public:
  /// Once before the circulate()s of an operation, which are one or more along every axis longer
  /// than 1, in the order of the axes.
  virtual void begin_circulation() = 0;
  /// `blocks`: one of `bytes` bytes for every node along `axis`, by coordinate, this node's being
  /// filled in; on return all are.
  virtual void circulate(int axis, void* blocks, std::size_t bytes) = 0;
  /// Rank 0's `bytes` bytes for everybody.
  virtual void broadcast(void* buffer, std::size_t bytes) = 0;

 protected:
  ~GlobalOperations() = default;
};

/// Any-to-any messages (ranks), for QMP_declare_send_to/receive_from. On a machine that only knows
/// its neighbours QMP answers QMP_NOTSUPPORTED for ranks that are none.
class RoutedMessages {
 public:
  /// As Transport::declare_send/declare_receive, for any rank but this node's. Matching: the n-th
  /// message started from rank a to rank b goes to the n-th receive started at b from a; these are
  /// not matched with those of declare_send, nor with those of another channel.
  virtual MessageId declare_send_to(int rank, const void* buffer, std::size_t bytes,
                                    Channel channel) = 0;
  virtual MessageId declare_receive_from(int rank, void* buffer, std::size_t bytes,
                                         Channel channel) = 0;
  MessageId declare_send_to(int rank, const void* buffer, std::size_t bytes) {
    return declare_send_to(rank, buffer, bytes, Channel::User);
  }
  MessageId declare_receive_from(int rank, void* buffer, std::size_t bytes) {
    return declare_receive_from(rank, buffer, bytes, Channel::User);
  }

 protected:
  ~RoutedMessages() = default;
};

/// Small packets between neighbours, beside messages: for the Forwarder, by which software reaches
/// nodes that are none.
class PacketPort {
 public:
  /// Longest packet.
  virtual std::size_t packet_bytes() const = 0;
  /// Sends one to the neighbour in `way`, unless there is no room for it now. Packets are neither
  /// lost nor overtaken, and room comes when the neighbour has taken those before, and flushed.
  virtual bool try_send(Direction way, std::span<const std::byte> packet) = 0;
  /// Takes the next that came from there into `packet`, of packet_bytes(): its length, which may be
  /// that of the longest; 0: none.
  virtual std::size_t try_receive(Direction from, std::span<std::byte> packet) = 0;
  /// Reports to neighbours what was taken, if that is not done yet: for when nothing else is to do.
  virtual void flush() {}

 protected:
  ~PacketPort() = default;
};

/// Hardware that gathers and scatters messages by itself.
class ScatterGather {
 public:
  struct Blocks {
    std::byte* base;
    std::size_t bytes;      ///< of a block
    std::size_t count;      ///< blocks
    std::ptrdiff_t stride;  ///< bytes from the start of one to the start of the next
  };
  /// As Transport::declare_send/declare_receive for blocks scattered over the memory, in that
  /// order. Nothing if it cannot do so with these: then the caller copies them together.
  virtual std::optional<MessageId> declare_scattered(bool send, Direction direction,
                                                     Channel channel,
                                                     std::span<const Blocks> blocks) = 0;

 protected:
  ~ScatterGather() = default;
};

}  // namespace ht::qmp
