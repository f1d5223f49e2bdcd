// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qmp/qmp.h"

namespace ht::test {

/// Of a machine of two partitions with four nodes each: what programs of partition 0 do, or that
/// one of them fails, changes nothing in partition 1.
inline void check_partitions_apart(
    const std::function<std::unique_ptr<machine::Machine>()>& make_machine) {
  constexpr int nodes = 4, sum = 0 + 1 + 2 + 3;
  enum { Rests, Works, Fails };
  std::vector<std::vector<Picoseconds>> times;
  for (const int kind : {Rests, Works, Fails}) {
    const auto m = make_machine();
    std::vector<Picoseconds> ends(nodes);
    bool finished = false;
    const auto errors = m->run_partitions(
        [&](qmp::Transport& transport, int number) {
          const qmp::Node node(transport);
          QMP_thread_level_t provided = QMP_THREAD_SINGLE;
          QMP_init_msg_passing(nullptr, nullptr, QMP_THREAD_SINGLE, &provided);
          const bool other = m->partition_of(number) == 0;
          if (other && kind == Rests) return;
          for (int i = 0; i < 8; ++i) {
            if (other && kind == Fails && i == 3 && transport.rank() == 2)
              throw DataError("node 2 has no more data");
            double value = transport.rank();
            QMP_sum_double(&value);
            QMP_barrier();
            if (value != sum) throw MismatchError("a sum is wrong");
          }
          if (!other) ends[static_cast<std::size_t>(transport.rank())] = transport.runtime().now();
        },
        &finished);
    CHECK(finished);
    REQUIRE(errors.size() == 2);
    CHECK(errors[1] == nullptr);
    if (kind == Fails)
      CHECK_THROWS_WITH(std::rethrow_exception(errors[0]), "node 2 has no more data");
    else
      CHECK(errors[0] == nullptr);
    CHECK(m->report_links().size() > 0);
    times.push_back(ends);
  }
  CHECK(times[Rests][0] > 0);
  CHECK(times[Works] == times[Rests]);
  CHECK(times[Fails] == times[Rests]);
}

}  // namespace ht::test
