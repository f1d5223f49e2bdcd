// SPDX-License-Identifier: Apache-2.0
// The Tofu link's wire format, and the reader of a wire.
#include "verif/model/tofu/wire.hpp"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstddef>
#include <random>
#include <set>
#include <span>

#include "verif/check/tofu/reader.hpp"
#include "verif/model/common/crc.hpp"
#include "verif/model/common/secded.hpp"

using namespace ht::model;
using namespace ht::model::tofu;
using ht::check::TofuReader;

namespace {

Packet sample(unsigned beats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Packet p;
  for (auto& w : p.header) w = random();
  p.header[0] &= ~std::uint64_t{0xff};
  p.header[3] &= 0xffffffffU;
  p.set(header::beats, beats);
  for (; beats > 0; --beats) p.payload.push_back({random(), random()});
  return p;
}

TofuReader::Event last_event(TofuReader& reader, const std::vector<Beat>& beats) {
  TofuReader::Event e;
  for (const Beat& b : beats) e = reader.push(b);
  return e;
}

}  // namespace

TEST_CASE("tofu wire: header fields are where the README has them") {
  Packet p;
  p.set(header::to, 0x40001);  // c = 1, x = 1
  p.set(header::path, 0x9);
  p.set(header::from, 0x7ffff);
  p.set(header::kind, 5);
  p.set(header::channel, 2);
  p.set(header::sequence, 0xab);
  p.payload.resize(3);
  p.set(header::beats, 3);
  const auto beats = p.on_wire();
  REQUIRE(beats.size() == 6);
  CHECK(beats[0].control == 1);
  CHECK(beats[0].byte(0) == 0xfb);
  CHECK(beats[0].byte(1) == 0xab);
  CHECK(beats[0].byte(2) == 0x52);
  CHECK(beats[0].byte(3) == 3);
  CHECK(beats[0].byte(4) == 0x01);
  CHECK(beats[0].byte(6) == (0x4 | 0x9 << 3));
  CHECK(beats[0].byte(7) == 0xff);
  CHECK(beats[0].byte(8) == 0xff);
  CHECK(beats[0].byte(9) == 0x07);
  CHECK(beats.back().byte(0) == 0xfd);
  CHECK(beats.back().control == 0xff01);
  CHECK_THROWS_AS(p.set(header::beats, 128), std::invalid_argument);
  p.payload.pop_back();
  CHECK_THROWS_AS(p.on_wire(), std::invalid_argument);
}

TEST_CASE("tofu wire: what the two CRCs cover") {
  const Packet p = sample(4, 1);
  const auto beats = p.on_wire();
  // by hand: CRC-32C of the bytes as they stand on the wire
  std::array<std::byte, 27> head{};
  for (unsigned i = 0; i < 27; ++i) head[i] = std::byte{beats[(i + 1) / 16].byte((i + 1) % 16)};
  CHECK(static_cast<std::uint32_t>(beats[1].word[1] >> 32) == crc32c(head));
  std::vector<std::byte> all;
  for (std::size_t b = 0; b + 1 < beats.size(); ++b) {
    for (unsigned i = 0; i < 16; ++i) {
      const bool left_out = (b == 0 && i < 3) || (b == 1 && i >= 12);
      all.push_back(left_out ? std::byte{0} : std::byte{beats[b].byte(i)});
    }
  }
  CHECK(static_cast<std::uint32_t>(beats.back().word[0] >> 32) == crc32c(all));
  // a hop may change channel, leg and sequence number
  Packet hop = p;
  hop.set(header::sequence, p.get(header::sequence) ^ 1);
  hop.set(header::channel, p.get(header::channel) ^ 1);
  CHECK(hop.crc() == p.crc());
  CHECK(hop.header_crc() != p.header_crc());
}

TEST_CASE("tofu wire: packets inside a chip") {
  for (const unsigned n : {0U, 1U, 125U}) {
    Packet p = sample(n, n);
    p.set(header::sequence, 0);
    const auto beats = p.in_chip();
    CHECK(beats.size() == p.beats());
    for (const ChipBeat& b : beats) CHECK(b.sound());
    CHECK(Packet::from_chip(beats) == p);
    auto bad = beats;
    bad.back().bad = true;
    CHECK(Packet::from_chip(bad)->nullified);
    bad = beats;
    bad[1].data[0] ^= 1;
    CHECK(Packet::from_chip(bad)->nullified);
  }
  CHECK(sample(0, 1).units() == 1);
  CHECK(sample(5, 1).units() == 1);
  CHECK(sample(6, 1).units() == 2);
  CHECK(sample(125, 1).units() == 16);
}

