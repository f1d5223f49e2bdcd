// SPDX-License-Identifier: Apache-2.0
// A node that was reset, and what others still answer to what it sent before: rtl/tofu/README.md,
// "After a reset".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sw/tofu/network_interface.hpp"
#include "tests/tofu/interface/tni_net.hpp"

using ht::model::TniCommand;
using ht::test::TniDevice;
using ht::test::TniNet;
using Kind = TniCommand::Kind;
namespace reg = ht::model::tni_register;

namespace {

constexpr unsigned kRights = TniNet::kRead | TniNet::kWrite | TniNet::kAtomic;
constexpr unsigned kNumbers = 16, kGood = 0, kTag = 1, kTimeout = 10, kShortest = 6;
constexpr std::uint64_t kLimit = 64 << kShortest, kRoom = 0x4000, kFrom = TniNet::kFree,
                        kTo = kFrom + kRoom;
/// What others ask of node 1 with this tag is refused.
constexpr unsigned kNone = 9;

/// Two nodes; what leaves the second one waits while it is to.
struct Nodes {
  TniNet net{2, 1, kTo + kRoom};
  bool holds = true, loses = false;
  std::vector<TniDevice::Beats> held;

  Nodes() {
    for (unsigned d = 0; d < 2; ++d) set_up(d);
    for (std::uint64_t i = 0; i < kRoom; ++i) {
      net.memory[0][kFrom + i] = static_cast<std::byte>(1 + (i * 13 + i / 256) % 255);
      net.memory[1][kTo + i] = static_cast<std::byte>(1 + (i * 7 + i / 256) % 255);
    }
    net.tamper = [this](TniDevice::Beats& b) {
      const auto from =
          static_cast<std::uint32_t>(b[0].data[0] >> 56 | (b[0].data[1] & 0x7ff) << 8);
      if (from == TniNet::coordinates(0)) return !loses;
      if (holds) held.push_back(b);
      return !holds;
    };
  }
  void set_up(unsigned d) {
    net.tag(d, 1, kRights, kFrom, kRoom);
    net.tag(d, 3, kRights, kTo, kRoom);
    net.write(d, reg::kTimeLimit, kShortest);
  }
  TniCommand command(Kind kind, unsigned remote_tag, std::uint64_t at, std::uint32_t length) const {
    auto c = net.to(kind, 1);
    c.flags = TniCommand::kCompletion;
    c.local_tag = 1;
    c.local_offset = at;
    c.remote_tag = remote_tag;
    c.remote_offset = at;
    c.length = length;
    c.data = {1, 0, 0, 0};
    return c;
  }
  void wait(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) net.step();
  }
  std::vector<TniDevice::Beats> take() { return std::exchange(held, {}); }
  void deliver(const std::vector<TniDevice::Beats>& packets) {
    for (const auto& packet : packets) net.devices[0]->in[TniDevice::kResponse].push_back(packet);
  }
};

}  // namespace

TEST_CASE("tni: what answers commands from before a reset ends no new one", "[tni]") {
  const Kind before = GENERATE(Kind::Put, Kind::Get, Kind::Atomic);
  const Kind after = GENERATE(Kind::Put, Kind::Get, Kind::Atomic);
  // Times that a command of each number ended by the time limit before; epochs since.
  const unsigned ended = GENERATE(0U, 4U);
  const std::uint32_t epoch = GENERATE(1U, 2U, 3U, 14U);
  CAPTURE(static_cast<int>(before), static_cast<int>(after), ended, epoch);
  Nodes n;
  n.holds = false;
  n.net.reset(0, ht::tofu::first_generation(epoch));
  n.set_up(0);
  n.loses = true;
  for (unsigned i = 0; i < ended; ++i) {
    for (unsigned k = 0; k < kNumbers; ++k) n.net.submit(0, n.command(Kind::Put, 3, 0, 8));
    n.wait(2 * kLimit + 2000);
    const auto done = n.net.completions(0);
    REQUIRE(done.size() == kNumbers);
    for (const auto& one : done) CHECK(one.cause == kTimeout);
  }
  n.loses = false;
  n.holds = true;
  for (unsigned k = 0; k < kNumbers; ++k) n.net.submit(0, n.command(before, 3, 0x40 * k, 0x40));
  n.wait(1500);
  const auto old = n.take();
  REQUIRE(old.size() == kNumbers);

  n.net.reset(0, ht::tofu::first_generation(epoch + 1));
  n.set_up(0);
  // Half of the new commands are to be refused.
  for (unsigned k = 0; k < kNumbers; ++k)
    n.net.submit(0, n.command(after, k % 2 == 0 ? 3 : kNone, 0x1000 + 0x40 * k, 0x40));
  n.wait(1500);
  const auto memory = n.net.memory[0];
  n.deliver(old);
  n.wait(1000);
  CHECK(n.net.completions(0).empty());
  CHECK(n.net.read(0, reg::kLate) == old.size());
  CHECK(std::equal(memory.begin() + kFrom, memory.end(), n.net.memory[0].begin() + kFrom));
  // And they end as they are to.
  n.deliver(n.take());
  n.wait(1000);
  const auto done = n.net.completions(0);
  CHECK(done.size() == kNumbers);
  for (const auto& one : done) CHECK(one.cause == (one.index % 2 == 0 ? kGood : kTag));
  for (const auto& d : n.net.devices) CHECK_FALSE(d->attention());
}

TEST_CASE("tni: GENERATION is written before anything is sent, or refused", "[tni]") {
  Nodes n;
  CHECK(n.net.read(0, reg::kGeneration) == 0);
  CHECK_FALSE(n.net.try_write(0, reg::kGeneration, 5));  // it is enabled
  n.net.write(0, reg::kControl, 0);
  CHECK_FALSE(n.net.try_write(0, reg::kGeneration, 16));
  for (const unsigned first : {15U, 5U}) {
    n.net.write(0, reg::kGeneration, first);
    CHECK(n.net.read(0, reg::kGeneration) == first);
  }
  // Not while a command is under way, whose answer it would make a late one.
  n.net.write(0, reg::kControl, 1);
  n.net.submit(0, n.command(Kind::Put, 3, 0, 8));
  n.wait(500);
  n.net.write(0, reg::kControl, 0);
  CHECK_FALSE(n.net.try_write(0, reg::kGeneration, 6));
  CHECK(n.net.read(0, reg::kGeneration) == 5);
  n.deliver(n.take());
  n.wait(100);
  CHECK(n.net.completions(0).at(0).cause == kGood);
  n.net.write(0, reg::kGeneration, 6);
  CHECK(n.net.read(0, reg::kError) == 0);
}
