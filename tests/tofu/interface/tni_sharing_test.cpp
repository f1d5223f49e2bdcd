// SPDX-License-Identifier: Apache-2.0
// Queues and answers share a network interface packet by packet: rtl/tofu/README.md, "Sharing".
#include <algorithm>
#include <array>
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

namespace {

constexpr std::uint32_t kLong = 1 << 20;
constexpr std::uint64_t kFrom = TniNet::kFree, kTo = kFrom + kLong + 0x1000;
constexpr unsigned kQueues = 8;
constexpr unsigned kRights = TniNet::kRead | TniNet::kWrite;

/// Cycles of a full packet: reads are 32 at most at a time, answered in order.
constexpr std::uint64_t packet_cycles(unsigned latency) {
  return std::max<std::uint64_t>(123, (121 * (latency + 3) + 31) / 32);
}

/// Whether a packet is a put of one beat by this node.
bool short_put(const TniDevice::Beats& beats, std::uint32_t from) {
  const auto packet = ht::model::tni_packet(*ht::model::tofu::Packet::from_chip(beats));
  return packet->kind == ht::model::TniKind::Put && packet->from == from &&
         packet->payload.size() == 8;
}

/// Two nodes of one interface; each of its eight queues has 1 MiB to send and 1 MiB to get into.
struct Nodes {
  TniNet net;
  explicit Nodes(unsigned latency, std::uint64_t seed = 1) : net(2, 1, kTo + kLong + 0x1000, seed) {
    for (unsigned d = 0; d < 2; ++d) {
      for (unsigned q = 0; q < kQueues; ++q) {
        if (q != 0) net.open(d, q);
        net.tag(d, 1 + 2 * q, kRights, kFrom, kLong, q);
        net.tag(d, 2 + 2 * q, kRights, kTo, kLong, q);
      }
      net.devices[d]->read_latency = latency;
    }
    for (auto& memory : net.memory) {
      for (std::uint64_t i = 0; i < kLong; ++i)
        memory[kFrom + i] = static_cast<std::byte>(i * 7 + i / 256 + i / 65521);
    }
  }
  TniCommand command(Kind kind, unsigned to, unsigned queue, std::uint32_t length) const {
    auto c = net.to(kind, to);
    c.flags = TniCommand::kCompletion;
    c.queue = static_cast<std::uint8_t>(queue);
    c.local_tag = 1 + 2 * queue + (kind == Kind::Get ? 1 : 0);
    c.remote_tag = 1 + 2 * queue + (kind == Kind::Get ? 0 : 1);
    c.length = length;
    return c;
  }
  void wait(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) net.step();
  }
  /// Cycles from the doorbell of a put of 8 bytes at node `from` until it begins to leave, and
  /// until its completion is there.
  std::array<std::uint64_t, 2> put8(unsigned from, Kind kind = Kind::Put) {
    std::uint64_t left = 0;
    net.tamper = [&](TniDevice::Beats& b) {
      if (short_put(b, TniNet::coordinates(from))) left = net.devices[from]->began[0].back();
      return true;
    };
    const std::uint64_t begin = net.devices[from]->cycle;
    net.submit(from, command(kind, 1 - from, 0, 8), 0);
    std::vector<TniNet::Completion> done;
    const std::uint64_t at = 0x8000;
    std::array<std::byte, 16> empty{};
    std::copy_n(net.memory[from].begin() + static_cast<std::ptrdiff_t>(at + 16 * count[from]), 16,
                empty.begin());
    net.run_until(
        [&] {
          return !std::equal(
              empty.begin(), empty.end(),
              net.memory[from].begin() + static_cast<std::ptrdiff_t>(at + 16 * count[from]));
        },
        40000);
    ++count[from];
    net.tamper = nullptr;
    REQUIRE(left > begin);
    return {left - begin, net.devices[from]->cycle - begin};
  }
  std::array<unsigned, 2> count{};
};

}  // namespace

TEST_CASE("tni: a put of 8 bytes beside long puts of other queues starts within four packets",
          "[tni]") {
  const unsigned others = GENERATE(1U, 2U, 7U), latency = GENERATE(1U, 20U, 60U, 312U);
  const Kind kind = GENERATE(Kind::Put, Kind::PutDirect);
  Nodes n(latency);
  const std::uint64_t alone = n.put8(0, kind)[0];
  for (unsigned q = 1; q <= others; ++q) n.net.submit(0, n.command(Kind::Put, 1, q, kLong), q);
  // While the others begin: each of them before it, and a packet of those that go on each time.
  const std::uint64_t first = n.put8(0, kind)[0];
  CAPTURE(others, latency, alone, first);
  CHECK(first <= (4 + 2 * others) * packet_cycles(latency) + alone + 40);
  std::uint64_t worst = 0;
  for (unsigned i = 0; i < 12; ++i) {
    n.wait(i * 11 % 123);
    worst = std::max(worst, n.put8(0, kind)[0]);
  }
  CAPTURE(worst);
  CHECK(worst <= 4 * packet_cycles(latency) + alone + 40);
}

