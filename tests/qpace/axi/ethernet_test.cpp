// SPDX-License-Identifier: Apache-2.0
// Ethernet's memory port across clocks: when a register of the node was read, what Ethernet had
// handed over before is said to be with the buses not before it is.
#include <Vqpace_axi_ethernet.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <random>

#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

/// Two clocks; words of Ethernet, and buses that take them when they like.
class Crossing {
 public:
  Crossing(std::uint64_t seed, std::int64_t bus_period, double taken_share)
      : context_(power_on()),
        top_(context_.get(), "ethernet"),
        random_(seed),
        bus_period_(bus_period),
        share_(taken_share) {
    next_bus_ = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bus_period));
    top_.io_rst = top_.rst = 1;
    run(20);
    top_.io_rst = top_.rst = 0;
    run(20);
  }

  void run(int bus_cycles) {
    while (bus_cycles > 0) {
      if (next_io_ <= next_bus_) {
        io_edge();
        next_io_ += io_period;
      } else {
        bus_edge();
        next_bus_ += bus_period_;
        --bus_cycles;
      }
    }
  }

  bool writes = false;  ///< Ethernet hands over words
  bool asks = false;    ///< registers are read
  unsigned looked = 0, early = 0;
  std::int64_t longest = 0;

 private:
  static constexpr std::int64_t io_period = 8000;  // picoseconds

  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }

  void io_edge() {
    // As qpace_gmac_memory: what its register holds was handed over.
    top_.mem_write_valid = held_;
    top_.eval();
    if (held_ && top_.mem_write_ready) held_ = false;
    top_.io_clk = 1;
    top_.eval();
    top_.io_clk = 0;
    if (!held_ && writes && chance(0.8)) {
      held_ = true;
      ++handed_;
    }
    top_.eval();
  }

  void bus_edge() {
    top_.wr_ready = chance(share_);
    // A register's answer that says all that Ethernet has handed over so far.
    top_.look = asks && !before_ && chance(0.1);
    if (top_.look) {
      before_ = handed_;
      waited_ = 0;
    }
    top_.eval();
    if (top_.wr_valid && top_.wr_ready) ++taken_;
    if (before_ && top_.seen) {
      ++looked;
      early += taken_ < *before_ ? 1 : 0;
      before_.reset();
    }
    if (before_) longest = std::max(longest, ++waited_);
    top_.clk = 1;
    top_.eval();
    top_.clk = 0;
    top_.eval();
  }

  std::unique_ptr<VerilatedContext> context_;
  Vqpace_axi_ethernet top_;
  std::mt19937_64 random_;
  std::int64_t bus_period_, next_io_ = 0, next_bus_ = 0;
  double share_;
  std::uint64_t handed_ = 0, taken_ = 0;
  std::optional<std::uint64_t> before_;
  std::int64_t waited_ = 0;
  bool held_ = false;
};

}  // namespace

TEST_CASE(
    "what Ethernet handed over before a register was read is with the buses when they say so") {
  std::uint64_t trial = 0;
  for (const std::int64_t period : {2500, 4800, 5000, 8000, 8001, 10'000, 30'000}) {
    for (const double share : {1.0, 0.5, 0.05}) {
      CAPTURE(period, share, test_seed());
      Crossing crossing(seed_of(++trial), period, share);
      crossing.writes = crossing.asks = true;
      crossing.run(20'000);
      CHECK(crossing.looked > 50);
      CHECK(crossing.early == 0);
      // nine words, or 32 cycles without
      if (share == 1) CHECK(crossing.longest <= 32 + 9 * (1 + 8000 / period));
      crossing.writes = false;
      crossing.run(2000);
      const unsigned before = crossing.looked;
      crossing.run(1000);
      CHECK(crossing.looked > before + 15);  // nothing waits: 32 cycles
    }
  }
}
