// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/model/sum_exact.hpp"

TEST_CASE("order-independent sum: a million doubles against exact integers") {
  ht::test::check_sums_exactly(1'200'000);
}
