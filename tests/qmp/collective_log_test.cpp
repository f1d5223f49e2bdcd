// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/collective_log.hpp"

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"

using ht::qmp::CollectiveLog;

TEST_CASE("global operations that differ are named alike, whatever another process tells first") {
  for (const bool other_first : {false, true}) {
    CAPTURE(other_first);
    CollectiveLog log(4, true);
    const auto other = [&] { log.enter_other({2, "sum", 8}); };
    if (other_first) other();
    log.enter(0, "sum", 8);
    if (!other_first) other();
    CHECK_THROWS_WITH(
        log.enter(1, "barrier", 0),
        Catch::Contains("operation 0 is a sum of 8 bytes on node 0 and a barrier on node 1:"));
  }
}
