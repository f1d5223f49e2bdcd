// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vqpace_axi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>

#include "sim/axi/axi_pins.hpp"
#include "verif/check/bus/axi_memory.hpp"

namespace ht::test {

/// One qpace_axi whose links are cabled to one another, 0 to 1, 2 to 3, 4 to 5, by wires without
/// delay, all clocks in one; lines by its stream and by its puts, from and to an AxiMemory.
class PutsBench {
 public:
  static constexpr unsigned links = 6;
  static constexpr std::size_t memory_bytes = std::size_t{1} << 20;

  /// `stall` of the memory's channels; the stream pauses as often before each beat.
  PutsBench(std::uint64_t seed, double stall);
  ~PutsBench();
  PutsBench(const PutsBench&) = delete;
  PutsBench& operator=(const PutsBench&) = delete;

  /// Out of reset, memory said, links up.
  void start();
  void hold();
  void run(int cycles);

  /// 32-bit register by number. Throws std::runtime_error if it is refused, or not answered.
  std::uint32_t read(std::uint32_t number);
  void write(std::uint32_t number, std::uint32_t value);
  bool refuses(std::uint32_t number, std::uint32_t value);

  /// `packets` that come over `link` on `channel` go to memory from line `line` on.
  void credit(unsigned link, unsigned channel, std::uint32_t line, std::uint32_t packets);
  void put(unsigned link, unsigned channel, std::uint32_t source, std::uint32_t lines);
  std::uint32_t left(unsigned link);
  /// A line of the stream, to remote offset `offset`, of words tag, tag + 1, ..
  void send(unsigned link, unsigned channel, std::uint32_t offset, std::uint32_t tag);
  std::size_t unsent() const { return stream_.size(); }
  void drop_stream();

  void fill(std::uint32_t line, std::uint32_t tag);
  bool is(std::uint32_t line, std::uint32_t tag) const;
  std::uint32_t bus_errors();
  /// ERROR of the network processor and of the buses.
  std::uint32_t errors();

 private:
  struct Beat {
    std::uint32_t address, tag;
    bool last;
  };
  void step();
  std::optional<machine::LiteManager<Vqpace_axi>::Answer> access();
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vqpace_axi> top_;
  check::AxiMemory memory_;
  std::unique_ptr<machine::LiteManager<Vqpace_axi>> lite_;
  std::mt19937_64 random_;
  double pause_;
  std::deque<Beat> stream_;
  std::optional<machine::LiteManager<Vqpace_axi>::Answer> answer_;
  std::int64_t cycle_ = 0;
};

}  // namespace ht::test
