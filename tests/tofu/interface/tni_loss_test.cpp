// SPDX-License-Identifier: Apache-2.0
// Network interfaces over a network that loses packets: what is said to be good is good, at both
// ends, and every command ends. rtl/tofu/README.md, "Messages that lose packets" and "Time limits".
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/power_on.hpp"
#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniDevice;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;

namespace {

constexpr unsigned kPacket = 1920, kRoom = 0x8000;
constexpr unsigned kRights = TniNet::kRead | TniNet::kWrite | TniNet::kAtomic;
constexpr unsigned kLost = 8, kFull = 9, kTimeout = 10;
/// Shortest time limit there is: 64 ticks of 64 cycles. A command ends between one and two of them
/// after the last packet of its transfer.
constexpr unsigned kShortest = 6;
constexpr std::uint64_t kLimit = 64 << kShortest;

/// Interfaces of one node each; tag 1 is memory to send from and to get into, tag 3 memory of
/// others.
struct Nodes {
  TniNet net;
  explicit Nodes(unsigned nodes, unsigned per_node = 1, std::uint64_t seed = 1)
      : net(nodes, per_node, TniNet::kFree + 2 * kRoom, seed) {
    for (unsigned d = 0; d < net.devices.size(); ++d) {
      net.tag(d, 1, kRights, TniNet::kFree, kRoom);
      net.tag(d, 3, kRights, TniNet::kFree + kRoom, kRoom);
      net.write(d, reg::kTimeLimit, kShortest);
    }
    for (auto& memory : net.memory) {
      for (unsigned i = 0; i < kRoom; ++i)
        memory[TniNet::kFree + i] = static_cast<std::byte>(1 + (i * 13 + i / 256) % 255);
    }
  }
  TniCommand command(Kind kind, unsigned to, std::uint64_t at, std::uint32_t length) const {
    auto c = net.to(kind, to);
    c.flags = TniCommand::kCompletion | TniCommand::kRemoteNotice;
    c.local_tag = 1;
    c.remote_tag = 3;
    c.remote_offset = at;
    c.length = length;
    return c;
  }
  /// Bytes at a node's tag 3 that are not what was sent there from the beginning of tag 1.
  unsigned wrong(unsigned node, std::uint64_t at, std::uint32_t length) const {
    unsigned count = 0;
    for (std::uint32_t i = 0; i < length; ++i)
      count += net.memory[node][TniNet::kFree + kRoom + at + i] != net.memory[0][TniNet::kFree + i]
                   ? 1
                   : 0;
    return count;
  }
  void wait(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) net.step();
  }
  /// As long as the longest a command may take to be given up.
  void give_up() { wait(2 * kLimit + 2000); }
};

bool is_put(const TniDevice::Beats& beats) {
  return (beats[0].data[0] >> 20 & 15) == 0;
}

}  // namespace

TEST_CASE("tni: a put that loses any one packet is good at neither end, and is good sent again",
          "[tni]") {
  const std::uint32_t length = GENERATE(1, 1920, 1921, 3841, 5000, 7680, 19200);
  const unsigned disturbed = GENERATE(0, 1);
  const unsigned packets = (length + kPacket - 1) / kPacket;
  for (unsigned lost = 0; lost < packets; ++lost) {
    CAPTURE(length, lost, disturbed);
    Nodes n(2, 1, 1 + lost + disturbed);
    if (disturbed != 0) {
      n.net.disturb(5, 7, 3);
      for (auto& d : n.net.devices) d->read_latency = 1 + 40 * lost % 312;
    }
    unsigned seen = 0;
    n.net.tamper = [&](TniDevice::Beats& b) { return !is_put(b) || seen++ != lost; };
    n.net.submit(0, n.command(Kind::Put, 1, 5, length));
    n.net.run_until([&] { return seen == packets; }, 20000);
    n.give_up();
    n.net.settle();
    const auto completions = n.net.completions(0);
    REQUIRE(completions.size() == 1);
    CHECK(completions[0].cause == (lost + 1 == packets ? kTimeout : kLost));
    for (const auto& notice : n.net.notices(1)) CHECK(notice.cause != 0);
    CHECK(n.wrong(1, 5, length) >= std::min(kPacket, length - lost * kPacket));
    // Nothing is left behind: the same again is good.
    n.net.submit(0, n.command(Kind::Put, 1, 5, length));
    n.net.settle();
    CHECK(n.net.completions(0).at(0).cause == 0);
    const auto notices = n.net.notices(1);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].cause == 0);
    CHECK(n.wrong(1, 5, length) == 0);
    for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
  }
}

