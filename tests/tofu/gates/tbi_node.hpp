// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/tofu/gates/tbi_top.hpp"
#include "tests/tofu/model/gate_patterns.hpp"
#include "verif/model/tofu/gate_packet.hpp"

class VerilatedContext;

namespace ht::test {

/// A register access, and what came of it.
struct TbiAccess {
  bool write = false;
  unsigned address = 0;
  std::uint32_t value = 0;
  std::function<void(std::uint32_t value, bool refused)> then;  ///< or nothing
};

/// One barrier interface with its register bus, its memory, and the router's two ports.
class TbiNode {
 public:
  /// `interface`: which of the node's barrier interfaces it is.
  TbiNode(VerilatedContext* context, std::uint32_t coordinates, unsigned interface = 0);
  ~TbiNode();
  TbiNode(const TbiNode&) = delete;

  const std::uint32_t coordinates;
  const unsigned interface;
  std::deque<TbiAccess> accesses;        ///< one after the other
  std::deque<model::tofu::ChipBeat> in;  ///< beats that are to arrive
  std::deque<model::GatePacket> out;     ///< packets that left
  std::map<std::uint64_t, std::array<std::uint64_t, 2>>
      memory;                ///< by address in units of 16 bytes
  unsigned stall_of_16 = 0;  ///< cycles of 16 in which the router takes nothing, memory likewise
  unsigned gap_of_16 = 0;    ///< and in which no beat arrives
  unsigned late = 0;         ///< cycles until what memory has taken is there, a burst's last first
  std::uint64_t cycle = 0;
  std::uint64_t last_beat_in = 0, first_beat_out = 0;  ///< cycles
  unsigned broken = 0;                                 ///< packets out that were none
  unsigned refused = 0;                                ///< accesses that nobody asks about
  std::array<std::uint64_t, 64> fired{};               ///< by gate
  bool skip_idle = false;   ///< leave out cycles in which nothing can happen
  std::uint64_t skips = 0;  ///< how many

  void step();
  void arrive(const model::GatePacket& packet);
  bool quiet() const;
  TbiTop& dut() { return *dut_; }

 private:
  std::unique_ptr<TbiTop> dut_;
  std::vector<model::tofu::ChipBeat> packet_;
  std::minstd_rand random_;
  std::map<std::uint64_t, std::array<std::uint64_t, 2>> taken_;  ///< by memory, of a burst
  bool whole_ = false;                                           ///< nothing is added to it
  std::uint64_t there_ = 0;                                      ///< cycle in which it is there
};

/// Several of them, and packets that travel for random times between them; those from one gate to
/// another stay in order.
class TbiNet {
  std::unique_ptr<VerilatedContext> context_;  // outlives the nodes

 public:
  /// `interfaces`: which of their nodes' barrier interfaces they are; empty: each the first.
  explicit TbiNet(const std::vector<std::uint32_t>& coordinates, std::uint64_t seed = 1,
                  const std::vector<unsigned>& interfaces = {});
  ~TbiNet();

  std::vector<std::unique_ptr<TbiNode>> nodes;
  std::uint64_t cycle = 0;
  unsigned longest_way = 60;            ///< cycles
  std::deque<model::GatePacket> taken;  ///< packets to nodes that are not there

  void step();
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  void run(std::uint64_t cycles);

  /// Register access that waits; throws std::runtime_error if it is refused.
  std::uint32_t read(std::size_t node, unsigned address);
  void write(std::size_t node, unsigned address, std::uint32_t value);
  bool try_write(std::size_t node, unsigned address, std::uint32_t value);

  /// Queues what wires a gate.
  void wire(std::size_t node, unsigned gate, const model::GateWiring& wiring);
  void wire(const GatePattern& pattern);
  /// Queues operands and start.
  void start(std::size_t node, unsigned channel, model::GateOperation operation,
             model::GateForm form = model::GateForm::None, const model::GateData& operand = {});
  /// RESULT, read one word after the other.
  model::GateData result(std::size_t node, unsigned channel);
  std::uint32_t status(std::size_t node, unsigned channel);
  std::uint32_t errors(std::size_t node);
  /// All accesses made, no packet under way, nothing to be done.
  bool quiet() const;

 private:
  struct Flying {
    std::uint64_t due;
    model::GatePacket packet;
  };
  std::uint32_t access(std::size_t node, bool write, unsigned address, std::uint32_t value,
                       bool& refused);
  std::vector<Flying> flying_;
  std::mt19937_64 random_;
};

}  // namespace ht::test
