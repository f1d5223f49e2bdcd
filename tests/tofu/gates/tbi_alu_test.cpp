// SPDX-License-Identifier: Apache-2.0
// The gates' arithmetic against the model, every bit, a pair of data every cycle.
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "tests/model/sum_classes.hpp"
#include "tests/tofu/gates/tbi_top.hpp"
#include "verif/model/common/order_independent_sum.hpp"
#include "verif/model/tofu/gates.hpp"

using ht::model::GateData;
using ht::model::GateOperation;
using Random = std::mt19937_64;

namespace {

using ht::test::tbi_states;
constexpr std::size_t kWords = ht::test::tbi_words;

template <class Wide>
void put(Wide& to, const GateData& data) {
  for (std::size_t i = 0; i < 10 * tbi_states; ++i)
    to[i] = static_cast<std::uint32_t>(data[i / 2] >> (32 * (i % 2)));
}

template <class Wide>
GateData get(const Wide& from, std::size_t states = 1) {
  GateData data{};
  for (std::size_t i = 0; i < 10 * states; ++i)
    data[i / 2] |= static_cast<std::uint64_t>(from[i]) << (32 * (i % 2));
  return data;
}

class Arithmetic {
 public:
  Arithmetic() : context_(std::make_unique<VerilatedContext>()), dut_(context_.get()) {}
  ~Arithmetic() { Verilated::threadContextp(dut_.contextp()); }

  GateData state(double x) {
    dut_.double_in = std::bit_cast<std::uint64_t>(x);
    dut_.clk = 0;
    dut_.eval();
    return get(dut_.double_state);
  }
  GateData combine(unsigned operation, const GateData* a, const GateData* b) {
    dut_.alu_operation = static_cast<std::uint8_t>(operation);
    dut_.alu_use_a = a != nullptr;
    dut_.alu_use_b = b != nullptr;
    if (a != nullptr) put(dut_.alu_a, *a);
    if (b != nullptr) put(dut_.alu_b, *b);
    dut_.clk = 0;
    dut_.eval();
    dut_.clk = 1;
    dut_.eval();
    return get(dut_.alu_result, tbi_states);
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  ht::test::TbiTop dut_;
};

/// A state that some sum could have: any groups in order, any sums, any flags.
GateData any_state(Random& r) {
  const auto lane = [&](unsigned group, unsigned flags) {
    // Long carries and both signs are as likely as noise.
    const auto word = [&] { return r() % 3 == 0 ? 0 - (r() & 1) : r(); };
    return std::array<std::uint64_t, 3>{
        word(), word(),
        (word() & 0xffffffU) | std::uint64_t{group} << 24 | std::uint64_t{flags} << 29};
  };
  const auto spread = static_cast<unsigned>(1 + r() % 31);
  unsigned high = static_cast<unsigned>(r() % (spread + 1)), low = 0;
  if (high > 0) low = static_cast<unsigned>(r() % high);
  const auto first = lane(high, r() % 4 == 0 ? static_cast<unsigned>(r() % 8) : 0);
  auto second = lane(low, 0);
  if (high == 0) second = {};
  return {first[0], first[1], first[2] | second[0] << 32, second[0] >> 32 | second[1] << 32,
          second[1] >> 32 | second[2] << 32};
}

/// And of every state of an operation.
GateData any_states(Random& r) {
  GateData data{};
  for (std::size_t n = 0; n < tbi_states; ++n) {
    const GateData one = any_state(r);
    std::copy_n(one.begin(), 5, data.begin() + static_cast<std::ptrdiff_t>(5 * n));
  }
  return data;
}

}  // namespace

TEST_CASE("tbi arithmetic: states of doubles are the model's") {
  Arithmetic unit;
  Random r(3);
  const auto classes = ht::test::sum_classes();
  for (int i = 0; i < 300'000; ++i) {
    const double x = i % 10 == 9 ? std::bit_cast<double>(r())
                                 : classes[static_cast<std::size_t>(i) % 10].draw(r);
    REQUIRE(unit.state(x) == ht::model::state_of(x));
  }
}

TEST_CASE("tbi arithmetic: merges of any states are the model's, a million") {
  Arithmetic unit;
  Random r(4);
  for (std::size_t i = 0; i < 500'000 / tbi_states; ++i) {
    const GateData a = any_states(r), b = any_states(r);
    REQUIRE(ht::model::is_state(a, tbi_states));
    REQUIRE(unit.combine(6, &a, &b) == ht::model::combine(GateOperation::Fsum, a, b, tbi_states));
  }
  // Sums that grow: each state merged with that of one more double, of all classes.
  for (const auto& c : ht::test::sum_classes()) {
    INFO(c.name);
    GateData sum{};
    ht::model::OrderIndependentSum expected;
    for (int i = 0; i < 60'000; ++i) {
      if (i % 1000 == 0) {
        sum = {};
        expected = {};
      }
      const double x = c.draw(r);
      expected.add(x);
      const GateData one = unit.state(x);
      sum = i % 2 == 0 ? unit.combine(6, &sum, &one) : unit.combine(6, &one, &sum);
      const auto bytes = expected.to_bytes();
      REQUIRE(std::memcmp(bytes.data(), sum.data(), bytes.size()) == 0);
    }
  }
}

TEST_CASE("tbi arithmetic: integers, and one input alone") {
  Arithmetic unit;
  Random r(5);
  for (int i = 0; i < 60'000; ++i) {
    const unsigned operation = static_cast<unsigned>(i) % 8;
    GateData a{}, b{};
    for (std::size_t w = 0; w < 5 * tbi_states; ++w) {
      a[w] = r() >> (r() % 64);
      b[w] = r() % 4 == 0 ? a[w] : r() >> (r() % 64);
    }
    if (operation >= 1 && operation <= 5) {
      GateData all{};
      for (std::size_t w = 0; w < kWords; ++w) {
        const std::uint64_t x = a[w], y = b[w];
        const std::uint64_t expected[] = {0, x & y, x | y, x ^ y, x > y ? x : y, x + y};
        all[w] = expected[operation];
      }
      REQUIRE(unit.combine(operation, &a, &b) == all);
    }
    REQUIRE(unit.combine(operation, &a, nullptr) == a);
    REQUIRE(unit.combine(operation, nullptr, &b) == b);
    REQUIRE(unit.combine(operation, nullptr, nullptr) == GateData{});
  }
}

#ifdef HT_TBI_WIDE
TEST_CASE("tbi arithmetic: MAXLOC, values and places that are often equal") {
  Arithmetic unit;
  Random r(6);
  for (int i = 0; i < 60'000; ++i) {
    GateData a{}, b{};
    for (std::size_t w = 0; w < kWords; ++w) {
      a[w] = r() % 2 == 0 ? r() % 3 : r();
      b[w] = r() % 2 == 0 ? a[w] : r() % 3;
    }
    GateData expected{};
    for (std::size_t w = 0; w < kWords; w += 2) {
      const bool first = a[w] != b[w] ? a[w] > b[w] : a[w + 1] < b[w + 1];
      expected[w] = first ? a[w] : b[w];
      expected[w + 1] = first ? a[w + 1] : b[w + 1];
    }
    REQUIRE(unit.combine(8, &a, &b) == expected);
  }
}
#endif
