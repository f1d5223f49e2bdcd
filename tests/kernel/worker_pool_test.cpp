// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/worker_pool.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

using ht::sim::WorkerPool;

TEST_CASE("worker pool: every thread does both steps, and none starts the second early") {
  for (const unsigned threads : {1U, 2U, 5U}) {
    WorkerPool pool(threads);
    std::vector<int> first(threads), seen(threads);
    std::vector<std::thread::id> ids(threads);
    bool same_thread = true;
    for (int round = 1; round <= 300; ++round) {
      pool.run(
          [&](unsigned i) {
            first[i] = round;
            if (round > 1 && ids[i] != std::this_thread::get_id()) same_thread = false;
            ids[i] = std::this_thread::get_id();
          },
          [&](unsigned i) {
            for (const int f : first) seen[i] += f == round ? 1 : 0;
          });
    }
    CHECK(same_thread);
    CHECK(ids[0] == std::this_thread::get_id());
    for (const int s : seen) REQUIRE(s == 300 * static_cast<int>(threads));
  }
}
