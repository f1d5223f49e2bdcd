// SPDX-License-Identifier: Apache-2.0
// Damage of all kinds on the cable costs time only.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

namespace {

bool is_command(const WireWord& w, model::CommandType type) {
  const auto c = model::Command::parse({w.data, w.control});
  return c && c->type == type;
}

LinkPair::Options options(unsigned trial) {
  std::mt19937_64 random(seed_of(trial));
  LinkPair::Options o;
  o.delay = 5 + static_cast<unsigned>(random() % 80);
  for (auto& p : o.phase_ps) p = static_cast<unsigned>(random() % 4000);
  o.seed = trial;
  return o;
}

}  // namespace

TEST_CASE("link: damaged words of every kind", "[endurance]") {
  struct Kind {
    const char* name;
    Damage damage;
  };
  const std::vector<Kind> kinds = {
      {"flipped bits", {.flip = 1e-3}},
      {"error characters", {.error_lane = 1e-3}},
      {"garbled words", {.garble = 1e-3}},
      {"lost words", {.lose = 5e-4}},
      {"repeated words", {.repeat = 5e-4}},
      {"a rain of garbage", {.garble = 1e-2}},
      {"everything", {1e-3, 1e-3, 1e-3, 3e-4, 3e-4}},
  };
  for (const Kind& kind : kinds) {
    for (unsigned trial = 0; trial < 6; ++trial) {
      const RandomPowerOn power(trial);
      LinkPair pair(options(trial));
      INFO(kind.name << ", trial " << trial);
      pair.bring_up();
      pair.cable(0).damage = kind.damage;
      if (trial != 1) pair.cable(1).damage = kind.damage;
      if (trial % 2 == 1) pair.end(1).rx_eagerness = 0.02;
      if (trial == 4) pair.end(0).tx_pause = 0.5;
      Traffic traffic(pair, trial);
      traffic.queue({300, trial == 2 ? 0U : 300U});
      REQUIRE(pair.run_until([&] { return traffic.finished(); }, 4000000));
      // while the last state is checked over the registers nothing else shall happen
      pair.cable(0).damage = {};
      pair.cable(1).damage = {};
      traffic.settle(100000);
      traffic.check_counters();
      CHECK(pair.cable(0).damaged > 0);
      CHECK(pair.end(1).observed.error > 0);
      for (int i = 0; i < 2; ++i) {
        // every word called out is in one of the counters; a truncated frame and the word that cut
        // it are one anomaly, so are the two of a word that is both damaged and last
        const auto counted =
            pair.read(i, reg::count_crc_error) + pair.read(i, reg::count_code_error) +
            pair.read(i, reg::count_framing_error) + pair.read(i, reg::count_command_error);
        CHECK(counted >= pair.end(i).observed.error);
      }
      if (std::string(kind.name) == "flipped bits") {
        CHECK(pair.read(1, reg::count_crc_error) > 0);
        CHECK(pair.read(0, reg::count_nack_received) > 0);
      }
      if (std::string(kind.name) == "error characters") {
        CHECK(pair.read(1, reg::count_code_error) + pair.read(1, reg::count_framing_error) >=
              pair.cable(0).damaged);
      }
    }
  }
}

TEST_CASE("link: one damaged packet costs one NACK and one window") {
  LinkPair pair({.delay = 62});
  pair.bring_up();
  int seen = 0;
  pair.cable(0).filter = [&](WireWord& w) {
    if (w.starts(model::kStart) && ++seen == 8) w.data ^= 0x00010000U;  // header of the 8th packet
    return true;
  };
  Traffic traffic(pair, 3);
  traffic.queue({30, 0});
  traffic.settle(5000);
  traffic.check_counters();
  CHECK(pair.read(1, reg::count_crc_error) == 1);
  CHECK(pair.read(1, reg::count_nack_sent) == 1);
  CHECK(pair.read(0, reg::count_nack_received) == 1);
  CHECK(pair.read(0, reg::count_timeout) == 0);
  // those in flight until the NACK was back: (2 x 62 + pipeline) / 34, and the damaged one
  const auto again = pair.read(0, reg::count_retransmitted);
  CHECK(again >= 4);
  CHECK(again <= 6);
  CHECK(pair.read(1, reg::count_gap) == again - 1);
  CHECK(pair.read(1, reg::count_duplicate) == 0);
}

