// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/cable/level_cable.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/lane/lane_end.hpp"
#include "sim/machine/edge.hpp"
#include "sim/machine/memory_times.hpp"
#include "sim/machine/program_node.hpp"
#include "sim/machine/verilated_top.hpp"
#include "sim/qpace/cable.hpp"
#include "sim/qpace/nwp_devices.hpp"

class Vqpace_nwp;

namespace ht::machine {

/// How a QPACE node is built. Times in ps.
struct NwpNodeOptions {
  sim::Clock core_clock{4800, 0};  ///< 208.333 MHz, the paper's target (6024 ps: its 166 MHz)
  sim::Clock link_clock{4000, 0};  ///< 250 MHz
  std::size_t memory_bytes = std::size_t{64} << 20;
  /// Processor to network processor, and back: [QPACE2009] measures 3 us from memory to memory of
  /// which 0.5 us are the network; the other 2.5 us are split evenly.
  Picoseconds put_latency = 1'250'000;
  Picoseconds notify_latency = 1'250'000;
  /// From the network's write of 16 bytes until memory has them. The bus takes `write_lines` lines
  /// of 128 bytes ahead of it: as many requests as a processor of a Cell has open.
  Picoseconds memory_latency = 0;
  Picoseconds memory_spread = 0;  ///< a write takes longer by up to this, at random
  unsigned write_lines = 16;
  /// The memory takes nothing from the network in this many of 256 pieces of 64 core cycles, chosen
  /// by chance: for tests of back-pressure.
  std::uint32_t memory_stalls = 0;
  int console_bit_cycles = 16;  ///< of a bit at the console, in cycles of 4 ns
  bool skip_idle = true;        ///< jump over cycles in which nothing can change
  /// Registers and memories come up with random bits drawn from this; nothing: with zeros.
  std::optional<std::uint32_t> initial_state;
};

/// A beat taken at one of a node's posted-write ports.
struct PortBeat {
  Picoseconds time;  ///< of the core clock edge that takes it
  bool out;          ///< from the network to memory; else into the network
  bool first, last;  ///< of its line
  bool notify;       ///< a notification, not data
};

/// Listens to a node's pins: for checkers. Called on the node's thread.
class NodeListener {
 public:
  virtual ~NodeListener() = default;
  /// At this edge of the link clock a word other than idle is on the input of link `link`.
  virtual void received(int link, std::int64_t edge, const model::Word& word) = 0;
  /// What the observation port says of the word at that edge. Returns what an error is about.
  virtual sim::Complaint observed(int link, std::int64_t edge, const sim::Observation& seen) = 0;
  /// The link begins to send a packet again.
  virtual void retransmits(int link, std::int64_t edge) = 0;
  /// 16 bytes that the network writes to the node's memory, all or half of a beat of its port;
  /// `last`: of a line.
  virtual void written(std::uint64_t address, const std::array<std::uint32_t, 4>& data, bool last,
                       bool notification) = 0;
};

/// One QPACE node: a Verilated qpace_nwp, and the DMA engine that feeds its posted-write port.
class NwpNode final : public ProgramNode {
 public:
  static constexpr int links = 6;
  /// Bytes of a beat of its ports: PORT_BYTES of the Verilog.
  static const std::size_t port_bytes;

  NwpNode(int rank, const NwpNodeOptions& options);
  ~NwpNode() override;

  /// The two serial interfaces of a link's PHY, between which the node's software selects.
  enum Socket : std::uint8_t { Primary = 0, Redundant = 1 };

  /// Plugs in link `link`: `out` carries what this node sends, `in` what it receives. A socket that
  /// is left empty hears idle words.
  void connect(int link, sim::QpaceCable& out, sim::QpaceCable& in, Socket socket = Primary);
  /// The same of a cable of lanes, with the lanes at this end. The Verilog's LANES is not 0 then.
  void connect_lanes(int link, sim::lanes::LaneCable& out, sim::lanes::LaneCable& in,
                     Socket socket = Primary);
  /// Plugs in the two wires each way of the global signal tree.
  void connect_signals(sim::LevelCable& up, sim::LevelCable& down);

  /// The same of the Ethernet cable; a node may do without.
  void connect_ethernet(sim::EthernetCable& out, sim::EthernetCable& in);
  /// What listens to its serial port 0.
  SerialConsole& console() { return devices_->console(); }

  /// Edges that the clocks of serial ports and Ethernet have had.
  std::uint64_t device_edges() const { return devices_->edges(); }

  /// From now on `listener` hears everything; null: nobody does, which costs nothing.
  void listen(NodeListener* listener) { listener_ = listener; }

