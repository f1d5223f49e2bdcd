// SPDX-License-Identifier: Apache-2.0
// How fast qpace_nwp is, in exact cycles.
#include <catch2/catch.hpp>

#include "sim/qpace/bench/bench.hpp"
#include "tests/qpace/node/nwp_throughput.hpp"

namespace {

using ht::test::throughput;

TEST_CASE("latency, first beat in to last beat out") {
  const ht::bench::FifoToDma worst = ht::bench::fifo_to_dma();
  INFO("to the wire " << worst.to_wire << " ps, from it " << worst.from_wire);
  CHECK(worst.cycles() == 57);
}

TEST_CASE("six links together reach 3.2 GB/s, one alone its wire's limit") {
  CHECK(throughput({0, 1, 2, 3, 4, 5}, 256, 64) >= 3.2);
  CHECK(throughput({0, 1}, 256, 64) >= 2 * 0.93);
  CHECK(throughput({3}, 256, 64) >= 0.93);
}

}  // namespace
