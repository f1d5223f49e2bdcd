// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/sw/gate_programs.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sw/host/fibre.hpp"
#include "sw/tofu/utofu/utofu_pattern.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::test {

using tofu::BarrierInterface;
using tofu::BarrierPattern;

void Meeting::join(host::HardwarePort& port) {
  const int round = round_;
  if (++here_ == size_) {
    here_ = 0;
    ++round_;
  }
  while (round_ == round) port.advance(1'000'000);
}

void run_utofu(GateMachine& machine, const std::function<void(int, Meeting&)>& program,
               tofu::BarrierOptions options) {
  Meeting meeting(machine.size());
  machine.run([&](int rank, host::HardwarePort& port) {
    BarrierInterface interface(port, "node " + std::to_string(rank), options);
    tofu::UtofuNode node(interface, machine.shape().place(rank), machine.shape());
    program(rank, meeting);
  });
}

void lay(const BarrierPattern& pattern, int rank, Ids& ids, Meeting& meeting) {
  auto& port = tofu::UtofuNode::current()->port();
  auto& mine = ids[static_cast<std::size_t>(rank)];
  mine.resize(pattern.gates(rank).size());
  REQUIRE(utofu_alloc_vbg(0, mine.size(), 0, mine.data()) == UTOFU_SUCCESS);
  meeting.join(port);
  auto wires = tofu::settings(pattern, rank, ids);
  REQUIRE(utofu_set_vbg(wires.data(), wires.size()) == UTOFU_SUCCESS);
  meeting.join(port);
}

int barrier(utofu_vbg_id_t id) {
  int rc = utofu_barrier(id, 0);
  if (rc != UTOFU_SUCCESS) return rc;
  while ((rc = utofu_poll_barrier(id, 0)) == UTOFU_ERR_NOT_COMPLETED) {
  }
  return rc;
}

int reduce(utofu_vbg_id_t id, utofu_reduce_op op, std::uint64_t& word) {
  int rc = utofu_reduce_uint64(id, op, &word, 1, 0);
  if (rc != UTOFU_SUCCESS) return rc;
  while ((rc = utofu_poll_reduce_uint64(id, 0, &word)) == UTOFU_ERR_NOT_COMPLETED) {
  }
  return rc;
}

int reduce(utofu_vbg_id_t id, double& x) {
  int rc = utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, &x, 1, 0);
  if (rc != UTOFU_SUCCESS) return rc;
  while ((rc = utofu_poll_reduce_double(id, 0, &x)) == UTOFU_ERR_NOT_COMPLETED) {
  }
  return rc;
}

std::vector<double> awkward_numbers(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x;
  for (int i = 0; i < count; ++i) {
    const double m = static_cast<double>(random() >> 11) * 0x1p-53 + 0.5;
    const int e = static_cast<int>(random() % 200) - 100;
    x.push_back(std::ldexp(random() % 2 != 0 ? m : -m, e));
    if (i % 3 == 2) x.back() = -x[static_cast<std::size_t>(i) - 1];  // cancels
  }
  return x;
}

void check_pattern(GateMachine& machine, tofu::Algorithm algorithm, unsigned seed,
                   tofu::BarrierOptions options) {
  const int n = machine.size();
  const BarrierPattern pattern(algorithm, n);
  constexpr int rounds = 4;
  Ids ids(static_cast<std::size_t>(n));
  std::vector<int> entered(rounds, 0);
  std::vector<std::vector<double>> numbers;
  for (unsigned r = 0; r < rounds; ++r) numbers.push_back(awkward_numbers(n, seed * 100 + r));

  run_utofu(
      machine,
      [&](int rank, Meeting& meeting) {
        lay(pattern, rank, ids, meeting);
        const utofu_vbg_id_t id = ids[static_cast<std::size_t>(rank)][0];
        const auto u = [](int i) { return static_cast<std::uint64_t>(i); };
        for (std::size_t r = 0; r < rounds; ++r) {
          ++entered[r];
          CHECK(barrier(id) == UTOFU_SUCCESS);
          CHECK(entered[r] == n);  // nobody leaves before all have come

          std::uint64_t expected_xor = 0, expected_sum = 0;
          for (int i = 0; i < n; ++i) {
            expected_xor ^= (u(i) + 1) * 0x9e37'79b9'7f4a'7c15U;
            expected_sum += ~u(i) << 60 | u(i);
          }
          std::uint64_t word = (u(rank) + 1) * 0x9e37'79b9'7f4a'7c15U;
          CHECK(reduce(id, UTOFU_REDUCE_OP_BXOR, word) == UTOFU_SUCCESS);
          CHECK(word == expected_xor);
          word = ~u(rank) << 60 | u(rank);
          CHECK(reduce(id, UTOFU_REDUCE_OP_SUM, word) == UTOFU_SUCCESS);
          CHECK(word == expected_sum);
          word = u(1) << 63 | u(rank);  // unsigned
          CHECK(reduce(id, UTOFU_REDUCE_OP_MAX, word) == UTOFU_SUCCESS);
          CHECK(word == (u(1) << 63 | u(n - 1)));
          word = ~(u(1) << (rank % 64));
          CHECK(reduce(id, UTOFU_REDUCE_OP_BAND, word) == UTOFU_SUCCESS);
          CHECK(word == (n >= 64 ? 0 : ~u(0) << n));
          word = u(1) << (rank % 64);
          CHECK(reduce(id, UTOFU_REDUCE_OP_BOR, word) == UTOFU_SUCCESS);
          CHECK(word == (n >= 64 ? ~u(0) : (u(1) << n) - 1));

          model::OrderIndependentSum exact;
          exact.add(numbers[r]);
          double x = numbers[r][static_cast<std::size_t>(rank)];
          CHECK(reduce(id, x) == UTOFU_SUCCESS);
          CHECK(std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(exact.round()));
        }
        auto& mine = ids[static_cast<std::size_t>(rank)];
        CHECK(utofu_free_vbg(mine.data(), mine.size()) == UTOFU_SUCCESS);
      },
      options);
}

}  // namespace ht::test
