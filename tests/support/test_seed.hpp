// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdlib>

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

}  // namespace ht::test
