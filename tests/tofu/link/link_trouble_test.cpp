// SPDX-License-Identifier: Apache-2.0
// Damage on the cable, void packets, full buffers: every good packet arrives once and in order.
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/support/power_on.hpp"
#include "tests/tofu/link/pair.hpp"

using namespace ht::test;
using ht::model::Beat;
namespace reg = ht::tofu::registers::link;
namespace model = ht::model::tofu;

namespace {

/// Queues `count` packets at both ends, one in `voids` void (0: none).
Sent queue(TofuPair& pair, unsigned count, unsigned voids, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sent sent;
  for (int i = 0; i < 2; ++i) {
    auto& packets = pair.end(i).to_send;
    for (unsigned n = 0; n < count; ++n) {
      packets.push_back(random_tofu_packet(random));
      TofuPacket& p = packets.back();
      p.nullified = voids != 0 && random() % voids == 0;
      // a void packet may end anywhere after its header
      if (p.nullified && !p.payload.empty() && random() % 2 == 0)
        p.payload.resize(random() % p.payload.size());
    }
    sent[static_cast<std::size_t>(i)] = good_packets(packets);
  }
  return sent;
}

}  // namespace

TEST_CASE("tofu link: damaged beats of every kind") {
  struct Kind {
    const char* name;
    BeatDamage damage;
  };
  const std::vector<Kind> kinds = {
      {"flipped bits", {.flip = 1e-3}},
      {"error characters", {.error_byte = 1e-3}},
      {"garbled beats", {.garble = 1e-3}},
      {"lost beats", {.lose = 5e-4}},
      {"repeated beats", {.repeat = 5e-4}},
      {"a rain of garbage", {.garble = 1e-2}},
      {"everything", {1e-3, 1e-3, 1e-3, 3e-4, 3e-4}},
  };
  for (const Kind& kind : kinds) {
    for (unsigned trial = 0; trial < 3; ++trial) {
      const RandomPowerOn power(trial);
      TofuPair pair(5 + 17 * trial, trial);
      INFO(kind.name << ", trial " << trial);
      pair.bring_up();
      pair.cable(0).damage = kind.damage;
      if (trial != 1) pair.cable(1).damage = kind.damage;
      pair.end(0).tx_pause = trial == 1 ? 0.3 : 0;
      pair.end(1).drain = trial == 2 ? 0.3 : 1;
      pair.end(1).store_forward = trial == 2;
      const Sent sent = queue(pair, 270, trial == 0 ? 0 : 6, trial);
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 2000000));
      pair.cable(0).damage = pair.cable(1).damage = {};
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 100000));
      pair.run(200);
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 100000));
      check_delivered(pair, sent);
      CHECK(pair.cable(0).damaged > 0);
      CHECK(pair.end(0).observed.retransmit > 0);
    }
  }
}

TEST_CASE("tofu link: void packets take no sequence number and no credit") {
  for (unsigned trial = 0; trial < 4; ++trial) {
    const RandomPowerOn power(trial);
    TofuPair pair(trial == 0 ? 0 : 20, trial);
    pair.bring_up();
    pair.end(0).tx_pause = trial == 2 ? 0.4 : 0;
    const Sent sent = queue(pair, 400, 2, trial);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 400000));
    check_delivered(pair, sent);
    for (int i = 0; i < 2; ++i) {
      TofuEnd& e = pair.end(i);
      CHECK(e.observed.error == 0);
      CHECK(e.observed.retransmit == 0);
      CHECK(e.bad == e.reader.counts().nullified);
      CHECK(e.bad == 400 - e.received.size());
      CHECK(reg::status_rx_expected.get(pair.read(i, reg::status)) == e.received.size() % 256);
      CHECK(pair.read(i, reg::error) == 0);
    }
  }
}

