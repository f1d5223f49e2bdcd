// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
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
/// itself sends for sums, broadcasts and barriers.
enum class Channel : std::uint8_t { User = 0, Collective = 1 };

/// A persistent message: declared once, started any number of times.
using MessageId = std::int32_t;

/// What QMP needs of a machine. One per node, called only from the node's fibre.
///
/// Matching: on one cable (sender's direction d, receiver's direction opposite(d)) and channel, the
/// n-th message started to be sent goes to the n-th started to be received; their sizes must agree
/// (the machine may report a mismatch as an error, or stall). Sends and receives may start in any
/// order. Errors throw; ht::qmp turns them into QMP status codes where the API has one.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual host::Runtime& runtime() = 0;

  /// Torus the application sees: its lengths, x first (1 to 6 axes), this node's place, and its
  /// rank = x + Lx (y + Ly (z + ...)); -1 on a node of the machine that the application has no use
  /// for, where nothing but rank() and runtime() may be called.
  virtual std::span<const int> shape() const = 0;
  virtual std::span<const int> coordinates() const = 0;
  virtual int rank() const = 0;
  /// "QPACE torus 2x2x2" or the like, for logs.
  virtual std::string description() const = 0;

  /// Memory the network reaches without a copy. `alignment` is a power of two, at least the
  /// machine's own. Throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void release(void* pointer) = 0;

  /// Declares a message of `bytes` > 0 contiguous bytes at `buffer` to, or from, the neighbour in
  /// `direction`. Buffers outside allocate()d memory, unaligned or of odd length are bounced by the
  /// machine's driver, which charges the copy.
  virtual MessageId declare_send(Direction direction, Channel channel, const void* buffer,
                                 std::size_t bytes) = 0;
  virtual MessageId declare_receive(Direction direction, Channel channel, void* buffer,
                                    std::size_t bytes) = 0;
  /// As declare_send/declare_receive for blocks scattered over the memory, in that order, on a
  /// machine that gathers and scatters by itself. Nothing if it cannot do so with these: then the
  /// caller copies them together.
  struct Blocks {
    std::byte* base;
    std::size_t bytes;      ///< of a block
    std::size_t count;      ///< blocks
    std::ptrdiff_t stride;  ///< bytes from the start of one to the start of the next
  };
  virtual std::optional<MessageId> declare_scattered(bool /*send*/, Direction /*direction*/,
                                                     Channel /*channel*/,
                                                     std::span<const Blocks> /*blocks*/) {
    return std::nullopt;
  }
  virtual void start(MessageId message) = 0;
  /// Starts several; a machine may do it at once. None may be in flight.
  virtual void start_all(std::span<const MessageId> messages) {
    for (const MessageId m : messages) start(m);
  }
  /// True once a started message is complete (sent: the buffer may be reused; received: data are
  /// there), or if it was never started. Costs a little simulated time, so that polling makes
  /// progress.
  virtual bool is_complete(MessageId message) = 0;
  virtual void wait(MessageId message) = 0;
  /// Forgets a message that is not in flight. Throws std::logic_error if it is.
  virtual void undeclare(MessageId message) = 0;

  /// Bytes: a message is not bounced if its address and its length are multiples of this. What QMP
  /// sends on its own account (sums, barriers, gathered strided memory) is laid out so.
  virtual std::size_t granularity() const { return 8; }

  /// Lets the time pass that copying `bytes` in the node's memory takes. 12.8 GB/s unless the
  /// machine knows better: read and written once, over a 25.6 GB/s memory (seed 001, figure 1).
  virtual void charge_copy(std::size_t bytes) {
    runtime().advance(static_cast<Picoseconds>(bytes) * 10'000 / 128);
  }

  /// Wires that tell all nodes whether all, or any, of them say so (QPACE's global signal tree);
  /// then QMP's barrier uses them. Every node must call the same operations in the same order.
  virtual bool barrier_by_signals() const { return false; }
  virtual void signal_barrier() {
    throw std::logic_error(description() + " has no global signals");
  }
  virtual bool signal_all(bool /*mine*/) {
    throw std::logic_error(description() + " has no global signals");
  }
  virtual bool signal_any(bool /*mine*/) {
    throw std::logic_error(description() + " has no global signals");
  }

  /// Hardware that merges states of reproducible sums (model::OrderIndependentSum; Tofu's gates):
  /// then QMP_binary_reduction() with one of the functions of sum_states.hpp uses it. Every node
  /// must call it with as many states, in the same order of operations; all get the same bits.
  virtual bool has_state_sums() const { return false; }
  /// Any number of states of 40 bytes, each merged over all nodes.
  virtual void sum_states(std::span<std::byte> /*states*/) {
    throw std::logic_error(description() + " does not merge states of sums");
  }

  /// Switches that pass words on while they arrive (QCDOC's global operations): then QMP's sums and
  /// broadcasts use them instead of messages on Channel::Collective. Every node must call the same
  /// operations in the same order; memory is allocate()d, lengths are multiples of granularity().
  virtual bool has_global_operations() const { return false; }
  /// Once before the circulate()s of an operation, which are one or more along every axis longer
  /// than 1, in the order of the axes.
  virtual void begin_circulation() {}
  /// `blocks`: one of `bytes` bytes for every node along `axis`, by coordinate, this node's being
  /// filled in; on return all are.
  virtual void circulate(int /*axis*/, void* /*blocks*/, std::size_t /*bytes*/) {
    throw std::logic_error(description() + " has no global operations");
  }
  /// Rank 0's `bytes` bytes for everybody.
  virtual void broadcast(void* /*buffer*/, std::size_t /*bytes*/) {
    throw std::logic_error(description() + " has no global operations");
  }

  /// Any-to-any messages (ranks), for QMP_declare_send_to/receive_from. Machines that only know
  /// their neighbours return false, and QMP answers QMP_NOTSUPPORTED for ranks that are none.
  virtual bool has_routed_messages() const { return false; }

  /// As declare_send/declare_receive, for any rank but this node's. Matching: the n-th message
  /// started from rank a to rank b goes to the n-th receive started at b from a; these are not
  /// matched with those of declare_send.
  virtual MessageId declare_send_to(int /*rank*/, const void* /*buffer*/, std::size_t /*bytes*/) {
    throw std::logic_error(description() + " does not route messages");
  }
  virtual MessageId declare_receive_from(int /*rank*/, void* /*buffer*/, std::size_t /*bytes*/) {
    throw std::logic_error(description() + " does not route messages");
  }
};

}  // namespace ht::qmp
