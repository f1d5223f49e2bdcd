// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

class Vqcdoc_scu;
class VerilatedContext;

namespace ht::test {

/// One QCDOC communications unit with a memory and a register bus.
class QcdocNode {
 public:
  QcdocNode(VerilatedContext* context, std::size_t memory_words);
  ~QcdocNode();
  QcdocNode(const QcdocNode&) = delete;

  std::vector<std::uint64_t> memory;  ///< 64-bit words
  unsigned read_latency = 10;         ///< cycles: 20 ns
  unsigned busy_of_16 = 0;            ///< cycles of 16 in which the memory takes nothing
  std::uint64_t writes = 0, last_write = 0, first_write = 0;  ///< cycles

  std::uint16_t wires() const;
  Vqcdoc_scu& dut() { return *dut_; }
  bool idle() const;

 private:
  friend class QcdocTorus;
  /// Whether the 8 cycles to come may be skipped, if those bits arrive in them (newest last).
  bool may_skip(const std::array<std::uint8_t, 12>& coming) const;
  struct Request {
    bool write;
    unsigned address;
    std::uint32_t value;
  };
  void before_edge(std::uint16_t serial_in, std::uint16_t global_count);
  void edge(std::uint64_t cycle);
  /// Before the first edge of its reset the hardware's outputs may be anything.
  bool awake() const { return cycle_ > 0; }

  std::unique_ptr<Vqcdoc_scu> dut_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> reads_;  ///< due cycle, data
  std::uint64_t cycle_ = 0;
  std::uint64_t skip_until_ = 0;
  std::array<std::uint16_t, 8> said_{};    ///< wires in the last 8 cycles, by cycle modulo 8
  std::array<std::uint32_t, 12> heard_{};  ///< bits that arrived, newest last
  std::minstd_rand busy_{1};
  std::optional<Request> request_;
  std::optional<std::uint32_t> answer_;
  bool refused_ = false;
};

/// Some nodes in a torus of one to six axes, every link over a cable of `delay` bits.
class QcdocTorus {
  std::unique_ptr<VerilatedContext> context_;  // outlives the nodes

 public:
  QcdocTorus(std::vector<int> shape, unsigned delay, std::size_t memory_words = 4096);
  ~QcdocTorus();

  std::vector<std::unique_ptr<QcdocNode>> nodes;
  std::uint64_t cycle = 0;
  unsigned tick_period = 12;  ///< of the global clock: 40 MHz is 12.5 cycles
  /// What becomes of a bit on its way to a link of a node, as it enters the cable.
  std::function<bool(int node, int link, bool bit)> damage;
  bool skip_idle = false;     ///< of idle nodes, 8 cycles at a time; cables of at least 8 bits
  std::uint64_t skipped = 0;  ///< cycles of nodes

  void step();
  void run(std::uint64_t cycles);
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);

  /// Register access; throws std::runtime_error if it is refused.
  std::uint32_t read(int node, unsigned address);
  void write(int node, unsigned address, std::uint32_t value);
  /// Nothing, or false, if it is refused.
  std::optional<std::uint32_t> try_read(int node, unsigned address);
  bool try_write(int node, unsigned address, std::uint32_t value);

  /// Enables all links of all nodes and waits until they are in step.
  bool bring_up();
  bool idle() const;
  int neighbour(int node, int link) const;
  /// What a node's wires said in the last cycle.
  std::uint16_t wires(std::size_t node) const;

 private:
  void choose_skips();
  std::uint32_t access(int node, QcdocNode::Request request, bool& refused);

  std::vector<int> shape_;
  std::vector<std::array<std::deque<bool>, 12>> cables_;  ///< by sender and its link
};

/// A stored instruction of a DMA engine.
struct Instruction {
  unsigned address = 0;            ///< bytes
  unsigned words = 1, blocks = 1;  ///< 64-bit words a block
  int pitch = 0;                   ///< bytes
  int next = -1;                   ///< slot
};

/// Writes it to a slot of engine 0..23 of a node.
void store(QcdocTorus& torus, int node, unsigned engine, unsigned slot,
           const Instruction& instruction);

}  // namespace ht::test
