// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/line_code.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "sim/cable/coded_character.hpp"
#include "sim/tofu/cable.hpp"
#include "verif/model/tofu/wire.hpp"

using namespace ht;
using namespace ht::sim;
using model::Beat;
namespace code = ht::model::code_8b10b;

namespace {

Beat random_beat(std::mt19937_64& random) {
  Beat b;
  b.control = 0;
  for (auto& w : b.word) w = random();
  if (random() % 4 == 0) b.set(0, model::tofu::kStart, true);
  if (random() % 4 == 0) b.set(8, model::tofu::kControl, true);
  return b;
}

}  // namespace

TEST_CASE("Tofu line code: every character of a byte comes back, at any disparity") {
  for (unsigned state = 0; state < 256; state += 5) {
    for (unsigned c = 0; c < 512; ++c) {
      const unsigned byte = (c * 7 + state) % Beat::kBytes;
      Beat b{{0x3c5a99f0c3a50f96U, 0x1122334455667788U}, 0};
      const auto value = static_cast<std::uint8_t>(c);
      b.set(byte, value, c >= 256);
      auto tx = static_cast<std::uint8_t>(state), rx = tx, tracked = tx;
      const Beat got = TofuLineCode::decode(TofuLineCode::encode(b, tx), rx);
      TofuLineCode::track(b, tracked);
      REQUIRE(rx == tx);
      REQUIRE(tracked == tx);
      if (c < 256 || value == 0x07 || (value != 0x1c && code::is_control_code(value))) {
        REQUIRE(got == b);
      } else {
        REQUIRE(got.byte(byte) == 0xfe);
        REQUIRE(got.is_control(byte));
        REQUIRE(TofuLineCode::differ(got, b) == 1U << (byte % 8));
      }
    }
  }
}

TEST_CASE(
    "Tofu line code: a lane carries bytes k and k + 8 in this order, and idle ones balanced") {
  for (unsigned byte = 0; byte < Beat::kBytes; ++byte) {
    Beat a{{0, 0}, 0}, b = a;
    b.set(byte, 0x4a, false);
    std::uint8_t sa = 0, sb = 0;
    const auto ca = TofuLineCode::encode(a, sa), cb = TofuLineCode::encode(b, sb);
    for (unsigned lane = 0; lane < 8; ++lane) {
      if (lane != byte % 8) {
        CHECK(ca[lane] == cb[lane]);
        continue;
      }
      CHECK(((ca[lane] ^ cb[lane]) & 0x3ff) * (byte / 8) ==
            0);  // the second leaves the first alone
      CHECK(ca[lane] != cb[lane]);
    }
  }
  std::uint8_t state = 0xa5;
  for (const auto lane : TofuLineCode::encode(model::kIdleBeat, state)) {
    CHECK(std::popcount(lane & 0x3ff) == 5);
    CHECK(std::popcount(lane >> 10) == 5);
  }
  CHECK(state == 0xa5);
}

TEST_CASE("Tofu line code: an inverted bit damages its lane from its character on") {
  std::mt19937_64 random(7);
  for (int n = 0; n < 20000; ++n) {
    const Beat sent = random_beat(random);
    auto tx = static_cast<std::uint8_t>(random()), rx = tx;
    auto coded = TofuLineCode::encode(sent, tx);
    const auto lane = static_cast<unsigned>(random() % 8),
               bit = static_cast<unsigned>(random() % 20);
    coded[lane] ^= 1U << bit;
    const Beat got = TofuLineCode::decode(coded, rx);
    REQUIRE(TofuLineCode::differ(got, sent) == 1U << lane);
    if (bit >= 10) REQUIRE(got.byte(lane) == sent.byte(lane));
  }
}

TEST_CASE(
    "Tofu cable: what is sent arrives after the delay, and a bit error is in the ledger and seen") {
  CableOptions o;
  o.name = "A to B";
  o.sender = o.receiver = {3200, 0};
  o.delay = 64'000;
  o.faults.aimed = {{3200 * 50, Target::Packet, 1, {{3, 12}}}};
  TofuCable cable(o);
  std::mt19937_64 random(3);
  std::map<std::int64_t, Beat> sent;
  for (std::int64_t edge = 10; edge < 200; ++edge) {
    Beat b = random_beat(random);
    if (edge == 60) b.set(0, model::tofu::kStart, true);
    if (edge > 49 && edge < 60) b.set(0, 0, false);
    sent[edge] = b;
    cable.send(edge, b);
  }
  cable.transfer(3200 * 300);
  int damaged = 0;
  for (std::int64_t edge = 0; edge < 320; ++edge) {
    const Beat got = cable.receive(edge);
    const auto it = sent.find(edge - 20);
    const Beat want = it == sent.end() ? model::kIdleBeat : it->second;
    if (got == want) continue;
    ++damaged;
    CHECK(edge - 20 >= 61);
    CHECK(TofuLineCode::differ(got, want) == 1U << 3);
  }
  CHECK(damaged >= 1);
  REQUIRE(cable.ledger().errors().size() == 1);
  CHECK(cable.ledger().errors()[0].symbol == 61);
  CHECK(cable.ledger().errors()[0].first == 81);
}