  /// Until then the node's memory takes nothing from the network: back-pressure on its port.
  void stall_output(Picoseconds until);

  /// Takes back what a queue of posted writes has not put on the port yet, but for a line that is
  /// under way: for a link that is down.
  void drop_puts(unsigned queue);

  /// Holds link `link` in reset until then, by itself, as a transceiver does that is initialised
  /// anew.
  void reset_link(int link, Picoseconds until);

  StateBits state_bits() override;
  void trace(const TraceOptions& options) override;
  void close_trace() override;

  /// Calls `watcher`, on the node's thread, for every beat of its ports; for measurements.
  void watch_ports(std::function<void(const PortBeat&)> watcher) { watcher_ = std::move(watcher); }

  // What the kernel sees.
  void run(Picoseconds from, Picoseconds to) override;
  Picoseconds asleep_until() const override;
  Picoseconds next_housekeeping() const override;
  std::uint64_t progress() const override { return progress_ + devices_->frames(); }

  // What the node's program sees.
  std::uint64_t post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                           std::uint64_t bytes) override;
  bool posted_done(unsigned queue, std::uint64_t ticket) const override;
  bool interrupt() const override;

  sim::Clock link_clock() const { return options_.link_clock; }

 private:
  static const int line_beats;
  struct Put {
    std::uint64_t address, source, bytes, ticket;
    Picoseconds eligible;
  };
  struct PutQueue {
    std::deque<Put> puts;
    std::uint64_t issued = 0, completed = 0;
  };
  struct Notification {
    Picoseconds due;
    std::uint64_t offset;
    std::array<std::uint32_t, 4> data;
  };
  struct MemoryWrite {
    std::int64_t due;  ///< edge of the core clock
    std::uint64_t offset;
    std::array<std::uint32_t, 4> data;
    bool last;  ///< of its line
  };
  struct Plug {
    sim::QpaceCable* out = nullptr;
    sim::QpaceCable* in = nullptr;
    std::unique_ptr<sim::lanes::LaneEnd> lanes;  ///< instead of both
  };

  void begin_access(std::uint32_t address, bool write, std::uint32_t value) override;
  std::string hardware_status() const override;
  Picoseconds next_arrival() const;
  void skip_to(Picoseconds target);
  void finish_writes();
  void deliver_notifications();
  void step(bool core, bool link);
  void evaluate();
  void drive_port();
  bool next_line();
  void take_port_beat();
  void drive_output();
  void drive_resets();
  Plug& plug(unsigned link) { return plugs_[select_ >> link & 1U][link]; }
  Plug& other_plug(unsigned link) { return plugs_[~select_ >> link & 1U][link]; }
  void receive_symbols();
  bool lanes_reset(unsigned link) const;
  model::Word pass_lanes(unsigned link);
  void send_symbols();
  void receive_signal();
  void send_signal();
  void observe();

  NwpNodeOptions options_;
  VerilatedTop<Vqpace_nwp> top_;
  ClockPin clk_, link_clk_, io_clk_, eth_rx_clk_;
  std::unique_ptr<NodeTrace> trace_;
  std::unique_ptr<NwpDevices> devices_;
  NodeListener* listener_ = nullptr;
  Picoseconds stalled_until_ = 0;
  std::array<Picoseconds, links> reset_until_;  ///< of each link
  using Plugs = std::array<Plug, links>;
  std::array<Plugs, 2> plugs_;  ///< by socket
  std::uint8_t select_ = 0;     ///< links whose redundant socket is selected, one bit each
  bool redundant_ = false;      ///< some link has a redundant cable
  bool lanes_ = false;          ///< some link has lanes, which never rest
  sim::LevelCable* signal_up_ = nullptr;
  sim::LevelCable* signal_down_ = nullptr;
  Picoseconds signal_due_ = sim::kNever;  ///< when `signal_down_` may change
  std::uint8_t signal_sent_ = 0;

  std::int64_t core_edge_ = 0, link_edge_ = 0;  ///< numbers of the next edges
  bool inputs_changed_ = true;
  int idle_edges_ = 0;  ///< link clock edges since something could last have changed

  std::array<PutQueue, links> put_queues_;
  unsigned turn_ = 0;  ///< queue that sent the last line
  int beat_ = 0;       ///< of the line on the port
  bool line_active_ = false;
  std::deque<Notification> notifications_;
  MemoryTimes write_times_;
  std::deque<MemoryWrite> writes_;  ///< that memory has not done yet
  unsigned lines_under_way_ = 0;    ///< among them, the one that is still coming too
  bool in_line_ = false;            ///< the network's line is not complete
  std::function<void(const PortBeat&)> watcher_;
};

}  // namespace ht::machine
