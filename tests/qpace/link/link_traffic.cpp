// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/link/link_traffic.hpp"

#include <catch2/catch.hpp>

namespace ht::test {

void Traffic::queue(std::array<unsigned, 2> packets, unsigned channels) {
  for (std::size_t i = 0; i < 2; ++i) {
    for (unsigned n = 0; n < packets.at(i); ++n) {
      sent_.at(i).push_back(random_packet(random_, channels));
      pair_.end(static_cast<int>(i)).to_send.push_back(sent_.at(i).back());
    }
  }
}

bool Traffic::finished() const {
  return pair_.end(1).received.size() >= sent_[0].size() &&
         pair_.end(0).received.size() >= sent_[1].size() && pair_.end(0).idle() &&
         pair_.end(1).idle();
}

void Traffic::settle(std::uint64_t limit) {
  const bool done = pair_.run_until([&] { return finished(); }, limit);
  INFO("received " << pair_.end(1).received.size() << " of " << sent_[0].size() << " and "
                   << pair_.end(0).received.size() << " of " << sent_[1].size() << ", states "
                   << pair_.end(0).state() << " and " << pair_.end(1).state() << ", cycle "
                   << pair_.cycles());
  REQUIRE(done);
  pair_.run(400);  // whatever should not come would come now
  for (int i = 0; i < 2; ++i) {
    const auto& sent = sent_.at(static_cast<std::size_t>(i));
    const auto& got = pair_.end(1 - i).received;
    REQUIRE(got.size() == sent.size());
    REQUIRE(by_channel(got) == by_channel(sent));
    CHECK(pair_.read(i, reg::tx_checksum) == pair_.read(1 - i, reg::rx_checksum));
  }
}

void Traffic::check_counters() {
  for (int i = 0; i < 2; ++i) {
    const auto sent = sent_.at(static_cast<std::size_t>(i)).size();
    const auto tx = [&](LinkPair::Register r) { return pair_.read(i, r); };
    const auto rx = [&](LinkPair::Register r) { return pair_.read(1 - i, r); };
    INFO("from end " << i);
    CHECK(tx(reg::count_sent) == sent);
    CHECK(tx(reg::count_acknowledged) == sent);
    CHECK(rx(reg::count_accepted) == sent);
    CHECK(tx(reg::count_flushed) == 0);
    // the last bits of a damaged packet may be in CRC or framing errors, or lost with the line down
    const auto arrived = rx(reg::count_accepted) + rx(reg::count_duplicate) + rx(reg::count_gap) +
                         rx(reg::count_refused);
    CHECK(arrived <= sent + tx(reg::count_retransmitted) + tx(reg::count_replayed));
    const auto doubled = pair_.cable(1 - i).doubled;  // perhaps a command
    CHECK(rx(reg::count_nack_sent) + doubled >= tx(reg::count_nack_received));
    CHECK(rx(reg::count_busy_sent) + doubled >= tx(reg::count_busy_received));
    CHECK(pair_.end(i).observed.retransmit == tx(reg::count_retransmitted));
    CHECK(pair_.end(i).observed.replay == tx(reg::count_replayed));
    CHECK(pair_.end(1 - i).observed.accept == rx(reg::count_accepted));
    const std::uint32_t status = tx(reg::status);
    CHECK(reg::status_outstanding.get(status) == 0);
    CHECK(reg::status_tx_sequence.get(status) == reg::status_rx_expected.get(rx(reg::status)));
  }
}

}  // namespace ht::test
