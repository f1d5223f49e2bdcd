// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sw/host/runtime.hpp"

namespace ht::qmp {

/// A direction on the torus the application sees: 2 * axis for the neighbour at +1 along `axis`,
/// 2 * axis + 1 for the one at -1. On an axis of length 2 both are the same node over two cables.
using Direction = int;
constexpr Direction direction_of(int axis, int sign) {
  return 2 * axis + (sign < 0 ? 1 : 0);
}
constexpr Direction opposite(Direction d) {
  return d ^ 1;
}

/// Traffic that must not be matched with each other: what the program declared, and what QMP
/// itself sends for sums, broadcasts and barriers. By number, also what the program sends one step
/// up or down an axis of a logical torus that is not laid onto the machine's: along an axis of
/// length 2 both go to the same node.
enum class Channel : std::uint8_t { User = 0, Collective = 1, Up = 2, Down = 3 };
constexpr int routed_channels = 4;

/// A persistent message: declared once, started any number of times.
using MessageId = std::int32_t;

class GlobalSignals;
class StateSums;
class GlobalOperations;
class RoutedMessages;
class ScatterGather;
class Forwarder;
class PacketPort;

/// What is done with messages that were declared.
class MessageService {
 public:
  virtual void start(MessageId message) = 0;
  /// True once a started message is complete (sent: the buffer may be reused; received: data are
  /// there), or if it was never started. Costs a little simulated time, so that polling makes
  /// progress.
  virtual bool is_complete(MessageId message) = 0;
  virtual void wait(MessageId message) = 0;
  /// Forgets a message that is not in flight. Throws std::logic_error if it is.
  virtual void undeclare(MessageId message) = 0;

 protected:
  ~MessageService() = default;
};

/// What QMP needs of a machine. One per node, called only from the node's fibre.
///
/// Matching: on one cable (sender's direction d, receiver's direction opposite(d)) and channel, the
/// n-th message started to be sent goes to the n-th started to be received; their sizes must agree
/// (the machine may report a mismatch as an error, or stall). Sends and receives may start in any
/// order. Errors throw; ht::qmp turns them into QMP status codes where the API has one.
class Transport : public MessageService {
 public:
  virtual ~Transport() = default;

  virtual host::Runtime& runtime() = 0;

  /// Torus the application sees: its lengths, x first (1 to 6 axes), this node's place, and its
  /// rank = x + Lx (y + Ly (z + ...)); -1 on a node of the machine that the application has no use
  /// for, where nothing but rank() and runtime() may be called.
  virtual std::span<const int> shape() const = 0;
  virtual std::span<const int> coordinates() const = 0;
  virtual int rank() const = 0;
  /// "functional torus 2x2x2" or the like, for logs.
  virtual std::string description() const = 0;

  /// Memory the network reaches without a copy. `alignment` is a power of two, at least the
  /// machine's own. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void release(void* pointer) = 0;

  /// Whether the other end is told how long a message is: then a receive may be longer than what is
  /// sent, and there are messages of no bytes.
  virtual bool says_lengths() const { return false; }

  /// Declares a message of `bytes` > 0 (0, if the machine says lengths) contiguous bytes at
  /// `buffer` to, or from, the neighbour in `direction`. Buffers outside allocate()d memory,
  /// unaligned or of odd length are bounced by the machine's driver, which charges the copy.
  virtual MessageId declare_send(Direction direction, Channel channel, const void* buffer,
                                 std::size_t bytes) = 0;
  virtual MessageId declare_receive(Direction direction, Channel channel, void* buffer,
                                    std::size_t bytes) = 0;
  /// Starts several; a machine may do it at once. None may be in flight.
  virtual void start_all(std::span<const MessageId> messages) {
    for (const MessageId m : messages) start(m);
  }

  /// Bytes: a message is not bounced if its address and its length are multiples of this. What QMP
  /// sends on its own account (sums, barriers, gathered strided memory) is laid out so.
  virtual std::size_t granularity() const { return 8; }

  /// Lets the time pass that copying `bytes` in the node's memory takes. 12.8 GB/s unless the
  /// machine knows better: read and written once, over a 25.6 GB/s memory ([Cell2007] figure 1).
  virtual void charge_copy(std::size_t bytes) {
    runtime().advance(static_cast<Picoseconds>(bytes) * 10'000 / 128);
  }

  /// What the machine can do beyond this (capabilities.hpp); null for what it cannot.
  virtual GlobalSignals* global_signals() { return nullptr; }
  virtual StateSums* state_sums() { return nullptr; }
  virtual GlobalOperations* global_operations() { return nullptr; }
  virtual RoutedMessages* routed_messages() { return nullptr; }
  virtual ScatterGather* scatter_gather() { return nullptr; }
  /// Of a machine that does not route, if its driver passes packets on.
  virtual Forwarder* forwarder() { return nullptr; }

  /// The program asked whether a message to itself is complete, and it is not.
  virtual void asked_in_vain() {}

  /// Looks at the hardware, and does what can be done for messages under way, other nodes' too.
  virtual void attend() {}
  /// A program has ended here: what other nodes still need of this one is done from now on, until
  /// theirs have ended, too.
  virtual void linger() {}
};

}  // namespace ht::qmp
