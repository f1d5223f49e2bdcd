// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sw/host/checked_registers.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/qmp/capabilities.hpp"
#include "sw/qmp/forwarder.hpp"
#include "sw/qmp/message_driver.hpp"
#include "sw/qpace/packet_lines.hpp"

namespace ht::qpace {

constexpr int links = 6;  ///< 0: +x, 1: -x, 2: +y, 3: -y, 4: +z, 5: -z
constexpr std::size_t line_bytes =
    128;  ///< unit of messages, addresses and packets ([QPACE2009], 6)

/// "+x" .. "-z" for link 0..5.
const char* link_name(int link);

/// Where a node stands on the torus (at most three axes; missing ones have length 1).
struct Place {
  std::vector<int> shape;        ///< axis lengths, x first
  std::vector<int> coordinates;  ///< this node's
  int rank = 0;                  ///< x + Lx (y + Ly z)
  int node = 0;                  ///< number on the whole machine
  int partition = 0;             ///< of the machine, where it has several
  unsigned redundant = 0;        ///< links that use their PHY's redundant interface, one bit each
};

/// Settings of the driver; the times are our assumptions about the software on the processor.
struct DriverOptions {
  std::uint16_t epoch = 1;          ///< session number sent to the neighbours at link start-up
  Picoseconds start_cost = 50'000;  ///< starting a message: building a DMA command
  Picoseconds poll_cost = 20'000;   ///< looking once whether a message is complete
  std::int64_t copy_bytes_per_us = 12'800;  ///< bounce copies; half the memory's 25.6 GB/s
  bool guard_receives = false;              ///< qmp::DriverSettings
  bool forwards = false;  ///< passes packets on between nodes that are no neighbours
  std::size_t forward_queue = qmp::Forwarder::usual_queue;  ///< packets, for each way out
  Picoseconds link_up_timeout = 1'000'000'000;              ///< bring_up() gives up after 1 ms
  Picoseconds settle_time = 10'000'000;  ///< no notification takes longer to memory; for recover()
  bool signal_tree = true;               ///< the node is on a global signal tree
  bool tree_barrier = true;              ///< QMP's barriers use it, not the torus
  /// Processor to network processor, and back, for votes on the tree: the same way as data (half of
  /// what [QPACE2009]'s ping-pong spends on the processors' side).
  Picoseconds signal_path = 1'250'000;
};

/// What the link's registers hold about one link, read when the machine is at rest.
struct LinkCounters {
  std::uint32_t sent = 0, retransmitted = 0, acknowledged = 0, accepted = 0, duplicates = 0;
  std::uint32_t crc_errors = 0, code_errors = 0, framing_errors = 0, command_errors = 0;
  std::uint32_t nacks_sent = 0, nacks_received = 0, busy_sent = 0, busy_received = 0;
  std::uint32_t timeouts = 0, retrains = 0, flushed = 0;
  std::uint32_t replayed = 0;  ///< sent again for lack of room; `retransmitted` is for damage
  std::uint32_t silent = 0;    ///< times that nothing good was heard for ALIVE_TIMEOUT
  std::uint32_t tx_checksum = 0, rx_checksum = 0;  ///< over payload, see rtl/qpace/README.md
};

/// A message, and how it is known that it has landed.
struct Message : qmp::DriverMessage {
  int link = 0;
  qmp::Channel channel = qmp::Channel::User;
  std::uint64_t ticket = 0;  ///< send: the last put's ticket
  /// Receive: complete when that many credits of each virtual channel are.
  struct Awaited {
    int channel;
    std::uint32_t last_credit;
  };
  std::vector<Awaited> awaited;
};

/// The QPACE driver: a Transport for QMP over qpace_nwp's registers and ports.
///
/// A send is puts to the posted-write port, whose addresses carry link, channel and offset; a
/// receive is credits that say where packets go, one for each of up to three virtual channels over
/// which a message is spread; completion is the notification counts the network processor writes to
/// memory. Buffers that are not 128-byte aligned parts of the node's memory, or
/// not a multiple of 128 bytes long, are bounced, and the copy is charged.
///
/// Throws ProtocolError, naming node and link, when a link goes down or had to flush, and when a
/// receive overlaps another one in flight anywhere on the node. Throws HardwareError, naming node,
/// link and channel, when the network processor refused something (registers ERROR, ERROR_INFO).
/// Throws KilledError, naming the killer, when the partition was killed over the global signal
/// tree.
class Driver final : public qmp::MessageDriver<Message>, public qmp::GlobalSignals {
 public:
  Driver(host::HardwarePort& port, Place place, DriverOptions options = {});
  ~Driver() override;

