// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "verif/model/tofu/tni_memory.hpp"
#include "verif/model/tofu/tni_packet.hpp"
#include "verif/model/tofu/tofu_tni_words.hpp"

namespace ht::model {

/// Addresses of one network interface's registers.
namespace tni_register {
using namespace tofu::tni_words;
/// Of a queue: from kQueue + 16 queue.
constexpr unsigned kQueue = tofu::tni_words::kQueueControl;
constexpr unsigned kWorking = 0, kCommands = kQueueCommands - kQueue,
                   kCompletions = kQueueCompletions - kQueue, kNotices = kQueueNotices - kQueue,
                   kProducer = kQueueProducer - kQueue, kConsumer = kQueueConsumer - kQueue,
                   kCompleted = kQueueCompleted - kQueue, kNoticed = kQueueNoticed - kQueue;
}  // namespace tni_register
/// And its causes of errors.
namespace tni_error {
constexpr std::uint32_t kUnknown = tofu::tni_words::kErrorRegisterUnknown,
                        kReadOnly = tofu::tni_words::kErrorRegisterReadOnly,
                        kQueueBusy = tofu::tni_words::kErrorQueueBusy,
                        kOverflow = tofu::tni_words::kErrorReceiveOverflow,
                        kDescriptor = tofu::tni_words::kErrorDescriptor,
                        kPacket = tofu::tni_words::kErrorPacket,
                        kResponse = tofu::tni_words::kErrorResponse;
}  // namespace tni_error

/// A command as software puts it into a ring: rtl/tofu/README.md, "Commands".
struct TniCommand {
  enum class Kind : std::uint8_t { Nothing, Put, PutDirect, Get, Atomic };
  static constexpr std::uint8_t kCompletion = 1, kRemoteNotice = 2, kLocalNotice = 4, kWide = 8;
  Kind kind = Kind::Nothing;
  std::uint8_t flags = 0, operation = 0, interface = 0, queue = 0, path = 0;
  std::uint32_t to = 0, length = 0, local_tag = 0, remote_tag = 0;
  std::uint16_t edata = 0;
  std::uint64_t local_offset = 0, remote_offset = 0;
  std::array<std::uint64_t, 4> data{};  ///< of the command itself

  using Bytes = std::array<std::uint64_t, 8>;
  static TniCommand from_bytes(const Bytes& bytes);
  Bytes to_bytes() const;
};

/// One network interface of a node as a reference: what it does, not when. What it sends leaves
/// when the user takes it from `sent`; memory is that of its node. [Tofu2012], [Tofu2012ja]
/// section 4.1; rtl/tofu/README.md, "Network interfaces".
class TniInterface {
 public:
  static constexpr unsigned kQueues = 8, kMessages = 16;
  /// Messages of several packets that may be open at the receiver.
  static constexpr std::size_t kOpen = 32;

  TniInterface(std::uint32_t coordinates, unsigned number, TniReach memory);

  struct Answer {
    std::uint32_t value = 0;
    bool refused = false;
  };
  /// Register accesses, addresses 0 to 255. Writes do at once all that they set going.
  Answer read(unsigned address);
  Answer write(unsigned address, std::uint32_t value);

  void receive(const TniPacket& packet);
  /// A packet arrives, or, nullified, what has a wrong CRC or length.
  void receive(const tofu::Packet& frame);

  /// Packets to be sent, oldest first; the user takes them.
  std::deque<TniPacket> sent;
  /// Completions and notices written since the beginning.
  std::uint64_t entries = 0;
  /// A command was fetched and waits for a number.
  bool waiting() const;
  /// A message that is under way, {generation, number}.
  bool awaits(unsigned message) const {
    const Message& m = messages_[message % kMessages];
    return m.busy && m.generation == message / kMessages;
  }
  /// Its time limit is over, for all that is under way and open.
  void expire();
  /// All commands are done.
  bool idle() const;

 private:
  struct Queue {
    std::uint32_t control = 0;
    std::array<std::uint32_t, 3> base{};  ///< of the rings, in units of 16 bytes
    std::uint16_t producer = 0, consumer = 0, completed = 0, noticed = 0;
    std::uint16_t completions = 0, notices = 0;  ///< entries written
    unsigned in_flight = 0;
    unsigned generation = 0;  ///< times it was enabled

    bool enabled() const { return (control & 1) != 0; }
    bool may_be(unsigned which, std::uint16_t index) const;
    unsigned log2(unsigned ring) const { return control >> (1 + 4 * ring) & 15; }
  };
  /// A command that was fetched.
  struct Held {
    unsigned queue = 0, generation = 0;
    std::uint16_t index = 0;
    TniCommand command;
  };
  /// One under way.
  struct Message {
    bool busy = false;
    Held of;
    TniCause cause = TniCause::Good;
    std::uint32_t came = 0;  ///< bytes of what a get wanted
    bool blocks = false;     ///< it uses what is to be forgotten
    unsigned generation = 0;
  };
  /// A put of several packets of another interface, the last of which has not come.
  struct Open {
    std::uint32_t position = 0;  ///< byte that must come next
    TniCause cause = TniCause::Good;
  };

  void raise(std::uint32_t error, std::uint32_t info);
  Answer write_queue(Queue& queue, unsigned which, unsigned address, std::uint32_t value);

  // Commands: tofu_tni_interface.cpp.
  void work();
  void fetch();
  std::optional<unsigned> next_held() const;
  bool number_for(unsigned queue) const;
  bool forgotten(const Held& held) const;
  void start(unsigned message);
  bool possible(const TniCommand& command) const;
  void send_put(const TniCommand& command, TniPacket packet);
  void finish(unsigned message, TniCause cause, std::uint64_t old = 0);
  /// The number after the last one given that is free; nothing if all are under way.
  std::optional<unsigned> free_message() const;

  void forget(std::uint32_t value);
  bool forgetting() const;

  // What comes: tofu_tni_receive.cpp.
  bool awaited(const TniPacket& packet) const;
  void request(const TniPacket& packet);
  TniCause put(const TniPacket& packet, TniPacket& answer);
  TniCause execute(const TniPacket& packet, TniPacket& answer);
  void send_data(const TniPacket& request, TniPacket answer);
  void answered(const TniPacket& packet);
  std::uint64_t atomic(const TniPacket& packet);
  bool notice(const TniPacket& packet, TniCause cause);

  std::uint32_t coordinates_;
  unsigned number_;
  TniMemory memory_;
  std::array<Queue, kQueues> queues_;
  std::array<std::optional<Held>, kQueues> held_;  ///< one of each queue is fetched ahead
  std::array<Message, kMessages> messages_;
  /// By node, interface and message.
  std::map<std::tuple<std::uint32_t, unsigned, unsigned>, Open> open_;
  std::uint32_t control_ = 0, error_ = 0, error_info_ = 0;
  std::uint32_t table_base_ = 0, sent_ = 0, received_ = 0, faults_ = 0, late_ = 0;
  std::uint32_t group_ = 0, strayed_ = 0;
  std::uint32_t generation_ = 0;
  std::uint32_t time_limit_ = 16;
  unsigned last_queue_ = kQueues - 1, last_message_ = kMessages - 1;
};

}  // namespace ht::model
