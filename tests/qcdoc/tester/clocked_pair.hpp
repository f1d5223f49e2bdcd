// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "sw/host/time.hpp"

class Vqcdoc_tester;
class VerilatedContext;

namespace ht::test {

/// Clocks and cable of a ClockedPair. Times in ps.
struct ClockedOptions {
  Picoseconds period = 19'900;      ///< of both ends' bits
  std::array<int, 2> ppm = {0, 0};  ///< by which an end's clock is fast
  Picoseconds phase = 0;            ///< of the second end's clock
  Picoseconds delay = 3'000;        ///< of the cable, one way
  Picoseconds jitter = 0;           ///< each edge of the line is late by 0 to that
  std::uint64_t seed = 1;
};

/// Two qcdoc_tester at the ends of a cable, each with a clock of its own: the line's edges come by
/// the sender's, and are sampled four times in each cycle of the receiver's.
class ClockedPair {
 public:
  static constexpr int samples = 4;

  explicit ClockedPair(const ClockedOptions& options);
  ~ClockedPair();
  ClockedPair(const ClockedPair&) = delete;

  /// For so many bit times of the first end.
  void run(std::uint64_t bits);
  /// Until both are UP, so many bit times at the most; whether they are.
  bool bring_up(std::uint64_t limit);
  std::uint32_t read(int end, unsigned address);
  void write(int end, unsigned address, std::uint32_t value);
  void reset(int end);
  bool up(int end) const;
  /// A capturable signal of rtl/qcdoc/tester/qcdoc_probe.toml, 32 bits at most.
  std::uint32_t probe(int end, unsigned bit, unsigned bits = 1) const;
  /// Called before each edge of an end's clock.
  void watch(std::function<void(int end)> watcher) { watcher_ = std::move(watcher); }
  /// The cable is pulled, and what ends see is 0; or put back.
  void plug(bool plugged) { plugged_ = plugged; }

 private:
  struct End {
    std::unique_ptr<Vqcdoc_tester> dut;
    Picoseconds next = 0;  ///< edge of the clock
    double exact = 0;      ///< the same, with what is lost in ps
    double period = 0;
    bool line = false;                               ///< what it sends
    std::deque<std::pair<Picoseconds, bool>> edges;  ///< of the other's line, as they arrive here
    bool level = false;                              ///< here now
  };

  void step();
  bool level_at(End& end, Picoseconds time);
  std::uint32_t access(int end, bool write, unsigned address, std::uint32_t value);

  ClockedOptions options_;
  std::unique_ptr<VerilatedContext> context_;
  std::array<End, 2> ends_;
  std::mt19937_64 random_;
  std::function<void(int)> watcher_;
  bool plugged_ = true;
};

}  // namespace ht::test
