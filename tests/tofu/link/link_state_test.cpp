// SPDX-License-Identifier: Apache-2.0
// Sessions, limits and soft errors of a Tofu link.
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/tofu/link/pair.hpp"

using namespace ht::test;
using ht::model::Beat;
using ht::model::tofu::ChipBeat;
namespace reg = ht::tofu::registers::link;

namespace {

std::uint32_t error(TofuPair& pair, int end) {
  return pair.read(end, reg::error);
}

std::vector<TofuPacket> send(TofuPair& pair, int end, unsigned count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (unsigned n = 0; n < count; ++n) pair.end(end).to_send.push_back(random_tofu_packet(random));
  return good_packets(pair.end(end).to_send);
}

/// Damages the last beat of the next packet at end 0's wire.
void damage_next(TofuPair& pair) {
  pair.cable(0).filter = [&pair](Beat& b) {
    if (b.is(0, ht::model::tofu::kEnd)) {
      b.word[0] ^= std::uint64_t{1} << 50;
      pair.cable(0).filter = nullptr;
    }
    return true;
  };
}

}  // namespace

TEST_CASE("tofu link: a retrain in traffic loses nothing") {
  TofuPair pair;
  pair.bring_up();
  const auto sent = send(pair, 0, 200, 1);
  const auto back = send(pair, 1, 200, 2);
  for (int i = 0; i < 5; ++i) {
    pair.run(700);
    pair.write(i % 2, reg::control, 3);
    CHECK(pair.end(i % 2).state() == 1);
  }
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 100000));
  CHECK((pair.end(1).received == sent));
  CHECK((pair.end(0).received == back));
  CHECK(pair.read(0, reg::count_retrain) == 5);
  CHECK(error(pair, 0) == 0);
  CHECK(pair.end(0).observed.reset + pair.end(1).observed.reset == 0);
}

TEST_CASE("tofu link: a new epoch flushes both ends") {
  TofuPair pair;
  pair.bring_up();
  pair.end(1).drain = 0;
  send(pair, 0, 40, 1);
  pair.run(1500);
  const auto before = pair.end(1).received.size();
  CHECK(before > 3);
  CHECK(pair.read(0, reg::room) != 0x40404040U);
  pair.end(0).to_send.clear();
  pair.write(0, reg::control, 0);
  pair.run(2000);
  CHECK(pair.end(0).state() == 0);
  pair.identify(0, 100, 2);
  pair.write(0, reg::control, 1);
  REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
  CHECK(pair.end(0).observed.reset == 1);
  CHECK(pair.end(1).observed.reset == 1);
  CHECK(reg::error_peer_changed.get(error(pair, 1)) == 1);
  CHECK(pair.end(1).attention());
  CHECK(pair.read(0, reg::room) == 0x40404040U);
  CHECK(pair.read(0, reg::peer_node) == 101);
  CHECK(pair.read(1, reg::peer_epoch) == 2);
  CHECK(pair.read(1, reg::peer) == 3);
  pair.end(1).received.clear();
  // the old packets still take the buffer's room: refused until there is
  const auto sent = send(pair, 0, 100, 3);
  pair.run(3000);
  pair.end(1).drain = 1;
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 100000));
  CHECK((pair.end(1).received == sent));
  CHECK(pair.read(1, reg::rx_checksum) == pair.read(0, reg::tx_checksum));
}

