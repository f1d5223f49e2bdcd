// SPDX-License-Identifier: Apache-2.0
// How a link comes up, goes down, resumes, and what it says about it.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

namespace {

unsigned state(LinkPair& pair, int end) {
  return reg::status_state.get(pair.read(end, reg::status));
}

bool both_up(LinkPair& pair) {
  return pair.end(0).up() && pair.end(1).up();
}

/// Rewrites hellos on their way: collects the four words, lets `edit` change them, sends them on.
class HelloEditor {
 public:
  explicit HelloEditor(std::function<void(model::Hello&)> edit) : edit_(std::move(edit)) {}
  bool operator()(WireWord& w) {
    held_.push_back(w);
    if (held_.size() < 8) {
      w = WireWord{};
      return true;
    }
    if (held_[0].starts(model::kHello)) {
      std::array<ht::model::Word, 4> words;
      for (std::size_t i = 0; i < 4; ++i) words.at(i) = {held_[i].data, held_[i].control};
      auto hello = model::Hello::parse(words);
      REQUIRE(hello);
      edit_(*hello);
      words = hello->words();
      for (std::size_t i = 0; i < 4; ++i) held_[i] = {words.at(i).data, words.at(i).control};
    }
    w = held_.front();
    held_.pop_front();
    return true;
  }

 private:
  std::function<void(model::Hello&)> edit_;
  std::deque<WireWord> held_;
};

}  // namespace

TEST_CASE("link: a dead line is reported, with its cause") {
  LinkPair pair({.delay = 20});
  pair.bring_up();
  pair.write(0, reg::ack_timeout, 300);
  pair.write(0, reg::retry_limit, 4);
  pair.write(0, reg::train_timeout, 0x1400);
  Traffic traffic(pair, 1);
  traffic.queue({5, 0});

  SECTION("nothing arrives any more: retries, training, down") {
    pair.cable(0).pulled = pair.cable(0).silent = true;
    pair.run(4 * 300);
    CHECK(pair.read(0, reg::count_timeout) > 2);
    CHECK(state(pair, 0) == reg::status_state_up);
    pair.run(3 * 300);
    CHECK(state(pair, 0) == reg::status_state_train);
    CHECK(pair.read(0, reg::count_retrain) == 1);
    CHECK(pair.read(0, reg::count_timeout) == 5);
    pair.run(6000);
    CHECK(state(pair, 0) == reg::status_state_down);
    CHECK(pair.read(0, reg::error) == reg::error_train_timeout.mask);
    CHECK(pair.end(0).attention());
    CHECK_FALSE(pair.end(0).up());
    CHECK(pair.read(0, reg::control) == 0);

    // mended, enabled again: nothing was lost
    pair.cable(0).pulled = false;
    pair.write(0, reg::error, reg::error_train_timeout.mask);
    CHECK(pair.read(0, reg::error) == 0);
    pair.write(0, reg::control, 1);
    traffic.settle(20000);
    traffic.check_counters();
  }

  SECTION("hellos pass, packets do not: retrained so often, then down") {
    pair.write(0, reg::retrain_limit, 3);
    bool in_packet = false;
    unsigned words = 0;
    pair.cable(0).filter = [&](WireWord& w) {
      if (w.starts(model::kStart)) {
        in_packet = true;
        words = 0;
      }
      if (!in_packet) return true;
      if (++words == model::kPacketWords) in_packet = false;
      return false;
    };
    REQUIRE(
        pair.run_until([&] { return pair.end(0).state() % 4 == reg::status_state_down; }, 100000));
    pair.run(10);
    CHECK(pair.read(0, reg::error) == reg::error_retrain_limit.mask);
    CHECK(pair.read(0, reg::count_retrain) == 3);
    CHECK(pair.end(0).attention());
    pair.cable(0).filter = nullptr;
    pair.write(0, reg::control, 1);
    traffic.settle(20000);
  }

  SECTION("a probe that nobody answers is a dead line too") {
    pair.end(1).rx_enabled = 0;
    pair.write(0, reg::busy_probe, 256);
    traffic.queue({20, 0}, 1);
    pair.run(5000);
    CHECK(reg::status_held.get(pair.read(0, reg::status)) == 1);
    CHECK(pair.read(0, reg::count_retrain) == 0);
    pair.cable(0).pulled = pair.cable(0).silent = true;
    pair.run(2000);
    CHECK(pair.read(0, reg::count_retrain) == 1);
    pair.cable(0).pulled = false;
    pair.end(1).rx_enabled = 0xff;
    traffic.settle(40000);
  }
}

