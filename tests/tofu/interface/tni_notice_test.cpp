// SPDX-License-Identifier: Apache-2.0
// Notices of gets: whoever is told that its memory was read may write it again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;

namespace {

constexpr unsigned kOwner = 1;  // of the memory; interface 0 of node 1
constexpr std::uint64_t kRoom = 0x4000;
constexpr unsigned kRing = 16;  // notices

/// Two nodes with a network interface each; tag 3 of the owner's memory, tag 1 of the getter's.
struct Pair {
  TniNet net{2, 1, 0x60000, 7};

  Pair() {
    net.tag(kOwner, 3, TniNet::kRead | TniNet::kWrite, TniNet::kFree, kRoom);
    net.tag(0, 1, 0, TniNet::kFree, kRoom);
  }

  TniCommand get(std::uint32_t length, std::uint64_t offset = 0) const {
    auto c = net.to(Kind::Get, kOwner);
    c.flags = TniCommand::kRemoteNotice | TniCommand::kCompletion;
    c.local_tag = 1;
    c.local_offset = offset;
    c.remote_tag = 3;
    c.remote_offset = offset;
    c.length = length;
    return c;
  }

  TniCommand put(std::uint16_t edata) const {
    auto c = net.to(Kind::PutDirect, kOwner);
    c.flags = TniCommand::kRemoteNotice | TniCommand::kCompletion;
    c.remote_tag = 3;
    c.remote_offset = kRoom - 16;
    c.length = 8;
    c.edata = edata;
    return c;
  }
};

}  // namespace

TEST_CASE("tni: a get's notice comes when its memory has been read", "[tni]") {
  Pair p;
  std::uint16_t taken = 0;
  for (const unsigned stalls : {0U, 9U, 14U}) {
    p.net.devices[kOwner]->read_latency = 1 + 30 * stalls;
    p.net.devices[kOwner]->read_jitter = 10 * stalls;
    for (const std::uint32_t length : {0U, 1U, 8U, 500U, 1920U, 1921U, 4000U, 12000U}) {
      CAPTURE(stalls, length);
      p.net.disturb(stalls, stalls, 0);
      const auto owners = p.net.memory[1].begin() + TniNet::kFree;
      const auto ours = p.net.memory[0].begin() + TniNet::kFree;
      for (std::uint32_t i = 0; i < length; ++i)
        owners[i] = static_cast<std::byte>(i * 7 + i / 256 + length);
      const std::vector<std::byte> before(owners, owners + length);
      auto c = p.get(length);
      c.edata = static_cast<std::uint16_t>(length + stalls);
      std::vector<TniNet::Notice> seen;
      p.net.devices[kOwner]->on_write = [&](std::uint64_t) {
        for (const auto& notice : p.net.notices(kOwner, 0, false)) {
          seen.push_back(notice);
          std::fill_n(owners, length, std::byte{0xEE});
        }
      };
      CHECK(p.net.run(0, c).cause == 0);
      REQUIRE(seen.size() == 1);
      CHECK(seen[0].edata == c.edata);
      CHECK(seen[0].cause == 0);
      CHECK(seen[0].length == length);
      CHECK(seen[0].kind == 1);
      CHECK(seen[0].from == TniNet::coordinates(0));
      CHECK(seen[0].offset == 0);
      CHECK(seen[0].tag == 3);
      CHECK(std::equal(before.begin(), before.end(), ours));
      p.net.write(kOwner, reg::kQueue + reg::kNoticed, ++taken);
    }
  }
  p.net.devices[kOwner]->on_write = nullptr;
}

TEST_CASE("tni: notices of gets have room from when these were accepted", "[tni]") {
  Pair p;
  for (unsigned round = 0; round < 20; ++round) {
    CAPTURE(round);
    // Answers leave late, or in turns; nobody takes notices.
    p.net.disturb(round % 16, 0, 0);
    unsigned submitted = 0;
    std::set<unsigned> good;
    std::map<unsigned, unsigned> edata;  // by index
    std::array<unsigned, 12> causes{};
    while (submitted < 40 || good.size() + causes[7] < 40) {
      while (submitted < 40 && submitted - good.size() - causes[7] < 16) {
        auto c = submitted % 3 == round % 3 ? p.put(0) : p.get(submitted % 4 == 0 ? 4000 : 64);
        c.edata = static_cast<std::uint16_t>(100 * round + submitted);
        edata[p.net.submit(0, c)] = c.edata;
        ++submitted;
      }
      for (int i = 0; i < 200; ++i) p.net.step();
      for (const auto& done : p.net.completions(0)) {
        REQUIRE((done.cause == 0 || done.cause == 7));
        if (done.cause == 0)
          good.insert(edata.at(done.index));
        else
          ++causes[7];
      }
    }
    CHECK(good.size() == kRing);
    p.net.settle();
    std::set<unsigned> told;
    for (const auto& notice : p.net.notices(kOwner)) told.insert(notice.edata);
    CHECK(told == good);
    CHECK(p.net.read(kOwner, reg::kError) == ht::model::tni_error::kOverflow);
    p.net.write(kOwner, reg::kError, 0x1ff);
  }
}

TEST_CASE("tni: a queue that was disabled gets no notice of gets from before", "[tni]") {
  Pair p;
  for (const bool again : {false, true}) {
    p.net.devices[kOwner]->router_stalls = 16;  // no answer leaves
    // As many as are accepted then.
    for (unsigned i = 0; i < 3; ++i) p.net.submit(0, p.get(i % 2 == 0 ? 4000 : 40));
    for (int i = 0; i < 3000; ++i) p.net.step();
    CHECK(p.net.notices(kOwner, 0, false).empty());
    p.net.write(kOwner, reg::kQueue, 0);
    if (again) p.net.open(kOwner, 0);
    p.net.devices[kOwner]->router_stalls = 0;
    p.net.settle();
    CHECK(p.net.completions(0).size() == 3);
    if (!again) p.net.open(kOwner, 0);
    CHECK(p.net.notices(kOwner, 0, false).empty());
    // All of its ring is there.
    for (std::uint16_t i = 0; i < kRing; ++i) CHECK(p.net.run(0, p.put(i)).cause == 0);
    CHECK(p.net.run(0, p.put(99)).cause == 7);
    CHECK(p.net.notices(kOwner).size() == kRing);
    p.net.write(kOwner, reg::kError, 0x1ff);
  }
}

TEST_CASE("tni: the notice of a get that failed half-way says so", "[tni]") {
  Pair p;
  const auto pages = std::vector<std::uint64_t>{0x44000, 0x45000, 0x46000, 0x47000};
  p.net.tag(kOwner, 4, TniNet::kRead, 0, 0x4000, 0, pages);
  p.net.disturb(14, 0, 0);
  auto c = p.get(0x4000);
  c.remote_tag = 4;
  p.net.submit(0, c);
  for (unsigned i = 0; i < 3000; ++i) p.net.step();
  p.net.forget_tag(kOwner, 4);
  p.net.settle();
  const auto done = p.net.completions(0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].cause == 1);
  const auto told = p.net.notices(kOwner);
  REQUIRE(told.size() == 1);
  CHECK(told[0].cause == 1);
  CHECK(told[0].tag == 4);
}
