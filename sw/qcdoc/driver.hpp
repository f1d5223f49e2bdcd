// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/qcdoc/packet_words.hpp"
#include "sw/qcdoc/place.hpp"
#include "sw/qcdoc/scu.hpp"
#include "sw/qcdoc/transfers.hpp"
#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/forwarder.hpp"
#include "sw/qmp/message_driver.hpp"

namespace ht::qcdoc {

/// Settings of the driver; the times are our assumptions about the software on the processor.
struct DriverOptions {
  ScuOptions scu;
  /// Copies in memory: read and written once over 8 GB/s of embedded memory ([QCDOC2004], 2.1).
  std::int64_t copy_bytes_per_us = 4'000;
  bool guard_receives = false;  ///< qmp::DriverSettings
  bool forwards = false;        ///< passes packets on between nodes that are no neighbours
  std::size_t forward_queue = qmp::Forwarder::usual_queue;  ///< packets, for each way out
  /// Both ways round a ring at once, in half its length (the paper's "doubled functionality").
  bool doubled = true;
  /// The two ends of a cable agree, before a global operation, on what the program has started on
  /// it so far: see README. Without, programs must start both ends of every message on the same
  /// side of every global operation.
  bool agree = true;
  /// At the end of a program errors of the unit that no call has reported are an error of the run.
  /// Off: for those who unplug cables permanently and read the links that are left.
  bool check_errors = true;
};

/// A message, and what its engine moves.
struct Message : qmp::DriverMessage {
  int link = 0;
  bool landed = false;  ///< since it was started
  Transfer transfer;
};

/// The QCDOC driver: a Transport for QMP over the communications unit.
///
/// A message is one or more stored instructions, and starting it one register write; messages that
/// wait for the same engine are started one after the other. Global operations pass words through
/// the units of the nodes in between. Channel::Collective is not offered: QCDOC has no virtual
/// channels (README).
///
/// Buffers that are not 8-byte aligned parts of the node's memory, or not a multiple of 8 bytes
/// long, are bounced, and the copy is charged.
///
/// Throws ProtocolError, naming node and link, when a link goes down, when the ends of a message
/// differ in length where that can be seen, and when nodes call different global operations;
/// HardwareError for what the unit reports; UsageError for bad arguments.
class Driver final : public qmp::MessageDriver<Message>,
                     public qmp::ScatterGather,
                     public qmp::GlobalOperations {
 public:
  Driver(host::HardwarePort& port, Place place, DriverOptions options = {});
  ~Driver() override;

  /// Trains the links to the partition's nodes, and sets up its partition interrupts; call from the
  /// node's fibre before anything else.
  /// Throws TimeoutError naming the first link that did not come up.
  void bring_up();
  /// Takes them down, and begins new sessions at the next bring_up(): the first half of moving to
  /// another partition.
  void take_down();
  /// The second half, once all nodes are down and before bring_up(). Throws UsageError while
  /// messages are declared.
  void move(Place place);

  const Place& place() const { return place_; }
  /// The unit itself. Its engines and sets are the driver's; supervisor words whose top byte is
  /// driver_words, too.
  Scu& scu() { return scu_; }
  LinkCounters read_counters(int link) { return scu_.read_counters(link); }
  /// Throws HardwareError for errors of the unit that no call has reported: Scu::check_errors().
  void check_errors() {
    if (options_.check_errors) scu_.check_errors();
  }

  /// Top byte of the driver's own supervisor words; those of PacketWords are not the program's,
  /// either.
  static constexpr std::uint64_t driver_words = 0xD0;
  /// Sends the lower 56 bits and a top byte that is the program's own to a neighbour.
  void send_supervisor(qmp::Direction direction, std::uint64_t word);
  /// Called with the direction it came from for each word of the neighbours' programs.
  void on_supervisor(std::function<void(qmp::Direction, std::uint64_t)> handler);

  /// "At the conclusion of a calculation, these checksums can be compared" ([QCDOC2004], 2.2): the
  /// links whose ends disagree. All nodes must call it, with no message in flight.
  Mask compare_checksums();

  /// Instructions written so far, for measuring how often slots are swapped.
  std::uint64_t instructions_stored() const { return store_.stored(); }

  std::span<const int> shape() const override { return place_.fold->shape(); }
  std::span<const int> coordinates() const override { return coordinates_; }
  int rank() const override { return rank_; }
  std::string description() const override;
  std::size_t granularity() const override { return word_bytes; }

  qmp::ScatterGather* scatter_gather() override { return this; }
  std::optional<qmp::MessageId> declare_scattered(bool send, qmp::Direction direction,
                                                  qmp::Channel channel,
                                                  std::span<const Blocks> blocks) override;

  qmp::GlobalOperations* global_operations() override { return this; }
  void begin_circulation() override;
  void circulate(int axis, void* blocks, std::size_t bytes) override;
  void broadcast(void* buffer, std::size_t bytes) override;

 private:
  /// Something an engine has to do.
  struct Task {
    Transfer* transfer;
    Message* message = nullptr;  ///< the program's; else part of a global operation
    std::byte* early = nullptr;  ///< receives what the program has not asked for yet
    std::uint64_t first = 0;     ///< message: words started before it on this engine
    int* pending = nullptr;      ///< one less when it is done
  };
  struct Engine {
    std::deque<Task> tasks;
    bool running = false;       ///< the first of them
    std::uint64_t started = 0;  ///< words of the program's messages, ever
  };
  /// What a link's two ends exchange before a global operation.
  struct Agreement {
    bool agreed = true;
    std::uint32_t peer_sent = 0, peer_received = 0;
    std::deque<std::uint64_t> inbox;  ///< the peer's words, by operation
    int go = 0;                       ///< the peer has sent Go
    std::deque<Task> deferred;        ///< receives that belong behind the operation
    std::deque<std::uint64_t> early;  ///< words received before the program asked for them
    std::uint32_t sent_total = 0;     ///< words handed to the link, modulo 2^32
    std::deque<bool> checksums;       ///< whether the neighbour's was the one here, when it came
  };
  struct Way;
  struct Round;
  struct Plan;

  void make_packets();
  int link_of(qmp::Direction direction) const;
  Engine& engine(int e) { return engines_[static_cast<std::size_t>(e)]; }
  Agreement& cable(int link) { return cables_[static_cast<std::size_t>(link)]; }
  std::uint64_t offset_of(const void* pointer) const;
  std::string name() const override;
  Message address(qmp::Direction direction, qmp::Channel channel, bool send) override;
  void added(Message& message) override;
  void forget(Message& message) override { store_.forget(message.transfer); }
  void before_launch() override;
  void launch(qmp::MessageId id, Message& message) override;
  void after_launch() override;
  bool landed(const Message& message) override { return message.landed; }
  void progress() override;
  void queue(Message& message);
  bool take_early(Message& message);
  void pump();
  void ended(int engine);
  template <typename Condition>
  void run_until(Condition condition, std::string_view what);

  // driver_agreement.cpp, driver_global.cpp
  bool heard(int link, std::uint64_t word);
  void listen();
  std::uint64_t driver_word(unsigned kind, std::uint64_t payload) const;
  void announce(Mask links, unsigned kind);
  void agree(int link);
  void agree_to_send(int link);
  void agree_to_receive(int link);
  void make_way(int link, std::uint64_t excess);
  void drain_early(int link, std::uint64_t words);
  void passed_on(int link);
  void end_operation(Mask inputs);
  Plan* find_plan(int axis, std::uint64_t address, std::size_t stride);
  void drop_plan();
  Plan& keep_plan(std::unique_ptr<Plan> plan);
  void run(Plan& plan);
  void run_round(Round& round);

  Place place_;
  DriverOptions options_;
  Scu scu_;
  InstructionStore store_;
  std::vector<int> coordinates_;
  int rank_ = 0;
  std::array<Engine, engines> engines_;
  std::vector<Transfer*> together_;  ///< first tasks of messages that are started at once
  std::array<Agreement, links> cables_;
  std::uint32_t operation_ = 0;  ///< global operations so far
  unsigned operation_kind_ = 0;
  std::list<std::unique_ptr<Plan>> plans_;  ///< most recently used first
  std::function<void(qmp::Direction, std::uint64_t)> handler_;
  std::unique_ptr<PacketWords> packets_;
};

}  // namespace ht::qcdoc
