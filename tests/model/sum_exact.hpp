// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace ht::test {

/// Sums `total` doubles of all classes, in batches of many sizes, by the order-independent sum,
/// directly, permuted and over random trees, and holds each batch's result against exact integers:
/// it must be the exact sum of what lies in the two highest groups of exponents that occur, rounded
/// once, and within the bound of the exact sum of all. Catch2 assertions.
void check_sums_exactly(std::size_t total);

}  // namespace ht::test
