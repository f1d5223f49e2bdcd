// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/cable/level_cable.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/kernel/sim_node.hpp"
#include "sim/machine/verilated_top.hpp"

class Vqpace_signal_card;

namespace ht::machine {

/// A root or superroot card of the global signal tree: a Verilated qpace_signal_card. It has no
/// program and sleeps unless a wire changes.
class SignalCard final : public sim::SimNode {
 public:
  static constexpr int ports = 16;
  static constexpr int groups = 2;

  SignalCard(int number, const sim::Clock& clock, bool skip_idle);
  ~SignalCard() override;

  /// Plugs in port `port`: `in` comes from below, `out` goes there.
  void connect_port(int port, sim::LevelCable& in, sim::LevelCable& out);
  /// Plugs in the wires of group `group` to the card above.
  void connect_above(int group, sim::LevelCable& out, sim::LevelCable& in);

  /// Which ports belong to which partition, one bit each, and whether this is the tree's top. While
  /// the ports concerned are at rest.
  void configure(std::array<std::uint16_t, groups> members, bool root);

  // What the kernel sees.
  std::string name() const override;
  void run(Picoseconds from, Picoseconds to) override;
  bool finished() const override { return true; }
  Picoseconds asleep_until() const override;
  std::uint64_t progress() const override { return 0; }
  std::string status() const override;
  bool light() const override { return true; }

 private:
  struct Wires {
    sim::LevelCable* in = nullptr;
    sim::LevelCable* out = nullptr;
    std::uint8_t sent = 0;
  };
  Picoseconds next_change() const;
  void step();
  void send(Wires& wires, unsigned level);

  int number_;
  sim::Clock clock_;
  bool skip_idle_;
  VerilatedTop<Vqpace_signal_card> top_;
  std::array<Wires, ports> ports_;
  std::array<Wires, groups> above_;
  Picoseconds now_ = 0;
  std::int64_t edge_ = 0;
  int idle_edges_ = 0;  ///< since something could last have changed
};

}  // namespace ht::machine
