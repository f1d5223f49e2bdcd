// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/qpace/link/cable.hpp"

class VerilatedContext;

namespace ht::test {

class LinkDevice;

struct Packet {
  unsigned vc = 0;
  unsigned offset = 0;
  std::array<std::uint32_t, 32> words{};
  bool withdrawn = false;  ///< the writing host takes it back with the last beat
  bool operator==(const Packet&) const = default;
};

/// What an end saw on its observation ports.
struct Observed {
  std::uint64_t start = 0, ok = 0, command = 0, error = 0, retransmit = 0, replay = 0, accept = 0;
};

/// One link with a host that writes lines and a host that empties the receive buffer.
class LinkEnd {
 public:
  LinkEnd(VerilatedContext* context, unsigned port, std::uint64_t seed);
  ~LinkEnd();
  LinkEnd(LinkEnd&&) = delete;

  /// Lines to be written, in this order.
  std::deque<Packet> to_send;
  /// Chance that the writing host pauses before a beat.
  double tx_pause = 0;
  /// Chance a cycle that the reading host starts on a waiting packet.
  double rx_eagerness = 1;
  /// Channels the reading host empties.
  unsigned rx_enabled = 0xff;
  /// Packets taken, in order.
  std::vector<Packet> received;
  Observed observed;
  std::uint64_t first_beat_ps = 0;  ///< core edge that took the last line's first beat
  std::uint64_t waiting_ps = 0;     ///< core edge after which a packet was first seen waiting

  bool idle() const;
  unsigned state() const;  ///< obs_state
  bool up() const;
  bool attention() const;
  bool room() const;         ///< tx_room
  unsigned waiting() const;  ///< rx_waiting
  /// All that can be seen from outside, to be compared.
  std::vector<std::uint32_t> outputs() const;
  WireWord wire() const;

 private:
  friend class LinkPair;
  void before_edge(bool core, bool link, const WireWord& in);
  void core_edge(std::uint64_t now_ps);
  void link_edge();
  void drive();
  void host_write(std::uint64_t now_ps);
  void host_read(std::uint64_t now_ps);
  void drive_register();
  bool chance(double p);

  struct Request {
    bool write = false;
    unsigned address = 0;
    std::uint32_t value = 0;
    bool issued = false;
    bool done = false;
    bool error = false;
  };

  std::unique_ptr<LinkDevice> dut_;
  std::mt19937_64 random_;
  unsigned tx_beat_ = 0;
  /// The clock left its first reset: until then the hardware's outputs may be anything.
  bool core_awake_ = false, link_awake_ = false;
  bool tx_taken_ = false;  ///< the last core edge took a beat
  bool reading_ = false;
  unsigned rx_beat_ = 0;
  std::optional<unsigned> data_beat_;  ///< beat whose data are on rx_data now
  Packet taking_;
  std::optional<Request> request_;
};

/// Two ends, two clocks each, a cable between.
class LinkPair {
 public:
  struct Options {
    unsigned delay = 62;                           ///< cable, link cycles
    std::array<unsigned, 4> phase_ps{0, 0, 0, 0};  ///< core a, core b, link a, link b
    std::uint64_t seed = 1;
    unsigned core_period_ps = 4800;
    unsigned link_period_ps = 4000;
    std::uint64_t first_cycle = 0;  ///< what the ends' clocks of 1024 cycles begin with
    bool time_passes = true;        ///< or those stand still
  };
  explicit LinkPair(const Options& options);
  virtual ~LinkPair();

  /// Time passes. Calls `every`, if set, after each cycle of a's link clock.
  void run(std::uint64_t link_cycles);
  /// Runs until `done`, at most `limit` link cycles; false if it never was.
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  std::function<void()> every;

  /// Register access; fails the test if the link refuses it (unless `refused` wants to know).
  std::uint32_t read(int end, unsigned address, bool* refused = nullptr);
  void write(int end, unsigned address, std::uint32_t value, bool* refused = nullptr);
  /// By its name in sw/qpace/registers.hpp, where links are windows of the node's registers.
  using Register = std::uint32_t (*)(std::uint32_t link);
  std::uint32_t read(int end, Register r, bool* refused = nullptr) {
    return read(end, r(0) & 0x3fU, refused);
  }
  void write(int end, Register r, std::uint32_t value, bool* refused = nullptr) {
    write(end, r(0) & 0x3fU, value, refused);
  }

  /// Sets node and epoch of both ends, enables them, waits until both are up.
  void bring_up(unsigned epoch = 1);
  /// Resets one end, both its clocks.
  void reset(int end);
  /// Resets one end for so many link cycles, its link alone.
  void reset_link(int end, std::uint64_t link_cycles);
  void identify(int end, unsigned node, unsigned epoch);

  LinkEnd& end(int i) { return *ends_[static_cast<std::size_t>(i)]; }
  /// The direction that end i sends into.
  Cable& cable(int i) { return *cables_[static_cast<std::size_t>(i)]; }
  std::uint64_t cycles() const { return link_cycles_; }
  std::uint64_t now_ps() const { return now_ps_; }

 protected:
  /// For another way between the ends: nothing has happened yet, both are held in reset.
  struct Idle {};
  LinkPair(const Options& options, Idle);
  /// Whatever happens next, at whichever end.
  virtual void step();
  /// Edges of an end's clocks, with what is on the wire towards it; what it sends in that cycle.
  WireWord edge(std::size_t end, bool core, bool link, const WireWord& in, std::uint64_t now_ps);
  void end_reset();
  void set_pause(std::size_t end, bool pause);
  /// After a cycle of a's link clock.
  void count_cycle();

 private:
  std::uint32_t access(int end, bool write, unsigned address, std::uint32_t value, bool* refused);

  std::unique_ptr<VerilatedContext> context_;
  std::array<std::unique_ptr<LinkEnd>, 2> ends_;
  std::array<std::unique_ptr<Cable>, 2> cables_;
  std::array<std::uint64_t, 4> next_ps_;
  std::array<std::uint64_t, 4> period_ps_;
  std::uint64_t now_ps_ = 0;
  std::uint64_t link_cycles_ = 0;
  std::uint64_t first_cycle_ = 0;
  bool time_passes_ = true;
  std::array<std::uint64_t, 2> edges_{};  ///< of the ends' link clocks
};

/// A packet of random content.
Packet random_packet(std::mt19937_64& random, unsigned channels = 8);
/// Packets by channel, to compare order within channels.
std::array<std::vector<Packet>, 8> by_channel(const std::vector<Packet>& packets);

}  // namespace ht::test
