// SPDX-License-Identifier: Apache-2.0
// The boot program over Verilated units.
#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/boot.hpp"
#include "sw/qcdoc/global_sum.hpp"
#include "tests/qcdoc/sw/driver_support.hpp"

using namespace ht;
using namespace ht::test;

namespace {

std::vector<qcdoc::Boot> boot(ScuTorus& torus, const std::vector<int>& origins) {
  std::vector<qcdoc::Boot> found(static_cast<std::size_t>(torus.size()));
  torus.run([&](int node, ScuPort& port) {
    // Switched on one after the other.
    port.advance(node * 1'234'000 % 7'000'000);
    qcdoc::Scu scu(port, "node " + std::to_string(node));
    const auto number = 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(node + 1);
    const bool origin = std::find(origins.begin(), origins.end(), node) != origins.end();
    found[static_cast<std::size_t>(node)] = qcdoc::boot(scu, number, origin);
  });
  return found;
}

template <typename Error>
std::string refusal(ScuTorus& torus, const std::vector<int>& origins) {
  try {
    boot(torus, origins);
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("nodes find out the size of their machine and where they stand") {
  struct Case {
    std::vector<int> shape;
    int origin;
  };
  for (const auto& [shape, origin] : {Case{{1}, 0}, Case{{2}, 1}, Case{{5}, 3}, Case{{2, 3}, 0},
                                      Case{{2, 1, 2, 1, 1, 2}, 6}, Case{{1, 1, 3}, 2}}) {
    CAPTURE(shape, origin);
    ScuTorus torus(shape);
    const auto found = boot(torus, {origin});
    for (int node = 0; node < torus.size(); ++node) {
      const qcdoc::Boot& b = found[static_cast<std::size_t>(node)];
      int stride = 1, rank = 0, size = 1;
      for (std::size_t i = 0; i < 6; ++i) {
        const int length = i < shape.size() ? shape[i] : 1;
        const int x = node / stride % length - origin / stride % length;
        CHECK(b.shape[i] == length);
        CHECK(b.coordinates[i] == (x + length) % length);
        rank += (x + length) % length * size;
        stride *= length;
        size *= length;
      }
      CHECK(b.node == rank);
    }
  }
}

TEST_CASE("a machine that booted runs a program at once") {
  ScuTorus torus({2, 2});
  std::vector<double> sums(4);
  torus.run([&](int node, ScuPort& port) {
    port.advance(node * 1'234'000);
    // It stands elsewhere, as far as it knows.
    qcdoc::Driver driver(port, qcdoc::place_on({1}, 0));
    const qcdoc::Boot b = qcdoc::boot(driver.scu(), 100 + static_cast<unsigned>(node), node == 2);
    driver.move(b.place({4}));
    driver.bring_up();
    qcdoc::GlobalSum sum(driver);
    sums[static_cast<std::size_t>(node)] = sum(1 << node);
  });
  CHECK(sums == std::vector<double>(4, 15.0));
}

TEST_CASE("machines without an origin, with two, with half an axis") {
  ScuTorus none({2, 2}), two({3, 2}), half({2, 2});
  CHECK_THAT(refusal<ProtocolError>(none, {}), Catch::Contains("no node said"));
  CHECK_THAT(refusal<ProtocolError>(two, {0, 4}), Catch::Contains("two nodes say"));
  half.damage = [](std::int64_t, int node, int link, bool bit) {
    return (node == 0 && link == 3) || (node == 2 && link == 2) ? false : bit;
  };
  CHECK_THAT(refusal<ProtocolError>(half, {0}), Catch::Contains("an axis has cables both ways"));
}

TEST_CASE("partition interrupts that a node does not pass on") {
  ScuTorus torus({3});
  // Node 1's global clock stands still.
  torus.stopped_clock = 1;
  CHECK_THAT(refusal<HardwareError>(torus, {0}), Catch::Contains("partition interrupt"));
}
