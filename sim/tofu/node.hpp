// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/memory_times.hpp"
#include "sim/machine/resting_parts.hpp"
#include "sim/machine/verilated_node.hpp"
#include "sim/tofu/cable.hpp"
#include "sim/tofu/lane_word.hpp"
#include "sw/tofu/links.hpp"

class Vtofu_icc;
class Vtofud_icc;

namespace ht::machine {

/// How a Tofu node is built. Times in ps.
struct TofuNodeOptions {
  sim::Clock clock{3200, 0};  ///< 312.5 MHz, 16 bytes a cycle
  std::size_t memory_bytes = std::size_t{64} << 20;
  Picoseconds memory_latency =
      20'000;  ///< of 16 bytes: one request is taken a cycle, this much later they are here
  Picoseconds memory_spread = 0;  ///< a read takes longer by up to this, at random
  /// Each port of memory takes nothing in this many of 256 pieces of 16 cycles, chosen by chance.
  std::uint32_t memory_stalls = 0;
  bool skip_idle = true;  ///< jump over cycles in which nothing can change
  /// Registers and memories come up with random bits drawn from this; nothing: with zeros.
  std::optional<std::uint32_t> initial_state;
};

/// Sees what a node's receivers see, and what they say of it. Called by the node's thread.
class TofuListener {
 public:
  virtual ~TofuListener() = default;
  /// A beat on `rxd` of a link; of idle ones only the first after another one.
  virtual void received(int link, std::int64_t edge, const model::Beat& beat) = 0;
  /// The pulses of that link at that edge, if any, and the state (0 down, 1 training, 2 up) it is
  /// in then. Which check an error pulse is from, if the listener knows.
  virtual sim::Complaint observed(int link, std::int64_t edge, const sim::Observation& seen,
                                  unsigned state) = 0;
};

/// Network and barrier interfaces of a Verilated interconnect controller: the K computer's.
template <class Top>
struct TofuInterfaces {
  static constexpr unsigned networks = 4, barriers = 1;
};
/// TofuD's.
template <>
struct TofuInterfaces<Vtofud_icc> {
  static constexpr unsigned networks = 6, barriers = 6;
};

/// One Tofu node: a Verilated interconnect controller, its memory behind it, ten cables. What it
/// does is in node_impl.hpp, for the source that has the top.
template <class Top>
class TofuNodeOf final : public VerilatedNode<Top, sim::TofuCable> {
  using Base = VerilatedNode<Top, sim::TofuCable>;

 public:
  static constexpr int links = tofu::links_per_node;
  /// Ports to memory: a reading and a writing one for each network interface, and one that writes
  /// for each barrier interface.
  static constexpr unsigned read_ports = TofuInterfaces<Top>::networks,
                            write_ports = read_ports + TofuInterfaces<Top>::barriers;

  /// Throws UsageError for a clock or latency that cannot be.
  TofuNodeOf(int rank, const TofuNodeOptions& options);
  ~TofuNodeOf() override;

  /// From now on `listener` hears everything; null: nobody.
  void listen(TofuListener* listener) { listener_ = listener; }

  /// Edges of parts of the controller that were not evaluated while the rest of it was.
  std::uint64_t part_edges_left_out() const { return resting_.left_out(); }

 private:
  using Base::clock_, Base::edge_, Base::memory_, Base::notify, Base::now_, Base::plugs_,
      Base::progress_, Base::rank_, Base::top_;

  struct Read {
    std::int64_t due;  ///< edge
    std::array<std::uint32_t, 4> data;
  };

  void set_inputs() override;
  void take_requests() override;
  void before_rise() override;
  void take_outputs() override;
  StateBits state_bits() override;
  TraceTop trace_top() override;
  std::string link_name(int link) const override { return tofu::link_name(link); }
  bool rests() const override;
  Picoseconds asleep_until() const override;
  void answer_reads();
  void drive_ready();
  void receive_beats();
  void put_beat(unsigned link, const model::Beat& beat);
  bool send_beats();
  model::Beat sent_beat(unsigned link) const;
  model::Beat pass_lanes(unsigned link);
  std::uint64_t line(std::uint64_t address);
  void observe();
  std::uint64_t accessed_parts() const;
  void stop_resting();

  TofuNodeOptions options_;
  std::vector<MemoryTimes> read_times_;  ///< by reading port
  std::array<bool, links> busy_{};       ///< by link: the last beat received was not idle
  std::array<bool, links> hello_{};      ///< and it was a hello
  std::uint64_t moved_ = 0;              ///< by part: something came over its wires at this edge
  RestingParts resting_;
  bool parts_rest_ = false;
  bool received_ = false;  ///< a beat came at this edge, or the one before was the last
  TofuListener* listener_ = nullptr;
  int idle_edges_ = 0;  ///< since the controller said it was busy, or a beat came or went
  std::array<std::deque<Read>, read_ports> reads_;
  std::size_t reads_waiting_ = 0;  ///< in all of them
};

/// The K computer's.
using TofuNode = TofuNodeOf<Vtofu_icc>;

}  // namespace ht::machine
