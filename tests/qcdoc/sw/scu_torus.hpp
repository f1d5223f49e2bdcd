// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/host/fibre.hpp"
#include "sw/host/hardware_port.hpp"

class Vqcdoc_scu;
class VerilatedContext;

namespace ht::test {

/// A Verilated communications unit with a memory, and a program on a fibre that reaches it as a
/// driver does: a HardwarePort without the rest of a simulator.
class ScuPort final : public host::HardwarePort {
 public:
  ScuPort(VerilatedContext* context, std::string name, std::size_t memory_bytes);
  ~ScuPort() override;

  Picoseconds now() const override { return cycle_ * period; }
  void advance(Picoseconds duration) override;
  void wait(std::string_view what) override;
  std::uint32_t read_register(std::uint32_t address) override;
  void write_register(std::uint32_t address, std::uint32_t value) override;
  bool interrupt() const override;
  std::uint64_t post_write(unsigned, std::uint64_t, std::uint64_t, std::uint64_t) override {
    return 0;
  }
  bool posted_done(unsigned, std::uint64_t) const override { return true; }
  host::NodeMemory& memory() override { return memory_; }

  std::uint64_t register_writes() const { return register_writes_; }
  std::uint64_t starts() const { return starts_; }

 private:
  friend class ScuTorus;
  static constexpr Picoseconds period = 2000;
  enum class Wait { Ready, Time, Event, Register };
  std::uint32_t access(std::uint32_t address, bool write, std::uint32_t value);
  bool can_go_on() const;
  void before_edge(std::uint16_t serial_in, std::uint16_t global_count);
  void edge();

  std::string name_;
  std::unique_ptr<Vqcdoc_scu> dut_;
  host::NodeMemory memory_;
  std::deque<std::pair<std::int64_t, std::uint64_t>> reads_;  ///< due cycle, data
  std::int64_t cycle_ = 0, wake_ = 0;
  std::unique_ptr<host::Fibre> fibre_;
  Wait wait_ = Wait::Ready;
  bool event_ = false, refused_ = false;
  std::uint32_t answer_ = 0;
  std::string waiting_for_;
  std::uint64_t register_writes_ = 0, starts_ = 0;
};

/// Nodes in a torus of one to six axes, every link over a cable of `delay` bits.
class ScuTorus {
  std::unique_ptr<VerilatedContext> context_;  // outlives the nodes

 public:
  explicit ScuTorus(std::vector<int> shape, unsigned delay = 10,
                    std::size_t memory_bytes = std::size_t{4} << 20);
  ~ScuTorus();

  int size() const { return static_cast<int>(nodes_.size()); }
  ScuPort& port(int node) { return *nodes_[static_cast<std::size_t>(node)]; }
  int neighbour(int node, int link) const;

  /// Runs a program on every node until all have ended; what one throws is thrown here. Throws
  /// std::runtime_error with who waits for what after `limit` cycles.
  void run(const std::function<void(int node, ScuPort& port)>& program,
           std::int64_t limit = 2'000'000);

  /// Of the bit that arrives at a node's link in that cycle.
  std::function<bool(std::int64_t cycle, int node, int link, bool bit)> damage;
  int stopped_clock = -1;  ///< a node whose global clock does not tick
  std::int64_t cycle() const { return cycle_; }

 private:
  void step();

  std::vector<int> shape_;
  std::vector<std::unique_ptr<ScuPort>> nodes_;
  std::vector<std::vector<bool>> cables_;  ///< by sender, link, and cycle modulo delay
  std::vector<int> neighbours_;
  unsigned delay_;
  std::int64_t cycle_ = 0;
};

}  // namespace ht::test
