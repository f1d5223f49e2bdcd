// SPDX-License-Identifier: Apache-2.0
// Network interfaces joined with one another: what a transfer leaves behind in memory, computed
// here by itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "tests/tofu/interface/tni_transfer.hpp"

using ht::model::TniCommand;
using ht::test::TniNet;
using ht::test::TniTransfers;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;

namespace {

constexpr unsigned kFirst = 0, kSecond = 1;

std::uint64_t word(const TniNet& net, unsigned node, std::uint64_t at, std::size_t bytes = 8) {
  std::uint64_t w = 0;
  std::memcpy(&w, net.memory[node].data() + at, bytes);
  return w;
}

void put_word(TniNet& net, unsigned node, std::uint64_t at, std::uint64_t w) {
  std::memcpy(net.memory[node].data() + at, &w, sizeof w);
}

}  // namespace

TEST_CASE("tni: puts and gets of all lengths and alignments, over pages or not", "[tni]") {
  TniTransfers t(1);
  for (std::uint32_t length = 0; length <= 4096; length += length < 48 ? 1 : 61) t.any(length);
  for (const std::uint32_t length : {1919U, 1920U, 1921U, 3839U, 3840U, 3841U, 4095U, 4096U})
    t.any(length);
}

TEST_CASE("tni: the same with a router and a memory that stall", "[tni]") {
  TniTransfers t(2);
  for (const unsigned stalls : {3U, 8U, 13U}) {
    t.net.disturb(stalls, stalls, stalls);
    for (auto& d : t.net.devices) {
      d->read_latency = 3 * stalls;
      d->read_jitter = 20;
    }
    for (std::uint32_t length = 0; length <= 4096; length += 173) t.any(length);
  }
}

TEST_CASE("tni: data in the descriptor, none to 32 bytes", "[tni]") {
  TniNet net(2, 1, 0x60000);
  // A completion says that all is in memory, however late that is, whatever else is written there.
  net.devices[1]->write_latency = GENERATE(0U, 1U, 30U, 500U);
  net.tag(kSecond, 5, TniNet::kWrite, TniNet::kFree, 0x1000);
  auto c = net.to(Kind::PutDirect, kSecond);
  c.remote_tag = 5;
  c.flags = TniCommand::kCompletion;
  for (std::size_t i = 0; i < 4; ++i)
    c.data[i] = 0x0101010101010101U * (i + 1) + 0x8040201008040201U;
  for (c.length = 0; c.length <= 32; ++c.length) {
    c.remote_offset = 0x100 + 7 * c.length;
    auto expected = net.memory[1];
    std::memcpy(expected.data() + TniNet::kFree + c.remote_offset, c.data.data(), c.length);
    net.submit(kFirst, c);
    std::vector<TniNet::Completion> done;
    net.run_until([&] {
      done = net.completions(kFirst);
      return !done.empty();
    });
    REQUIRE(net.memory[1] == expected);
    CHECK(done[0].cause == 0);
  }
  // one more cannot be
  CHECK(net.run(kFirst, c).cause == 6);
  CHECK(net.read(kFirst, reg::kError) == ht::model::tni_error::kDescriptor);
}

TEST_CASE("tni: every atomic operation, of 4 and of 8 bytes, wherever they lie", "[tni]") {
  TniNet net(2, 1, 0x60000);
  net.disturb(2, 9, 2);
  net.tag(kSecond, 7, TniNet::kAtomic, TniNet::kFree, 0x100);
  std::mt19937_64 random(5);
  unsigned swapped = 0;
  for (unsigned i = 0; i < 240; ++i) {
    const unsigned operation = i % 6;
    const bool wide = i / 6 % 2 != 0;
    const std::uint64_t mask = wide ? ~0ULL : 0xffffffffULL;
    auto c = net.to(Kind::Atomic, kSecond);
    c.flags = wide ? TniCommand::kWide : 0;
    c.operation = static_cast<std::uint8_t>(operation);
    c.remote_tag = 7;
    c.remote_offset = (wide ? 8 : 4) * (random() % 4);
    const std::uint64_t at = TniNet::kFree + c.remote_offset;
    const std::uint64_t old = word(net, 1, at, wide ? 8 : 4), operand = random();
    const std::uint64_t compare =
        random() % 2 != 0 ? old | (random() & ~mask) : old ^ (1ULL << random() % (wide ? 64 : 32));
    c.data = {operand, compare, random(), random()};
    std::uint64_t value = 0;
    switch (operation) {
      case 0:
        value = old + operand;
        break;
      case 1:
        value = old & operand;
        break;
      case 2:
        value = old | operand;
        break;
      case 3:
        value = old ^ operand;
        break;
      case 4:
        value = operand;
        break;
      default:
        value = old == (compare & mask) ? operand : old;
        swapped += value != old ? 1 : 0;
    }
    auto expected = net.memory[1];
    std::memcpy(expected.data() + at, &value, wide ? 8 : 4);
    const auto done = net.run(kFirst, c);
    CAPTURE(i, operation, wide, c.remote_offset);
    REQUIRE(done.cause == 0);
    REQUIRE(done.old == old);
    net.completions(kFirst);
    std::fill_n(expected.begin(), TniNet::kFree, std::byte{0});
    auto found = net.memory[1];
    std::fill_n(found.begin(), TniNet::kFree, std::byte{0});
    REQUIRE(found == expected);
  }
  CHECK(swapped > 5);
}