TEST_CASE("link: a cable pulled in mid-traffic and put back", "[endurance]") {
  for (unsigned trial = 0; trial < 40; ++trial) {
    std::mt19937_64 random(trial);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    LinkPair::Options options;
    options.delay = 5 + pick(80);
    options.seed = trial;
    options.phase_ps = {pick(4800), pick(4800), pick(4000), pick(4000)};
    LinkPair pair(options);
    INFO("trial " << trial);
    pair.bring_up();
    if (trial % 4 == 3) pair.end(1).rx_eagerness = 0.03;
    Traffic traffic(pair, trial);
    traffic.queue({120, 120});
    for (int pull = 0; pull < 3; ++pull) {
      pair.run(300 + pick(700));
      const unsigned which = 1 + pick(3);
      const bool silent = pick(2) == 0;
      for (int i = 0; i < 2; ++i) {
        pair.cable(i).silent = silent;
        pair.cable(i).pulled = (which >> i & 1U) != 0;
      }
      pair.run(50 + pick(trial % 2 == 0 ? 40000 : 500));
      pair.cable(0).pulled = pair.cable(1).pulled = false;
    }
    traffic.settle(400000);
    traffic.check_counters();
    CHECK((pair.read(0, reg::error) & ~(reg::error_signal_lost.mask | reg::error_silent.mask)) ==
          0);
    CHECK(pair.read(0, reg::count_flushed) == 0);
  }
}

TEST_CASE("link: loss of signal is seen and named") {
  LinkPair pair({.delay = 10});
  pair.bring_up();
  pair.cable(0).pulled = true;
  pair.run(50);
  CHECK(state(pair, 1) == reg::status_state_up);
  pair.run(40);
  CHECK(pair.read(1, reg::error) == reg::error_signal_lost.mask);
  pair.cable(0).pulled = false;
  REQUIRE(pair.run_until([&] { return both_up(pair); }, 1000));
  CHECK(pair.read(1, reg::count_retrain) == 1);
  CHECK(pair.read(0, reg::count_retrain) == 1);  // the peer's new training made it train as well
}

TEST_CASE("link: 64 words in a row that cannot be decoded are a lost signal, 63 are not") {
  for (const unsigned words : {63U, 64U}) {
    INFO(words << " words");
    LinkPair pair({.delay = 10});
    pair.bring_up();
    pair.run(200);
    unsigned left = words;
    pair.cable(0).filter = [&](WireWord& w) {
      if (left == 0) return true;
      --left;
      w = WireWord{0xfefefefeU, 0xf};
      return true;
    };
    pair.run(200);
    CHECK(pair.read(1, reg::count_code_error) == words);
    CHECK(pair.read(1, reg::error) == (words == 64 ? reg::error_signal_lost.mask : 0U));
    CHECK(pair.read(1, reg::count_retrain) == (words == 64 ? 1U : 0U));
  }
}

TEST_CASE("link: training asked for, in mid-traffic") {
  LinkPair pair({.delay = 33});
  pair.bring_up();
  Traffic traffic(pair, 8);
  traffic.queue({200, 200});
  for (int n = 0; n < 10; ++n) {
    pair.run(500);
    pair.write(n % 2, reg::control, 3);
  }
  traffic.settle(100000);
  traffic.check_counters();
  CHECK(pair.read(0, reg::count_retrain) >= 5);
  CHECK(pair.read(0, reg::error) == 0);
}

TEST_CASE("link: training numbers tell old hellos from new ones") {
  LinkPair pair({.delay = 33});
  pair.bring_up();

  SECTION("an echo of another training does not bring a link up") {
    pair.cable(1).filter = HelloEditor(
        [](model::Hello& h) { h.echo_train_id = static_cast<std::uint8_t>(h.echo_train_id ^ 1U); });
    pair.write(0, reg::control, 3);
    pair.run(2000);
    CHECK_FALSE(pair.end(0).up());
    CHECK(reg::status_heard.get(pair.read(0, reg::status)) == 1);
  }
  SECTION("a new training is seen even if its first hello is not") {
    // the first one says that nobody was heard yet
    pair.cable(0).filter = HelloEditor([](model::Hello& h) { h.heard = true; });
    pair.write(0, reg::control, 3);
    REQUIRE(pair.run_until([&] { return !pair.end(1).up(); }, 200));
  }
  pair.cable(0).filter = pair.cable(1).filter = nullptr;
  REQUIRE(pair.run_until([&] { return both_up(pair); }, 1000));
  Traffic traffic(pair, 20);
  traffic.queue({10, 10});
  traffic.settle(5000);
  traffic.check_counters();
}

TEST_CASE("link: disabled and enabled again, nothing is lost") {
  LinkPair pair({.delay = 33});
  pair.bring_up();
  Traffic traffic(pair, 9);
  traffic.queue({100, 100});
  pair.run(700);
  pair.write(0, reg::control, 0);
  pair.run(3000);
  CHECK(state(pair, 0) == reg::status_state_down);
  pair.identify(0, 100, 1);  // as they are: still the same session
  pair.write(0, reg::control, 1);
  traffic.settle(100000);
  traffic.check_counters();
  CHECK(pair.read(0, reg::count_retrain) == 0);
  CHECK(pair.read(1, reg::count_retrain) == 1);
}