TEST_CASE("tofu link: what a new session gives up is counted, the packet under way with it") {
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(4);
  for (int i = 0; i < 2; ++i) pair.end(0).to_send.push_back(random_tofu_packet(random, 4, 1));
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 2000));
  // three packets of which the peer says nothing any more, and nine beats of a fourth
  pair.cable(0).filter = [](Beat&) { return false; };
  for (int i = 0; i < 3; ++i) pair.end(0).to_send.push_back(random_tofu_packet(random, 4, 1));
  pair.end(0).to_send.push_back(random_tofu_packet(random, 30, 1));
  REQUIRE(
      pair.run_until([&] { return pair.end(0).to_send.empty() && pair.end(0).sending(); }, 200));
  pair.run(8);
  pair.end(0).tx_pause = 1;
  pair.run(50);
  pair.cable(0).filter = nullptr;
  pair.write(1, reg::control, 0);
  pair.run(200);
  pair.identify(1, 101, 2);
  pair.write(1, reg::control, 1);
  REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
  CHECK(pair.read(0, reg::count_flushed) == 4);
  CHECK(pair.read(0, reg::count_dropped) == 0);
  CHECK(pair.read(1, reg::count_flushed) == 0);
  // its rest is swallowed
  pair.end(0).tx_pause = 0;
  pair.end(1).received.clear();
  const auto sent = send(pair, 0, 10, 5);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  CHECK((pair.end(1).received == sent));
  CHECK(pair.read(0, reg::count_flushed) == 4);
  for (unsigned c = 0; c < 4; ++c) CHECK(pair.end(0).room(c) == 64);
}

TEST_CASE("tofu link: a peer that was reset is another peer") {
  TofuPair pair;
  pair.bring_up();
  send(pair, 0, 20, 1);
  send(pair, 1, 20, 2);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  pair.reset(1);
  pair.run(100);
  pair.identify(1, 101, 1);
  pair.write(1, reg::control, 1);
  REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 5000));
  CHECK(reg::error_peer_changed.get(error(pair, 0)) == 1);
  CHECK(pair.end(0).observed.reset == 1);
  pair.end(1).received.clear();
  const auto sent = send(pair, 0, 50, 3);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  CHECK((pair.end(1).received == sent));
}

TEST_CASE("tofu link: packets into a link that is down are swallowed and counted") {
  TofuPair pair;
  pair.end(0).touch = nullptr;
  send(pair, 0, 5, 1);
  REQUIRE(
      pair.run_until([&] { return pair.end(0).to_send.empty() && !pair.end(0).sending(); }, 2000));
  pair.run(5);
  CHECK(pair.read(0, reg::count_dropped) == 5);
  CHECK(reg::error_dropped.get(error(pair, 0)) == 1);
  // one that began while the link was down is swallowed to its end
  std::mt19937_64 random(1);
  pair.end(0).tx_pause = 0.97;
  pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 0));
  REQUIRE(pair.run_until([&] { return pair.end(0).sending(); }, 500));
  pair.bring_up();
  REQUIRE(pair.end(0).sending());
  pair.end(0).tx_pause = 0;
  pair.end(0).to_send.push_back(random_tofu_packet(random, 4, 0));
  const auto sent = good_packets(pair.end(0).to_send);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 5000));
  CHECK((pair.end(1).received == sent));
  CHECK(pair.read(0, reg::count_dropped) == 6);
}

TEST_CASE("tofu link: a packet that began while the link was down, without room") {
  // In DOWN there is always room; this one's first beat comes as training begins, so it is kept.
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(2);
  pair.end(1).drain = 0;
  for (int i = 0; i < 4; ++i) pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 2));
  const auto all = [&] { return pair.end(1).received.size(); };
  REQUIRE(pair.run_until([&] { return all() == 4; }, 3000));
  pair.run(200);
  CHECK(pair.end(0).room(2) == 0);
  pair.write(0, reg::control, 0);
  pair.run(200);
  CHECK(pair.end(0).room(2) == 64);
  pair.end(0).to_send.push_back(random_tofu_packet(random, 125, 2));
  const TofuPacket last = pair.end(0).to_send.front();
  pair.write(0, reg::control, 1);
  REQUIRE(pair.end(0).sending());
  REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
  REQUIRE(pair.run_until([&] { return !pair.end(0).sending(); }, 500));
  pair.run(300);
  CHECK(pair.read(0, reg::count_dropped) == 0);
  CHECK(pair.end(0).room(2) == 0);  // 80 units are taken of 64
  CHECK(pair.read(0, reg::room) == 0x40004040U);
  CHECK(all() == 4);
  pair.end(1).drain = 1;
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  REQUIRE(all() == 5);
  CHECK((pair.end(1).received[4] == last));
  CHECK(pair.end(0).room(2) == 64);
  CHECK(error(pair, 0) == 0);
}

