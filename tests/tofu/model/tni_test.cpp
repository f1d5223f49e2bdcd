// SPDX-License-Identifier: Apache-2.0
// The reference of the network interfaces against what rtl/tofu/README.md says, byte by byte.
#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <vector>

#include "verif/model/tofu/tni_network.hpp"

using namespace ht::model;

namespace remote = ht::model::tofu::wire::remote;

namespace {

constexpr std::uint32_t kHere = 0, kThere = 0x0421;
constexpr unsigned kControl = 0x2040, kProducer = 0x2044, kCompleted = 0x2046;
constexpr std::size_t kTable = 0x1000, kCommands = 0x2000, kCompletions = 0x3000, kNotices = 0x3800;

/// Two nodes, queue 0 of interface 0 enabled at both, rings of four.
struct Pair {
  std::array<std::vector<std::byte>, 2> memory;
  TniNetwork net;
  unsigned commands = 0;

  explicit Pair(unsigned shuffle = 0) : net(shuffle) {
    for (std::size_t n = 0; n < 2; ++n) {
      memory[n].resize(0x20000);
      net.add(n == 0 ? kHere : kThere, memory[n]);
      set(n, 0x2004, kTable / 16);
      set(n, 0x2005, 16);
      set(n, 0x2041, kCommands / 16);
      set(n, 0x2042, kCompletions / 16);
      set(n, 0x2043, kNotices / 16);
      set(n, kControl, 1 | 2 << 1 | 2 << 5 | 2 << 9);
      set(n, 0x2001, 1);
    }
  }
  void set(std::size_t node, unsigned address, std::uint32_t value) {
    REQUIRE_FALSE(net.write(node, address, value).refused);
  }
  std::uint64_t word(std::size_t node, std::size_t address) const {
    std::uint64_t w = 0;
    std::memcpy(&w, memory[node].data() + address, sizeof w);
    return w;
  }
  void put_word(std::size_t node, std::size_t address, std::uint64_t w) {
    std::memcpy(memory[node].data() + address, &w, sizeof w);
  }
  /// rights: bit 1 read, 2 write, 3 atomic.
  void tag(std::size_t node, unsigned number, unsigned rights, std::uint64_t length,
           std::uint64_t base, unsigned owner = 0, unsigned page = 63) {
    const std::size_t entry = kTable + std::size_t{32} * number;
    put_word(node, entry, 1 | rights | owner << 4 | page << 10);
    put_word(node, entry + 8, length);
    put_word(node, entry + 16, base / 16);
    put_word(node, entry + 24, 0);
  }
  void command(const std::vector<std::uint64_t>& words) {
    for (std::size_t i = 0; i < 8; ++i)
      put_word(0, kCommands + std::size_t{64} * (commands % 4) + 8 * i,
               i < words.size() ? words[i] : 0);
    set(0, kProducer, ++commands);
    net.settle();
  }
};

}  // namespace

TEST_CASE("network interfaces: a put of data in the descriptor, with everything it leaves behind",
          "[tni]") {
  Pair p;
  p.tag(1, 3, 4, 0x100, 0x8000);
  p.put_word(1, 0x8010, 0xffffffffffffffffU);
  // command 2, completion and both notices, to 0x421, path 5, length 5, edata beef, tag 3, offset
  // 11
  p.command({2 | 7 << 8 | 0x421ULL << 32 | 5ULL << 51, 5 | 0xbeefULL << 48, 0, 0x11 | 3ULL << 40,
             0x8877665544332211U});
  CHECK(p.word(1, 0x8010) == 0xffff5544332211ffU);
  CHECK(p.word(0, kCompletions) == (0ULL | 0ULL << 16 | 3ULL << 24));
  CHECK(p.word(1, kNotices) == (0xbeefULL | 1ULL << 24 | 5ULL << 32));
  CHECK(p.word(1, kNotices + 8) == 0);
  CHECK(p.word(1, kNotices + 16) == (0x11ULL | 3ULL << 40));
  CHECK(p.net.read(0, 0x2009).value == 1);
  CHECK(p.net.read(1, 0x2009).value == 1);
  CHECK(p.net.read(0, 0x200a).value == 1);
}

TEST_CASE("network interfaces: a put of three packets over scattered pages", "[tni]") {
  Pair p(7);
  p.tag(0, 1, 0, 0x2000, 0x4000);
  p.tag(1, 2, 4, 0x2000, 0x5000, 0, 12);
  p.put_word(1, 0x5000, 0x9000 / 16);
  p.put_word(1, 0x5008, 0x7000 / 16);
  for (std::size_t i = 0; i < 4000; ++i) p.memory[0][0x4003 + i] = static_cast<std::byte>(i * 7);
  std::vector<std::size_t> sizes;
  p.net.tamper = [&](TniPacket& packet) {
    if (packet.kind == TniKind::Put) sizes.push_back(packet.payload.size());
    return true;
  };
  p.command({1 | 1 << 8 | 0x421ULL << 32, 4000 | 1ULL << 24, 3, 0x321 | 2ULL << 40});
  CHECK(sizes == std::vector<std::size_t>{1920, 1920, 160});
  for (std::size_t i = 0; i < 4000; ++i) {
    const std::size_t at = 0x321 + i;
    const std::size_t where = at < 0x1000 ? 0x9000 + at : 0x7000 + at - 0x1000;
    REQUIRE(p.memory[1][where] == static_cast<std::byte>(i * 7));
  }
  CHECK(p.word(0, kCompletions) == 1ULL << 24);
}

