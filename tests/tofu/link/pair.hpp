// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/tofu/link/beat_cable.hpp"
#include "verif/check/tofu/reader.hpp"
#include "verif/model/tofu/wire.hpp"

class VerilatedContext;
class Vtofu_link;

namespace ht::test {

using TofuPacket = model::tofu::Packet;

#ifdef HT_LINK_STAGES
constexpr bool kWithStages = true;
#else
constexpr bool kWithStages = false;
#endif
/// Cycles more of links with STAGES: from tx_beat to txd, from rxd to rx_beat, and both.
constexpr unsigned kTxStages = kWithStages ? 2 : 0;
constexpr unsigned kRxStages = kWithStages ? 1 : 0;
constexpr unsigned kStages = kTxStages + kRxStages;

/// One link, a router that sends packets into it, and receive buffers that are emptied.
class TofuEnd {
 public:
  TofuEnd(VerilatedContext* context, unsigned port, std::uint64_t seed);
  ~TofuEnd();
  TofuEnd(TofuEnd&&) = delete;

  /// Packets to be sent, in this order; nullified ones end bad after their payload.
  std::deque<TofuPacket> to_send;
  double tx_pause = 0;         ///< chance that the router pauses before a beat
  double drain = 1;            ///< chance a cycle that a channel's buffer gives up a beat
  bool store_forward = false;  ///< a buffer gives up beats of whole packets only
  bool mind_room = true;       ///< begin a packet only if tx_room has its units
  /// Changes a beat on its way from the router.
  std::function<void(model::tofu::ChipBeat&)> touch;

  /// Good packets taken, in order of their ends; and how many ended bad.
  std::vector<TofuPacket> received;
  std::uint64_t bad = 0;
  std::array<std::uint64_t, 3> cycle_of{};  ///< last tx first beat, its wire's, last rx first beat

  struct Observed {
    std::uint64_t start = 0, ok = 0, error = 0, retransmit = 0, accept = 0, reset = 0;
    bool operator==(const Observed&) const = default;
  };
  Observed observed;
  std::uint64_t payload_beats = 0;  ///< received in good packets
  /// What the wire into this end said.
  check::TofuReader reader;
  std::vector<std::string> differences;  ///< between it and the hardware's observation port

  bool idle() const;
  bool up() const;
  unsigned state() const;
  bool attention() const;
  bool fault() const;
  unsigned room(unsigned channel) const;
  bool sending() const { return tx_index_ != 0; }
  /// All outputs, to be compared.
  std::vector<std::uint32_t> outputs() const;

 private:
  friend class TofuPair;
  struct Stored {
    model::tofu::ChipBeat beat;
    unsigned units;  ///< freed with this beat
  };
  struct Channel {
    std::deque<Stored> beats;
    unsigned held = 0;   ///< beats taken in the buffer: a packet's all from its first one on
    unsigned whole = 0;  ///< beats of whole packets
    unsigned credit = 0;
    std::uint64_t most = 0;
  };
  void before_edge(const model::Beat& in);
  void edge(std::uint64_t cycle);
  void receive(std::uint64_t cycle);
  void observe();
  void observe_rest();
  void drive(std::uint64_t cycle);
  bool chance(double p);
  model::Beat wire() const;

  std::unique_ptr<Vtofu_link> dut_;
  std::mt19937_64 random_;
  std::vector<model::tofu::ChipBeat> tx_beats_;
  std::size_t tx_index_ = 0;
  bool awake_ = false;  ///< it left its first reset; until then outputs may be anything
  bool tx_taken_ = false;
  std::vector<model::tofu::ChipBeat> arriving_;
  std::array<Channel, 4> channels_;
  std::array<check::TofuReader::Event, 1 + kRxStages>
      expected_;  ///< of the last beats on rxd, the oldest first
  /// Outputs, and what the router says, of a cycle in which it said that it is idle, and inputs
  /// were.
  std::vector<std::uint32_t> resting_;
};

/// Two ends and a cable.
class TofuPair {
 public:
  explicit TofuPair(unsigned delay = 20, std::uint64_t seed = 1);
  virtual ~TofuPair();

  void run(std::uint64_t cycles);
  /// Runs until `done`, at most `limit` cycles; false if it never was.
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);

  /// Register access; fails the test if the link refuses it (unless `refused` wants to know).
  std::uint32_t read(int end, std::uint32_t address, bool* refused = nullptr) {
    return access(end, false, address, 0, refused);
  }
  void write(int end, std::uint32_t address, std::uint32_t value, bool* refused = nullptr) {
    access(end, true, address, value, refused);
  }
  /// By name in sw/tofu/registers.hpp, where links are windows of the controller's registers.
  using Register = std::uint32_t (*)(std::uint32_t link);
  std::uint32_t read(int end, Register r) { return read(end, r(0) & 0x3fU); }
  void write(int end, Register r, std::uint32_t value) { write(end, r(0) & 0x3fU, value); }

  /// Node numbers 100 and 101, enables both ends, waits until both are up.
  void bring_up(unsigned epoch = 1);
  void identify(int end, unsigned node, unsigned epoch);
  void reset(int end);
  /// All was sent, received and acknowledged.
  bool finished() const;

  TofuEnd& end(int i) { return *ends_[static_cast<std::size_t>(i)]; }
  BeatCable& cable(int i) { return *cables_[static_cast<std::size_t>(i)]; }
  std::uint64_t cycle() const { return cycle_; }

 protected:
  /// For another way between the ends: nothing has happened yet, both are held in reset.
  struct Idle {};
  TofuPair(unsigned delay, std::uint64_t seed, Idle);
  /// A cycle.
  virtual void step();
  /// One of one end's, with what is on the wire towards it; what it sends meanwhile.
  model::Beat edge(std::size_t end, const model::Beat& in, bool pause = false);
  void end_reset();
  void count_cycle() { ++cycle_; }

 private:
  std::uint32_t access(int end, bool write, std::uint32_t address, std::uint32_t value,
                       bool* refused);

  std::unique_ptr<VerilatedContext> context_;
  std::array<std::unique_ptr<TofuEnd>, 2> ends_;
  std::array<std::unique_ptr<BeatCable>, 2> cables_;
  std::uint64_t cycle_ = 0;
};

/// A packet of random content; `beats` of payload, on a channel.
TofuPacket random_tofu_packet(std::mt19937_64& random, unsigned beats, unsigned channel);
/// Of any length and channel; every fifth full.
TofuPacket random_tofu_packet(std::mt19937_64& random);
/// Those that are not nullified.
std::vector<TofuPacket> good_packets(const std::deque<TofuPacket>& packets);
/// By the end that sends them.
using Sent = std::array<std::vector<TofuPacket>, 2>;
/// Fails the test unless the other end has them, in order, and both ends' counters say so.
void check_delivered(TofuPair& pair, const Sent& sent);

}  // namespace ht::test