TEST_CASE("link: a packet that vanishes whole costs one NACK and one window") {
  // Only the number of the next one tells. The timer of the sender is not what helps.
  LinkPair pair({.delay = 62});
  pair.bring_up();
  int seen = 0;
  pair.cable(0).filter = [&](WireWord& w) {
    seen += w.starts(model::kStart);
    return seen != 8;
  };
  Traffic traffic(pair, 3);
  traffic.queue({30, 0});
  traffic.settle(5000);
  traffic.check_counters();
  CHECK(pair.read(1, reg::count_gap) > 0);
  CHECK(pair.read(1, reg::count_nack_sent) == 1);
  CHECK(pair.read(0, reg::count_nack_received) == 1);
  CHECK(pair.read(0, reg::count_timeout) == 0);
  // the one that vanished, the one that told, and those in flight until the NACK was back
  const auto again = pair.read(0, reg::count_retransmitted);
  CHECK(again >= 5);
  CHECK(again <= 7);
  CHECK(pair.read(1, reg::count_gap) == again - 1);
}

TEST_CASE("link: lost commands cost time only") {
  using model::CommandType;
  for (const auto type :
       {CommandType::Ack, CommandType::Nack, CommandType::Busy, CommandType::Ready}) {
    for (const unsigned every : {1U, 2U, 5U}) {
      LinkPair pair({.delay = 40});
      INFO("command type " << static_cast<int>(type) << ", one in " << every << " lost");
      pair.bring_up();
      pair.write(0, reg::busy_probe, 2048);
      pair.write(1, reg::busy_probe, 2048);
      unsigned lost = 0;
      unsigned seen = 0;
      const auto lose = [&](WireWord& w) {
        // an ACK stream may lose many, but not all: nothing could ever be acknowledged
        if (!is_command(w, type)) return true;
        const bool keep = ++seen % every != 0 || (type == CommandType::Ack && seen % 7 == 0);
        if (!keep) ++lost;
        return keep;
      };
      pair.cable(0).filter = lose;
      pair.cable(1).filter = lose;
      if (type == CommandType::Nack) {
        pair.cable(0).damage.flip = 1e-3;
        pair.cable(1).damage.flip = 1e-3;
      }
      if (type == CommandType::Busy || type == CommandType::Ready) {
        pair.end(0).rx_eagerness = 0.01;
        pair.end(1).rx_eagerness = 0.01;
      }
      Traffic traffic(pair, every);
      traffic.queue({100, 100});
      REQUIRE(pair.run_until([&] { return traffic.finished(); }, 2000000));
      pair.cable(0).damage = {};
      pair.cable(1).damage = {};
      traffic.settle(100000);
      traffic.check_counters();
      CHECK(lost > 0);
    }
  }
}

TEST_CASE("link: one lost acknowledgement costs one timeout") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  bool lost = false;
  pair.cable(1).filter = [&](WireWord& w) {
    if (lost || !is_command(w, model::CommandType::Ack)) return true;
    lost = true;
    return false;
  };
  Traffic traffic(pair, 6);
  traffic.queue({1, 0});
  traffic.settle(3000);
  traffic.check_counters();
  CHECK(lost);
  CHECK(pair.read(0, reg::count_timeout) == 1);
  CHECK(pair.read(0, reg::count_retransmitted) == 1);
  CHECK(pair.read(1, reg::count_duplicate) == 1);
  CHECK(pair.read(0, reg::count_retrain) == 0);
}

// The timer must not run past a number that was larger when it began.
TEST_CASE("link: a timeout that is made shorter while it runs counts") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.write(0, reg::ack_timeout, 0xffff);
  pair.cable(0).pulled = pair.cable(0).silent = true;
  Traffic traffic(pair, 6);
  traffic.queue({1, 0});
  pair.run(2000);
  CHECK(pair.read(0, reg::count_timeout) == 0);
  pair.write(0, reg::ack_timeout, 500);
  pair.run(600);
  CHECK(pair.read(0, reg::count_timeout) >= 1);  // what has passed already may count, too
}