TEST_CASE("tni: a put of 8 bytes to who answers long gets, and from there, is done soon", "[tni]") {
  const unsigned gets = GENERATE(1U, 4U, 14U), latency = GENERATE(1U, 20U, 60U, 312U);
  const unsigned from = GENERATE(0U, 1U);
  Nodes n(latency);
  const std::uint64_t alone = n.put8(from)[1];
  // Node 0 gets from node 1.
  for (unsigned i = 0; i < gets; ++i) {
    const unsigned q = 1 + i % 7;
    n.net.submit(0, n.command(Kind::Get, 1, q, kLong), q);
  }
  // Until all of them are being answered: each begins after one packet of the others at most.
  n.wait(3000 + 2 * gets * (packet_cycles(latency) + latency));
  std::uint64_t worst = 0;
  for (unsigned i = 0; i < 8; ++i) {
    n.wait(i * 11 % 123);
    worst = std::max(worst, n.put8(from)[1]);
  }
  CAPTURE(gets, latency, from, alone, worst);
  CHECK(worst <= alone + 8 * packet_cycles(latency));
}

TEST_CASE("tni: a queue that waits for a dead peer leaves every other queue a number", "[tni]") {
  const Kind kind = GENERATE(Kind::Put, Kind::Get);
  const unsigned others = GENERATE(1U, 3U, 7U);
  Nodes n(20);
  for (unsigned q = others + 1; q < kQueues; ++q) n.net.write(0, reg::kQueue + 16 * q, 0);
  // Node 2 is not there: queue 1 has as many commands under way to it as it may.
  for (unsigned i = 0; i < 16; ++i) {
    auto c = n.command(kind, 1, 1, i % 2 == 0 ? 8 : 4000);
    c.edata = 1;
    n.net.put_command(0, c, 1);
  }
  n.net.ring(0, 1);
  unsigned lost = 0;
  n.net.tamper = [&](TniDevice::Beats& b) {
    const auto packet = ht::model::tni_packet(*ht::model::tofu::Packet::from_chip(b));
    if (packet->response() || packet->source_queue != 1) return true;
    lost += packet->last ? 1 : 0;
    return false;
  };
  n.wait(4000);
  CHECK(lost == (others == 7 ? 9 : 16 - others));
  for (unsigned q = 0; q <= others; ++q) {
    if (q == 1) continue;
    CAPTURE(static_cast<int>(kind), others, q);
    n.net.submit(0, n.command(Kind::Put, 1, q, 8), q);
    n.wait(600);
    const auto done = n.net.completions(0, q);
    REQUIRE(done.size() == 1);
    CHECK(done[0].cause == 0);
  }
}

TEST_CASE("tni: 32 long gets are answered at once, one more is refused and good again later",
          "[tni]") {
  const unsigned each = GENERATE(10U, 11U, 13U);  // of three nodes
  constexpr std::uint32_t kLength = 12 * 1920;
  constexpr unsigned kRoom = 32;
  TniNet net(4, 1, kFrom + 16 * kLength);
  for (unsigned d = 0; d < 4; ++d) {
    net.tag(d, 1, kRights, kFrom, 16 * kLength);
    for (std::uint64_t i = 0; i < kLength; ++i)
      net.memory[d][kFrom + i] = static_cast<std::byte>(i * 11 + i / 256 + 31 * d);
  }
  net.devices[0]->router_stalls = 15;  // so that none is over before the last one comes
  for (unsigned d = 1; d < 4; ++d) {
    for (unsigned i = 0; i < each; ++i) {
      auto c = net.to(Kind::Get, 0);
      c.flags = TniCommand::kCompletion;
      c.local_tag = c.remote_tag = 1;
      c.local_offset = (i + 1) * kLength;
      c.length = kLength;
      net.put_command(d, c);
    }
    net.ring(d);
  }
  net.run_until([&] { return net.devices[0]->began[1].size() > 36; });
  net.devices[0]->router_stalls = 0;
  net.settle(300000);
  unsigned full = 0;
  for (unsigned d = 1; d < 4; ++d) {
    for (const auto& done : net.completions(d)) {
      full += done.cause == 9 ? 1 : 0;
      if (done.cause == 9) {
        auto c = net.to(Kind::Get, 0);
        c.local_tag = c.remote_tag = 1;
        c.local_offset = (done.index + 1) * kLength;
        c.length = kLength;
        CHECK(net.run(d, c).cause == 0);
      } else {
        CHECK(done.cause == 0);
      }
    }
    for (unsigned i = 0; i < each; ++i) {
      CAPTURE(d, i);
      CHECK(std::equal(
          net.memory[0].begin() + kFrom, net.memory[0].begin() + kFrom + kLength,
          net.memory[d].begin() + static_cast<std::ptrdiff_t>(kFrom) + (i + 1) * kLength));
    }
  }
  CAPTURE(each);
  CHECK(full == (3 * each > kRoom ? 3 * each - kRoom : 0));
}