// One end is up a cable's length before the other, whose hellos it answers between packets, void
// ones, and credits.
TEST_CASE("tofu link: trains again at any moment, over cables of any length") {
  for (const unsigned delay : {1U, 20U, 70U, 150U, 300U}) {
    for (const bool both : {true, false}) {
      DYNAMIC_SECTION("cable of " << delay << " cycles, packets "
                                  << (both ? "both ways" : "one way")) {
        TofuPair pair(delay, delay);
        pair.bring_up();
        std::mt19937_64 random(delay);
        Sent sent;
        if (both) {
          sent = queue(pair, 250, 4, delay);
        } else {
          // short ones, into buffers that are always full: nearly every beat that is drained is a
          // credit
          for (unsigned n = 0; n < 4000; ++n)
            pair.end(0).to_send.push_back(random_tofu_packet(random, 0, n % 4));
          sent[0] = good_packets(pair.end(0).to_send);
        }
        for (int i = 0; i < 2; ++i) {
          pair.end(i).drain = both ? 0.5 : 0.1;
          pair.end(i).tx_pause = both ? 0.3 : 0;
        }
        unsigned retrains = 0;
        while (retrains < 20) {
          // long enough that something gets across: RETRAIN_LIMIT counts those in vain
          pair.run(500 + 6 * delay + random() % 500);
          if (pair.finished()) break;
          pair.write(static_cast<int>(random() % 2), reg::control, 3);
          ++retrains;
        }
        CHECK(retrains >= 8);
        REQUIRE(pair.run_until([&] { return pair.finished(); }, 200000));
        check_delivered(pair, sent);
        for (int i = 0; i < 2; ++i) {
          CHECK(pair.read(i, reg::count_retrain) == retrains);
          // what is said between packets breaks none
          for (const auto count :
               {reg::count_framing_error, reg::count_header_error, reg::count_crc_error})
            CHECK(pair.read(i, count) == 0);
        }
      }
    }
  }
}

TEST_CASE("tofu link: a bit error costs one round trip") {
  constexpr unsigned kDelay = 40;
  std::mt19937_64 random(1);
  // damage to first, second, a middle and the last beat of a packet of 60 beats
  for (unsigned trial = 0; trial < 8; ++trial) {
    const unsigned at = std::array{0U, 1U, 30U, 59U}[trial % 4];
    const RandomPowerOn power(trial);
    TofuPair pair(kDelay);
    pair.bring_up();
    pair.run(200);
    // what goes the other way does not matter
    for (unsigned n = 0; n < (trial < 4 ? 0U : 20U); ++n)
      pair.end(1).to_send.push_back(random_tofu_packet(random, 125, n % 4));
    pair.run(300);
    unsigned beat = 0;
    std::uint64_t when = 0;
    pair.cable(0).filter = [&](Beat& b) {
      if (b.control != 0xffff && (b.control & 0xffU) != 0xffU && beat++ == at) {
        b.word[0] ^= std::uint64_t{1} << 40;
        when = pair.cycle();
      }
      return true;
    };
    for (int i = 0; i < 3; ++i) pair.end(0).to_send.push_back(random_tofu_packet(random, 57, 2));
    const auto sent = good_packets(pair.end(0).to_send);
    REQUIRE(pair.run_until([&] { return pair.end(0).observed.retransmit == 1; }, 1000));
    INFO("damaged beat " << at << " at " << when << ", resent at " << pair.cycle());
    // A first beat's damage shows in the second, a payload's in the last.
    const unsigned shows = at < 2 ? 1 - at : 59 - at;
    CHECK(pair.cycle() - when <= 2 * (kDelay + kStages) + shows + 10);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 5000));
    CHECK((pair.end(1).received == sent));
    CHECK(pair.read(0, reg::count_nack_received) == 1);
    CHECK(pair.read(0, reg::count_timeout) == 0);
    CHECK(pair.read(1, reg::count_nack_sent) == 1);
  }
}

