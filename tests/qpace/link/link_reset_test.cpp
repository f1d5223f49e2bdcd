// SPDX-License-Identifier: Apache-2.0
// One end of a cable is reset by itself, in mid-traffic: its packets arrive once or are reported,
// in order, none appears that nobody sent, and both clocks agree on their buffers afterwards.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

/// How many packets of `sent` are missing in `got`, which holds some of them in their order; -1 if
/// it holds anything else.
int missing(const std::vector<Packet>& sent, const std::vector<Packet>& got) {
  const auto all = by_channel(sent), some = by_channel(got);
  std::size_t count = 0;
  for (std::size_t c = 0; c < all.size(); ++c) {
    auto next = all[c].begin();
    for (const Packet& p : some[c]) {
      next = std::find(next, all[c].end(), p);
      if (next == all[c].end()) return -1;
      ++next;
    }
    count += all[c].size() - some[c].size();
  }
  return static_cast<int>(count);
}

class Reset {
 public:
  Reset(std::uint64_t seed, unsigned ends) : random_(seed), ends_(ends), pair_(options(seed)) {
    pair_.bring_up();
  }

  void run() {
    for (int e = 0; e < 2; ++e) {
      pair_.end(e).tx_pause = below(2) == 0 ? 0 : 0.3;
      pair_.end(e).rx_eagerness = below(2) == 0 ? 1 : 0.01;
    }
    queue(60);
    pair_.run(below(2000));
    std::array<std::uint64_t, 2> length{};
    for (auto& cycles : length) cycles = 1 + below(40);
    for (int e = 0; e < 2; ++e) {
      if ((ends_ >> e & 1U) == 0) continue;
      if (e == 1 && ends_ == 3) pair_.run(below(300));
      pair_.reset_link(e, length.at(static_cast<std::size_t>(e)));
    }
    pair_.run(below(3000));
    for (int e = 0; e < 2; ++e) {
      if ((ends_ >> e & 1U) == 0) continue;
      CHECK((pair_.read(e, reg::error) & reg::error_link_reset.mask) != 0);
      CHECK(pair_.end(e).attention());
      CHECK(reg::status_state.get(pair_.read(e, reg::status)) == reg::status_state_down);
      CHECK(pair_.read(e, reg::control) == 0);
      CHECK(pair_.read(e, reg::node) == 100U + static_cast<unsigned>(e));  // registers stand
      pair_.write(e, reg::control, reg::control_enable.mask);
    }
    settle();
    for (int e = 0; e < 2; ++e) {
      const int lost = missing(sent_.at(static_cast<std::size_t>(e)), pair_.end(1 - e).received);
      INFO("from end " << e << ": " << lost << " lost");
      REQUIRE(lost >= 0);
      CHECK(static_cast<std::uint32_t>(lost) <= pair_.read(e, reg::count_flushed));
      // Whoever gave something up says why.
      const std::uint32_t why = reg::error_link_reset.mask | reg::error_peer_changed.mask;
      if (pair_.read(e, reg::count_flushed) > 0) CHECK((pair_.read(e, reg::error) & why) != 0);
      CHECK((pair_.read(e, reg::error) & ~(why | reg::error_silent.mask)) == 0);
      pair_.end(1 - e).received.clear();
      sent_.at(static_cast<std::size_t>(e)).clear();
    }
    // A new session, whole.
    queue(40);
    settle();
    for (int e = 0; e < 2; ++e) {
      CHECK(missing(sent_.at(static_cast<std::size_t>(e)), pair_.end(1 - e).received) == 0);
      CHECK(pair_.read(e, reg::tx_checksum) == pair_.read(1 - e, reg::rx_checksum));
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  LinkPair::Options options(std::uint64_t seed) {
    LinkPair::Options o;
    o.seed = seed;
    o.delay = static_cast<unsigned>(below(3) * 90);
    o.core_period_ps = below(2) == 0 ? 4800 : 6024;
    for (unsigned& phase : o.phase_ps) phase = static_cast<unsigned>(below(4800));
    return o;
  }
  void queue(unsigned packets) {
    for (int e = 0; e < 2; ++e) {
      for (unsigned n = 0; n < packets; ++n) {
        sent_.at(static_cast<std::size_t>(e)).push_back(random_packet(random_));
        pair_.end(e).to_send.push_back(sent_.at(static_cast<std::size_t>(e)).back());
      }
    }
  }
  void settle() {
    const auto rests = [&](int e) {
      return pair_.end(e).up() && pair_.end(e).to_send.empty() && pair_.end(e).idle() &&
             pair_.end(e).waiting() == 0;
    };
    int calm = 0;
    const bool done = pair_.run_until(
        [&] {
          calm = rests(0) && rests(1) ? calm + 1 : 0;
          return calm > 2000;
        },
        400'000);
    INFO("states " << pair_.end(0).state() << " and " << pair_.end(1).state() << ", to send "
                   << pair_.end(0).to_send.size() << " and " << pair_.end(1).to_send.size());
    REQUIRE(done);
  }

  std::mt19937_64 random_;
  unsigned ends_;
  LinkPair pair_;
  std::array<std::vector<Packet>, 2> sent_;
};

}  // namespace

TEST_CASE("link: an end that is reset by itself loses nothing but what it reports") {
  for (const unsigned ends : {1U, 2U, 3U}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      INFO("ends " << ends << ", seed " << seed);
      const RandomPowerOn power(seed);
      Reset(seed_of(seed), ends).run();
    }
  }
}

TEST_CASE("link: a reset of an end that is not enabled loses nothing at all") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    LinkPair::Options o;
    o.seed = seed;
    o.phase_ps = {0, 700, static_cast<unsigned>(seed) * 600, 1900};
    LinkPair pair(o);
    pair.bring_up();
    Traffic traffic(pair, seed);
    traffic.queue({80, 80});
    pair.run(500 + 137 * seed);
    pair.write(0, reg::control, 0);
    pair.run(60);  // a frame that was begun is finished
    pair.reset_link(0, 5 + seed);
    CHECK(pair.read(0, reg::error) == 0);
    pair.write(0, reg::control, reg::control_enable.mask);
    traffic.settle(100'000);
    traffic.check_counters();
  }
}
