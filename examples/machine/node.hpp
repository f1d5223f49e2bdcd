// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <string>

#include "line.hpp"
#include "sim/machine/clocked_node.hpp"
#include "sim/machine/edge.hpp"

class VerilatedContext;
class Vgrid_node;

namespace ht::grid {

/// How a node is built. Times in ps.
struct NodeOptions {
  sim::Clock clock{4000, 0};  ///< 250 MHz: 1 GB/s each way on each link
  std::size_t memory_bytes = std::size_t{64} << 20;
  bool skip_idle = true;  ///< jump over cycles in which nothing can change
};

/// One node: a Verilated grid_node, its memory behind it, four cables.
class Node final : public machine::ClockedNode {
 public:
  Node(int rank, const NodeOptions& options);
  ~Node() override;

  /// Plugs in link `link`: `out` carries what this node sends, `in` what it receives. All before
  /// the first run().
  void connect(int link, Cable& out, Cable& in);

  void trace(const machine::TraceOptions& options) override;
  void close_trace() override { trace_.reset(); }
  /// What a program waits for is a pulse, which ends its wait by itself.
  bool interrupt() const override { return false; }

 private:
  struct Plug {
    Cable* out = nullptr;
    Cable* in = nullptr;
  };

  void begin_access(std::uint32_t address, bool write, std::uint32_t value) override;
  std::string hardware_status() const override;
  void step() override;
  bool rests() const override;
  Picoseconds next_arrival() const override;
  bool receive();
  bool send();
  void serve_memory();
  std::byte* word_at(std::uint32_t address);
  void observe();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vgrid_node> top_;
  machine::ClockPin clk_;
  std::unique_ptr<machine::NodeTrace> trace_;
  std::array<Plug, links> plugs_;
  std::array<std::uint32_t, links> read_{};  ///< by memory at the last edge
  int idle_edges_ = 0;                       ///< since the node was busy, or a word came or went
};

/// What a wave file shows of a node, and how (waves.cpp).
machine::TraceTop trace_top(Vgrid_node& top);

}  // namespace ht::grid