TEST_CASE("tofu link: goes down when nothing helps") {
  TofuPair pair;
  pair.bring_up();
  for (int i = 0; i < 2; ++i) {
    pair.write(i, reg::ack_timeout, 200);
    pair.write(i, reg::retry_limit, 2);
    pair.write(i, reg::retrain_limit, 2);
  }
  // hellos pass, packets do not
  pair.cable(0).filter = [](Beat& b) {
    return (b.control & 0xff) != 1 || b.is(0, ht::model::tofu::kHello);
  };
  send(pair, 0, 1, 1);
  REQUIRE(pair.run_until([&] { return pair.end(0).state() == 0; }, 20000));
  CHECK(reg::error_retrain_limit.get(error(pair, 0)) == 1);
  CHECK(pair.read(0, reg::control) == 0);
  CHECK(pair.read(0, reg::count_retrain) == 2);

  pair.cable(0).filter = [](Beat&) { return false; };
  pair.write(1, reg::train_timeout, 1024);
  pair.write(1, reg::control, 3);
  REQUIRE(pair.run_until([&] { return pair.end(1).state() == 0; }, 1500));
  CHECK(reg::error_train_timeout.get(error(pair, 1)) == 1);
  pair.write(1, reg::error, 2);
  CHECK(error(pair, 1) == 0);
}

TEST_CASE("tofu link: another version, an impossible sequence number") {
  TofuPair pair;
  pair.cable(1).filter = [](Beat& b) {
    auto h = ht::model::tofu::Hello::parse(b);
    if (h) ++h->version;
    if (h) b = h->beat();
    return true;
  };
  for (int i = 0; i < 2; ++i) pair.write(i, reg::control, 1);
  pair.run(500);
  CHECK(pair.end(0).state() == 1);
  CHECK(reg::error_version.get(error(pair, 0)) == 1);
  pair.cable(1).filter = [](Beat& b) {
    auto h = ht::model::tofu::Hello::parse(b);
    if (h) h->next_expected = 77;
    if (h) b = h->beat();
    return true;
  };
  REQUIRE(pair.run_until([&] { return pair.end(0).state() == 0; }, 500));
  CHECK(reg::error_protocol.get(error(pair, 0)) == 1);
}

TEST_CASE("tofu link: a control packet with wrong numbers is ignored") {
  TofuPair pair;
  pair.bring_up();
  pair.run(300);
  pair.cable(1).filter = [&](Beat& b) {
    if (b.control == 0xffff) b = ht::model::tofu::Control{{}, 9, {}}.beat();
    return true;
  };
  pair.run(1);
  pair.cable(1).filter = [&](Beat& b) {
    if (b.control == 0xffff) b = ht::model::tofu::Control{{}, 0, {0, 5, 0, 0}}.beat();
    return true;
  };
  pair.run(1);
  pair.cable(1).filter = nullptr;
  pair.run(50);
  CHECK(pair.read(0, reg::count_command_error) == 1);
  CHECK(reg::error_credit.get(error(pair, 0)) == 1);
  CHECK(pair.end(0).room(1) == 64);
}

