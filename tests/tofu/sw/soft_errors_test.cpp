// SPDX-License-Identifier: Apache-2.0
// Soft errors in a barrier interface, seen from its programs.
#include <catch2/catch.hpp>

#include "tests/tofu/sw/gate_programs.hpp"

using namespace ht::test;
using namespace ht::tofu;
namespace tbi = ht::tofu::registers::tbi;

namespace {

void inject(std::uint32_t memory, std::uint32_t bits) {
  UtofuNode::current()->port().write_register(
      tbi::base + tbi::inject, tbi::inject_memory.put(memory) | tbi::inject_bits.put(bits));
}

constexpr std::uint32_t memories[] = {tbi::inject_memory_control, tbi::inject_memory_wiring,
                                      tbi::inject_memory_state,   tbi::inject_memory_bank,
                                      tbi::inject_memory_out,     tbi::inject_memory_operand};

}  // namespace

TEST_CASE("uTofu: a flipped bit in a memory of the gates is corrected") {
  const Shape shape{{4, 1, 1, 1, 1, 1}, {true, true, true}};
  for (const std::uint32_t memory : memories) {
    INFO("memory " << memory);
    auto machine = make_machine(shape, 4);
    Ids ids(4);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(Algorithm::RecursiveDoubling, 4), rank, ids, meeting);
      if (rank == 2) inject(memory, 1);
      double x = 0.1 * (rank + 1);
      CHECK(reduce(ids[static_cast<std::size_t>(rank)][0], x) == UTOFU_SUCCESS);
      CHECK(x == 1.0);
      std::uint64_t word = 3;
      CHECK(reduce(ids[static_cast<std::size_t>(rank)][0], UTOFU_REDUCE_OP_SUM, word) ==
            UTOFU_SUCCESS);
      CHECK(word == 12);
      if (rank == 2)
        CHECK(UtofuNode::current()->port().read_register(tbi::base + tbi::soft_corrected) == 1);
    });
  }
}

TEST_CASE("uTofu: two flipped bits block the node's gates, and its program is told") {
  const Shape shape{{4, 1, 1, 1, 1, 1}, {true, true, true}};
  for (const std::uint32_t memory : memories) {
    INFO("memory " << memory);
    auto machine = make_machine(shape, 4);
    Ids ids(4);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(Algorithm::RecursiveDoubling, 4), rank, ids, meeting);
      if (rank == 2) {
        inject(memory, 2);
        double x = 1.0;
        CHECK(reduce(ids[2][0], x) == UTOFU_ERR_FATAL);
        return;
      }
      // The others are not told anything wrong: they wait, for the job's end.
      const utofu_vbg_id_t id = ids[static_cast<std::size_t>(rank)][0];
      double x = 1.0;
      CHECK(utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, &x, 1, 0) == UTOFU_SUCCESS);
      for (int i = 0; i < 500; ++i) {
        const int rc = utofu_poll_reduce_double(id, 0, &x);
        if (rc == UTOFU_SUCCESS) CHECK(x == 4.0);
        if (rc != UTOFU_ERR_NOT_COMPLETED) break;
      }
    });
  }
}

TEST_CASE("uTofu: a poll of any kind is told that the node's gates are blocked") {
  const Shape shape{{2, 1, 1, 1, 1, 1}, {true, true, true}};
  for (int kind = 0; kind < 3; ++kind) {
    INFO("kind " << kind);
    auto machine = make_machine(shape, 4);
    Ids ids(2);
    run_utofu(*machine, [&](int rank, Meeting& meeting) {
      lay(BarrierPattern(Algorithm::RecursiveDoubling, 2), rank, ids, meeting);
      if (rank == 1) return;
      inject(tbi::inject_memory_state, 2);
      std::uint64_t word = 1;
      double x = 1.0;
      const utofu_vbg_id_t id = ids[0][0];
      CHECK((kind == 0   ? barrier(id)
             : kind == 1 ? reduce(id, UTOFU_REDUCE_OP_SUM, word)
                         : reduce(id, x)) == UTOFU_ERR_FATAL);
    });
  }
}
