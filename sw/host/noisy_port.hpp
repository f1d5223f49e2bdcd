// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/host/hardware_port.hpp"

namespace ht::host {

/// When and for how long an operating system takes the processor away from a program: "a typical
/// interruption time lasts several ten us to a few ms" ([Tofu2012] section 5.4).
struct OsNoise {
  Picoseconds mean_interval = 10'000'000'000;  ///< from the end of one to the start of the next
  Picoseconds shortest = 20'000'000;
  Picoseconds longest = 2'000'000'000;  ///< short ones are more frequent: evenly by logarithm
  std::uint64_t seed = 1;
  Picoseconds begin = 0;  ///< none before

  /// Throws UsageError for times that are not positive or in the wrong order.
  void check() const;
};

/// A port of a node whose program is interrupted at random times. Hardware is not: what it does
/// for a program that waits goes on, and is seen when the program has the processor again.
///
/// Times are drawn for (seed, node, interruption) alone, so they are the same whatever the program
/// does.
class NoisyPort final : public HardwarePort {
 public:
  NoisyPort(HardwarePort& port, const OsNoise& noise, std::uint32_t node);

  Picoseconds now() const override { return port_.now(); }
  void advance(Picoseconds duration) override { compute(duration, 0); }
  void pause(Picoseconds duration) override;
  void compute(Picoseconds duration, double memory_share) override;
  void wait(std::string_view what) override;
  void linger(const std::function<void()>& service) override { port_.linger(service); }
  std::uint32_t read_register(std::uint32_t address) override;
  void write_register(std::uint32_t address, std::uint32_t value) override;
  std::uint64_t post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                           std::uint64_t bytes) override;
  bool posted_done(unsigned queue, std::uint64_t ticket) const override {
    return port_.posted_done(queue, ticket);
  }
  bool interrupt() const override { return port_.interrupt(); }
  NodeMemory& memory() override { return port_.memory(); }

  std::uint64_t interruptions() const { return count_; }
  /// Time the program has waited for the processor; interruptions while it waited for hardware
  /// anyway do not count.
  Picoseconds lost() const { return lost_; }

 private:
  void draw(Picoseconds from);
  template <typename Pass>
  void pass(Picoseconds duration, const Pass& pass_piece);
  void give_way();

  HardwarePort& port_;
  OsNoise noise_;
  std::uint32_t node_;
  Picoseconds start_ = 0, end_ = 0;  ///< the next interruption, or the one under way
  std::uint64_t count_ = 0;
  Picoseconds lost_ = 0;
};

}  // namespace ht::host
