// SPDX-License-Identifier: Apache-2.0
// Bandwidth, in exact cycles.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

namespace {

/// Link cycles between the arrival of packet `first` and of packet `last` at an end.
class Arrivals {
 public:
  explicit Arrivals(LinkPair& pair) : pair_(pair) {}
  void look() {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto n = pair_.end(static_cast<int>(i)).observed.accept;
      while (cycle_.at(i).size() < n) cycle_.at(i).push_back(pair_.cycles());
    }
  }
  double gigabytes_per_second(std::size_t end, std::size_t first, std::size_t last) const {
    const auto cycles = static_cast<double>(cycle_.at(end).at(last) - cycle_.at(end).at(first));
    return 128.0 * static_cast<double>(last - first) / (cycles * 4.0);
  }

 private:
  LinkPair& pair_;
  std::array<std::vector<std::uint64_t>, 2> cycle_;
};

}  // namespace

TEST_CASE("link: payload bandwidth") {
  for (const unsigned delay : {1U, 62U, 90U}) {
    LinkPair pair({.delay = delay});
    INFO("cable of " << delay << " cycles");
    pair.bring_up();
    Arrivals arrivals(pair);
    pair.every = [&] { arrivals.look(); };

    SECTION("one way: 32 of 34 words, 0.941 GB/s") {
      Traffic traffic(pair, 1);
      traffic.queue({400, 0});
      traffic.settle(20000);
      CHECK(arrivals.gigabytes_per_second(1, 20, 380) == Approx(128.0 / 136.0).epsilon(1e-9));
    }
    SECTION("both ways: at most one command in three packets, 0.93 GB/s at least") {
      Traffic traffic(pair, 2);
      traffic.queue({600, 600});
      traffic.settle(40000);
      for (const std::size_t end : {0U, 1U}) {
        const double rate = arrivals.gigabytes_per_second(end, 20, 560);
        INFO("towards end " << end);
        CHECK(rate >= 0.93);
        CHECK(rate < 0.9412);
      }
      CHECK(pair.read(0, reg::count_retransmitted) == 0);
    }
  }
}