TEST_CASE("tofu link: wrong bits in the ring") {
  TofuPair pair;
  pair.bring_up();
  SECTION("one is corrected") {
    for (const unsigned bit : {0U, 63U, 64U, 127U}) {
      pair.write(0, reg::inject, 1U | bit << 8);
      damage_next(pair);
      const auto sent = send(pair, 0, 1, bit);
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 3000));
      CHECK((pair.end(1).received == sent));
      pair.end(1).received.clear();
      CHECK(reg::error_corrected.get(error(pair, 0)) == 1);
      CHECK(pair.read(0, reg::inject) == bit << 8);
      pair.write(0, reg::error, 0x1fff);
    }
    CHECK(pair.read(0, reg::count_corrected) == 4);
  }
  SECTION("two block the outputs") {
    send(pair, 0, 2, 9);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 3000));
    pair.end(1).received.clear();
    pair.write(0, reg::inject, 2U | 9U << 8);
    damage_next(pair);
    send(pair, 0, 3, 1);
    REQUIRE(pair.run_until([&] { return pair.end(0).fault(); }, 3000));
    CHECK(pair.run_until([&] { return pair.end(0).state() == 0; }, 3));
    pair.run(100);
    CHECK(pair.end(1).received.empty());
    CHECK(reg::error_ring.get(error(pair, 0)) == 1);
    CHECK(reg::status_fault.get(pair.read(0, reg::status)) == 1);
    bool quiet = true;
    pair.cable(0).filter = [&](Beat& b) {
      quiet = quiet && b == ht::model::kIdleBeat;
      return true;
    };
    pair.write(0, reg::control, 1);  // not before the error is cleared
    send(pair, 0, 1, 2);
    pair.run(500);
    CHECK(quiet);
    CHECK(pair.end(0).state() == 0);
    CHECK(pair.end(1).received.empty());
    pair.cable(0).filter = nullptr;
    pair.end(0).to_send.clear();
    pair.write(0, reg::error, 0x1fff);
    CHECK_FALSE(pair.end(0).fault());
    pair.write(0, reg::control, 1);
    REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
    CHECK(pair.end(0).observed.reset == 1);
    CHECK(pair.end(1).observed.reset == 1);
    const auto sent = send(pair, 0, 30, 4);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
    CHECK((pair.end(1).received == sent));
  }
}

TEST_CASE("tofu link: wrong bits in the ring's table") {
  // The table says where a whole packet begins when those before it are acknowledged; the link goes
  // back to there.
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(6);
  // Spoils the entry of the second of two packets, and damages that packet on the wire. It is whole
  // before the first one is acknowledged.
  const auto run = [&](unsigned inject) {
    const std::vector sent{random_tofu_packet(random, 60, 1), random_tofu_packet(random, 12, 1)};
    const auto begin = [&](const TofuPacket& packet) {
      pair.end(0).to_send.push_back(packet);
      REQUIRE(pair.run_until([&] { return pair.end(0).to_send.empty(); }, 500));
      pair.run(4);  // its first beat is stored, the last one of the packet before on the wire
    };
    begin(sent[0]);
    pair.write(0, reg::inject, inject);
    begin(sent[1]);
    damage_next(pair);
    return sent;
  };
  SECTION("one is corrected") {
    for (unsigned bit = 0; bit < 18; ++bit) {
      const auto sent = run(1U << 2 | bit << 8);
      REQUIRE(pair.run_until([&] { return pair.finished(); }, 3000));
      REQUIRE((pair.end(1).received == sent));
      CHECK(pair.read(0, reg::inject) == bit << 8);
      CHECK(pair.read(0, reg::count_corrected) == bit + 1);
      CHECK(pair.read(0, reg::count_retransmitted) == bit + 1);
      CHECK(error(pair, 0) == reg::error_corrected.mask);
      pair.write(0, reg::error, 0x1fff);
      pair.end(1).received.clear();
    }
  }
  SECTION("two block the outputs") {
    const auto sent = run(2U << 2 | 3U << 8);
    REQUIRE(pair.run_until([&] { return pair.end(0).fault(); }, 100));
    CHECK(pair.run_until([&] { return pair.end(0).state() == 0; }, 3));
    CHECK(error(pair, 0) == reg::error_ring.mask);
    bool quiet = true;
    pair.run(1);  // what was on its way to the wire
    pair.cable(0).filter = [&](Beat& b) {
      quiet = quiet && b == ht::model::kIdleBeat;
      return true;
    };
    pair.run(500);
    CHECK(quiet);
    CHECK(pair.end(1).received == std::vector{sent[0]});
    pair.cable(0).filter = nullptr;
    // cleared and enabled, it begins anew
    pair.write(0, reg::error, 0x1fff);
    pair.write(0, reg::control, 1);
    REQUIRE(pair.run_until([&] { return pair.end(0).up() && pair.end(1).up(); }, 3000));
    CHECK(pair.end(0).observed.reset == 1);
    pair.end(1).received.clear();
    const auto again = send(pair, 0, 30, 4);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
    CHECK((pair.end(1).received == again));
  }
}

