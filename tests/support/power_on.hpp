// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "tests/support/test_seed.hpp"

namespace ht::test {

/// While it lives, the hardware that power_on() is asked for comes up with random bits in its
/// registers, memories and synchronisers, drawn from `trial`; what fails then says so.
class RandomPowerOn {
 public:
  explicit RandomPowerOn(std::uint64_t trial)
      : message_(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
                 << "registers come up with random bits, trial " << trial
                 << "; repeat with HYPERTORUS_TEST_SEED=" << test_seed()) {
    state = static_cast<std::uint32_t>(seed_of(trial) % 0x7fffffff) + 1;
  }
  ~RandomPowerOn() { state.reset(); }
  RandomPowerOn(const RandomPowerOn&) = delete;

 private:
  friend std::optional<std::uint32_t> power_on_state();
  inline static thread_local std::optional<std::uint32_t> state;
  Catch::ScopedMessage message_;
};

/// What the hardware's registers are to be drawn from, as power_on() does it.
inline std::optional<std::uint32_t> power_on_state() {
  return RandomPowerOn::state;
}

/// A context for hardware under test: registers and memories come up with zeros, unless a
/// RandomPowerOn lives.
inline std::unique_ptr<VerilatedContext> power_on() {
  auto context = std::make_unique<VerilatedContext>();
  if (const auto state = power_on_state()) {
    constexpr int random_bits = 2;
    context->randReset(random_bits);
    context->randSeed(static_cast<int>(*state));
  }
  return context;
}

}  // namespace ht::test
