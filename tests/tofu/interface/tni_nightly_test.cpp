// SPDX-License-Identifier: Apache-2.0
// What takes longer: every length, the longest transfers, many seeds.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/tofu/interface/tni_reference.hpp"
#include "tests/tofu/interface/tni_transfer.hpp"

using ht::model::TniCommand;
using ht::test::TniInStep;
using ht::test::TniNet;
using ht::test::TniTransfers;

TEST_CASE("tni: every length from 0 to 4096, stalled or not", "[tni]") {
  TniTransfers t(11);
  for (std::uint32_t length = 0; length <= 4096; ++length) {
    const unsigned stalls = length % 8 == 0 ? length / 8 % 12 : 0;
    t.net.disturb(stalls, stalls, stalls);
    t.any(length);
  }
}

TEST_CASE("tni: the longest transfers, 2^24 - 1 bytes", "[tni]") {
  constexpr std::uint32_t kMost = (1U << 24) - 1;
  for (const auto kind : {TniCommand::Kind::Put, TniCommand::Kind::Get}) {
    TniNet net(2, 1, TniNet::kFree + (std::size_t{1} << 24) + 0x100);
    const unsigned from = kind == TniCommand::Kind::Put ? 0 : 1;
    for (unsigned node = 0; node < 2; ++node)
      net.tag(node, 1, TniNet::kRead | TniNet::kWrite, TniNet::kFree, (1ULL << 24) + 0x100);
    std::mt19937_64 random(12);
    for (std::size_t i = TniNet::kFree; i < net.memory[from].size(); ++i)
      net.memory[from][i] = static_cast<std::byte>(random());
    auto c = net.to(kind, 1);
    c.flags = TniCommand::kCompletion;
    c.length = kMost;
    c.local_tag = c.remote_tag = 1;
    c.local_offset = from == 0 ? 0x31 : 0x7d;
    c.remote_offset = from == 0 ? 0x7d : 0x31;
    net.submit(0, c);
    net.settle(2000000);
    CHECK(net.completions(0).at(0).cause == 0);
    const auto sent = net.memory[from].begin() + TniNet::kFree + 0x31;
    const auto got = net.memory[1 - from].begin() + TniNet::kFree + 0x7d;
    CHECK(std::equal(sent, sent + kMost, got));
    CHECK(*(got - 1) == std::byte{0});
    CHECK(*(got + kMost) == std::byte{0});
  }
}

TEST_CASE("tni: in step with the reference, many seeds", "[tni]") {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    CAPTURE(seed);
    TniInStep pair(seed);
    for (int i = 0; i < 1000; ++i) pair.event();
    pair.finish();
  }
}
