// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class Vqpace_nwp;
class VerilatedContext;

namespace ht::test {

using Picoseconds = std::int64_t;

constexpr int links = 6;
constexpr int channels = 8;
constexpr int line_beats = 8;  ///< of 16 bytes, as they are kept in NwpHarness::beats
/// Beats of a line on the ports, of HT_PORT_BYTES each.
constexpr int port_beats = 128 / HT_PORT_BYTES;
/// The node's parameter STAGES.
#ifdef HT_STAGES
constexpr int stages = HT_STAGES;
#else
constexpr int stages = 0;
#endif

/// The two clocks of a node: period and time of the first rising edge, in ps.
struct NwpClocks {
  Picoseconds core_period = 4800;
  Picoseconds link_period = 4000;
  Picoseconds core_phase = 0;
  Picoseconds link_phase = 0;
};

/// What goes over a wire in one link clock.
struct WireWord {
  std::uint32_t data = 0x07070707;
  std::uint8_t control = 0xF;
  bool operator==(const WireWord&) const = default;
};

/// A line for the posted-write port in. `beats` other than port_beats makes a broken one.
struct PutLine {
  std::uint32_t address = 0;
  std::array<std::uint32_t, 32> data{};
  int beats = port_beats;
};

/// The address that sends a line to `link`, `vc` with a remote offset in units of 128 B.
constexpr std::uint32_t put_address(int link, int vc, int offset) {
  return static_cast<std::uint32_t>(link) << 25 | static_cast<std::uint32_t>(vc) << 22 |
         static_cast<std::uint32_t>(offset) << 7;
}

/// 16 bytes seen on the posted-write port out: a beat, or half of one.
struct OutBeat {
  Picoseconds time = 0;
  std::uint64_t address = 0;
  std::array<std::uint32_t, 4> data{};
  bool last = false;
  bool notify = false;
};

struct RegisterReply {
  std::uint32_t value = 0;
  bool error = false;
  int cycles = 0;  ///< core cycles from the request to the acknowledge
};

/// One Verilated qpace_nwp with everything a test needs around it: two clocks with phases in
/// integer ps, reset, register access, a source and a sink of posted writes, and delay lines that
/// connect its six links with one another. Every run checks the ports' rules: payload stands still
/// while it waits, beats of a line are never interleaved, nothing follows a line but whole lines
/// and notifications. Throws std::runtime_error when a rule is broken or something takes too long.
class NwpHarness {
 public:
  explicit NwpHarness(NwpClocks clocks = {});
  ~NwpHarness();
  NwpHarness(const NwpHarness&) = delete;
  NwpHarness& operator=(const NwpHarness&) = delete;

  /// Holds both resets for `cycles` core cycles and forgets what was queued and seen.
  void reset(int cycles = 10);
  /// Holds these links, one bit each, in reset for `cycles` core cycles, and nothing else.
  void reset_links(unsigned mask, int cycles);

  /// What leaves link `from` arrives at link `to`, `delay` link clocks later; one way.
  void connect(int from, int to, int delay = 0);
  /// Nothing arrives at link `to` any more.
  void disconnect(int to);
  /// +x to -x, +y to -y, +z to -z, both ways.
  void connect_rings(int delay = 0);
  /// The link at the other end of ring `link`.
  static int peer(int link) { return link ^ 1; }

  Picoseconds now() const { return now_; }
  void run_core(std::int64_t cycles);
  /// Runs until `done()` holds after a core edge; throws, naming `what`, after `cycles` core
  /// cycles.
  void run_until(const std::function<bool()>& done, std::int64_t cycles, const std::string& what);

  // Registers
  RegisterReply access(bool write, std::uint32_t address, std::uint32_t value = 0);
  /// These throw if the bus answers with an error.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  /// Sets node number and epoch, enables the links of `mask` and waits until they are up.
  void bring_up(unsigned mask = 0x3F);
  /// Writes CREDIT_OFFSET and CREDIT_POST.
  void post_credit(int link, int vc, std::uint32_t offset, std::uint32_t packets);

  // Posted writes in: one queue a link, chosen round robin among those whose link has room.
  void put(const PutLine& line);
  /// A queue that is served first and does not look at pw_in_room.
  void put_raw(const PutLine& line) { raw_.push_back(line); }
  std::size_t unsent() const;
  std::function<bool()> source_pauses = [] { return false; };  ///< asked every core cycle

  // Posted writes out
  std::vector<OutBeat> beats;                              ///< what arrived
  std::function<bool()> sink_ready = [] { return true; };  ///< asked every core cycle
  std::vector<Picoseconds> first_beats_in;                 ///< when lines began to be taken

  /// false: the link clock stands still (and so does what is on the wires).
  bool link_clock_runs = true;
  /// The same of io_clk and eth_rx_clk, which have the link clock's edges.
  bool io_clock_runs = true;

  // Wires
  std::function<void(int, WireWord&)> on_wire;           ///< may damage what arrives at a link
  std::function<void(int, const WireWord&)> on_arrival;  ///< sees what arrives at a link
  std::array<std::uint64_t, links> retransmits{}, rx_errors{}, accepts{};

  bool interrupt() const;
  bool idle() const;
  unsigned room() const;
  unsigned phy_select() const;
  bool in_ready() const;

 private:
  struct Wire {
    int from = -1;
    std::deque<WireWord> words;
  };

  void step();
  void core_edge_before();
  void core_edge_after();
  void link_edge_after();
  void check_out_beat(const OutBeat& beat);
  void drive_source();
  [[noreturn]] void fail(const std::string& what) const;

  NwpClocks clocks_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vqpace_nwp> top_;
  Picoseconds now_ = 0;
  std::int64_t core_edges_ = 0;
  std::int64_t link_edges_ = 0;
  std::array<Wire, links> wires_;  ///< by the link they arrive at

  std::array<std::deque<PutLine>, links> queues_;
  std::deque<PutLine> raw_;
  PutLine line_;
  int line_beat_ = -1;  ///< beat on the port, or -1 between lines
  int turn_ = 0;
  bool beat_taken_ = false;

  struct PortBeat {
    std::uint64_t address = 0;
    std::array<std::uint32_t, HT_PORT_BYTES / 4> data{};
    bool last = false, notify = false;
    bool operator==(const PortBeat&) const = default;
  };
  bool out_stalled_ = false;
  PortBeat stalled_;
  int out_beat_ = 0;
  std::uint64_t out_line_ = 0;
  bool register_acked_ = false;
};

}  // namespace ht::test
