// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

namespace ht::test {

/// Random tests draw the same things every time. With a number other than 0 in the environment
/// variable HYPERTORUS_TEST_SEED they draw others.
inline std::uint64_t test_seed() {
  const char* text = std::getenv("HYPERTORUS_TEST_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

/// The seed of trial `trial` of a random test.
inline std::uint64_t seed_of(std::uint64_t trial) {
  return trial + 0x9e3779b97f4a7c15U * test_seed();
}

/// While it lives, the hardware that power_on() is asked for comes up with random bits in its
/// registers, memories and synchronisers, drawn from `trial`; what fails then says so.
class RandomPowerOn {
 public:
  explicit RandomPowerOn(std::uint64_t trial)
      : message_(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
                 << "registers come up with random bits, trial " << trial
                 << "; repeat with HYPERTORUS_TEST_SEED=" << test_seed()) {
    state_ = static_cast<std::uint32_t>(seed_of(trial) % 0x7fffffff) + 1;
  }
  ~RandomPowerOn() { state_.reset(); }
  RandomPowerOn(const RandomPowerOn&) = delete;

 private:
  friend std::unique_ptr<VerilatedContext> power_on();
  inline static thread_local std::optional<std::uint32_t> state_;
  Catch::ScopedMessage message_;
};

/// A context for hardware under test: registers and memories come up with zeros, unless a
/// RandomPowerOn lives.
inline std::unique_ptr<VerilatedContext> power_on() {
  auto context = std::make_unique<VerilatedContext>();
  if (RandomPowerOn::state_) {
    constexpr int random_bits = 2;
    context->randReset(random_bits);
    context->randSeed(static_cast<int>(*RandomPowerOn::state_));
  }
  return context;
}

}  // namespace ht::test
