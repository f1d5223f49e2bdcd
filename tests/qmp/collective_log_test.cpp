// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/collective_log.hpp"

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "sw/qmp/message_log.hpp"

using Catch::Contains;
using ht::qmp::CollectiveLog;
using ht::qmp::MessageLog;

TEST_CASE("global operations that differ are named alike, whatever another process tells first") {
  for (const bool other_first : {false, true}) {
    CAPTURE(other_first);
    CollectiveLog log(4, true);
    const auto other = [&] { log.enter_other({2, {}, "sum", 8}); };
    if (other_first) other();
    log.enter(0, {}, "sum", 8);
    if (!other_first) other();
    CHECK_THROWS_WITH(
        log.enter(1, {}, "barrier", 0),
        Contains("operation 0 is a sum of 8 bytes on node 0 and a barrier on node 1:"));
  }
}

TEST_CASE("each communicator's global operations are compared with one another") {
  CollectiveLog log(4);
  const std::vector<int> even{2, 0}, all{3, 2, 1, 0};
  log.enter(0, even, "sum", 8);
  log.enter(1, {}, "barrier", 0);
  log.enter(2, even, "sum", 8);
  log.enter(0, even, "maximum", 8);
  log.enter(3, all, "broadcast", 4);
  CHECK_THROWS_WITH(log.enter(2, even, "minimum", 8),
                    Contains("operation 1 of the communicator of nodes 2, 0 is a maximum of 8 "
                             "bytes on node 0 and a minimum of 8 bytes on node 2:"));
  CHECK_THROWS_WITH(log.enter(0, all, "broadcast", 8), Contains("nodes 3, 2, 1, 0"));
}

TEST_CASE("a global operation that not all have come to is left") {
  CollectiveLog log(3);
  CHECK(!log.left());
  const std::vector<int> some{2, 1};
  log.enter(2, some, "broadcast", 4);
  CHECK(log.left() ==
        "global operation 0 of the communicator of nodes 2, 1 is a broadcast of 4 bytes on node 2, "
        "and the program of node 1 ended without it");
  log.enter(1, some, "broadcast", 4);
  CHECK(!log.left());
  for (const int rank : {0, 1, 2, 0, 2}) log.enter(rank, {}, "barrier", 0);
  CHECK(log.left() ==
        "global operation 1 is a barrier on node 0, and the program of node 1 ended "
        "without it");
}

TEST_CASE("messages that were sent and not received are known, the lowest sender's first") {
  MessageLog log;
  log.start(true, 2, 1, 5, 100);
  log.start(true, 0, 1, 5, 0);  // nothing to receive
  CHECK(log.unreceived()->from == 2);
  log.start(true, 0, 3, 5, 0);
  log.start(true, 0, 3, 5, 16);  // behind one of nothing
  CHECK(log.unreceived()->from == 0);
  CHECK(log.unreceived()->bytes == 16);
  log.start(false, 0, 3, 5, 0);
  log.start(false, 0, 3, 5, 16);
  log.start(true, 1, 0, 5, 8);
  CHECK(log.unreceived()->from == 1);
  CHECK(log.unreceived()->to == 0);
  CHECK(log.unreceived()->bytes == 8);
  log.start(false, 1, 0, 5, 8);
  log.start(false, 2, 1, 5, 100);
  CHECK(!log.unreceived());
  log.start(false, 3, 1, 5, 8);  // waits for nothing
  CHECK(!log.unreceived());
  MessageLog there([](int rank) { return rank == 1; });
  there.start_other({true, 0, 1, 5, 8});
  CHECK(!there.unreceived());  // its sender's process says so
  there.start(true, 1, 0, 5, 8);
  CHECK(there.unreceived()->from == 1);
}
