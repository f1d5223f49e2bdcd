// SPDX-License-Identifier: Apache-2.0
// TofuD's numbers: six network interfaces with gates on each, six integers or three doubles at
// once, MAXLOC. Expected values are computed here from all nodes' contributions.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "sw/qmp/capabilities.hpp"
#include "sw/tofu/functional/functional_job.hpp"
#include "sw/tofu/utofu/utofu_node.hpp"
#include "sw/tofu/utofu/utofu_pattern.hpp"
#include "verif/model/common/order_independent_sum.hpp"

using namespace ht;
using namespace ht::tofu;

namespace {

using U64 = std::uint64_t;
constexpr Shape shape{{2, 1, 1, 1, 3, 1}};
constexpr std::size_t nodes = 6;
constexpr int interfaces = 6;
constexpr std::size_t words = 6, doubles = 3;

/// What rank `rank` gives in round `round`.
std::array<U64, words> given(std::size_t rank, int round) {
  std::mt19937_64 random(1'000 * rank + static_cast<std::size_t>(round));
  std::array<U64, words> all{};
  for (U64& word : all) word = random();
  return all;
}
std::array<double, doubles> reals(std::size_t rank, int round) {
  std::mt19937_64 random(7'000 * rank + static_cast<std::size_t>(round));
  std::array<double, doubles> all{};
  for (double& x : all)
    x = std::ldexp(static_cast<double>(random() >> 12) - 2e15, static_cast<int>(random() % 200));
  return all;
}

int ended(int rc, const std::function<int()>& poll) {
  REQUIRE(rc == UTOFU_SUCCESS);
  do rc = poll();
  while (rc == UTOFU_ERR_NOT_COMPLETED);
  return rc;
}

template <class Combine>
std::array<U64, words> over_all(int round, Combine combine) {
  std::array<U64, words> result = given(0, round);
  for (std::size_t rank = 1; rank < nodes; ++rank) {
    const auto more = given(rank, round);
    for (std::size_t i = 0; i < words; ++i) result[i] = combine(result[i], more[i]);
  }
  return result;
}

/// Operations of all kinds on a pattern that is wired.
void operate(utofu_vbg_id_t id, std::size_t rank, int round) {
  struct Case {
    utofu_reduce_op op;
    std::array<U64, words> expected;
  };
  for (const Case& c :
       {Case{UTOFU_REDUCE_OP_SUM, over_all(round, std::plus<>())},
        {UTOFU_REDUCE_OP_BAND, over_all(round, std::bit_and<>())},
        {UTOFU_REDUCE_OP_BXOR, over_all(round, std::bit_xor<>())},
        {UTOFU_REDUCE_OP_MAX, over_all(round, [](U64 a, U64 b) { return std::max(a, b); })}}) {
    auto mine = given(rank, round);
    std::array<U64, words> got{};
    CHECK(ended(utofu_reduce_uint64(id, c.op, mine.data(), words, 0),
                [&] { return utofu_poll_reduce_uint64(id, 0, got.data()); }) == UTOFU_SUCCESS);
    CHECK(got == c.expected);
  }
  // As many as were started are written.
  auto mine = given(rank, round);
  std::array<U64, words> got{1, 2, 3, 4, 5, 6};
  CHECK(ended(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_BOR, mine.data(), 2, 0),
              [&] { return utofu_poll_reduce_uint64(id, 0, got.data()); }) == UTOFU_SUCCESS);
  const auto either = over_all(round, std::bit_or<>());
  CHECK(got == std::array<U64, words>{either[0], either[1], 3, 4, 5, 6});

  auto x = reals(rank, round);
  std::array<double, doubles> sums{};
  CHECK(ended(utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, x.data(), doubles, 0),
              [&] { return utofu_poll_reduce_double(id, 0, sums.data()); }) == UTOFU_SUCCESS);
  for (std::size_t i = 0; i < doubles; ++i) {
    model::OrderIndependentSum sum;
    for (std::size_t r = nodes; r-- > 0;) sum.add(reals(r, round)[i]);
    CHECK(sums[i] == sum.round());
  }
}

/// Pairs of a value and the rank that gives it: values are few, so that many are equal.
void find_largest(utofu_vbg_id_t id, std::size_t rank, int round) {
  const auto pairs = [round](std::size_t r) {
    std::array<U64, words> all = given(r, round);
    for (std::size_t i = 0; i < words; i += 2) {
      all[i] %= 3;
      all[i + 1] = r;
    }
    return all;
  };
  auto mine = pairs(rank);
  std::array<U64, words> got{};
  CHECK(ended(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_MAXLOC, mine.data(), words, 0),
              [&] { return utofu_poll_reduce_uint64(id, 0, got.data()); }) == UTOFU_SUCCESS);
  for (std::size_t i = 0; i < words; i += 2) {
    std::pair<U64, U64> best{pairs(0)[i], 0};
    for (std::size_t r = 1; r < nodes; ++r) {
      if (pairs(r)[i] > best.first) best = {pairs(r)[i], r};  // the first of equal ones stays
    }
    CHECK(got[i] == best.first);
    CHECK(got[i + 1] == best.second);
  }
  CHECK(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_MAXLOC, mine.data(), 3, 0) ==
        UTOFU_ERR_INVALID_NUMBER);
}

