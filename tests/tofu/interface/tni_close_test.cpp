// SPDX-License-Identifier: Apache-2.0
// Queues that are closed and opened again, what was in hand when somebody looked, and memory that
// answers no more: rtl/tofu/README.md, "Time limits"; rtl/bus/README.md, "Order".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <utility>

#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniDevice;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;

namespace {

constexpr unsigned kGood = 0, kTag = 1, kTimeout = 10, kShortest = 6;
constexpr std::uint64_t kRoom = 0x4000;
constexpr std::uint32_t kThere = 3, kNowhere = 9;  // tags

struct Pair {
  TniNet net{2, 1, 0x60000, 11};

  Pair() {
    for (unsigned d = 0; d < 2; ++d) set_up(d);
  }
  void set_up(unsigned d) {
    net.tag(d, kThere, TniNet::kRead | TniNet::kWrite, TniNet::kFree, kRoom);
    net.tag(d, 1, 0, TniNet::kFree, kRoom);
    net.write(d, reg::kTimeLimit, kShortest);
  }
  TniCommand put(std::uint32_t tag, std::uint32_t length, unsigned flags) const {
    auto c = net.to(Kind::Put, 1);
    c.flags = static_cast<std::uint8_t>(flags);
    c.local_tag = 1;
    c.remote_tag = tag;
    c.length = length;
    return c;
  }
  void wait(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) net.step();
  }
};

}  // namespace

TEST_CASE("tni: a command that waited when its queue was closed is none of its next life",
          "[tni]") {
  constexpr unsigned commands = 3;
  for (unsigned pause = 0; pause < 200; ++pause) {
    CAPTURE(pause);
    Pair p;
    p.net.open(0, 1);
    p.net.tag(0, 5, 0, TniNet::kFree, kRoom, 1);
    // The stream is busy with another queue's, which cannot leave.
    p.net.devices[0]->router_stalls = 16;
    auto other = p.put(kThere, 4000, TniCommand::kCompletion);
    other.local_tag = 5;
    p.net.submit(0, other, 1);
    p.wait(300);
    for (unsigned i = 0; i < commands; ++i)
      p.net.submit(0, p.put(kThere, 40, TniCommand::kCompletion));
    p.wait(pause);
    p.net.write(0, reg::kQueue, 0);
    p.net.open(0, 0);
    for (unsigned i = 0; i < commands; ++i)
      p.net.submit(0, p.put(kNowhere, 40, TniCommand::kCompletion));
    p.wait(100);
    p.net.devices[0]->router_stalls = 0;
    p.net.settle();
    const auto done = p.net.completions(0);
    CHECK(done.size() == commands);
    std::set<unsigned> ended;
    for (const auto& one : done) {
      CHECK(one.cause == kTag);
      ended.insert(one.index);
    }
    CHECK(ended.size() == commands);
    CHECK(p.net.completions(0, 1).size() == 1);
    CHECK_FALSE(p.net.devices[0]->attention());
  }
}

TEST_CASE("tni: what is seen to have been taken leaves no entry of a closed queue behind it",
          "[tni]") {
  unsigned waited = 0;
  for (unsigned run = 0; run < 200; ++run) {
    CAPTURE(run);
    Pair p;
    p.net.disturb(0, 8 + run % 8, 0);
    TniDevice& there = *p.net.devices[1];
    for (unsigned i = 0; i < 12; ++i)
      p.net.submit(0, p.put(kThere, i % 3 == 0 ? 1000 : 8, TniCommand::kRemoteNotice));
    p.wait(250 + 7 * run);
    p.net.write(1, reg::kQueue, 0);
    there.looks = true;
    p.net.step();
    for (unsigned cycles = 0; !there.seen; ++cycles) {
      REQUIRE(cycles < 5000);
      waited += cycles == 0 ? 1 : 0;
      p.net.step();
    }
    p.net.notices(1, 0, false);
    p.wait(2000);
    CHECK(p.net.notices(1, 0, false).empty());
  }
  CHECK(waited > 20);
}

TEST_CASE("tni: where memory has refused something, what comes is swallowed until a reset",
          "[tni]") {
  for (unsigned run = 0; run < 20; ++run) {
    CAPTURE(run);
    Pair p;
    TniDevice& there = *p.net.devices[1];
    p.net.disturb(0, 14, 0);  // packets wait
    unsigned submitted = 0, ended = 0, good = 0;
    const auto go_on = [&] {
      while (submitted < 40 && submitted - ended < 12) {
        auto c = p.put(kThere, 1 + 97 * submitted % 1920, TniCommand::kCompletion);
        if (submitted % 4 == 1) c.kind = Kind::Get;
        p.net.submit(0, c);
        ++submitted;
      }
      p.net.step();
      for (const auto& done : p.net.completions(0)) {
        ++ended;
        good += done.cause == kGood ? 1 : 0;
        CHECK((done.cause == kGood || done.cause == kTimeout));
      }
    };
    for (unsigned i = 0; i < 100 + 41 * run; ++i) go_on();
    there.memory_stopped = true;
    const unsigned before = good;
    for (unsigned i = 0; i < 60'000 && ended < 40; ++i) go_on();
    CHECK(ended == 40);
    CHECK(good <= before + 12);
    // Nothing is left that would stand before packets of others.
    CHECK(there.in[TniDevice::kRequest].empty());
    CHECK_FALSE(there.fault());
    CHECK_FALSE(p.net.devices[0]->attention());
    there.memory_stopped = false;
    p.net.disturb(0, 0, 0);
    p.net.reset(1, 0);
    p.set_up(1);
    CHECK(p.net.run(0, p.put(kThere, 1920, TniCommand::kCompletion)).cause == kGood);
  }
}