TEST_CASE("tni: whatever is lost of whatever is under way, good is good and every command ends",
          "[tni]") {
  const unsigned seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  // Two nodes of two interfaces each send to one another and to themselves: each command has its
  // own 4 KB at the source, 4 KB at the target.
  constexpr unsigned kEach = 0x1000, kCommands = 10;
  constexpr std::uint64_t kFrom = TniNet::kFree, kTo = kFrom + 4 * kCommands * kEach;
  const ht::test::RandomPowerOn power(seed);
  std::mt19937_64 random(ht::test::seed_of(seed));
  TniNet net(2, 2, kTo + 4 * kCommands * kEach, seed);
  net.longest_way = seed % 2 == 0 ? 60 : 900;
  net.disturb(seed % 3 * 4, seed % 4 * 3, seed % 5);
  for (unsigned d = 0; d < 4; ++d) {
    net.tag(d, 1, kRights, kFrom, 8 * kCommands * kEach);
    net.write(d, reg::kTimeLimit, kShortest);
    net.devices[d]->read_latency = 6 + static_cast<unsigned>(random() % 306);
    net.devices[d]->read_jitter = static_cast<unsigned>(random() % 60);
  }
  for (unsigned node = 0; node < 2; ++node) {
    for (std::uint64_t i = 0; i < 4 * kCommands * kEach; ++i)
      net.memory[node][kFrom + i] = static_cast<std::byte>(1 + (i * 7 + i / 256 + 91 * node) % 255);
  }
  net.tamper = [&](TniDevice::Beats&) { return random() % 16 != 0; };
  struct Sent {
    Kind kind;
    unsigned to;
    std::uint64_t area;
    std::uint32_t length;
  };
  std::vector<Sent> sent;  // by edata
  std::array<std::vector<unsigned>, 4> by_index;
  for (unsigned i = 0; i < kCommands; ++i) {
    for (unsigned d = 0; d < 4; ++d) {
      const unsigned to = static_cast<unsigned>(random() % 4);
      const auto length = static_cast<std::uint32_t>(1 + random() % kEach);
      const Sent s{random() % 4 == 0 ? Kind::Get : Kind::Put, to,
                   (std::uint64_t{i} * 4 + d) * kEach, length};
      auto c = net.to(s.kind, to);
      c.flags = TniCommand::kCompletion | TniCommand::kRemoteNotice;
      c.edata = static_cast<std::uint16_t>(sent.size());
      c.local_tag = c.remote_tag = 1;
      c.local_offset = s.area + (s.kind == Kind::Get ? kTo - kFrom : 0);
      c.remote_offset = s.area + (s.kind == Kind::Put ? kTo - kFrom : 0);
      c.length = length;
      net.put_command(d, c);
      by_index[d].push_back(c.edata);
      sent.push_back(s);
      if (random() % 3 == 0) net.ring(d);
    }
  }
  for (unsigned d = 0; d < 4; ++d) net.ring(d);
  // Whether all bytes of a command are where it says, of a node's memory.
  const auto there = [&](const Sent& s, unsigned from, unsigned to) {
    const auto source = net.memory[from].begin() + static_cast<std::ptrdiff_t>(kFrom + s.area);
    return std::equal(source, source + s.length,
                      net.memory[to].begin() + static_cast<std::ptrdiff_t>(kTo + s.area));
  };
  unsigned good = 0, bad = 0;
  std::array<unsigned, 4> ended{};
  const auto look = [&] {
    for (unsigned d = 0; d < 4; ++d) {
      for (const auto& done : net.completions(d)) {
        ++ended[d];
        REQUIRE(done.index < kCommands);
        const Sent& s = sent[by_index[d][done.index]];
        CAPTURE(d, done.index, done.cause);
        ++(done.cause == 0 ? good : bad);
        CHECK((done.cause == 0 || done.cause == kLost || done.cause == kTimeout));
        if (done.cause != 0) continue;
        const unsigned here = d / 2, far = s.to / 2;
        CHECK(there(s, s.kind == Kind::Get ? far : here, s.kind == Kind::Get ? here : far));
      }
      for (const auto& notice : net.notices(d)) {
        CAPTURE(d, notice.edata);
        const Sent& s = sent.at(notice.edata);
        CHECK(notice.cause == 0);
        if (s.kind == Kind::Put) CHECK(there(s, (notice.from - 0x100) / 0x21, d / 2));
      }
    }
  };
  // Sixteen at most are under way, each for two time limits at most.
  for (int i = 0; i < 60; ++i) {
    for (std::uint64_t n = 0; n < kLimit / 8; ++n) net.step();
    look();
  }
  net.settle();
  look();
  CHECK(ended == std::array<unsigned, 4>{kCommands, kCommands, kCommands, kCommands});
  CHECK(good > 0);
  CHECK(bad > 0);
  // Then nothing is lost, and all is well.
  net.tamper = {};
  for (unsigned d = 0; d < 4; ++d) {
    auto c = net.to(Kind::Put, (d + 1) % 4);
    c.local_tag = c.remote_tag = 1;
    c.remote_offset = kTo - kFrom + d * kEach;
    c.length = kEach;
    CHECK(net.run(d, c).cause == 0);
    CHECK_FALSE(net.devices[d]->attention());
  }
}

