// SPDX-License-Identifier: Apache-2.0
// Everything that can happen to a cable and its ends, at any moment, also while they train: at the
// end every packet was delivered once and in order.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

class Chaos {
 public:
  explicit Chaos(unsigned trial)
      : random_(seed_of(trial + 1000)), pair_(options()), traffic_(pair_, trial) {
    pair_.bring_up();
    for (int i = 0; i < 2; ++i) {
      // so that limits are reached now and then
      pair_.write(i, reg::ack_timeout, 700 + pick(1000));
      pair_.write(i, reg::retry_limit, pick(6));
      pair_.write(i, reg::retrain_limit, pick(4));
      pair_.write(i, reg::train_timeout, 0x200U << pick(5));
      pair_.write(i, reg::busy_probe, 0x100U << pick(4));
      pair_.end(i).tx_pause = pick(3) == 0 ? 0.2 : 0;
    }
    traffic_.queue({150, 150}, 1 + pick(8));
  }

  void happen() {
    const int i = static_cast<int>(pick(2));
    Cable& cable = pair_.cable(i);
    switch (pick(12)) {
      case 0:
      case 1:
        cable.pulled = true;
        cable.silent = pick(2) == 0;
        break;
      case 2:
      case 3:
      case 4:
        cable.pulled = false;
        break;
      case 5:
        cable.damage = {.flip = 0.01, .error_lane = 0.01, .lose = 0.003, .repeat = 0.003};
        break;
      case 6:
      case 7:
        cable.damage = {};
        break;
      case 8:
        pair_.write(i, reg::control, 3);
        break;
      case 9:
        pair_.write(i, reg::control, 0);
        if (pick(2) == 0) pair_.run(pick(300));
        pair_.write(i, reg::control, 1);
        break;
      case 10:
        pair_.end(i).rx_enabled = static_cast<unsigned>(random_() & 0xffU);
        break;
      default:
        pair_.end(i).rx_eagerness = pick(2) == 0 ? 1.0 : 0.03;
        break;
    }
    // often within one training
    pair_.run(pick(3) == 0 ? pick(1500) : pick(120));
  }

  void mend() {
    for (int i = 0; i < 2; ++i) {
      pair_.cable(i).pulled = false;
      pair_.cable(i).damage = {};
      pair_.end(i).rx_enabled = 0xff;
      pair_.write(i, reg::retry_limit, 16);
      pair_.write(i, reg::retrain_limit, 8);
      pair_.write(i, reg::train_timeout, 0x100000);
    }
    for (int i = 0; i < 2; ++i) pair_.write(i, reg::control, 1);
    pair_.run(20000);  // one end may have run into a limit while the other was enabled
    for (int i = 0; i < 2; ++i) pair_.write(i, reg::control, 1);
    traffic_.settle(200000);
    traffic_.check_counters();
    const auto harmless = reg::error_signal_lost.mask | reg::error_silent.mask |
                          reg::error_train_timeout.mask | reg::error_retrain_limit.mask;
    for (int i = 0; i < 2; ++i) {
      CHECK((pair_.read(i, reg::error) & ~harmless) == 0);
      CHECK(pair_.read(i, reg::count_flushed) == 0);
    }
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  LinkPair::Options options() {
    LinkPair::Options o;
    o.delay = 2 + pick(100);
    o.seed = random_();
    o.phase_ps = {pick(4800), pick(4800), pick(4000), pick(4000)};
    return o;
  }

  std::mt19937_64 random_;
  LinkPair pair_;
  Traffic traffic_;
};

}  // namespace

TEST_CASE("link: anything at any moment", "[endurance]") {
  for (unsigned trial = 0; trial < 60; ++trial) {
    INFO("trial " << trial);
    const RandomPowerOn power(trial);
    Chaos chaos(trial);
    for (int n = 0; n < 60; ++n) chaos.happen();
    chaos.mend();
  }
}
