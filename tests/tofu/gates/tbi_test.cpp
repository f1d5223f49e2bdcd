// SPDX-License-Identifier: Apache-2.0
// Operations over several Verilated barrier interfaces, packets arriving in random order.
#include <Vtofu_tbi_top.h>

#include <catch2/catch.hpp>
#include <iostream>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_node.hpp"
#include "tests/tofu/model/gate_operations.hpp"

namespace registers = ht::tofu::registers::tbi;
using ht::model::GateData;
using ht::model::GateForm;
using ht::model::GateOperation;
using ht::model::GatePacket;
using ht::model::GateWiring;
using ht::test::GateJob;
using ht::test::some_nodes;
using ht::test::TbiNet;

namespace {

/// Runs jobs on channels 1 and 2 of all nodes, each node at its own pace; checks every result in
/// memory, where the last of its beats says that it is there.
void run_jobs(TbiNet& net, const std::array<std::vector<GateJob>, 2>& jobs, std::uint64_t seed) {
  const std::size_t n = net.nodes.size();
  std::mt19937_64 r(seed);
  struct Side {
    std::size_t next = 0;
    std::uint64_t not_before = 0;
    bool running = false;
  };
  std::vector<std::array<Side, 2>> sides(n);
  std::size_t left = n * (jobs[0].size() + jobs[1].size());
  const auto place = [](std::size_t c) { return 0x100 + 16 * static_cast<std::uint64_t>(c); };
  for (std::size_t i = 0; i < n; ++i) {
    for (unsigned c = 0; c < 2; ++c)
      net.write(i, registers::result_address(c + 1), static_cast<std::uint32_t>(place(c)));
  }
  for (std::uint64_t guard = 0; left != 0; ++guard) {
    REQUIRE(guard < 60000);
    for (std::size_t i = 0; i < n; ++i) {
      auto& memory = net.nodes[i]->memory;
      for (unsigned c = 0; c < 2; ++c) {
        Side& s = sides[i][c];
        if (s.running && memory.count(place(c) + 2) != 0) {
          const GateJob& job = jobs[c][s.next - 1];
          const std::uint64_t report = memory.at(place(c) + 2)[1];
          CHECK((report >> 32) == s.next - 1);
          CHECK((report & 0xffffffffU) ==
                (2U | static_cast<unsigned>(job.operation) << 4 | (job.empty ? 0x100U : 0U)));
          const auto low = memory.at(place(c)), high = memory.at(place(c) + 1);
          REQUIRE(GateData{low[0], low[1], high[0], high[1], memory.at(place(c) + 2)[0]} ==
                  job.expected);
          for (std::uint64_t k = 0; k < 3; ++k) memory.erase(place(c) + k);
          s.running = false;
          s.not_before = net.cycle + (r() % 4 == 0 ? r() % 300 : 0);
          --left;
        }
        if (!s.running && s.next < jobs[c].size() && net.cycle >= s.not_before) {
          const GateJob& job = jobs[c][s.next++];
          net.start(i, c + 1, job.operation, job.forms[i], job.operands[i]);
          s.running = true;
        }
      }
    }
    net.step();
  }
}

}  // namespace

TEST_CASE("tbi: every operation on every pattern, 2 to 16 nodes") {
  for (const auto& named : ht::test::all_patterns()) {
    for (std::size_t n = 2; n <= 16; ++n) {
      INFO(named.name << ", " << n << " nodes");
      std::mt19937_64 r(n);
      const auto coordinates = some_nodes(n);
      TbiNet net(coordinates, n);
      net.longest_way = n % 3 == 0 ? 1 : 80;
      for (auto& node : net.nodes) {
        node->stall_of_16 = n % 4 == 1 ? 12 : 0;
        node->gap_of_16 = n % 5 == 1 ? 8 : 0;
      }
      std::array<std::vector<GateJob>, 2> jobs;
      for (std::uint8_t c = 0; c < 2; ++c) {
        net.wire(named.make({coordinates, static_cast<std::uint8_t>(c + 1), 7, 8U + 20U * c}));
        for (int k = 0; k < 6; ++k) jobs[c].push_back(ht::test::random_job(n, r));
      }
      run_jobs(net, jobs, n);
      REQUIRE(net.run_until([&] { return net.quiet(); }, 2000));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(net.errors(i) == 0);
        CHECK(net.nodes[i]->broken == 0);
        CHECK(net.nodes[i]->refused == 0);
        for (const auto f : net.nodes[i]->fired) CHECK((f == 0 || f == 6));
      }
    }
  }
}