TEST_CASE("tofu link: wrong bits from the router") {
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(5);
  unsigned beat = 0;
  const auto run = [&](unsigned at, const std::function<void(ChipBeat&)>& change) {
    beat = 0;
    pair.end(1).received.clear();
    pair.end(0).touch = [&, at](ChipBeat& b) {
      if (beat++ == at) change(b);
    };
    for (int i = 0; i < 2; ++i) pair.end(0).to_send.push_back(random_tofu_packet(random, 20, 3));
    const auto sent = good_packets(pair.end(0).to_send);
    pair.run_until([&] { return pair.finished() || pair.end(0).fault(); }, 3000);
    return sent;
  };
  SECTION("one is corrected") {
    for (unsigned at : {0U, 1U, 5U, 22U}) {
      const auto sent = run(at, [](ChipBeat& b) { b.data[1] ^= 1U << 7; });
      CHECK((pair.end(1).received == sent));
    }
    const auto sent = run(3, [](ChipBeat& b) { b.ecc ^= 4; });
    CHECK((pair.end(1).received == sent));
    CHECK(pair.read(0, reg::count_corrected) == 5);
    CHECK(error(pair, 0) == 1U << 9);
  }
  SECTION("two, a wrong CRC or form: the packet is void") {
    const std::vector<std::pair<unsigned, std::function<void(ChipBeat&)>>> changes = {
        {0, [](ChipBeat& b) { b.data[0] ^= 3U << 20; }},
        {1, [](ChipBeat& b) { b.data[1] ^= 5; }},
        {9, [](ChipBeat& b) { b.data[0] ^= 3; }},
        {9,
         [](ChipBeat& b) {
           b = ChipBeat::make({b.data[0] ^ 7, b.data[1]}, false, false);
         }},
        {22,
         [](ChipBeat& b) {
           b = ChipBeat::make({0, 0}, false, true);
         }},
        {21, [](ChipBeat& b) { b = ChipBeat::make(b.data, false, true); }},
        {8, [](ChipBeat& b) { b = ChipBeat::make(b.data, true, false); }},
    };
    for (const auto& [at, change] : changes) {
      INFO("at beat " << at);
      const auto sent = run(at, change);
      REQUIRE(pair.end(1).received.size() == 1);
      CHECK((pair.end(1).received[0] == sent[1]));
      CHECK((error(pair, 0) & 1U << 7) != 0);
      CHECK(pair.end(0).room(3) == 64);
      pair.write(0, reg::error, 0x1fff);
      CHECK(error(pair, 0) == 0);
    }
  }
  SECTION("control bits: a fault") {
    run(5, [](ChipBeat& b) { b.parity = !b.parity; });
    CHECK(pair.end(0).fault());
    CHECK(reg::error_parity.get(error(pair, 0)) == 1);
    pair.run(50);
    CHECK(pair.end(1).received.empty());
  }
}

TEST_CASE("tofu link: an impossible state is a fault") {
  TofuPair pair;
  pair.bring_up();
  pair.write(0, reg::inject, 1U << 16);
  pair.run(5);
  CHECK(pair.end(0).fault());
  CHECK(pair.end(0).state() == 0);
  CHECK(reg::error_monitor.get(error(pair, 0)) == 1);
}

TEST_CASE("tofu link: a wrong sequence number or account of credits is a fault") {
  for (unsigned number = 1; number < 8; ++number) {
    INFO("number " << number);
    TofuPair pair;
    pair.bring_up();
    const auto sent = send(pair, 0, 3, number);
    const auto back = send(pair, 1, 3, number + 10);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 3000));
    pair.write(0, reg::inject, number << 20);
    CHECK(pair.read(0, reg::inject) == 0);
    CHECK(pair.end(0).fault());
    CHECK(reg::error_parity.get(error(pair, 0)) == 1);
    CHECK(pair.end(0).state() == 0);
    bool quiet = true;
    pair.cable(0).filter = [&](Beat& b) {
      quiet = quiet && b == ht::model::kIdleBeat;
      return true;
    };
    send(pair, 0, 1, 2);
    pair.run(100);
    CHECK(quiet);
    CHECK((pair.end(1).received == sent));
    CHECK((pair.end(0).received == back));
  }
}