TEST_CASE("tofu link: lost control packets cost time only") {
  for (unsigned trial = 0; trial < 3; ++trial) {
    const RandomPowerOn power(trial);
    TofuPair pair(20, trial);
    pair.bring_up();
    std::mt19937_64 random(trial);
    for (int i = 0; i < 2; ++i) {
      pair.cable(i).filter = [&, trial](Beat& b) {
        if (b.control >> 8 == 1 && random() % 4 < 1 + trial) {
          b.word[1] = ht::model::kIdleBeat.word[1];
          b.control |= 0xff00;
        }
        return true;
      };
      pair.write(i, reg::ack_timeout, 600);
    }
    const Sent sent = queue(pair, 200, 5, trial);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 2000000));
    check_delivered(pair, sent);
    CHECK(pair.end(0).observed.error == 0);
  }
}

TEST_CASE("tofu link: the last credits are asked for") {
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(1);
  pair.end(1).drain = 0.001;
  pair.end(0).to_send.push_back(random_tofu_packet(random, 13, 1));
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 1; }, 1000));
  pair.run(100);
  CHECK(pair.end(0).room(1) == 62);
  // all that is said from now on is lost, while the buffer is emptied
  pair.cable(1).silent = pair.cable(1).pulled = true;
  pair.end(1).drain = 1;
  pair.run(600);
  CHECK(pair.end(0).room(1) == 62);
  CHECK_FALSE(pair.end(0).idle());
  pair.cable(1).pulled = false;
  REQUIRE(pair.run_until([&] { return pair.end(0).room(1) == 64; }, 1100));
  CHECK(pair.read(0, reg::count_timeout) == 1);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 100));
}

TEST_CASE("tofu link: packets that fill a buffer to its last unit are not refused") {
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(6);
  pair.end(1).drain = 0;
  for (unsigned n = 0; n < 16; ++n)
    pair.end(0).to_send.push_back(random_tofu_packet(random, 125, n / 4));
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 16; }, 5000));
  CHECK(pair.read(1, reg::count_refused) == 0);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);
  CHECK(pair.end(0).observed.retransmit == 0);
  pair.run(200);
  for (unsigned c = 0; c < 4; ++c) CHECK(pair.end(0).room(c) == 0);
}

TEST_CASE("tofu link: no room is refused, and does not count as an error") {
  TofuPair pair(20, 7);
  pair.bring_up();
  pair.write(0, reg::ack_timeout, 300);
  pair.write(0, reg::retry_limit, 2);
  std::mt19937_64 random(1);
  // a void packet stays in the buffer and takes no credit
  pair.end(1).drain = 0;
  for (int i = 0; i < 5; ++i) {
    pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 1));
    pair.end(0).to_send.back().nullified = i == 0;
  }
  pair.end(0).to_send.push_back(random_tofu_packet(random, 3, 2));
  const auto sent = good_packets(pair.end(0).to_send);
  pair.run(6000);
  CHECK(pair.end(1).received.size() == 3);
  CHECK(pair.end(0).up());
  CHECK(pair.read(1, reg::count_refused) > 5);
  CHECK(pair.read(0, reg::count_busy_received) > 5);
  CHECK(reg::status_refusing.get(pair.read(1, reg::status)) == 1);
  pair.end(1).drain = 1;
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 2000));
  CHECK((pair.end(1).received == sent));
  CHECK(pair.read(0, reg::count_retrain) == 0);
  CHECK(pair.read(0, reg::error) == 0);
  for (unsigned c = 0; c < 4; ++c) CHECK(pair.end(0).room(c) == 64);
}