void on_every_rank(const std::function<void(qmp::Transport&)>& program) {
  FunctionalJob job(shape, RankLayout::straight(shape), 0, tofud);
  job.run([&](qmp::Transport& transport) {
    program(transport);
    return 0;
  });
}

}  // namespace

TEST_CASE("TofuD: patterns of gates on every interface, and from one interface to another") {
  const auto algorithm =
      GENERATE(Algorithm::RecursiveDoubling, Algorithm::DoubleRing, Algorithm::Tree);
  for (int first = 0; first < interfaces + 1; ++first) {
    std::vector<std::vector<utofu_vbg_id_t>> ids(nodes);
    on_every_rank([&](qmp::Transport& transport) {
      const auto rank = static_cast<std::size_t>(transport.rank());
      // The last time, every rank uses another interface.
      const int tni = first < interfaces ? first : static_cast<int>(rank) % interfaces;
      const BarrierPattern pattern(algorithm, nodes);
      ids[rank].resize(pattern.gates(transport.rank()).size());
      REQUIRE(utofu_alloc_vbg(static_cast<utofu_tni_id_t>(tni), ids[rank].size(), 0,
                              ids[rank].data()) == UTOFU_SUCCESS);
      utofu_tni_id_t told = 99;
      CHECK(utofu_query_vbg_info(ids[rank][0], nullptr, &told, nullptr, nullptr) == UTOFU_SUCCESS);
      CHECK(told == tni);
      transport.global_signals()->signal_barrier();
      auto wiring = settings(pattern, transport.rank(), ids);
      REQUIRE(utofu_set_vbg(wiring.data(), wiring.size()) == UTOFU_SUCCESS);
      transport.global_signals()->signal_barrier();
      for (int round = 0; round < 3; ++round) {
        operate(ids[rank][0], rank, round);
        find_largest(ids[rank][0], rank, round);
      }
      transport.global_signals()->signal_barrier();
      CHECK(utofu_free_vbg(ids[rank].data(), ids[rank].size()) == UTOFU_SUCCESS);
    });
  }
}