TEST_CASE("tni: 32 messages may be open, one more is refused and says so", "[tni]") {
  constexpr unsigned kOpen = 32, kSenders = kOpen + 1;
  constexpr std::uint32_t kLength = 3 * kPacket - 7;
  constexpr unsigned kLog2 = 8;
  constexpr std::uint64_t kLong = std::uint64_t{64} << kLog2;
  Nodes n(10, 4);
  for (unsigned d = 0; d < n.net.devices.size(); ++d) {
    n.net.write(d, reg::kTimeLimit, kLog2);
    n.net.devices[d]->skip_idle = true;
  }
  const auto sender = [](unsigned i) { return 4 + i; };
  // Their last packets are lost, but the refused one's.
  std::uint32_t refused = 0;
  n.net.tamper = [&](TniDevice::Beats& b) {
    const bool last =
        ht::model::tofu::Packet::from_chip(b)->get(ht::model::tofu::wire::remote::kLast) != 0;
    return !is_put(b) || !last || (b[0].data[0] >> 56 | (b[0].data[1] & 0x7ff) << 8) == refused;
  };
  const auto put = [&](unsigned i, bool notice = true) {
    auto c = n.command(Kind::Put, 0, 16 * i, kLength);
    if (!notice) c.flags = TniCommand::kCompletion;
    n.net.submit(sender(i), c);
  };
  for (unsigned i = 0; i < kOpen; ++i) put(i);
  n.wait(9000);
  // Number 33: none of it is written, and it is told why, as often as it tries.
  refused = TniNet::coordinates(sender(kOpen) / 4);
  for (int tries = 0; tries < 3; ++tries) {
    const auto before = n.net.memory[0];
    put(kOpen);
    n.wait(900);
    const auto done = n.net.completions(sender(kOpen));
    REQUIRE(done.size() == 1);
    CHECK(done[0].cause == kFull);
    CHECK(n.net.memory[0] == before);
    CHECK(n.net.notices(0).empty());
  }
  // A put of one packet needs no room.
  CHECK(n.net.run(sender(kOpen), n.command(Kind::Put, 0, 0x7000, kPacket)).cause == 0);
  n.net.notices(0);
  // Those who lost their last packets are told by the time limit; then there is room.
  n.wait(2 * kLong + 2000);
  for (unsigned i = 0; i < kOpen; ++i) {
    const auto done = n.net.completions(sender(i));
    REQUIRE(done.size() == 1);
    CHECK(done[0].cause == kTimeout);
  }
  // Their notices would not all have room in the ring.
  n.net.tamper = {};
  for (unsigned i = 0; i < kSenders; ++i) put(i, false);
  n.net.settle();
  unsigned again = 0;
  for (unsigned i = 0; i < kSenders; ++i) {
    const auto done = n.net.completions(sender(i));
    REQUIRE(done.size() == 1);
    CHECK((done[0].cause == 0 || done[0].cause == kFull));
    if (done[0].cause == kFull) {
      ++again;
      CHECK(n.net.run(sender(i), n.command(Kind::Put, 0, 16 * i, kLength)).cause == 0);
    }
  }
  CHECK(again <= 1);
  CHECK(n.net.read(0, reg::kFaults) >= 3);
  for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
}

