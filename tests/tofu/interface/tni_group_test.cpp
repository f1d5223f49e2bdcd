// SPDX-License-Identifier: Apache-2.0
// Groups keep jobs apart at network interfaces: rtl/tofu/README.md, "Groups".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniDevice;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;
namespace remote = ht::model::tofu::wire::remote;

namespace {

constexpr unsigned kRights = TniNet::kRead | TniNet::kWrite | TniNet::kAtomic;
constexpr std::uint64_t kRoom = 0x4000, kFrom = TniNet::kFree, kTo = kFrom + kRoom;
constexpr unsigned kGroupCause = 11, kTimeout = 10, kShortest = 6;

/// Two nodes of one interface: the second one's memory at tag 3 is what the first one is after.
struct Nodes {
  TniNet net;
  explicit Nodes(std::uint64_t seed = 1) : net(2, 1, kTo + kRoom, seed) {
    for (unsigned d = 0; d < 2; ++d) {
      net.tag(d, 1, kRights, kFrom, kRoom);
      net.tag(d, 3, kRights, kTo, kRoom);
      for (std::uint64_t i = 0; i < kRoom; ++i)
        net.memory[d][kFrom + i] = static_cast<std::byte>(1 + (i * 13 + i / 256 + 7 * d) % 255);
    }
  }
  TniCommand command(Kind kind, std::uint32_t length) const {
    auto c = net.to(kind, 1);
    c.flags = TniCommand::kCompletion | TniCommand::kRemoteNotice;
    c.local_tag = 1;
    c.remote_tag = 3;
    c.length = length;
    c.data = {1, 0, 0, 0};
    return c;
  }
};

/// As a packet with another group, and a good CRC.
TniDevice::Beats regrouped(const TniDevice::Beats& beats, unsigned group) {
  auto frame = *ht::model::tofu::Packet::from_chip(beats);
  frame.set(remote::kGroup, group);
  return frame.in_chip();
}

}  // namespace

TEST_CASE("tni: what another group asks for is refused, counted, and told to who asked", "[tni]") {
  const auto [kind, length] = GENERATE(table<Kind, std::uint32_t>({{Kind::Put, 1},
                                                                   {Kind::Put, 1920},
                                                                   {Kind::Put, 1921},
                                                                   {Kind::Put, 9000},
                                                                   {Kind::PutDirect, 8},
                                                                   {Kind::PutDirect, 0},
                                                                   {Kind::Get, 8},
                                                                   {Kind::Get, 9000},
                                                                   {Kind::Atomic, 4}}));
  Nodes n;
  unsigned strayed = 0;
  for (const auto& [mine, yours] : {std::pair{0U, 1U}, std::pair{1U, 0U}, std::pair{1U, 2U},
                                    std::pair{63U, 31U}, std::pair{32U, 63U}}) {
    CAPTURE(static_cast<int>(kind), length, mine, yours);
    n.net.write(0, reg::kGroup, mine);
    n.net.write(1, reg::kGroup, yours);
    const auto before = n.net.memory;
    unsigned sent = 0;
    n.net.tamper = [&](TniDevice::Beats& b) {
      const auto frame = ht::model::tofu::Packet::from_chip(b);
      CHECK(frame->get(remote::kGroup) == mine);  // an answer is of who asked
      sent += ht::model::tni_packet(*frame)->response() ? 0 : 1;
      return true;
    };
    const std::uint64_t begin = n.net.cycle;
    const auto done = n.net.run(0, n.command(kind, length));
    n.net.tamper = nullptr;
    CHECK(done.cause == kGroupCause);
    CHECK(n.net.cycle - begin < 5000);  // not by the time limit
    strayed += sent;
    CHECK(n.net.read(1, reg::kStrayed) == strayed);
    CHECK(n.net.read(0, reg::kStrayed) == 0);
    CHECK(n.net.notices(1).empty());
    for (unsigned d = 0; d < 2; ++d)
      CHECK(
          std::equal(before[d].begin() + kFrom, before[d].end(), n.net.memory[d].begin() + kFrom));
    CHECK_FALSE(n.net.devices[1]->attention());
    CHECK_FALSE(n.net.devices[0]->attention());
  }
  // In one group all is well, and nothing is left behind.
  n.net.write(0, reg::kGroup, 5);
  n.net.write(1, reg::kGroup, 5);
  CHECK(n.net.run(0, n.command(kind, length)).cause == 0);
  CHECK(n.net.read(1, reg::kStrayed) == strayed);
}

TEST_CASE("tni: 33 long puts of another group take none of the room of puts", "[tni]") {
  Nodes n;
  n.net.write(0, reg::kGroup, 1);
  n.net.write(1, reg::kGroup, 2);
  // First packets only: were they open, there would be no room.
  n.net.tamper = [&](TniDevice::Beats& b) {
    const auto frame = ht::model::tofu::Packet::from_chip(b);
    return frame->get(remote::kLast) == 0 || ht::model::tni_packet(*frame)->response();
  };
  n.net.write(0, reg::kTimeLimit, kShortest);
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned k = 0; k < 12; ++k) n.net.submit(0, n.command(Kind::Put, 1921));
    for (unsigned c = 0; c < 12000; ++c) n.net.step();
    for (const auto& done : n.net.completions(0)) CHECK(done.cause == kTimeout);
  }
  n.net.tamper = nullptr;
  n.net.write(0, reg::kGroup, 2);
  CHECK(n.net.run(0, n.command(Kind::Put, 9000)).cause == 0);
}

TEST_CASE("tni: an answer of another group is none", "[tni]") {
  const Kind kind = GENERATE(Kind::Put, Kind::Get, Kind::Atomic);
  Nodes n;
  n.net.write(0, reg::kGroup, 3);
  n.net.write(1, reg::kGroup, 3);
  n.net.write(0, reg::kTimeLimit, kShortest);
  const auto before = n.net.memory[0];
  unsigned answers = 0;
  n.net.tamper = [&](TniDevice::Beats& b) {
    if (!ht::model::tni_packet(*ht::model::tofu::Packet::from_chip(b))->response()) return true;
    ++answers;
    b = regrouped(b, 4);
    return true;
  };
  n.net.submit(0, n.command(kind, 3000));
  for (unsigned c = 0; c < 12000; ++c) n.net.step();
  n.net.settle();
  const auto done = n.net.completions(0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].cause == kTimeout);
  CHECK(answers > 0);
  CHECK(n.net.read(0, reg::kStrayed) == answers);
  CHECK(std::equal(before.begin() + kFrom, before.end(), n.net.memory[0].begin() + kFrom));
  CHECK_FALSE(n.net.devices[0]->attention());
}

TEST_CASE("tni: groups are 0 to 63", "[tni]") {
  Nodes n;
  for (const unsigned group : {63U, 1U, 0U}) {
    n.net.write(0, reg::kGroup, group);
    CHECK_FALSE(n.net.try_write(0, reg::kGroup, 64 + group));
    CHECK(n.net.read(0, reg::kGroup) == group);
  }
  CHECK_FALSE(n.net.try_write(0, reg::kStrayed, 0));
}
