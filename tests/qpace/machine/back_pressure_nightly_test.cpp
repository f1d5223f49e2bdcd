// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/qpace/machine/back_pressure.hpp"

TEST_CASE("back-pressure on a larger torus, for longer") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    ht::test::check_back_pressure({.shape = {4, 3, 3},
                                   .messages = 10,
                                   .max_packets = 60,
                                   .max_delay_us = 12,
                                   .memory_stalls = 60 * static_cast<unsigned>(seed),
                                   .bit_error_rate = 3e-6,
                                   .seed = seed});
}