TEST_CASE("link: a lossy line still trains") {
  for (unsigned trial = 0; trial < 20; ++trial) {
    LinkPair pair({.delay = 15 + trial, .seed = trial});
    for (int i = 0; i < 2; ++i) {
      pair.cable(i).damage = {.flip = 0.05, .error_lane = 0.05, .lose = 0.01, .repeat = 0.01};
      pair.identify(i, 7, 1);
      pair.write(i, reg::control, 1);
    }
    REQUIRE(pair.run_until([&] { return both_up(pair); }, 20000));
    Traffic traffic(pair, trial);
    traffic.queue({5, 5});
    pair.cable(0).damage = pair.cable(1).damage = {.flip = 0.005};
    traffic.settle(500000);
  }
}

TEST_CASE("link: another epoch is another peer: flush and report") {
  LinkPair pair({.delay = 20});
  pair.bring_up(1);
  Traffic before(pair, 10);
  before.queue({20, 20});
  before.settle(5000);

  // a's packets cannot be acknowledged, and b starts a new session
  pair.cable(1).pulled = pair.cable(1).silent = true;
  std::mt19937_64 random(11);
  for (int n = 0; n < 6; ++n) pair.end(0).to_send.push_back(random_packet(random));
  pair.run(400);
  CHECK(pair.end(1).received.size() == 26);  // accepted, but a does not know
  pair.write(1, reg::control, 0);
  pair.identify(1, 101, 2);
  pair.cable(1).pulled = false;
  pair.write(1, reg::control, 1);
  REQUIRE(pair.run_until([&] { return both_up(pair); }, 20000));
  CHECK(pair.read(0, reg::error) == reg::error_peer_changed.mask);
  CHECK(pair.read(0, reg::count_flushed) == 6);
  CHECK(pair.read(0, reg::peer_epoch) == 2);
  CHECK(pair.read(1, reg::error) == 0);
  CHECK(reg::status_tx_sequence.get(pair.read(0, reg::status)) == 0);
  CHECK(reg::status_rx_expected.get(pair.read(0, reg::status)) == 0);
  for (int i = 0; i < 2; ++i) {
    CHECK(pair.read(i, reg::tx_checksum) == 0);
    CHECK(pair.read(i, reg::rx_checksum) == 0);
    pair.end(i).received.clear();
  }
  Traffic after(pair, 12);
  after.queue({30, 30});
  after.settle(10000);
}

TEST_CASE("link: another node, port or epoch is another peer") {
  enum class What { Node, Port, Epoch };
  for (const What what : {What::Node, What::Port, What::Epoch}) {
    INFO("node, port, epoch: " << static_cast<int>(what));
    LinkPair pair({.delay = 20});
    pair.bring_up();
    Traffic before(pair, 13);
    before.queue({3, 3});
    before.settle(5000);
    const auto epoch = pair.read(0, reg::peer_epoch);
    // from one training to the next, somebody else at either end
    for (int i = 0; i < 2; ++i) {
      pair.cable(i).filter = HelloEditor([&](model::Hello& h) {
        if (what == What::Node) h.node = 77;
        if (what == What::Port) h.port = 5;
        if (what == What::Epoch) h.epoch = 1234;
      });
    }
    pair.write(0, reg::control, 3);
    REQUIRE(pair.run_until([&] { return !pair.end(0).up(); }, 100));
    REQUIRE(pair.run_until([&] { return both_up(pair); }, 5000));
    CHECK(pair.read(0, reg::error) == reg::error_peer_changed.mask);
    CHECK(pair.read(1, reg::error) == reg::error_peer_changed.mask);
    const std::uint32_t node = what == What::Node ? 77 : 101, port = what == What::Port ? 5 : 1;
    CHECK(pair.read(0, reg::peer) == (port << 16 | node));
    CHECK(pair.read(0, reg::peer_epoch) == (what == What::Epoch ? 1234 : epoch));
  }
}

