// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/machine/back_pressure.hpp"

#include <catch2/catch.hpp>

TEST_CASE("receivers that come late and memories that stall: a torus waits, and loses nothing") {
  ht::test::check_back_pressure({.shape = {3, 2, 2}});
}