TEST_CASE("tofu wire: control packets, and no five wrong bits make one of another") {
  const Control c{ControlType::Busy, 0xa5, {1, 127, 64, 0}};
  CHECK(Control::parse(c.word()) == c);
  CHECK(c.beat().byte(8) == 0x5c);
  CHECK(c.beat().byte(9) == (2 | (0xa5 & 0x3f) << 2));
  CHECK_THROWS_AS((Control{{}, 0, {128, 0, 0, 0}}.word()), std::invalid_argument);
  // what each of the 56 bits changes: syndromes
  const auto parsed = [&](std::uint64_t flips) {
    return Control::parse(c.word() ^ flips).has_value();
  };
  CHECK(parsed(0));
  for (unsigned a = 8; a < 64; ++a) {
    const std::uint64_t one = std::uint64_t{1} << a;
    REQUIRE_FALSE(parsed(one));
    for (unsigned b = 8; b < a; ++b) REQUIRE_FALSE(parsed(one | std::uint64_t{1} << b));
  }
  // The code is linear: all patterns of up to 3 bits have different sums, except those that a
  // pattern of 6 makes equal; so up to five are noticed if no sum of 3 equals one of 1 or 2, and
  // none of 2 another of 2.
  std::vector<unsigned> column;
  Control zero;
  for (unsigned bit = 8; bit < 64; ++bit) {
    const std::uint64_t said =
        (zero.word() ^ (bit < 48 ? std::uint64_t{1} << bit : 0)) >> 8 & 0xff'ffff'ffffU;
    if (bit >= 48) {
      column.push_back(1U << (bit - 48));
      continue;
    }
    unsigned crc = 0;  // of the difference, so without an initial value
    for (unsigned i = 0; i < 5; ++i) {
      crc ^= static_cast<unsigned>((said ^ (zero.word() >> 8)) >> (8 * i) & 0xffU) << 8;
      for (int k = 0; k < 8; ++k)
        crc = ((crc << 1) ^ ((crc & 0x8000U) != 0 ? 0x3d65U : 0U)) & 0xffffU;
    }
    column.push_back(crc);
  }
  std::set<unsigned> pairs(column.begin(), column.end());
  REQUIRE(pairs.size() == 56);
  for (std::size_t a = 0; a < 56; ++a) {
    for (std::size_t b = 0; b < a; ++b) REQUIRE(pairs.insert(column[a] ^ column[b]).second);
  }
  for (std::size_t a = 0; a < 56; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t d = 0; d < b; ++d)
        REQUIRE(pairs.count(column[a] ^ column[b] ^ column[d]) == 0);
    }
  }
}

TEST_CASE("tofu wire: hellos") {
  const Hello h{1, true, false, true, false, 9, 3, 12, 0x12345678, 0xabcd, 200};
  CHECK(Hello::parse(h.beat()) == h);
  CHECK(h.beat().byte(0) == 0x9c);
  CHECK(h.beat().byte(2) == 0xa9);
  CHECK(h.beat().byte(7) == 0x12);
  for (unsigned bit = 0; bit < 128; ++bit) {
    Beat b = h.beat();
    b.word[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    CHECK_FALSE(Hello::parse(b));
  }
}

TEST_CASE("tofu wire: the checksum leaves out what a link writes") {
  Packet p = sample(3, 5), q = p;
  q.set(header::sequence, p.get(header::sequence) ^ 0x55);
  Checksum a, b, c;
  a.add(p);
  b.add(q);
  CHECK(a.value() == b.value());
  std::swap(q.payload[0], q.payload[1]);
  c.add(q);
  CHECK(a.value() != c.value());
}

TEST_CASE("tofu reader: good, nullified and broken packets") {
  TofuReader reader;
  Packet p = sample(5, 2);
  const Control c{ControlType::Ack, 7, {1, 2, 3, 4}};
  auto e = last_event(reader, p.on_wire(c.word()));
  CHECK(e.ok);
  CHECK(e.packet == p);
  CHECK(e.control == c);
  // idle beats and a control packet inside are skipped
  auto beats = p.on_wire();
  beats.insert(beats.begin() + 1, kIdleBeat);
  beats.insert(beats.begin() + 3, c.beat());
  CHECK(last_event(reader, beats).packet == p);
  Packet early = p;
  early.payload.resize(2);
  early.nullified = true;
  e = last_event(reader, early.on_wire());
  CHECK_FALSE(e.ok);
  CHECK_FALSE(e.error);
  REQUIRE(e.packet);
  CHECK(e.packet->nullified);
  CHECK(reader.counts().code + reader.counts().framing + reader.counts().crc == 0);

  // every single wrong bit of a packet is noticed by its end
  for (std::size_t i = 0; i < beats.size(); ++i) {
    for (unsigned bit = 0; bit < 144; ++bit) {
      auto damaged = p.on_wire();
      if (i >= damaged.size()) break;
      // bytes 8 to 15 of the last beat are the control packet's
      if (i + 1 == damaged.size() && ((bit >= 64 && bit < 128) || bit >= 136)) continue;
      if (bit < 128) {
        damaged[i].word[bit / 64] ^= std::uint64_t{1} << (bit % 64);
      } else {
        damaged[i].control = static_cast<std::uint16_t>(damaged[i].control ^ (1U << (bit - 128)));
      }
      TofuReader fresh;
      bool error = false, ok = false;
      for (const Beat& b : damaged) {
        const auto event = fresh.push(b);
        error = error || event.error;
        ok = ok || event.ok;
      }
      REQUIRE(error);
      REQUIRE_FALSE(ok);
    }
  }
}

TEST_CASE("tofu reader: beats out of place") {
  TofuReader reader;
  const Packet p = sample(5, 3);
  auto beats = p.on_wire();
  beats.erase(beats.begin() + 4);  // lost
  CHECK(last_event(reader, beats).anomalies.framing);
  beats = p.on_wire();
  beats.insert(beats.begin() + 4, beats[4]);  // doubled
  for (const Beat& b : beats) reader.push(b);
  CHECK(reader.counts().framing == 2);
  CHECK(reader.counts().packets == 0);
  // data without a beginning count once
  reader.push(kIdleBeat);
  for (std::size_t i = 1; i < beats.size(); ++i) reader.push(beats[i]);
  CHECK(reader.counts().framing == 3);
  // a packet that another one cuts short
  beats = p.on_wire();
  beats.resize(4);
  for (const Beat& b : beats) reader.push(b);
  CHECK(last_event(reader, p.on_wire()).ok);
  CHECK(reader.counts().framing == 4);
  reader.push(kErrorBeat);
  CHECK(reader.counts().code == 1);
}