TEST_CASE("TofuD: gates of several interfaces are wired and freed together, or none is") {
  on_every_rank([](qmp::Transport& transport) {
    if (transport.rank() != 0) return;
    std::array<utofu_vbg_id_t, 2> a{}, b{};
    REQUIRE(utofu_alloc_vbg(1, 2, 0, a.data()) == UTOFU_SUCCESS);
    REQUIRE(utofu_alloc_vbg(4, 2, 0, b.data()) == UTOFU_SUCCESS);
    constexpr utofu_vbg_id_t none = UTOFU_VBG_ID_NULL;
    const auto ring = [](const std::array<utofu_vbg_id_t, 2>& g) {
      return std::array{utofu_vbg_setting{g[0], g[1], none, g[1], none, {}},
                        utofu_vbg_setting{g[1], g[0], none, g[0], none, {}}};
    };
    std::vector<utofu_vbg_setting> all;
    for (const auto& s : ring(a)) all.push_back(s);
    for (const auto& s : ring(b)) all.push_back(s);
    auto wrong = all;
    wrong[3].src_lcl_vbg_id = a[0];  // a local end of another interface
    CHECK(utofu_set_vbg(wrong.data(), wrong.size()) == UTOFU_ERR_INVALID_VBG_ID);
    CHECK(utofu_barrier(a[0], 0) == UTOFU_ERR_NOT_AVAILABLE);
    REQUIRE(utofu_set_vbg(all.data(), all.size()) == UTOFU_SUCCESS);
    for (const auto id : {a[0], b[0]})
      CHECK(ended(utofu_barrier(id, 0), [&] { return utofu_poll_barrier(id, 0); }) ==
            UTOFU_SUCCESS);
    std::array ids{a[0], a[1], b[0], b[1], b[1]};
    CHECK(utofu_free_vbg(ids.data(), 5) == UTOFU_ERR_INVALID_VBG_ID);
    CHECK(utofu_free_vbg(ids.data(), 4) == UTOFU_SUCCESS);
    CHECK(utofu_free_vbg(ids.data(), 1) == UTOFU_ERR_INVALID_VBG_ID);
  });
}

TEST_CASE("TofuD: what it says of itself, and what it refuses") {
  on_every_rank([](qmp::Transport&) {
    utofu_tni_id_t* tnis = nullptr;
    std::size_t count = 0;
    for (const auto get : {utofu_get_onesided_tnis, utofu_get_barrier_tnis}) {
      REQUIRE(get(&tnis, &count) == UTOFU_SUCCESS);
      CHECK(count == interfaces);
      for (std::size_t i = 0; i < count; ++i) CHECK(tnis[i] == i);
      std::free(tnis);
    }
    utofu_barrier_caps* caps = nullptr;
    REQUIRE(utofu_query_barrier_caps(5, &caps) == UTOFU_SUCCESS);
    CHECK(caps->max_uint64_reduction == words);
    CHECK(caps->max_double_reduction == doubles);
    CHECK((caps->reduce_ops & UTOFU_BARRIER_CAP_REDUCE_OP_MAXLOC) != 0);
    CHECK(utofu_query_barrier_caps(6, &caps) == UTOFU_ERR_INVALID_TNI_ID);
    int major = 0;
    utofu_query_tofu_version(&major, nullptr);
    CHECK(major == 3);
    utofu_vcq_hdl_t vcq = 0;
    CHECK(utofu_create_vcq(5, 0, &vcq) == UTOFU_SUCCESS);
    CHECK(utofu_free_vcq(vcq) == UTOFU_SUCCESS);
    CHECK(utofu_create_vcq(6, 0, &vcq) == UTOFU_ERR_INVALID_TNI_ID);
    std::array<utofu_vbg_id_t, 1> id{};
    std::array<U64, 7> data{};
    std::array<double, 4> x{};
    CHECK(utofu_alloc_vbg(6, 1, 0, id.data()) == UTOFU_ERR_INVALID_TNI_ID);
    REQUIRE(utofu_alloc_vbg(5, 1, 0, id.data()) == UTOFU_SUCCESS);
    CHECK(utofu_reduce_uint64(id[0], UTOFU_REDUCE_OP_SUM, data.data(), 7, 0) ==
          UTOFU_ERR_INVALID_NUMBER);
    CHECK(utofu_reduce_double(id[0], UTOFU_REDUCE_OP_BFPSUM, x.data(), 4, 0) ==
          UTOFU_ERR_INVALID_NUMBER);
  });
}
