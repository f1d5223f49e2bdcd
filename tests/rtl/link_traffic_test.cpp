// SPDX-License-Identifier: Apache-2.0
// Traffic over two Verilated link ends and a cable: everything arrives once, unaltered, in order.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/rtl/link_pair.hpp"

using namespace ht::test;
namespace reg = ht::qpace::registers::link;

namespace {

/// Queues random packets at both ends, runs until all arrived and all is acknowledged, compares.
void exchange(LinkPair& pair, std::array<unsigned, 2> packets, std::uint64_t seed,
              std::uint64_t limit) {
  std::mt19937_64 random(seed);
  std::array<std::vector<Packet>, 2> sent;
  std::array<std::size_t, 2> before{};
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    before.at(k) = pair.end(1 - i).received.size();
    for (unsigned n = 0; n < packets.at(k); ++n) {
      sent.at(k).push_back(random_packet(random));
      pair.end(i).to_send.push_back(sent.at(k).back());
    }
  }
  const auto done = [&] {
    return pair.end(1).received.size() == before[0] + sent[0].size() &&
           pair.end(0).received.size() == before[1] + sent[1].size() && pair.end(0).idle() &&
           pair.end(1).idle();
  };
  const bool finished = pair.run_until(done, limit);
  INFO("received " << pair.end(1).received.size() << " and " << pair.end(0).received.size()
                   << ", states " << pair.end(0).state() << " and " << pair.end(1).state()
                   << ", cycle " << pair.cycles());
  REQUIRE(finished);
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto& all = pair.end(1 - i).received;
    const std::vector<Packet> got(all.begin() + static_cast<std::ptrdiff_t>(before.at(k)),
                                  all.end());
    REQUIRE(by_channel(got) == by_channel(sent.at(k)));
    CHECK(pair.read(i, reg::tx_checksum) == pair.read(1 - i, reg::rx_checksum));
  }
}

}  // namespace

TEST_CASE("link: both ends come up, packets pass both ways") {
  LinkPair pair({.delay = 10});
  pair.bring_up();
  CHECK(reg::status_state.get(pair.read(0, reg::status)) == reg::status_state_up);
  exchange(pair, {1, 0}, 1, 2000);
  exchange(pair, {50, 50}, 2, 20000);
  CHECK(pair.read(0, reg::count_sent) == 51);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);
  CHECK(pair.read(1, reg::count_accepted) == 51);
}
