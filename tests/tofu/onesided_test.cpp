// SPDX-License-Identifier: Apache-2.0
// uTofu's one-sided communication on nodes without hardware: programs, refusals, long transfers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <set>

#include "sw/host/errors.hpp"
#include "tests/tofu/functional_ranks.hpp"
#include "tests/tofu/utofu_onesided.h"

using namespace ht;
using namespace ht::test;
using namespace ht::tofu;

namespace {

constexpr Shape pair{{2, 1, 1, 1, 1, 1}}, cube{{2, 2, 2, 1, 1, 1}}, group{{1, 1, 1, 2, 3, 2}};
constexpr unsigned long tcq = UTOFU_ONESIDED_FLAG_TCQ_NOTICE,
                        local = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE,
                        remote = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;

FunctionalTofuOptions shuffled(unsigned seed) {
  FunctionalTofuOptions o;
  if (seed != 0) o.shuffle = seed;
  return o;
}

}  // namespace

TEST_CASE("uTofu: a program in C puts, gets, draws tickets and locks") {
  for (const Shape& shape : {pair, cube, group}) {
    for (const unsigned seed : {0U, 1U, 2U, 3U}) {
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{12'345}}) {
        INFO(shape.nodes() << " nodes, " << bytes << " bytes, shuffle " << seed);
        const auto size = static_cast<std::size_t>(shape.nodes());
        FunctionalTofu machine(shape, shuffled(seed));
        std::vector<utofu_onesided_ends> ends(size);
        std::vector<std::array<std::uint64_t, 2>> tickets(size);
        run_utofu_ranks(machine, RankLayout::straight(shape), [&](Transport& transport) {
          const auto all = [](void* t) { static_cast<Transport*>(t)->signal_barrier(); };
          const auto rank = static_cast<std::size_t>(transport.rank());
          CHECK(utofu_onesided(transport.rank(), shape.nodes(), bytes, ends.data(), all, &transport,
                               tickets[rank].data()) == 0);
        });
        std::set<std::uint64_t> drawn;
        for (const auto& pair_of_tickets : tickets)
          for (const std::uint64_t t : pair_of_tickets) drawn.insert(t);
        CHECK(drawn.size() == 2 * size);  // nobody's twice
        CHECK(*drawn.rbegin() == 2 * size - 1);
      }
    }
  }
}