TEST_CASE("tni: additions from everywhere to one word all count, each sees another value",
          "[tni]") {
  // Memory that is slow to take a write must not let the next addition read the old value.
  TniNet net(4, 1, 0x60000, 3);
  net.disturb(3, 14, 3);
  net.tag(kFirst, 7, TniNet::kAtomic, TniNet::kFree, 0x100);
  constexpr unsigned kEach = 12;
  for (unsigned d = 1; d < 4; ++d) {
    auto c = net.to(Kind::Atomic, kFirst);
    c.flags = TniCommand::kWide | TniCommand::kCompletion;
    c.remote_tag = 7;
    c.remote_offset = 0x20;
    c.data[0] = 1;
    for (unsigned i = 0; i < kEach; ++i) net.submit(d, c);
  }
  net.settle();
  std::vector<std::uint64_t> seen;
  for (unsigned d = 1; d < 4; ++d) {
    for (const auto& done : net.completions(d)) {
      CHECK(done.cause == 0);
      seen.push_back(done.old);
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint64_t> expected(3 * kEach);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(seen == expected);
  CHECK(word(net, 0, TniNet::kFree + 0x20) == 3 * kEach);
}

TEST_CASE("tni: an atomic reads what was written before it, answered or not", "[tni]") {
  // The first packet of a put, which has no answer, and an addition to the same word right behind.
  TniNet net(2, 1, 0x60000, 6);
  net.tag(kSecond, 7, TniNet::kWrite | TniNet::kAtomic, TniNet::kFree, 0x100);
  net.tamper = [](auto&) { return false; };  // answers to nobody
  for (std::uint64_t i = 1; i <= 60; ++i) {
    net.disturb(0, i % 16, 0);
    ht::model::TniPacket p;
    p.to = TniNet::coordinates(1);
    p.from = TniNet::coordinates(0);
    p.tag = 7;
    p.offset = 0x40;
    p.first = true;
    p.payload.resize(8);
    p.length = 8;
    const std::uint64_t value = i << 32;
    std::memcpy(p.payload.data(), &value, sizeof value);
    auto& in = net.devices[1]->in[0];
    in.push_back(ht::model::to_frame(p).in_chip());
    p.kind = ht::model::TniKind::Atomic;
    p.operation = 8;
    p.last = p.answer = true;
    p.message = 1;
    const std::array<std::uint64_t, 2> one{1, 0};
    p.payload.resize(sizeof one);
    std::memcpy(p.payload.data(), one.data(), sizeof one);
    in.push_back(ht::model::to_frame(p).in_chip());
    net.settle();
    REQUIRE(word(net, 1, TniNet::kFree + 0x40) == value + 1);
  }
}

TEST_CASE("tni: a get brings what puts before it wrote, and an answer says that the data are there",
          "[tni]") {
  TniNet net(2, 2, 0x60000, 4);
  net.longest_way = 1;
  net.tag(2, 3, TniNet::kWrite | TniNet::kRead, TniNet::kFree, 0x1000);
  net.tag(0, 1, 0, TniNet::kFree, 0x1000);
  for (unsigned i = 1; i <= 60; ++i) {
    net.disturb(0, i % 16, 0);
    auto put = net.to(Kind::PutDirect, 2);
    put.remote_tag = 3;
    put.length = 8;
    put.data[0] = i;
    put.flags = TniCommand::kCompletion;
    auto get = net.to(Kind::Get, 2);
    get.local_tag = 1;
    get.remote_tag = 3;
    get.length = 8;
    get.flags = TniCommand::kCompletion;
    net.put_command(0, put);
    net.put_command(0, get);
    net.ring(0);
    bool told = false;
    net.devices[2]->on_packet = [&, next = net.devices[2]->on_packet](const auto& beats) {
      told = true;
      CHECK(word(net, 1, TniNet::kFree) == i);
      next(beats);
    };
    const auto keep = net.devices[2]->on_packet;
    net.settle();
    CHECK(told);
    CHECK(word(net, 0, TniNet::kFree) == i);
    net.completions(0);
  }
}

TEST_CASE("tni: notices have a phase, are lost when their ring is full, and the sender is told",
          "[tni]") {
  TniNet net(2, 1, 0x60000, 5);
  net.tag(kSecond, 3, TniNet::kWrite | TniNet::kRead, TniNet::kFree, 0x1000);
  net.tag(kFirst, 1, 0, TniNet::kFree, 0x1000);
  auto c = net.to(Kind::PutDirect, kSecond);
  c.flags = TniCommand::kRemoteNotice | TniCommand::kLocalNotice;
  c.remote_tag = 3;
  c.length = 8;
  for (unsigned i = 0; i < 40; ++i) {
    c.edata = static_cast<std::uint16_t>(0x1000 + i);
    c.remote_offset = 8 * i;
    const auto done = net.run(kFirst, c);
    CHECK(done.cause == 0);
    CHECK(done.notice);
    const auto notices = net.notices(kSecond);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].edata == c.edata);
    CHECK(notices[0].cause == 0);
    CHECK(notices[0].length == 8);
    CHECK(notices[0].kind == 0);
    CHECK(notices[0].from == TniNet::coordinates(0));
    CHECK(notices[0].offset == c.remote_offset);
    CHECK(notices[0].tag == 3);
  }
  for (unsigned i = 0; i < 16; ++i) CHECK(net.run(kFirst, c).cause == 0);
  c.data[0] = 77;
  CHECK(net.run(kFirst, c).cause == 7);
  CHECK(word(net, 1, TniNet::kFree + c.remote_offset) == 77);
  CHECK(net.read(kSecond, reg::kError) == ht::model::tni_error::kOverflow);
  // What a get asked for comes all the same.
  put_word(net, 1, TniNet::kFree + 0x800, 123456);
  auto get = net.to(Kind::Get, kSecond);
  get.flags = TniCommand::kRemoteNotice;
  get.local_tag = 1;
  get.remote_tag = 3;
  get.remote_offset = 0x800;
  get.length = 8;
  CHECK(net.run(kFirst, get).cause == 7);
  CHECK(word(net, 0, TniNet::kFree) == 123456);
  CHECK(net.notices(kSecond).size() == 16);
  CHECK(net.run(kFirst, c).cause == 0);
}

