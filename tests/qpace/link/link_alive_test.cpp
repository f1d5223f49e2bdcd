// SPDX-License-Identifier: Apache-2.0
// A cable that died is noticed within ALIVE_TIMEOUT, however it died; one that is good stays UP for
// ever, with nothing to carry, and its keep-alives are nobody's answer.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

namespace {

constexpr unsigned kMark = 1024, kTimeout = 5 * kMark;

unsigned state(LinkPair& pair, int end) {
  return reg::status_state.get(pair.read(end, reg::status));
}

bool is_command(const WireWord& w, model::CommandType type) {
  return w.starts(model::kCommand) &&
         ht::model::field(std::array{w.data}, model::wire::command::kType) ==
             static_cast<unsigned>(type);
}

}  // namespace

TEST_CASE("link: a good cable stays UP with nothing to carry, at any length and phase") {
  for (unsigned trial = 0; trial < 6; ++trial) {
    const RandomPowerOn power(trial);
    std::mt19937_64 random(seed_of(trial));
    LinkPair pair({.delay = 5 + 49 * trial, .seed = trial, .first_cycle = random() % 5000});
    INFO("trial " << trial);
    pair.bring_up();
    // Every third keep-alive is lost, or damaged.
    unsigned commands = 0, hit = 0;
    const auto lose = [&](WireWord& w) {
      if (!w.starts(model::kCommand) || ++commands % 3 != 0) return true;
      ++hit;
      if (hit % 2 == 0) w.data ^= 1U << random() % 32;
      return hit % 2 == 0;
    };
    pair.cable(0).filter = pair.cable(1).filter = lose;
    pair.run(100 * kMark);
    CHECK(commands >= 98);  // each end one in 2048 cycles at least
    CHECK(commands <= 202);
    for (int i = 0; i < 2; ++i) {
      CHECK(pair.read(i, reg::count_silent) == 0);
      CHECK(pair.read(i, reg::count_retrain) == 0);
      CHECK(pair.read(i, reg::error) == 0);
    }
    Traffic traffic(pair, trial);
    pair.cable(0).filter = pair.cable(1).filter = nullptr;
    traffic.queue({20, 20});
    traffic.settle(20000);
  }
}

TEST_CASE("link: a dead cable is noticed, whatever it shows", "[endurance]") {
  const auto plain_idle = [](WireWord& w) {
    w = WireWord{};
    return true;
  };
  const auto local_fault = [](WireWord& w) {
    w = {0x0100009C, 1};
    return true;
  };
  const auto stuck_lane = [](WireWord& w) {
    w.data |= 0xFF00U;
    return true;
  };
  const auto noise = [random = std::mt19937_64(1)](WireWord& w) mutable {
    w = {static_cast<std::uint32_t>(random()), static_cast<std::uint8_t>(random() & 15)};
    return true;
  };
  const std::array<std::function<bool(WireWord&)>, 4> deaths{plain_idle, local_fault, stuck_lane,
                                                             noise};
  for (std::size_t death = 0; death < deaths.size(); ++death) {
    for (const unsigned when : {0U, 300U, 700U, 1023U, 2500U}) {
      for (const bool busy : {false, true}) {
        LinkPair pair({.delay = 62, .seed = when + 1, .first_cycle = 777});
        INFO("death " << death << " after " << when << " cycles, busy " << busy);
        pair.bring_up();
        Traffic traffic(pair, 1);
        if (busy) traffic.queue({0, 3000});  // the other way: its acknowledgements are lost
        pair.run(2000 + when);
        // One way only: the other end hears that we train.
        pair.cable(0).filter = deaths.at(death);
        const auto died = pair.cycles();
        REQUIRE(pair.run_until([&] { return (pair.end(1).state() & 3U) != 2; }, 2 * kTimeout));
        CHECK(pair.cycles() - died <= kTimeout + 62 + 4);
        CHECK(pair.read(1, reg::count_silent) == 1);
        CHECK(pair.read(1, reg::count_retrain) == 1);
        CHECK(pair.read(1, reg::error) == reg::error_silent.mask);
        CHECK(pair.end(1).attention());
        REQUIRE(pair.run_until([&] { return (pair.end(0).state() & 3U) == 1; }, 1000));
        // It comes back, and nothing was lost.
        pair.cable(0).filter = nullptr;
        REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
        if (busy) traffic.settle(400000);
      }
    }
  }
}

// Commands that acknowledge nothing new come more often than these timers run out.
TEST_CASE("link: keep-alives hold up neither a timeout nor a probe") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.write(0, reg::ack_timeout, 3000);
  std::mt19937_64 random(1);
  bool lost = false;
  pair.cable(0).filter = [&](WireWord& w) {
    if (lost || !w.starts(model::kStart)) return true;
    lost = true;
    w = WireWord{};
    return true;
  };
  // The packet's header is lost, so that its words are; then what told us of it is lost, too.
  pair.cable(1).filter = [&](WireWord& w) { return !is_command(w, model::CommandType::Nack); };
  pair.end(0).to_send.push_back(random_packet(random));
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 1; }, 5000));
  CHECK(pair.read(0, reg::count_timeout) == 1);
  CHECK(pair.read(0, reg::count_retrain) == 0);

  // held, and the READY is lost
  pair.cable(0).filter = nullptr;
  pair.cable(1).filter = [&](WireWord& w) { return !is_command(w, model::CommandType::Ready); };
  pair.end(1).rx_enabled = 0;
  for (int n = 0; n < 4; ++n) {
    Packet p = random_packet(random);
    p.vc = 2;
    pair.end(0).to_send.push_back(p);
  }
  pair.run(1000);
  pair.end(1).rx_enabled = 0xff;
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 5; }, 20000));
  CHECK(pair.read(0, reg::count_retrain) == 0);
  CHECK(pair.read(0, reg::count_replayed) >= 1);
  CHECK(state(pair, 0) == 2);
}

TEST_CASE("link: a keep-alive in the cycle of a timeout does not take its place") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.write(0, reg::ack_timeout, 600);
  std::mt19937_64 random(1);
  bool lost = false;
  pair.cable(0).filter = [&](WireWord& w) {
    if (!lost && w.starts(model::kStart)) {
      lost = true;
      w = WireWord{};
    }
    return true;
  };
  // What tells of the loss is lost, too, and every word in which nothing is said acknowledges
  // nothing: one of them comes as the timer expires.
  const auto nothing = model::Command{model::CommandType::Ack, 0}.word();
  pair.cable(1).filter = [&](WireWord& w) {
    if (w.idle() || is_command(w, model::CommandType::Nack)) w = {nothing.data, nothing.control};
    return true;
  };
  pair.end(0).to_send.push_back(random_packet(random));
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 1; }, 1200));
  CHECK(pair.read(0, reg::count_timeout) == 1);
}
