// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "tests/tofu/interface/tni_device.hpp"
#include "verif/model/tofu/tni_interface.hpp"

namespace ht::test {

/// Nodes with one to four Verilated network interfaces each over one memory, and packets that
/// travel for random times between them; those of one class from one interface to another stay in
/// order. Interfaces are counted through: interface i of node n is n * per_node + i.
class TniNet {
  std::unique_ptr<VerilatedContext> context_;  // outlives the devices

 public:
  struct Completion {
    unsigned index, cause;
    bool notice;
    std::uint64_t old;
  };
  struct Notice {
    unsigned edata, cause, length, kind;
    std::uint32_t from;
    unsigned source_interface, source_queue;
    std::uint64_t offset;
    std::uint32_t tag;
  };
  static constexpr unsigned kRead = 2, kWrite = 4, kAtomic = 8;  ///< rights
  /// Byte address from where on tests may use memory; below lie tables and rings.
  static constexpr std::uint64_t kFree = 0x40000;

  TniNet(unsigned nodes, unsigned per_node, std::size_t memory, std::uint64_t seed = 1);
  ~TniNet();

  std::vector<std::vector<std::byte>> memory;  ///< by node
  std::vector<std::unique_ptr<TniDevice>> devices;
  std::uint64_t cycle = 0;
  unsigned longest_way = 60;  ///< cycles
  /// Looks at a packet on its way and may change it; false loses it.
  std::function<bool(TniDevice::Beats&)> tamper;

  static std::uint32_t coordinates(unsigned node) { return 0x100 + 0x21 * node; }
  void step();
  /// Resets a device and sets it up anew, its commands with that generation first. What is under
  /// way to it comes.
  void reset(unsigned device, std::uint32_t generation);
  /// Throws std::runtime_error after `limit` cycles.
  void run_until(const std::function<bool()>& done, std::uint64_t limit = 100000);
  /// Until nothing is under way anywhere.
  void settle(std::uint64_t limit = 100000);
  /// How all devices are disturbed, cycles of 16.
  void disturb(unsigned router_stalls, unsigned memory_stalls, unsigned gaps);

  /// Register accesses that wait. read() and write() throw std::runtime_error if refused.
  std::uint32_t read(unsigned device, unsigned address);
  void write(unsigned device, unsigned address, std::uint32_t value);
  bool try_write(unsigned device, unsigned address, std::uint32_t value);

  /// Rings of 16 commands, 32 completions and 16 notices.
  void open(unsigned device, unsigned queue);
  /// A tag for memory in one piece, or, `frames` not empty, in pages of 4 KB there.
  void tag(unsigned device, unsigned tag, unsigned rights, std::uint64_t base, std::uint64_t length,
           unsigned owner = 0, const std::vector<std::uint64_t>& frames = {});
  /// Makes a tag invalid, and has it forgotten once what was forgotten before is.
  void forget_tag(unsigned device, unsigned tag);
  /// Whether what was to be forgotten last is.
  bool forgotten(unsigned device);
  /// Writes a command and rings the doorbell; returns its index.
  std::uint16_t submit(unsigned device, const model::TniCommand& command, unsigned queue = 0);
  /// Writes a command only.
  void put_command(unsigned device, const model::TniCommand& command, unsigned queue = 0);
  void ring(unsigned device, unsigned queue = 0);
  /// Takes what is in the rings, and tells the hardware.
  std::vector<Completion> completions(unsigned device, unsigned queue = 0);
  std::vector<Notice> notices(unsigned device, unsigned queue = 0, bool tell = true);
  /// Does a command and returns its completion; throws std::runtime_error if there is none.
  Completion run(unsigned device, model::TniCommand command, unsigned queue = 0);

  /// A command to queue 0 of an interface of a node.
  model::TniCommand to(model::TniCommand::Kind kind, unsigned device) const;

 private:
  void set_up(unsigned device);
  using Way = std::tuple<std::uint32_t, unsigned, std::uint32_t, unsigned, std::size_t>;
  struct Flying {
    std::uint64_t due;
    TniDevice::Beats beats;
  };
  struct Queue {
    std::uint16_t produced = 0, completed = 0, noticed = 0;
  };
  std::uint32_t access(unsigned device, bool write, unsigned address, std::uint32_t value,
                       bool& refused);
  void forget(unsigned device, std::uint32_t tag);
  std::uint64_t rings(unsigned device) const { return 0x10000ULL * (device % per_node_); }
  std::vector<std::byte>& memory_of(unsigned device) { return memory[device / per_node_]; }
  std::uint64_t word(unsigned device, std::uint64_t address);
  void put_word(unsigned device, std::uint64_t address, std::uint64_t value);

  unsigned per_node_;
  std::map<Way, std::deque<Flying>> flying_;
  std::vector<std::array<Queue, 8>> queues_;
  std::mt19937_64 random_;
};

}  // namespace ht::test
