// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <utility>

#include "sw/qmp/hardware_transport.hpp"
#include "sw/qmp/message_table.hpp"

namespace ht::qmp {

/// The part of a driver that machines share: messages are declared, bounced where the hardware
/// cannot reach them, started, looked at, waited for and forgotten. `Message` derives from
/// DriverMessage. A machine says where a message goes, starts it, and knows when it has landed.
///
/// Throws UsageError for messages that were never declared, std::logic_error for those that are
/// started again or freed in flight.
template <typename Message>
class MessageDriver : public HardwareTransport {
 public:
  MessageId declare_send(Direction direction, Channel channel, const void* buffer,
                         std::size_t bytes) final {
    return declare(address(direction, channel, true), buffer, bytes);
  }
  MessageId declare_receive(Direction direction, Channel channel, void* buffer,
                            std::size_t bytes) final {
    return declare(address(direction, channel, false), buffer, bytes);
  }

  void start(MessageId id) final { start_all({&id, 1}); }
  void start_all(std::span<const MessageId> ids) final {
    for (const MessageId id : ids) {
      Message& m = messages_.at(id);
      if (!at_rest(m)) messages_.in_flight("started again", m.waiting_for);
    }
    before_launch();
    for (const MessageId id : ids) {
      Message& m = messages_.at(id);
      check_start(m);
      if (settings_.start_cost != 0) port_.advance(settings_.start_cost);
      m.started = true;
      prepare(m);
      launch(id, m);
    }
    after_launch();
  }

  bool is_complete(MessageId id) final {
    Message& m = messages_.at(id);
    look(m);
    if (done(m)) return true;
    if (serve()) {
      look(m);
      if (done(m)) return true;
    }
    in_vain();
    port_.advance(settings_.poll_cost);
    return false;
  }
  void wait(MessageId id) final {
    Message& m = messages_.at(id);
    const Picoseconds began = port_.now();
    for (;;) {
      progress();
      if (done(m)) return;
      if (serve()) continue;
      in_vain();
      port_.wait(m.waiting_for);
      until_next_look(began);
    }
  }

  void undeclare(MessageId id) final {
    Message& m = messages_.at(id);
    if (!at_rest(m)) messages_.in_flight("freed", m.waiting_for);
    forget(m);
    release_bounce(m);
    messages_.remove(id);
  }

 protected:
  MessageDriver(host::HardwarePort& port, DriverSettings settings)
      : HardwareTransport(port, settings), messages_([this] { return name(); }) {}

  /// A new message to or from the neighbour in `direction`, with its `far_end`.
  /// Throws UsageError for a direction or channel there is not.
  virtual Message address(Direction direction, Channel channel, bool send) = 0;
  /// Hands a started message to the hardware, or puts it where progress() finds it.
  virtual void launch(MessageId id, Message& message) = 0;
  /// Whether the hardware is done with a started message.
  virtual bool landed(const Message& message) = 0;

  /// What progress() does, where a program only asks for this message.
  virtual void look(const Message& /*message*/) { progress(); }
  /// After a look at a message that has not landed.
  virtual void in_vain() {}
  /// Throws for a message that must not start.
  virtual void check_start(const Message& /*message*/) {}
  /// Before the first of several is started, and after the last.
  virtual void before_launch() {}
  virtual void after_launch() {}
  /// A message was added to the table, or is about to be removed.
  virtual void added(Message& /*message*/) {}
  virtual void forget(Message& /*message*/) {}

  /// Adds a message whose `send` and `far_end` are known. A send's buffer is never written.
  MessageId declare(Message message, const void* buffer, std::size_t bytes) {
    lay_out(message, static_cast<std::byte*>(const_cast<void*>(buffer)), bytes);
    return add(std::move(message));
  }
  /// The same for a message that is laid out already.
  MessageId add(Message message) {
    describe(message);
    const MessageId id = messages_.add(std::move(message));
    added(messages_.at(id));
    return id;
  }

  MessageTable<Message> messages_;

 private:
  // A program that waits looks every poll_cost: what came is seen at the next look.
  void until_next_look(Picoseconds began) {
    if (settings_.poll_cost == 0) return;
    const Picoseconds since = (port_.now() - began) % settings_.poll_cost;
    if (since > 0) port_.advance(settings_.poll_cost - since);
  }
  bool done(Message& m) {
    if (!m.started) return true;
    if (!landed(m)) return false;
    m.started = false;
    conclude(m);
    return true;
  }
  bool at_rest(Message& m) {
    if (done(m)) return true;
    progress();
    return done(m);
  }
};

}  // namespace ht::qmp
