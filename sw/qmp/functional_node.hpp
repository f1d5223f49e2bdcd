// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/host/memory.hpp"
#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "sw/qmp/message_table.hpp"
#include "sw/qmp/receive_guard.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::qmp {

class FunctionalNode;

/// What the nodes of a functional machine share.
struct FunctionalNetwork {
  std::vector<int> shape;
  FunctionalOptions options;
  std::vector<std::unique_ptr<FunctionalNode>> nodes;
  std::uint64_t activity = 0;  ///< counts what shows that the program gets on

  int rank_of(const std::vector<int>& coordinates) const;
  std::vector<int> coordinates_of(int rank) const;
};

/// One node's Transport and Runtime.
class FunctionalNode final : public Transport, public RoutedMessages, private host::Runtime {
 public:
  FunctionalNode(FunctionalNetwork& network, int rank);

  host::Runtime& runtime() override { return *this; }
  std::span<const int> shape() const override { return network_.shape; }
  std::span<const int> coordinates() const override { return coordinates_; }
  int rank() const override { return rank_; }
  std::string description() const override;
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void release(void* pointer) override;
  bool says_lengths() const override { return true; }
  MessageId declare_send(Direction direction, Channel channel, const void* buffer,
                         std::size_t bytes) override;
  MessageId declare_receive(Direction direction, Channel channel, void* buffer,
                            std::size_t bytes) override;
  using RoutedMessages::declare_receive_from;
  using RoutedMessages::declare_send_to;
  MessageId declare_send_to(int rank, const void* buffer, std::size_t bytes,
                            Channel channel) override;
  MessageId declare_receive_from(int rank, void* buffer, std::size_t bytes,
                                 Channel channel) override;
  RoutedMessages* routed_messages() override { return network_.options.routed ? this : nullptr; }
  void start(MessageId message) override;
  bool is_complete(MessageId message) override;
  void wait(MessageId message) override;
  void undeclare(MessageId message) override;
  /// A program that copies makes progress: on one node it need not do anything else with the
  /// network.
  void charge_copy(std::size_t bytes) override;
  void asked_in_vain() override { in_vain_ = true; }

  /// "node 5 (1,0,1)".
  std::string name() const;
  /// Not null: the program can only go on after something happened here.
  const std::string& waiting_for() const { return waiting_for_; }
  bool blocked() const { return blocked_; }
  /// Whether in its last turn it did nothing but ask for what is not there: time may pass for as
  /// long as it likes.
  bool in_vain() const { return in_vain_; }
  Picoseconds now() const override { return now_; }

 private:
  enum class State { Idle, Started, Done };
  struct Message {
    State state = State::Idle;
    bool send = false;
    bool routed = false;
    Direction direction = 0;
    Channel channel = Channel::User;
    int peer = 0;
    std::byte* buffer = nullptr;
    std::size_t bytes = 0;
    Picoseconds started = 0;
    Picoseconds done = 0;
    std::vector<std::byte> before;   ///< what a receive's buffer held when it was started
    std::vector<std::byte> arrived;  ///< a receive's bytes, until the program knows it is complete
  };
  struct End {
    FunctionalNode* node;
    MessageId id;
    Message& message() const { return node->messages_.at(id); }
  };
  /// Started ends, at the receiver, that have not met theirs.
  struct Queue {
    std::deque<End> sends, receives;
  };

  void advance(Picoseconds duration) override;
  void wait(std::string_view what) override;

  MessageId declare(const Message& message);
  Queue& queue_for(const Message& message);
  void match(Queue& queue);
  void transfer(const End& from, const End& to);
  void complete(Message& message);
  void wake();
  void block(std::string what);
  std::string describe(const Message& message) const;

  FunctionalNetwork& network_;
  int rank_;
  std::vector<int> coordinates_;
  host::NodeMemory memory_;
  MessageTable<Message> messages_;
  std::vector<Queue> from_neighbours_;  ///< by direction and channel
  std::map<std::pair<int, Channel>, Queue> from_ranks_;
  std::vector<Picoseconds>
      cable_free_;  ///< by direction out; routed messages have a port of theirs
  Picoseconds now_ = 0;
  std::uint64_t events_ = 0, events_seen_ = 0, advances_ = 0;
  bool blocked_ = false, in_vain_ = false;
  std::string waiting_for_;
};

}  // namespace ht::qmp