TEST_CASE("link: commands out of the window are ignored and counted") {
  LinkPair pair({.delay = 20});
  pair.bring_up();
  Traffic traffic(pair, 4);
  traffic.queue({40, 0});
  unsigned forged = 0;
  // every 10th idle word from b to a becomes a command that acknowledges packets never sent
  unsigned idle = 0;
  pair.cable(1).filter = [&](WireWord& w) {
    if (w.idle() && ++idle % 10 == 0) {
      const auto type = static_cast<model::CommandType>(forged % 4);
      const auto word = model::Command{type, static_cast<std::uint8_t>(45 + forged % 10)}.word();
      w = {word.data, word.control};
      ++forged;
    }
    return true;
  };
  pair.run(1200);
  pair.cable(1).filter = nullptr;
  traffic.settle(10000);
  traffic.check_counters();
  CHECK(forged > 20);
  CHECK(pair.read(0, reg::count_command_error) == forged);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);

  // at the very edges of the window, which is empty now: 40 packets were sent and acknowledged
  for (const unsigned sequence : {41U, 39U}) {
    for (const auto type : {model::CommandType::Ack, model::CommandType::Nack}) {
      bool done = false;
      pair.cable(1).filter = [&](WireWord& w) {
        if (done || !w.idle()) return true;
        const auto word = model::Command{type, static_cast<std::uint8_t>(sequence)}.word();
        w = {word.data, word.control};
        return done = true;
      };
      pair.run(100);
      CHECK(pair.read(0, reg::count_command_error) == ++forged);
    }
  }
  pair.cable(1).filter = nullptr;
  traffic.queue({20, 0});
  traffic.settle(10000);
  traffic.check_counters();
}

TEST_CASE("link: what looks like a command in the middle of a packet is ignored") {
  // A few damaged bits can make a start code of a data character; then 16 bits of CRC are all that
  // stands between payload and a false acknowledgement, which would lose packets.
  LinkPair pair({.delay = 20});
  pair.bring_up();
  Traffic traffic(pair, 6);
  pair.cable(0).pulled = pair.cable(0).silent = true;
  unsigned words = 0;
  pair.cable(1).filter = [&](WireWord& w) {
    if (w.control == 0 && ++words % 34 == 20) {
      const auto word = model::Command{model::CommandType::Ack, 3}.word();
      w = {word.data, word.control};
    }
    return true;
  };
  traffic.queue({5, 5});
  pair.run(900);
  pair.cable(1).filter = nullptr;
  CHECK(pair.read(0, reg::count_acknowledged) == 0);
  CHECK(pair.read(0, reg::count_framing_error) > 0);
  pair.cable(0).pulled = false;
  traffic.settle(20000);
  traffic.check_counters();
}

TEST_CASE("link: a whole window acknowledged at once, and errors behind it, are all counted") {
  LinkPair pair({.delay = 20});
  pair.bring_up();
  Traffic traffic(pair, 7);
  traffic.queue({16, 0});
  constexpr unsigned kErrors = 60;
  unsigned fed = 0;
  pair.cable(1).filter = [&](WireWord& w) {
    if (w.starts(model::kCommand)) return false;
    if (pair.end(1).received.size() < 16) return true;
    if (fed == 0) {
      const auto word = model::Command{model::CommandType::Ack, 16}.word();
      w = {word.data, word.control};
    } else if (fed <= kErrors) {
      w = {0xfefefefeU, 0xf};
    }
    ++fed;
    return true;
  };
  pair.run(900);
  pair.cable(1).filter = nullptr;
  REQUIRE(fed > kErrors);
  CHECK(pair.read(0, reg::count_acknowledged) == 16);
  CHECK(pair.read(0, reg::count_code_error) == kErrors);
  CHECK(pair.end(0).observed.error == kErrors);
  traffic.settle(20000);
}

TEST_CASE(
    "link: a line of nothing but errors is counted word by word, and keeps no register away") {
  LinkPair pair({.delay = 20});
  pair.bring_up();
  Traffic traffic(pair, 5);
  traffic.queue({0, 40});  // events of the other direction in between
  pair.cable(0).pulled = true;
  const auto from = pair.cycles();
  pair.run(40);
  for (int n = 0; n < 30; ++n) pair.read(1, reg::count_sent);
  pair.write(1, reg::control, 1);
  const auto words = pair.cycles() - from;
  pair.cable(0).pulled = false;
  pair.run(50);
  CHECK(pair.read(1, reg::count_code_error) == words);
  // the line may come back in the middle of a hello
  CHECK(pair.end(1).observed.error == words + pair.read(1, reg::count_framing_error));
  traffic.settle(20000);
  traffic.check_counters();

  // clearing in the middle of it
  pair.cable(0).pulled = true;
  pair.run(100);
  pair.write(1, reg::control, 5);
  const auto cleared = pair.cycles();
  pair.run(1000);
  pair.cable(0).pulled = false;
  const auto since = pair.cycles() - cleared;
  pair.run(50);
  CHECK(pair.read(1, reg::count_code_error) > since - 64);
  CHECK(pair.read(1, reg::count_code_error) < since + 32);
  CHECK(pair.read(1, reg::count_sent) == 0);
}