TEST_CASE("tni: a notice whose phase shows is whole", "[tni]") {
  TniNet net(2, 1, 0x60000, 5);
  net.tag(kSecond, 3, TniNet::kWrite, TniNet::kFree, 0x1000);
  auto c = net.to(Kind::PutDirect, kSecond);
  c.flags = TniCommand::kRemoteNotice;
  c.remote_tag = 3;
  c.length = 8;
  std::uint16_t taken = 0;
  for (const unsigned stalls : {0U, 8U, 15U}) {
    net.devices[kSecond]->memory_stalls = stalls;
    // Three times round the ring, which holds older notices then.
    for (unsigned i = 0; i < 48; ++i) {
      c.remote_offset = 8 * i + stalls;
      c.edata = static_cast<std::uint16_t>(i);
      // Whoever polls memory may look after any write.
      std::vector<TniNet::Notice> seen;
      net.devices[kSecond]->on_write = [&](std::uint64_t) {
        for (const auto& notice : net.notices(kSecond, 0, false)) seen.push_back(notice);
      };
      CHECK(net.run(kFirst, c).cause == 0);
      REQUIRE(seen.size() == 1);
      CHECK(seen[0].edata == c.edata);
      CHECK(seen[0].length == 8);
      CHECK(seen[0].offset == c.remote_offset);
      CHECK(seen[0].tag == 3);
      net.write(kSecond, reg::kQueue + reg::kNoticed, ++taken);
    }
  }
  net.devices[kSecond]->on_write = nullptr;
}