TEST_CASE("tni: lost answers stop no queue, and their numbers are used again", "[tni]") {
  const Kind kind = GENERATE(Kind::Put, Kind::Get, Kind::Atomic);
  const bool answers = GENERATE(false, true);  // or requests
  CAPTURE(static_cast<int>(kind), answers);
  Nodes n(3);
  n.net.open(0, 1);
  n.net.tag(0, 2, kRights, TniNet::kFree, kRoom, 1);
  // Node 1 is dead.
  n.net.tamper = [&](TniDevice::Beats& b) {
    const auto to = static_cast<std::uint32_t>(b[0].data[0] >> 32 & 0x7ffff);
    return to != TniNet::coordinates(answers ? 0 : 1);
  };
  constexpr unsigned kLostOnes = 40;  // more than there are numbers
  unsigned ended = 0;
  for (unsigned i = 0; i < kLostOnes; ++i) {
    if (i % 16 == 15) {
      n.give_up();
      for (const auto& done : n.net.completions(0)) {
        CHECK(done.cause == kTimeout);
        ++ended;
      }
    }
    auto c = n.command(kind, 1, 64 * i, 32);
    c.local_offset = 0x4000;
    c.flags = TniCommand::kCompletion;
    n.net.submit(0, c);
  }
  // Another queue's commands to a living one come through within two time limits.
  if (answers) n.net.tamper = {};
  auto other = n.command(Kind::Put, 2, 0, 3000);
  other.local_tag = 2;
  n.net.submit(0, other, 1);
  n.give_up();
  n.give_up();
  for (const auto& done : n.net.completions(0)) {
    CHECK((done.cause == kTimeout || answers));
    ++ended;
  }
  CHECK(ended == kLostOnes);
  const auto done = n.net.completions(0, 1);
  REQUIRE(done.size() == 1);
  CHECK(done[0].cause == 0);
  CHECK(n.wrong(2, 0, 3000) == 0);
  // Nothing under way: no time limit runs, and the queue stops at once.
  CHECK(n.net.devices[0]->period() == 31);
  n.net.write(0, reg::kQueue, 0);
  n.net.tamper = {};
  n.net.open(0, 0);
  CHECK(n.net.run(0, n.command(Kind::Put, 1, 0, 5000)).cause == 0);
  for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
}

TEST_CASE("tni: what comes late touches nobody", "[tni]") {
  // Everything that leaves node 1 waits for so long; the command is given up, and its number has
  // other owners by then.
  const std::uint64_t delay = GENERATE(2, 3, 5);
  const Kind kind = GENERATE(Kind::Put, Kind::Get, Kind::Atomic);
  CAPTURE(delay, static_cast<int>(kind));
  Nodes n(2);
  std::vector<TniDevice::Beats> held;
  bool holding = true;
  n.net.tamper = [&](TniDevice::Beats& b) {
    const auto from = static_cast<std::uint32_t>(b[0].data[0] >> 56 | (b[0].data[1] & 0x7ff) << 8);
    if (!holding || from != TniNet::coordinates(1)) return true;
    held.push_back(b);
    return false;
  };
  auto c = n.command(kind, 1, 0, 4000);
  c.local_offset = 0x4000;
  n.net.submit(0, c);
  n.wait(delay * kLimit + 2000);
  REQUIRE_FALSE(held.empty());
  REQUIRE(n.net.completions(0).at(0).cause == kTimeout);
  const auto late = std::move(held);
  held.clear();
  // Sixteen more are under way, with all numbers, as it comes.
  for (unsigned i = 0; i < 16; ++i) {
    auto other = n.command(Kind::Put, 1, 64 * i, 64);
    other.flags = TniCommand::kCompletion;
    n.net.submit(0, other);
  }
  n.wait(600);
  const auto before = n.net.memory[0];
  for (const auto& packet : late) n.net.devices[0]->in[TniDevice::kResponse].push_back(packet);
  n.wait(1000);
  CHECK(n.net.read(0, reg::kLate) == late.size());
  CHECK(n.net.completions(0).empty());
  CHECK(std::equal(before.begin() + TniNet::kFree, before.end(),
                   n.net.memory[0].begin() + TniNet::kFree));
  holding = false;
  n.give_up();
  for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
}

