// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qpace/wire.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "verif/model/common/crc.hpp"

using namespace ht::model;
using namespace ht::model::qpace;

namespace {
DataPacket some_packet(unsigned seed) {
  std::mt19937 r(seed);
  DataPacket p;
  p.channel = r() % 8;
  p.sequence = r() % 64;
  p.remote_offset = r() % 32768;
  for (auto& b : p.payload) b = static_cast<std::byte>(r());
  return p;
}
}  // namespace

TEST_CASE("QPACE packet: layout of the header, byte order, and place of the CRC") {
  DataPacket p;
  p.channel = 5;
  p.sequence = 0x2a;
  p.remote_offset = 0x1234;
  for (unsigned i = 0; i < kPayloadBytes; ++i) p.payload[i] = static_cast<std::byte>(i);
  const auto w = p.words();
  // 101 101010 001001000110100 11111011
  CHECK(w[0] == Word{0b101'101010'001001000110100'11111011U, 0b0001});
  CHECK(w[1] == Word{0x03020100U, 0});
  CHECK(w[32] == Word{0x7f7e7d7cU, 0});
  std::vector<std::byte> bytes;
  for (const unsigned lane : {1U, 2U, 3U}) bytes.push_back(std::byte{w[0].lane(lane)});
  bytes.insert(bytes.end(), p.payload.begin(), p.payload.end());
  CHECK(w[33] == Word{crc32c(bytes), 0});
  // A CRC-32C over data and the CRC as sent (low byte first) leaves the residue B798B438, which
  // RFC 3720 and others give; this holds only if the CRC is sent in the right byte order.
  for (unsigned lane = 0; lane < 4; ++lane) bytes.push_back(std::byte{w[33].lane(lane)});
  CHECK(~crc32c(bytes) == 0xb798b438U);
}

TEST_CASE("QPACE packet: comes back, and any flipped bit or control bit is refused") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const DataPacket p = some_packet(seed);
    const auto words = p.words();
    REQUIRE(DataPacket::parse(words) == p);
    REQUIRE_FALSE(DataPacket::parse(std::span(words).first(33)).has_value());
  }
  const auto words = some_packet(99).words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (unsigned bit = 0; bit < 36; ++bit) {
      auto bad = words;
      if (bit < 32) bad[i].data ^= 1U << bit;
      if (bit >= 32)
        bad[i].control = static_cast<std::uint8_t>(bad[i].control ^ (1U << (bit - 32)));
      REQUIRE_FALSE(DataPacket::parse(bad).has_value());
    }
  }
  DataPacket wide;
  wide.remote_offset = 0x8000;
  CHECK_THROWS_AS(wide.words(), std::invalid_argument);
}

TEST_CASE("QPACE packet: withdrawn") {
  DataPacket p = some_packet(4);
  const std::uint32_t crc = p.words()[33].data;
  p.withdrawn = true;
  const auto words = p.words();
  CHECK(words[33] == Word{((crc ^ 0xffffffffU) & 0xffffff00U) | 0x7cU, 1});
  REQUIRE(DataPacket::parse(words) == p);
  // No damage to one lane makes a good packet of a withdrawn one, or the other way round.
  for (const bool withdrawn : {false, true}) {
    p.withdrawn = withdrawn;
    for (unsigned lane = 0; lane < 4; ++lane) {
      for (unsigned c = 0; c < 512; ++c) {
        auto bad = p.words();
        bad[33].data = (bad[33].data & ~(0xffU << (8 * lane))) | ((c & 255U) << (8 * lane));
        bad[33].control =
            static_cast<std::uint8_t>((bad[33].control & ~(1U << lane)) | ((c >> 8) << lane));
        REQUIRE(DataPacket::parse(bad).has_value() == (bad == p.words()));
      }
    }
  }
  PayloadChecksum good, gone;
  good.add(some_packet(4));
  p.withdrawn = true;
  gone.add(p);
  CHECK((good.value() ^ gone.value()) == 1);
}

TEST_CASE("QPACE command: layout, and up to seven flipped bits are refused") {
  const Word ack = Command{CommandType::Nack, 0x15}.word();
  CHECK(ack.control == 1);
  CHECK(ack.lane(0) == 0x5c);
  CHECK(ack.lane(1) == ((0x15 << 2) | 1));
  for (unsigned type = 0; type < 4; ++type) {
    for (unsigned s = 0; s < 64; ++s) {
      const Command c{static_cast<CommandType>(type), static_cast<std::uint8_t>(s)};
      REQUIRE(Command::parse(c.word()) == c);
    }
  }
  std::mt19937 r(3);
  for (int i = 0; i < 20000; ++i) {
    Word w = Command{static_cast<CommandType>(r() % 4), static_cast<std::uint8_t>(r() % 64)}.word();
    std::uint32_t mask = 0;
    for (auto n = 1 + r() % 7; n > 0; --n) mask |= 1U << (8 + r() % 24);
    w.data ^= mask;
    REQUIRE_FALSE(Command::parse(w).has_value());
  }
}

TEST_CASE("QPACE hello: comes back, and any flipped bit is refused") {
  Hello h;
  h.version = 3;
  h.up = true;
  h.port = 5;
  h.train_id = 9;
  h.echo_train_id = 14;
  h.node = 0xbeef;
  h.epoch = 0x1234;
  h.next_expected = 63;
  const auto words = h.words();
  CHECK(words[0] == Word{0x9e85039cU, 1});
  CHECK(words[1] == Word{0xbeef1234U, 0});
  REQUIRE(Hello::parse(words) == h);
  for (unsigned bit = 0; bit < 128; ++bit) {
    auto bad = words;
    bad[bit / 32].data ^= 1U << (bit % 32);
    REQUIRE_FALSE(Hello::parse(bad).has_value());
  }
}

TEST_CASE("QPACE payload checksum: sees exchanged, repeated and lost words") {
  const auto sum = [](const std::vector<std::uint32_t>& words) {
    PayloadChecksum c;
    for (const auto w : words) c.add(w);
    return c.value();
  };
  CHECK(sum({1}) == 1);
  CHECK(sum({0x80000001U, 5}) == 3 + 5);  // the top bit comes round
  CHECK(sum({1, 2, 3}) != sum({2, 1, 3}));
  CHECK(sum({1, 2, 3}) != sum({1, 2, 3, 3}));
  CHECK(sum({1, 2, 3}) != sum({1, 2}));
  PayloadChecksum whole;
  const DataPacket p = some_packet(7);
  whole.add(p);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 1; i <= kPayloadWords; ++i) words.push_back(p.words()[i].data);
  CHECK(whole.value() == sum(words));
}
