// SPDX-License-Identifier: Apache-2.0
// Messages between any two nodes of a Verilated machine, and groups of nodes: what holds on each.
#pragma once
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/qmp/node.hpp"
#include "tests/qmp/programs.hpp"

namespace ht::qmp::tests {

/// `program` on all nodes of `machine`.
template <typename Machine>
void run_on(Machine& machine, void (*program)()) {
  machine.run([&](auto& driver) {
    const Node node(driver);
    program();
  });
}

/// All programs of anywhere_programs() on one machine with these options; its cables may be bad.
template <typename Machine, typename Options>
void check_anywhere(const Options& options) {
  Machine machine(options);
  for (const auto& conformance : anywhere_programs()) {
    INFO(conformance.name);
    CHECK_NOTHROW(run_on(machine, conformance.program));
  }
  for (const auto& link : machine.read_links()) CHECK(link.checksums_agree());
  CHECK(machine.close_ledgers().undetected == 0);
}

/// Neighbours' halos end at the same picosecond on every node whether its driver passes packets on
/// or not (`options.driver.forwards`).
template <typename Machine, typename Options>
void check_neighbours_lose_no_time(Options options, std::size_t nodes) {
  std::vector<std::vector<Picoseconds>> ends;
  for (const bool forwards : {false, true}) {
    options.driver.forwards = forwards;
    Machine machine(options);
    std::vector<Picoseconds> times(nodes);
    machine.run([&](auto& driver) {
      {
        const Node node(driver);
        for (const auto& conformance : conformance_programs()) {
          if (std::string(conformance.name) == "halo") conformance.program();
        }
      }
      times[static_cast<std::size_t>(driver.rank())] = driver.runtime().now();
    });
    times.push_back(machine.kernel().now());
    ends.push_back(times);
  }
  CHECK(std::ranges::min(ends[0]) > 0);
  CHECK(ends[0] == ends[1]);
}

}  // namespace ht::qmp::tests