TEST_CASE("tni: data of a get that outlives its queue reach no next owner", "[tni]") {
  // 0: they come while the tag is being forgotten; others later than any time limit.
  const std::uint64_t delay = GENERATE(0, 1, 3, 6);
  CAPTURE(delay);
  Nodes n(2);
  const auto other = TniNet::kFree + kRoom;
  std::vector<TniDevice::Beats> held;
  n.net.tamper = [&](TniDevice::Beats& b) {
    if ((b[0].data[0] >> 20 & 15) != 2) return true;
    held.push_back(b);
    return false;
  };
  n.net.submit(0, n.command(Kind::Get, 1, 0, 4000));
  n.net.run_until([&] { return held.size() == 3; });
  n.net.write(0, reg::kQueue, 0);
  const auto let = [&] {
    for (const auto& b : held) n.net.devices[0]->in[TniDevice::kResponse].push_back(b);
    held.clear();
  };
  n.net.forget_tag(0, 1);
  CHECK_FALSE(n.net.forgotten(0));
  if (delay == 0) let();
  std::uint64_t waited = 0;
  while (!n.net.forgotten(0)) ++waited, n.net.step();
  CHECK(waited <= 2 * kLimit);
  n.net.open(0, 0);
  n.net.tag(0, 1, kRights, other, kRoom);
  const auto before = n.net.memory[0];
  n.wait(delay * kLimit);
  let();
  n.wait(2000);
  n.net.settle();
  CHECK(std::equal(before.begin() + TniNet::kFree, before.end(),
                   n.net.memory[0].begin() + TniNet::kFree));
  CHECK(n.net.completions(0).empty());
  for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
}

TEST_CASE("tni: a tag that is forgotten is used by nothing", "[tni]") {
  constexpr std::uint32_t kLength = 0x6000;
  const unsigned after = GENERATE(range(200U, 6000U, 967U));
  const unsigned stalls = GENERATE(0, 9, 14);
  CAPTURE(after, stalls);
  const auto within = [](std::uint64_t address) {
    return address >= TniNet::kFree + kRoom && address < TniNet::kFree + 2 * kRoom;
  };
  for (const Kind kind : {Kind::Put, Kind::Get}) {
    Nodes n(2);
    n.net.devices[1]->memory_stalls = stalls;
    n.net.devices[1]->read_latency = 1 + after % 312;
    unsigned written = 0, read = 0;
    n.net.devices[1]->on_write = [&](std::uint64_t at) { written += within(at) ? 1 : 0; };
    n.net.devices[1]->on_read = [&](std::uint64_t at) { read += within(at) ? 1 : 0; };
    n.net.submit(0, n.command(kind, 1, 0, kLength));
    n.wait(after);
    n.net.forget_tag(1, 3);
    std::uint64_t waited = 0;
    while (!n.net.forgotten(1)) ++waited, n.net.step();
    CHECK(waited < 8000);
    written = read = 0;
    n.net.settle(400000);
    CHECK(written == 0);
    CHECK(read == 0);
    const auto done = n.net.completions(0);
    REQUIRE(done.size() == 1);
    CHECK((done[0].cause == 1 || n.wrong(1, 0, kLength) == 0 || kind == Kind::Get));
  }
}

TEST_CASE("tni: the time limit is the same whether idle cycles are left out or not", "[tni]") {
  std::array<std::vector<std::uint64_t>, 2> ends;
  for (const bool skip : {false, true}) {
    for (unsigned offset = 0; offset < 3000; offset += 311) {
      Nodes n(2);
      for (auto& d : n.net.devices) d->skip_idle = skip;
      n.net.tamper = [](TniDevice::Beats&) { return false; };
      n.wait(offset);
      n.net.submit(0, n.command(Kind::Put, 1, 0, 100 + offset));
      const std::uint64_t begin = n.net.cycle;
      std::uint64_t written = 0;
      n.net.devices[0]->on_write = [&](std::uint64_t) { written = n.net.cycle; };
      n.give_up();
      REQUIRE(n.net.completions(0).at(0).cause == kTimeout);
      CHECK(written - begin > kLimit);
      CHECK(written - begin < 2 * kLimit + 400);
      ends[skip ? 1 : 0].push_back(written);
      if (skip) CHECK(n.net.devices[0]->skips > kLimit / 2);
    }
  }
  CHECK(ends[0] == ends[1]);
}