TEST_CASE("tni: translations are kept until they are to be forgotten", "[tni]") {
  TniNet net(2, 1, 0x80000, 6);
  auto c = net.to(Kind::PutDirect, kSecond);
  c.remote_tag = 9;
  c.length = 8;
  const std::uint64_t a = TniNet::kFree + 0x1000, b = TniNet::kFree + 0x9000;
  net.tag(kSecond, 9, TniNet::kWrite, 0, 0x1000, 0, {a});
  const auto run = [&](std::uint64_t value) {
    c.data[0] = value;
    return net.run(kFirst, c).cause;
  };
  CHECK(run(1) == 0);
  CHECK(net.read(kSecond, reg::kCacheMisses) == 1);
  CHECK(run(2) == 0);
  CHECK(net.read(kSecond, reg::kCacheHits) == 1);
  CHECK(word(net, 1, a) == 2);
  // Another frame in the list: not seen before TABLE_FORGET, of the tag or of all.
  put_word(net, 1, 0x1000 + 0x80 * 9, b / 16);
  CHECK(run(3) == 0);
  CHECK(word(net, 1, a) == 3);
  net.write(kSecond, reg::kTableForget, 9);
  CHECK(run(4) == 0);
  CHECK(word(net, 1, b) == 4);
  CHECK(word(net, 1, a) == 3);
  put_word(net, 1, 0x1000 + 0x80 * 9, a / 16);
  net.write(kSecond, reg::kTableForget, 1U << 31);
  CHECK(run(5) == 0);
  CHECK(word(net, 1, a) == 5);
  // The right is gone, then the tag.
  net.tag(kSecond, 9, TniNet::kRead, 0, 0x1000, 0, {a});
  CHECK(run(6) == 3);
  net.forget_tag(kSecond, 9);
  CHECK(run(7) == 1);
  CHECK(word(net, 1, a) == 5);
  // A tag that was not valid is read again without being told.
  put_word(net, 1, 32 * 9, 1 | TniNet::kWrite | 63U << 10);
  put_word(net, 1, 32 * 9 + 16, b / 16);
  CHECK(run(8) == 0);
  CHECK(word(net, 1, b) == 8);
}

TEST_CASE("tni: tags and pages that share a place in the caches", "[tni]") {
  // 64 lines each: tags are told apart by their upper bits, pages by tag and number.
  TniNet net(2, 1, 0x100000, 7);
  std::vector<std::uint64_t> frames;
  for (std::uint64_t i = 0; i < 16; ++i) frames.push_back(TniNet::kFree + 0x1000 * (15 - i));
  net.write(kSecond, reg::kTableTags, 0x40000);
  net.write(kSecond, reg::kTableBase, 0x80000 / 16);
  std::mt19937_64 random(8);
  for (unsigned i = 0; i < 300; ++i) {
    // entries for tags 1 and 65, 129, .. in the table at 80000, with lists at b0000
    const unsigned tag = static_cast<unsigned>(1 + 64 * (random() % 4) + random() % 2);
    const std::uint64_t entry = 0x80000 + 32ULL * tag, list = 0xb0000 + 0x100ULL * tag,
                        page = random() % 16;
    put_word(net, 1, entry, 1 | TniNet::kWrite | 12U << 10);
    put_word(net, 1, entry + 8, 0x10000);
    put_word(net, 1, entry + 16, list / 16);
    for (std::size_t n = 0; n < 16; ++n)
      put_word(net, 1, list + 8 * n, frames[(n + tag) % 16] / 16);
    auto c = net.to(Kind::PutDirect, kSecond);
    c.remote_tag = tag;
    c.remote_offset = 0x1000 * page + 8 * (random() % 512);
    c.length = 8;
    c.data[0] = random();
    CHECK(net.run(kFirst, c).cause == 0);
    REQUIRE(word(net, 1, frames[(page + tag) % 16] + (c.remote_offset & 0xfff)) == c.data[0]);
  }
}

TEST_CASE("tni: idle cycles may be left out", "[tni]") {
  std::array<std::uint64_t, 2> cycles{};
  for (const bool skip : {false, true}) {
    TniNet net(2, 1, 0x60000, 9);
    for (auto& d : net.devices) d->skip_idle = skip;
    net.tag(kSecond, 3, TniNet::kWrite, TniNet::kFree, 0x4000);
    net.tag(kFirst, 1, 0, TniNet::kFree, 0x4000);
    auto c = net.to(Kind::Put, kSecond);
    c.local_tag = 1;
    c.remote_tag = 3;
    c.length = 4001;
    for (unsigned i = 0; i < 4001; ++i)
      net.memory[0][TniNet::kFree + 5 + i] = static_cast<std::byte>(i * 11);
    c.local_offset = 5;
    for (unsigned i = 0; i < 5; ++i) {
      CHECK(net.run(kFirst, c).cause == 0);
      for (unsigned n = 0; n < 200; ++n) net.step();
    }
    CHECK(std::equal(net.memory[0].begin() + TniNet::kFree + 5,
                     net.memory[0].begin() + TniNet::kFree + 4006,
                     net.memory[1].begin() + TniNet::kFree));
    cycles[skip ? 1 : 0] = net.cycle;
    if (skip) CHECK(net.devices[1]->skips > 1000);
  }
  CHECK(cycles[0] == cycles[1]);
}
