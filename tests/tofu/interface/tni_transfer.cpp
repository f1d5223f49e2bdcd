// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/interface/tni_transfer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace ht::test {
using model::TniCommand;

namespace {

constexpr unsigned kOnePiece = 1, kPaged = 2;
constexpr std::uint64_t kPages = 16, kPage = 0x1000, kLength = kPages * kPage;

}  // namespace

TniTransfers::TniTransfers(std::uint64_t seed)
    : net(2, 1, TniNet::kFree + kLength, seed), random_(seed) {
  for (std::uint64_t i = 0; i < kPages; ++i)
    frames_.push_back(TniNet::kFree + kPage * (i * 7 % kPages));
  for (unsigned node = 0; node < 2; ++node) {
    net.tag(node, kOnePiece, TniNet::kRead | TniNet::kWrite, TniNet::kFree, kLength);
    net.tag(node, kPaged, TniNet::kRead | TniNet::kWrite, 0, kLength, 0, frames_);
    for (std::uint64_t i = 0; i < kLength; ++i)
      net.memory[node][TniNet::kFree + i] = static_cast<std::byte>(random_());
  }
}

std::uint64_t TniTransfers::place(unsigned, unsigned tag, std::uint64_t offset) const {
  return tag == kOnePiece ? TniNet::kFree + offset : frames_[offset / kPage] + offset % kPage;
}

void TniTransfers::any(std::uint32_t length) {
  const bool put = random_() % 2 == 0;
  auto c = net.to(put ? TniCommand::Kind::Put : TniCommand::Kind::Get, 1);
  c.length = length;
  c.local_tag = random_() % 2 == 0 ? kOnePiece : kPaged;
  c.remote_tag = random_() % 2 == 0 ? kOnePiece : kPaged;
  c.local_offset = random_() % (kLength - length + 1);
  c.remote_offset = random_() % (kLength - length + 1);
  const unsigned from = put ? 0 : 1, to = 1 - from;
  const auto begin = static_cast<std::ptrdiff_t>(TniNet::kFree);
  std::vector<std::byte> expected(net.memory[to].begin() + begin, net.memory[to].end());
  const std::vector<std::byte> unchanged(net.memory[from].begin() + begin, net.memory[from].end());
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint64_t near = place(0, c.local_tag, c.local_offset + i);
    const std::uint64_t far = place(1, c.remote_tag, c.remote_offset + i);
    expected[(put ? far : near) - TniNet::kFree] = net.memory[from][put ? near : far];
  }
  CAPTURE(put, length, c.local_tag, c.local_offset, c.remote_tag, c.remote_offset);
  REQUIRE(net.run(0, c).cause == 0);
  REQUIRE(std::equal(expected.begin(), expected.end(), net.memory[to].begin() + begin));
  REQUIRE(std::equal(unchanged.begin(), unchanged.end(), net.memory[from].begin() + begin));
  for (const auto& device : net.devices) {
    REQUIRE(device->unstable == 0);
    REQUIRE_FALSE(device->attention());
  }
}

}  // namespace ht::test