TEST_CASE("network interfaces: get and atomics", "[tni]") {
  Pair p;
  p.tag(0, 1, 0, 0x1000, 0x4000);
  p.tag(1, 2, 2 | 8, 0x1000, 0x8000);
  p.put_word(1, 0x8100, 0x0123456789abcdefU);
  p.command({3 | 1 << 8 | 0x421ULL << 32, 8 | 1ULL << 24, 0x28, 0x100 | 2ULL << 40});
  CHECK(p.word(0, 0x4028) == 0x0123456789abcdefU);
  // compare and swap of 8 bytes, that does; then of 4, that does not; then add
  const std::uint64_t remote = 0x100 | 2ULL << 40;
  p.command({4 | 9 << 8 | 5 << 16 | 0x421ULL << 32, 0, 0, remote, 0xffffffff00000001U,
             0x0123456789abcdefU});
  CHECK(p.word(1, 0x8100) == 0xffffffff00000001U);
  p.command({4 | 1 << 8 | 5 << 16 | 0x421ULL << 32, 0, 0, remote, 5, 2});
  CHECK(p.word(1, 0x8100) == 0xffffffff00000001U);
  p.command({4 | 1 << 8 | 0x421ULL << 32, 0, 0, remote, 0x123ffffffffULL});
  CHECK(p.word(1, 0x8100) == 0xffffffff00000000U);
  CHECK(p.word(0, kCompletions + 0x18) == 0x0123456789abcdefU);
  CHECK(p.word(0, kCompletions + 0x20) == (2ULL | 1ULL << 24));
  CHECK(p.word(0, kCompletions + 0x28) == 1);
  CHECK(p.word(0, kCompletions + 0x38) == 1);
  // The ring is full: nothing happens until software has read an entry. Then phase 0.
  p.command({0 | 1 << 8});
  CHECK(p.net.read(0, 0x2045).value == 4);
  p.set(0, kCompleted, 1);
  CHECK(p.net.read(0, 0x2045).value == 5);
  CHECK(p.word(0, kCompletions) == 4);
}

TEST_CASE("network interfaces: every fault by its cause, nothing moved, both ends told", "[tni]") {
  Pair p;
  p.tag(0, 1, 0, 0x100, 0x4000);
  p.tag(0, 4, 0, 0x100, 0x4000, 3);
  p.tag(1, 2, 4, 0x100, 0x8000);
  p.tag(1, 5, 4, 0x100, 0x8000, 6);
  p.put_word(1, 0x8000, 0x55);
  struct Case {
    std::uint64_t local_tag, remote_tag, length, queue, cause;
    bool local;
    std::uint64_t kind = 1, remote_offset = 0;
  };
  const auto c = GENERATE(
      Case{9, 2, 8, 0, 1, true}, Case{99, 2, 8, 0, 1, true}, Case{4, 2, 8, 0, 4, true},
      Case{1, 2, 0x101, 0, 2, true}, Case{1, 9, 8, 0, 1, false}, Case{1, 16, 8, 0, 1, false},
      Case{1, 2, 8, 0, 2, false, 1, 0xf9}, Case{1, 5, 8, 0, 4, false},
      Case{1, 2, 8, 0, 3, false, 3}, Case{0, 2, 4, 0, 3, false, 4}, Case{1, 2, 8, 1, 5, true},
      Case{1, 2, 8, 9, 5, true}, Case{1, 2, 33, 0, 6, true, 2}, Case{1, 2, 8, 0, 6, true, 5},
      Case{1, 2, 4, 0, 6, true, 4, 2}, Case{1, 2, 8, 0, 6, true, 1, 0xfffffffff9});
  p.command({c.kind | c.queue << 24 | 0x421ULL << 32, c.length | c.local_tag << 24, 0,
             c.remote_offset | c.remote_tag << 40, 0x1234});
  CHECK(p.word(0, kCompletions) == (c.cause << 16 | 1ULL << 24));
  CHECK(p.word(1, 0x8000) == 0x55);
  CHECK((p.word(1, kNotices) >> 16 & 0xff) == (c.local ? 0 : c.cause));
  CHECK((p.word(1, kNotices) >> 24 & 1) == (c.local ? 0 : 1));
  CHECK(p.net.read(1, 0x200b).value == (c.local && c.cause != 5 ? 0 : 1));
  CHECK((p.net.read(0, 0x2002).value != 0) == (c.cause == 6));
}

