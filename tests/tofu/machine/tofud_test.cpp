// SPDX-License-Identifier: Apache-2.0
// TofuD's nodes, Verilated: six network interfaces and barrier interfaces, three states an
// operation. They do what the functional network with TofuD's profile does.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sim/tofu/tofud.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/functional/functional_job.hpp"
#include "sw/tofu/utofu/utofu_pattern.hpp"
#include "tests/qmp/anywhere_machine.hpp"
#include "tests/tofu/sw/random_calls.hpp"
#include "verif/model/common/order_independent_sum.hpp"

using namespace ht;
using machine::TofudMachine;
using machine::TofuMachineOptions;
using tofu::tofud;

namespace {

using U64 = std::uint64_t;
constexpr std::size_t words = 6, doubles = 3;

TofuMachineOptions torus(std::array<int, 6> length) {
  TofuMachineOptions o;
  o.shape = {length, {true, true, true}};
  o.kernel.threads = 1;
  return machine::with_profile(std::move(o), tofud);
}

std::array<U64, words> given(std::size_t rank, std::size_t round) {
  std::mt19937_64 random(1'000 * rank + round);
  std::array<U64, words> all{};
  for (U64& word : all) word = random() % 2 == 0 ? random() % 3 : random();
  return all;
}
std::array<double, doubles> reals(std::size_t rank, std::size_t round) {
  std::mt19937_64 random(7'000 * rank + round);
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

/// Sums of integers and doubles, and the places of the largest.
void operate(utofu_vbg_id_t id, std::size_t rank, std::size_t ranks, std::size_t round) {
  auto mine = given(rank, round);
  std::array<U64, words> got{}, sum{}, largest = given(0, round);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto more = given(r, round);
    for (std::size_t i = 0; i < words; ++i) sum[i] += more[i];
    for (std::size_t i = 0; i < words; i += 2) {
      const bool other =
          more[i] > largest[i] || (more[i] == largest[i] && more[i + 1] < largest[i + 1]);
      if (other) std::copy_n(&more[i], 2, &largest[i]);
    }
  }
  const auto reduce = [&](utofu_reduce_op op) {
    CHECK(ended(utofu_reduce_uint64(id, op, mine.data(), words, 0),
                [&] { return utofu_poll_reduce_uint64(id, 0, got.data()); }) == UTOFU_SUCCESS);
    return got;
  };
  CHECK(reduce(UTOFU_REDUCE_OP_SUM) == sum);
  CHECK(reduce(UTOFU_REDUCE_OP_MAXLOC) == largest);
  auto x = reals(rank, round);
  std::array<double, doubles> sums{};
  CHECK(ended(utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, x.data(), doubles, 0),
              [&] { return utofu_poll_reduce_double(id, 0, sums.data()); }) == UTOFU_SUCCESS);
  for (std::size_t i = 0; i < doubles; ++i) {
    model::OrderIndependentSum exact;
    for (std::size_t r = ranks; r-- > 0;) exact.add(reals(r, round)[i]);
    CHECK(sums[i] == exact.round());
  }
}

}  // namespace

TEST_CASE("TofuD's hardware: gates on every interface, and from one interface to another") {
  constexpr std::size_t ranks = 3;
  const auto algorithm = GENERATE(tofu::Algorithm::RecursiveDoubling, tofu::Algorithm::DoubleRing);
  TofuMachineOptions options = torus({1, 1, 1, 1, ranks, 1});
  options.errors.bit_error_rate = 1e-6;
  TofudMachine m(options);
  std::array<std::vector<std::vector<utofu_vbg_id_t>>, 7> ids;
  for (auto& of_turn : ids) of_turn.resize(ranks);
  m.run_everywhere([&](qmp::Transport& transport, int) {
    const qmp::Node node(transport);
    const auto interface = m.open_interface(transport);
    const auto rank = static_cast<std::size_t>(transport.rank());
    for (std::size_t turn = 0; turn < ids.size(); ++turn) {
      // The last time, every rank uses another interface.
      const std::size_t tni = turn < 6 ? turn : 5 - 2 * rank;
      const tofu::BarrierPattern pattern(algorithm, ranks);
      auto& own = ids[turn][rank];
      own.resize(pattern.gates(transport.rank()).size());
      REQUIRE(utofu_alloc_vbg(static_cast<utofu_tni_id_t>(tni), own.size(), 0, own.data()) ==
              UTOFU_SUCCESS);
      transport.global_signals()->signal_barrier();
      auto wiring = settings(pattern, transport.rank(), ids[turn]);
      REQUIRE(utofu_set_vbg(wiring.data(), wiring.size()) == UTOFU_SUCCESS);
      transport.global_signals()->signal_barrier();
      for (std::size_t round = 0; round < 2; ++round) operate(own[0], rank, ranks, round);
      transport.global_signals()->signal_barrier();
      CHECK(utofu_free_vbg(own.data(), own.size()) == UTOFU_SUCCESS);
    }
  });
}

TEST_CASE("TofuD's hardware: any node reaches any other, all at once, on bad cables") {
  TofuMachineOptions options = torus({2, 1, 1, 1, 3, 1});
  options.random_phases = true;
  options.errors.bit_error_rate = 1e-6;
  qmp::tests::check_anywhere<TofudMachine>(options);
}

TEST_CASE("TofuD's hardware: random uTofu programs do what they do on models") {
  using Logs = std::vector<std::vector<std::string>>;
  constexpr int rounds = 2;
  const tofu::Shape shape{{2, 1, 1, 1, 1, 1}};
  for (unsigned seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    Logs models(2), hardware(2);
    test::RandomCallsBoard models_board(2), hardware_board(2);
    tofu::FunctionalJob job(shape, tofu::RankLayout::straight(shape), 0, tofud);
    job.run([&](qmp::Transport& transport) {
      models[static_cast<std::size_t>(transport.rank())] =
          test::random_calls(transport, models_board, seed, rounds);
      return 0;
    });
    TofuMachineOptions options = torus(shape.length);
    options.seed = seed;
    TofudMachine m(options);
    m.run_everywhere([&](qmp::Transport& transport, int) {
      const qmp::Node node(transport);
      const auto interface = m.open_interface(transport);
      hardware[static_cast<std::size_t>(transport.rank())] =
          test::random_calls(transport, hardware_board, seed, rounds);
    });
    CHECK(models == hardware);
  }
}

TEST_CASE("TofuD's hardware: a node refuses registers that it does not have") {
  TofuMachineOptions options = torus({2, 1, 1, 1, 1, 1});
  options.messages = false;
  TofudMachine m(options);
  m.run([&](tofu::Transport& t) {
    host::HardwarePort& port = t.port();
    for (const std::uint32_t base : {0x1000U, 0x4000U, 0x8000U})
      CHECK(port.read_register(base) == 0x54544249U);
    for (const std::uint32_t none : {0x3000U, 0x9000U, 0xf000U, 0x2600U, 0x2700U})
      CHECK_THROWS(port.read_register(none));
    for (const std::uint32_t base : {0x2000U, 0x2400U, 0x2500U})
      CHECK(port.read_register(base) == port.read_register(0x2000U));
  });
}
