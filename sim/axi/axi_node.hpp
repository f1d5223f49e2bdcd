// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "sim/axi/axi_pins.hpp"
#include "sim/kernel/sim_node.hpp"
#include "sim/machine/edge.hpp"
#include "sim/machine/verilated_top.hpp"
#include "sw/axi/window.hpp"
#include "verif/check/bus/axi_memory.hpp"

namespace ht::machine {

/// How a node behind AXI is built, whatever the machine.
struct AxiNodeOptions {
  sim::Clock clock;       ///< aclk
  sim::Clock link_clock;  ///< of the cables; the same one, if the machine has but one
  /// Memory is here on the bus, which is nowhere near 0: a node that forgets BASE is seen.
  std::uint64_t memory_address = 0x1'2345'6000;
  std::size_t memory_bytes = std::size_t{16} << 20;
  double stall = 0.2;   ///< chance that a channel of its bus does nothing in a cycle
  double patience = 0;  ///< s until its program must have opened the window; 0: any time
  std::uint64_t seed = 1;
  /// Registers and memories come up with random bits drawn from this; nothing: with zeros.
  std::optional<std::uint32_t> initial_state;
};

/// A node behind AXI: the Verilated top of a machine with its buses, memory behind its AXI4
/// manager, and a program that is another process, at the window `path`. Unlike the machines' own
/// nodes it skips no idle cycles: every edge is evaluated.
///
/// Wires says what a machine's top has besides AXI:
///   Top, Cable, links, register_bytes, ids, beat_bytes, max_beats, one_clock, own_cables (a link
///   without a neighbour has a cable to its own node); Wires(Top&);
///   before_edge(now, link_edge) before each edge; receive(edge, plugs) before and
///   send(edge, plugs) after an edge of the link clock; its clock pins: needs_low(core, link),
///   fall(), rise(core, link); state(link): 0 down, 1 training, 2 up.
template <class Wires>
class AxiNode final : public sim::SimNode {
 public:
  using Cable = typename Wires::Cable;
  struct Plug {
    Cable* out = nullptr;
    Cable* in = nullptr;
  };

  AxiNode(int number, const std::filesystem::path& path, const AxiNodeOptions& options);
  ~AxiNode() override;

  void connect(int link, Cable& out, Cable& in) {
    plugs_[static_cast<std::size_t>(link)] = {&out, &in};
  }

  /// The simulation goes no further: said to whoever asks.
  void close(const std::string& why) { window_.close(why); }
  /// All programs have ended, but for those that linger: from now on finished() asks for these,
  /// too.
  void job_ended() {
    window_.job_ended();
    job_ended_ = true;
  }

  std::string name() const override;
  void run(Picoseconds from, Picoseconds to) override;
  bool finished() const override { return state_ == State::Ended || (lingers_ && !job_ended_); }
  Picoseconds asleep_until() const override { return now_; }
  std::uint64_t progress() const override { return memory_.bursts + progress_; }
  Picoseconds computing_until() const override { return state_ == State::Pause ? wake_ : now_; }
  std::string status() const override;
  Cycles cycles() const override { return cycles_; }

 private:
  static constexpr Picoseconds reset_time = 100'000, begin_time = 2 * reset_time;
  static constexpr Picoseconds longest_pause = 1'000'000'000'000'000;  // 1000 s
  enum class State { Ready, Access, Pause, Ended };

  void serve();
  void answer(axi::Answer how, std::uint32_t value);
  void step(bool core, bool link);

  int number_;
  AxiNodeOptions options_;
  axi::WindowServer window_;
  check::AxiMemory memory_;
  VerilatedTop<typename Wires::Top> top_;
  Wires wires_;
  LiteManager<typename Wires::Top> lite_;
  std::array<Plug, Wires::links> plugs_;
  Picoseconds now_ = 0, wake_ = begin_time;
  std::int64_t core_edge_ = 0, link_edge_ = 0;  ///< numbers of the next ones
  State state_ = State::Pause;
  bool opened_ = false, lingers_ = false, job_ended_ = false;
  std::uint64_t progress_ = 0;
  Cycles cycles_;
};

}  // namespace ht::machine