TEST_CASE("network interfaces: data of a get that are lost on the way", "[tni]") {
  Pair p;
  p.tag(0, 1, 0, 0x2000, 0x4000);
  p.tag(1, 2, 2, 0x2000, 0x8000);
  p.put_word(1, 0x8000, 0x1234);
  unsigned data = 0;
  p.net.tamper = [&](TniPacket& packet) { return packet.kind != TniKind::Data || data++ != 1; };
  p.command({3 | 1 << 8 | 0x421ULL << 32, 4000 | 1ULL << 24, 0, 2ULL << 40});
  CHECK(data == 3);
  CHECK(p.word(0, 0x4000) == 0x1234);
  CHECK(p.word(0, kCompletions) == (8ULL << 16 | 1ULL << 24));
}

TEST_CASE("network interfaces: rings of a queue that is enabled stay where they are", "[tni]") {
  Pair p;
  CHECK(p.net.write(0, 0x2042, 0x100).refused);
  CHECK(p.net.write(0, kControl, 1 | 3 << 1 | 2 << 5 | 2 << 9).refused);
  CHECK(p.net.read(0, 0x2002).value == 4);
  CHECK(p.net.read(0, 0x2042).value == kCompletions / 16);
  CHECK_FALSE(p.net.write(0, kControl, 1 | 2 << 1 | 2 << 5 | 2 << 9).refused);
}

TEST_CASE("network interfaces: a full ring of notices loses the notice and says so", "[tni]") {
  Pair p;
  p.tag(1, 2, 4, 0x100, 0x8000);
  for (unsigned i = 0; i < 6; ++i) {
    p.command({2 | 3 << 8 | 0x421ULL << 32, 8, 0, 8 * i | 2ULL << 40, i + 1});
    CHECK(p.word(1, 0x8000 + 8 * i) == i + 1);
    CHECK((p.word(0, kCompletions + std::size_t{16} * (i % 4)) >> 16 & 0xff) == (i < 4 ? 0 : 7));
    p.set(0, kCompleted, i + 1);
  }
  CHECK(p.net.read(1, 0x2002).value == 8);
}

TEST_CASE("network interfaces: a packet is the same after its frame, and misfits are none",
          "[tni]") {
  TniPacket p;
  p.kind = TniKind::Atomic;
  p.to = 0x7ffff;
  p.from = 0x51234;
  p.path = 9;
  p.interface = 3;
  p.group = 0x2d;
  p.offset = 0xfedcba9870;
  p.tag = 0x2abcd;
  p.queue = 0x2a;
  p.source_queue = 0x15;
  p.source_interface = 2;
  p.message = 0x81;
  p.edata = 0xa5c3;
  p.first = p.last = p.answer = true;
  p.cause = TniCause::Owner;
  p.operation = 0xd;
  p.length = 0x123456;
  p.payload.resize(13, std::byte{0xee});
  const auto frame = to_frame(p);
  REQUIRE(tni_packet(frame) == p);
  CHECK(frame.get({80, 6}) == 0x2d);
  CHECK(frame.get({88, 32}) == 0xdcba9870);
  CHECK(frame.get(remote::kTag) == 0x2abcd);
  CHECK(frame.get(remote::kLastBytes) == 12);
  auto other = frame;
  other.set({20, 4}, 5);
  CHECK_FALSE(tni_packet(other));
  other = frame;
  other.set({16, 2}, 2);
  CHECK_FALSE(tni_packet(other));
  other = frame;
  other.payload.push_back({});
  CHECK_FALSE(tni_packet(other));
  other = frame;
  other.set(remote::kAnswer, 0);  // the last one wants an answer
  CHECK_FALSE(tni_packet(other));
  other = frame;
  other.set({88, 3}, 4);  // 8 bytes at a multiple of 4
  CHECK_FALSE(tni_packet(other));
  other = frame;
  other.set(remote::kOperation, 6);  // an operation that does not exist
  CHECK_FALSE(tni_packet(other));
}

TEST_CASE("network interfaces: six of a node have their codes, in packets and in commands",
          "[tni]") {
  constexpr std::array<std::uint32_t, 6> codes{0, 1, 2, 3, 5, 6};
  for (std::uint8_t i = 0; i < codes.size(); ++i) {
    TniPacket p;
    p.interface = i;
    p.source_interface = static_cast<std::uint8_t>(5 - i);
    p.first = p.last = p.answer = true;
    p.payload.resize(8);
    const auto frame = to_frame(p);
    CHECK(frame.get({75, 4}) == codes[i]);
    CHECK(tni_packet(frame) == p);
    ht::model::TniCommand c;
    c.interface = i;
    c.to = 0x7ffff;
    c.path = 15;
    CHECK(ht::model::TniCommand::from_bytes(c.to_bytes()).interface == i);
    CHECK(ht::model::TniCommand::from_bytes(c.to_bytes()).to == c.to);
  }
}