TEST_CASE("tofu link: a refused packet is asked for as soon as its last beat has room") {
  std::mt19937_64 random(1);
  for (const unsigned beats : {0U, 6U, 61U, 125U}) {
    INFO(beats << " beats of payload");
    TofuPair pair(20, 7);
    pair.bring_up();
    pair.write(0, reg::ack_timeout, 0xFFFF);  // nobody but the receiver says when to go on
    // void packets fill the buffer and take no credit
    TofuEnd& receiver = pair.end(1);
    receiver.drain = 0;
    for (int i = 0; i < 4; ++i) {
      pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 1));
      pair.end(0).to_send.back().nullified = true;
    }
    pair.end(0).to_send.push_back(random_tofu_packet(random, beats, 1));
    pair.run(2000);
    REQUIRE(pair.read(1, reg::count_refused) > 0);
    REQUIRE(receiver.received.empty());
    receiver.drain = 1;
    pair.run(beats + 2);  // one beat less than the packet has
    receiver.drain = 0;
    pair.run(500);
    CHECK(receiver.received.empty());
    CHECK(reg::status_refusing.get(pair.read(1, reg::status)) == 1);
    receiver.drain = 1;
    pair.run(1);
    receiver.drain = 0;
    pair.run(500);
    CHECK(receiver.received.size() == 1);
    CHECK(reg::status_refusing.get(pair.read(1, reg::status)) == 0);
  }
}

TEST_CASE("tofu link: a packet may fail as often as RETRY_LIMIT says, and once more trains anew") {
  std::mt19937_64 random(1);
  for (const unsigned limit : {1U, 2U, 5U})
    for (const unsigned failures : {limit, limit + 1}) {
      INFO("limit " << limit << ", failures " << failures);
      TofuPair pair;
      pair.bring_up();
      pair.write(0, reg::retry_limit, limit);
      pair.run(200);
      unsigned damaged = 0;
      pair.cable(0).filter = [&](Beat& b) {
        if (b.is(0, model::kEnd) && damaged < failures) {
          ++damaged;
          b.word[0] ^= 1ULL << 40;  // of the CRC
        }
        return true;
      };
      pair.end(0).to_send.push_back(random_tofu_packet(random, 20, 0));
      const auto sent = good_packets(pair.end(0).to_send);
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 20'000));
      CHECK((pair.end(1).received == sent));
      CHECK(damaged == failures);
      CHECK(pair.read(0, reg::count_retrain) == (failures > limit ? 1 : 0));
    }
}

TEST_CASE("tofu link: a packet that breaks off is closed at once") {
  std::mt19937_64 random(1);
  for (const unsigned from : {1U, 2U, 17U, 126U, 127U}) {
    TofuPair pair;
    pair.bring_up();
    pair.run(200);
    unsigned beat = 0;
    std::uint64_t cut = 0;
    pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 0));
    const auto sent = good_packets(pair.end(0).to_send);
    // from beat `from` of the first transmission on, error characters
    pair.cable(0).filter = [&](Beat& b) {
      if (b.control == 1) ++cut;
      if (cut == 1 && (b.control & 0xff) != 0xff && beat++ >= from) b = ht::model::kErrorBeat;
      return true;
    };
    REQUIRE(pair.run_until([&] { return pair.end(1).observed.error > 0; }, 1000));
    pair.run(3);
    INFO("from beat " << from);
    CHECK(pair.end(1).bad == (from < 2 ? 0 : 1));
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 3000));
    CHECK((pair.end(1).received == sent));
    CHECK_THAT(pair.end(1).differences, Catch::Equals(std::vector<std::string>{}));
  }
}

TEST_CASE("tofu link: a pulled cable") {
  for (unsigned trial = 0; trial < 6; ++trial) {
    const RandomPowerOn power(trial);
    TofuPair pair(20, trial);
    pair.bring_up();
    const Sent sent = queue(pair, 150, 7, trial);
    pair.run(1000 + 37 * trial);
    for (int i = 0; i < 2; ++i) {
      pair.cable(i).pulled = trial < 4 || i == 0;
      pair.cable(i).silent = trial % 2 == 1;
    }
    pair.run(trial < 2 ? 300 : 30000);
    INFO("trial " << trial);
    for (int i = 0; i < 2; ++i) {
      pair.cable(i).pulled = false;
      // broken off: closed
      if (trial == 2) CHECK(pair.end(i).state() == 1);
    }
    REQUIRE(pair.run_until([&] { return pair.finished() && pair.end(0).up() && pair.end(1).up(); },
                           200000));
    check_delivered(pair, sent);
    CHECK(pair.end(0).observed.reset == 0);
  }
}