TEST_CASE("link: a peer that was reset without a new epoch is not resumed silently") {
  // 64 packets bring the sequence numbers back to where a reset puts them
  for (const unsigned packets : {10U, 64U}) {
    for (const bool training : {false, true}) {
      INFO(packets << " packets, " << (training ? "reset while training" : "reset while up"));
      LinkPair pair({.delay = 20});
      pair.bring_up();
      Traffic before(pair, 14);
      before.queue({packets, packets});
      before.settle(10000);
      pair.end(1).received.clear();
      pair.end(0).received.clear();
      if (training) {
        // end 0 has heard end 1, which has not heard end 0; the training number that it echoes is
        // the one with which end 1 begins after its reset
        pair.cable(0).pulled = pair.cable(0).silent = true;
        for (int n = 0; n < 16; ++n) {
          pair.write(1, reg::control, 0);
          pair.write(1, reg::control, 1);
        }
        pair.run(500);
        CHECK(state(pair, 0) == reg::status_state_train);
        CHECK(reg::status_heard.get(pair.read(0, reg::status)) == 1);
      }
      pair.reset(1);
      pair.cable(0).pulled = false;
      pair.identify(1, 101, 1);
      pair.write(1, reg::control, 1);
      REQUIRE(pair.run_until([&] { return !pair.end(0).up(); }, 1000));
      REQUIRE(pair.run_until([&] { return both_up(pair); }, 5000));
      CHECK(pair.read(0, reg::error) == reg::error_peer_changed.mask);
      CHECK(pair.read(1, reg::error) == 0);
      for (int i = 0; i < 2; ++i) {
        CHECK(pair.read(i, reg::tx_checksum) == 0);
        CHECK(pair.read(i, reg::rx_checksum) == 0);
      }
      Traffic after(pair, 15);
      after.queue({10, 10});
      after.settle(5000);
    }
  }
}

TEST_CASE("link: a peer that was with somebody else in between has given up its session") {
  for (const unsigned packets : {10U, 64U}) {
    INFO(packets << " packets");
    LinkPair pair({.delay = 20});
    pair.bring_up();
    Traffic before(pair, 17);
    before.queue({packets, packets});
    before.settle(10000);
    for (int i = 0; i < 2; ++i) pair.end(i).received.clear();
    // end 1 alone meets another node, then end 0 again
    pair.cable(1).pulled = pair.cable(1).silent = true;
    pair.cable(0).filter = HelloEditor([](model::Hello& h) {
      h.node = 77;
      h.heard = false;
    });
    pair.write(1, reg::control, 3);
    pair.write(0, reg::control, 3);
    pair.run(1000);
    CHECK(reg::peer_node.get(pair.read(1, reg::peer)) == 77);
    CHECK(pair.read(1, reg::error) == reg::error_peer_changed.mask);
    pair.cable(0).filter = nullptr;
    pair.cable(1).pulled = false;
    REQUIRE(pair.run_until([&] { return both_up(pair); }, 5000));
    CHECK(pair.read(0, reg::error) == reg::error_peer_changed.mask);
    CHECK(pair.read(0, reg::tx_checksum) == 0);
    Traffic after(pair, 18);
    after.queue({10, 10});
    after.settle(5000);
  }
}

TEST_CASE("link: ends that disagree about having been up do not flush") {
  // end 0 goes up, sends packets that end 1 accepts; nothing ever comes back: end 0 knows of no
  // success, and end 1 has sent nothing. Then all is mended.
  for (const unsigned cut : {0U, 30U, 60U, 90U, 120U, 150U, 180U, 210U, 240U, 300U, 400U, 700U}) {
    INFO("cut after " << cut);
    LinkPair pair({.delay = 20});
    for (int i = 0; i < 2; ++i) {
      pair.identify(i, 100U + static_cast<unsigned>(i), 1);
      pair.write(i, reg::control, 1);
    }
    Traffic traffic(pair, 19);
    traffic.queue({20, 20});
    pair.run(cut);
    const int which = cut % 60 == 0 ? 0 : 1;
    pair.cable(which).pulled = true;
    pair.run(300);
    pair.cable(1 - which).pulled = true;
    pair.run(300);
    pair.cable(which).pulled = false;
    pair.run(300);
    pair.cable(1 - which).pulled = false;
    traffic.settle(50000);
    traffic.check_counters();
    for (int i = 0; i < 2; ++i)
      CHECK((pair.read(i, reg::error) & ~reg::error_signal_lost.mask) == 0);
  }
}

TEST_CASE("link: a peer of another version") {
  LinkPair pair({.delay = 20});
  for (int i = 0; i < 2; ++i) {
    pair.write(i, reg::train_timeout, 0x1000);
    pair.cable(i).filter = HelloEditor([](model::Hello& h) { h.version = 1; });
    pair.write(i, reg::control, 1);
  }
  pair.run(1000);
  CHECK(state(pair, 0) == reg::status_state_train);
  CHECK(pair.read(0, reg::error) == reg::error_version.mask);
  CHECK(reg::status_heard.get(pair.read(0, reg::status)) == 0);
  pair.run(5000);
  CHECK(state(pair, 0) == reg::status_state_down);
  CHECK(pair.read(0, reg::error) == (reg::error_version.mask | reg::error_train_timeout.mask));
}
