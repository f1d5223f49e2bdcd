// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/host/loss_watch.hpp"
#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/message_driver.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "sw/tofu/icc.hpp"
#include "sw/tofu/network_interface.hpp"
#include "sw/tofu/profile.hpp"
#include "sw/tofu/ranks/rank_layout.hpp"
#include "sw/tofu/utofu/utofu_queues.hpp"

namespace ht::tofu {

/// Settings of the transport; the times are our assumptions about the software on the processor.
struct TransportOptions {
  Profile profile;
  IccOptions icc;
  NetworkOptions network;
  std::int64_t copy_bytes_per_us = 32'000;  ///< half of the 64 GB/s of a SPARC64 VIIIfx (README.md)
  bool guard_receives = false;              ///< qmp::DriverSettings
  Picoseconds start_cost = 50'000;          ///< of starting a message
  Picoseconds meeting_retry = 1'000'000;    ///< a neighbour that is not there yet is asked again
  Algorithm collectives = Algorithm::RecursiveDoubling;
  /// Messages from this length on are cut into one part for each interface, on ways that share no
  /// link as far as there are such; 0: none are.
  std::size_t split_bytes = 0;
  /// Group of nodes that all remote accesses are of, 1 to 63, where a machine has several jobs;
  /// interfaces and ports of routers accept no other. 0: the machine has one job.
  int group = 0;
};

/// A message on a stream to its other end.
struct Message : qmp::DriverMessage {
  std::size_t stream = 0;
  std::uint32_t number = 0;  ///< of its kind on its stream
  std::size_t parts = 0;     ///< that are to end before it is complete
};

/// The Tofu driver: a Transport for QMP by remote memory access.
///
/// A receive that is started announces to its sender where the message is to go; the sender's
/// message is then one put to there, with a notice at its end. A start never blocks.
/// Directions use the four network interfaces in turn. Barriers and sums of states are done by
/// barrier gates.
///
/// Buffers outside of the node's memory are bounced, and the copy is charged. Queue 7 of every
/// interface, barrier channel 0 and the highest gates are the transport's.
///
/// Throws ProtocolError, naming node and peer, when a receive is shorter than what is sent, when a
/// put is refused, when a link loses packets; HardwareError for what the interfaces report;
/// UsageError for bad arguments.
class Transport final : public qmp::MessageDriver<Message>,
                        public qmp::GlobalSignals,
                        public qmp::StateSums,
                        public qmp::RoutedMessages {
 public:
  /// Nodes without a rank take part in bring_up() only. Throws UsageError for a layout that does
  /// not fit the machine.
  Transport(host::HardwarePort& port, const Place& place, std::shared_ptr<const RankLayout> layout,
            TransportOptions options = {});
  /// RankLayout::straight().
  Transport(host::HardwarePort& port, const Place& place, TransportOptions options = {});
  ~Transport() override;

  /// Trains the links, sets up interfaces and gates, and waits until all nodes have; before
  /// anything else.
  void bring_up();
  /// The same where something else has trained the links.
  void bring_up_interfaces();

  const Place& place() const { return icc_.place(); }
  host::HardwarePort& port() { return port_; }
  Icc& icc() { return icc_; }
  Links& links() { return icc_.links(); }
  BarrierInterface& barrier() { return icc_.barrier(); }
  /// Network interfaces of the node.
  int interfaces() const { return static_cast<int>(interfaces_.size()); }
  NetworkInterface& interface(int i) { return *interfaces_[static_cast<std::size_t>(i)]; }
  const RankLayout& layout() const { return *layout_; }
  LinkCounters read_counters(int link) { return icc_.read_counters(link); }
  /// What is left to a program's uTofu beside this transport.
  UtofuNetwork utofu_network();
  /// Gates that are left to others: numbers below.
  int first_own_gate() const { return first_own_gate_; }
  /// Group of a program's gates: of this job; the transport's own use is 1.
  std::uint8_t gate_group(int use) const { return tofu::gate_group(options_.group, use); }
  /// Throws for what the hardware reports.
  void check_hardware();
  /// Throws HardwareError for any sticky error by which something was lost, wherever it is in the
  /// controller; at the end of a program, which may not have waited for what went wrong.
  void check_errors();

  /// Reports a silent link to the neighbours, by interface `turn` modulo 4, and waits for
  /// nothing; what was reported last over each link. For the end of a program: LossProbe.
  void tell_loss(const host::SilentLink& silent, unsigned turn);
  std::vector<host::SilentLink> heard_losses();

  static constexpr int own_queue = queues_per_interface - 1;
  static constexpr int own_channel = 0;

  std::span<const int> shape() const override { return layout_->shape; }
  std::span<const int> coordinates() const override { return coordinates_; }
  int rank() const override { return rank_; }
  std::string description() const override;

  qmp::RoutedMessages* routed_messages() override { return this; }
  using RoutedMessages::declare_receive_from;
  using RoutedMessages::declare_send_to;
  qmp::MessageId declare_send_to(int rank, const void* buffer, std::size_t bytes,
                                 qmp::Channel channel) override;
  qmp::MessageId declare_receive_from(int rank, void* buffer, std::size_t bytes,
                                      qmp::Channel channel) override;

  qmp::GlobalSignals* global_signals() override { return this; }
  void signal_barrier() override;
  bool signal_all(bool mine) override;
  bool signal_any(bool mine) override;
  qmp::StateSums* state_sums() override { return this; }
  void sum_states(std::span<std::byte> states) override;

 private:
  /// One way to a node: messages of a direction and channel, or those to a rank. Numbers count
  /// messages in the order in which they were started.
  struct Stream {
    int peer = 0;       ///< rank
    int interface = 0;  ///< ours
    QueuePlace remote;
    std::vector<std::uint32_t> paths;  ///< of the parts of a message that is cut
    unsigned code = 0;                 ///< the peer's name for it, in notices
    std::uint64_t slots =
        0;  ///< in the shared block: where the peer's receives are announced to us
    std::uint64_t far_slots = 0;  ///< in the peer's: where ours are announced
    std::uint32_t sends = 0, receives = 0;
    std::deque<qmp::MessageId> unsent;       ///< started, and not given to an interface
    std::deque<qmp::MessageId> unannounced;  ///< started, the sender does not know
    std::deque<qmp::MessageId> announced;
    std::string name;
  };
  struct Part {
    std::uint64_t begin, bytes;
    int interface;  ///< added to the stream's, modulo their number
  };

  std::size_t stream_to(qmp::Direction direction, qmp::Channel channel);
  std::size_t stream_to_rank(int rank, qmp::Channel channel);
  std::size_t add_stream(int peer, int interface, int far_interface, unsigned code,
                         std::uint64_t slots, std::uint64_t far_slots, std::string name);
  Message message_on(std::size_t stream, bool send) const;
  std::string name() const override { return name_; }
  Message address(qmp::Direction direction, qmp::Channel channel, bool send) override;
  void check_start(const Message& message) override;
  void launch(qmp::MessageId id, Message& message) override;
  void after_launch() override { progress(); }
  bool landed(const Message& message) override { return message.parts == 0; }
  void in_vain() override { check_hardware(); }
  /// How a receive of `bytes` bytes is cut, of which the first `sent` are sent.
  std::vector<Part> parts_of(std::uint64_t bytes, std::uint64_t sent) const;

  // transport_progress.cpp
  void progress() override;
  void take_completions(int interface);
  void take_notices(int interface);
  void part_landed(Stream& stream, std::uint16_t edata);
  void announce(Stream& stream);
  void send(Stream& stream);
  std::optional<std::pair<std::uint64_t, std::uint64_t>> told(const Stream& stream,
                                                              std::uint32_t number) const;
  bool submit(int interface, const Descriptor& command, qmp::MessageId message);
  void ring();
  Stream* find_stream(const Notice& notice);

  // transport_start.cpp
  void lay_shared_block();
  void meet();
  TniCause tell_neighbour(const Coordinates& there, int slot, std::uint64_t count);

  std::shared_ptr<const RankLayout> layout_;
  TransportOptions options_;
  Icc icc_;
  std::string name_;
  Coordinates here_;
  std::vector<std::unique_ptr<NetworkInterface>> interfaces_;
  std::unique_ptr<GateCollectives> gates_;
  int rank_ = -1;
  int first_own_gate_ = gates_per_node;
  std::vector<int> coordinates_;
  std::byte* shared_ = nullptr;  ///< what other nodes write beside messages
  std::deque<Stream> streams_;
  std::map<unsigned, std::size_t> by_code_;  ///< streams to neighbours
  /// Streams of routed messages.
  std::map<std::pair<int, qmp::Channel>, std::size_t> by_rank_;
  std::size_t parts_expected_ = 0;  ///< notices that may come
  /// Commands under way, by index: the message they are part of.
  std::array<std::map<std::uint16_t, qmp::MessageId>, most_interfaces> commands_;
};

}  // namespace ht::tofu