  /// Sets up channels and trains all six links; call from the node's fibre before anything else,
  /// and again after take_down(). Throws TimeoutError naming the first link that did not come up.
  void bring_up();

  /// After a ProtocolError that says that `link` had to flush (its peer changed or was reset) or
  /// was reset itself: enables it if it went down, gives up the receives in flight there, throws
  /// away packets of the old session that wait for a credit, and clears the link's sticky errors,
  /// so that messages can be exchanged with the new peer. The receives can be started again;
  /// neither end may have a send in flight on the cable.
  void recover(int link);

  /// Takes all six links down: the first half of moving to another partition.
  void take_down();
  /// The second half, once all nodes are down and before bring_up(): the node's new place, sent to
  /// the neighbours with the next epoch. Links come up over the interfaces that `place.redundant`
  /// says.
  void move(Place place);
  const Place& place() const { return place_; }

  /// Reads ERROR of the network processor and of its links. Throws HardwareError or ProtocolError,
  /// naming node, link and causes, for what no call has reported; for the end of a run, when
  /// programs make no further calls.
  void check_errors();
  /// Reads one link's counters over the register bus.
  LinkCounters read_counters(int link);

  std::span<const int> shape() const override { return place_.shape; }
  std::span<const int> coordinates() const override { return place_.coordinates; }
  int rank() const override { return place_.rank; }
  std::string description() const override;
  std::size_t granularity() const override { return line_bytes; }

  // The global signal tree ([QPACE2009] section 3): all nodes of the partition must call the same.
  qmp::GlobalSignals* global_signals() override {
    return options_.signal_tree && options_.tree_barrier ? this : nullptr;
  }
  void signal_barrier() override;
  bool signal_all(bool mine) override;
  bool signal_any(bool mine) override;
  /// Kills the partition: every other node's next call of this driver throws KilledError, naming
  /// this node. Does not throw an error. The kill stands until release_kill().
  void kill();
  void release_kill();

 private:
  struct Credit {
    std::uint32_t local_offset;  ///< in lines
    std::uint32_t packets;
  };
  struct ChannelState {
    std::deque<Credit> unposted;
    std::uint32_t posted = 0, queued = 0;  ///< credits given to the hardware / asked for, ever
  };

  std::string name() const override;
  Message address(qmp::Direction direction, qmp::Channel channel, bool send) override;
  void check_start(const Message& message) override;
  void launch(qmp::MessageId id, Message& message) override;
  bool landed(const Message& message) override;
  void progress() override;
  void look(const Message& message) override;
  bool received(const Message& message);
  static host::CheckedRegisters::ErrorRegisters error_registers();
  std::uint32_t read(std::uint32_t address) { return registers_.read(address); }
  void write(std::uint32_t address, std::uint32_t value) { registers_.write(address, value); }
  ChannelState& state_of(int link, int channel) {
    return channels_[static_cast<std::size_t>(link)][static_cast<std::size_t>(channel)];
  }
  void post_parts(Message& message, std::uint64_t lines, std::size_t parts);
  void post_credits(int link, int channel);
  std::uint32_t completed(int link, int channel);
  void set_up();
  PacketLines* packets();  ///< all open
  bool open_packets();
  bool close_packets(int link);
  void wait_for_links();
  void check_hardware();
  void check_signals();
  bool signal(bool mine, bool is_or, std::string_view what);

  Place place_;
  DriverOptions options_;
  host::CheckedRegisters registers_;
  std::byte* notify_ = nullptr;
  // From the VERSION register:
  std::uint32_t credit_depth_ = 0;  ///< credits a channel's queue takes
  std::uint32_t slot_lines_ = 0;    ///< packets a channel keeps without a credit
  std::uint32_t signal_count_ = 0;  ///< operations on the tree so far, modulo 65536
  std::array<std::array<ChannelState, 8>, links> channels_;
  std::unique_ptr<PacketLines> packets_;
};

}  // namespace ht::qpace
