// SPDX-License-Identifier: Apache-2.0
#include "sw/host/memory.hpp"

#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>

#include "tests/support/test_seed.hpp"

using ht::host::NodeMemory;

TEST_CASE("Memory is zeroed, aligned, and its offsets repeat") {
  NodeMemory memory(1 << 20);
  auto* a = static_cast<std::byte*>(memory.allocate(100));
  auto* b = static_cast<std::byte*>(memory.allocate(1, 4096));
  auto* c = static_cast<std::byte*>(memory.allocate(8, 8));
  CHECK(a[99] == std::byte{0});
  CHECK(memory.offset_of(a) == 0u);
  CHECK(memory.offset_of(b) == 4096u);
  CHECK(memory.offset_of(c) == 104u);  // first fit: in the gap before b
  memory.release(a);
  CHECK(memory.offset_of(memory.allocate(104, 1)) == 0u);
  CHECK(memory.offset_of(memory.allocate(1, 1)) == 112u);
}

TEST_CASE("Two empty allocations are two") {
  NodeMemory memory(4096);
  CHECK(memory.allocate(0, 1) != memory.allocate(0, 1));
}

TEST_CASE("offset_of knows the arena's ends") {
  NodeMemory memory(4096);
  CHECK(memory.offset_of(memory.data() + 4096, 0) == 4096u);
  CHECK(memory.offset_of(memory.data() + 4095, 1) == 4095u);
  CHECK_FALSE(memory.offset_of(memory.data() + 4095, 2));
  CHECK_FALSE(memory.offset_of(memory.data() - 1, 1));
  int elsewhere = 0;
  CHECK_FALSE(memory.offset_of(&elsewhere, 4));
}

TEST_CASE("A full arena and misuse are reported") {
  NodeMemory memory(4096);
  void* p = memory.allocate(4000, 1);
  CHECK_THROWS_AS(memory.allocate(97, 1), std::bad_alloc);
  CHECK_THROWS_AS(memory.allocate(1, 8192), std::bad_alloc);
  CHECK_NOTHROW(memory.allocate(96, 1));
  CHECK_THROWS_AS(memory.allocate(1, 1), std::bad_alloc);
  CHECK_THROWS_AS(memory.allocate(1, 3), std::invalid_argument);
  CHECK_THROWS_AS(memory.release(static_cast<std::byte*>(p) + 1), std::invalid_argument);
  CHECK_NOTHROW(memory.release(nullptr));
  memory.release(p);
  CHECK_THROWS_AS(memory.release(p), std::invalid_argument);
}

TEST_CASE("A large arena costs only what is touched") {
  NodeMemory memory(std::size_t{1} << 36);
  auto* p = static_cast<char*>(memory.allocate(std::size_t{1} << 35));
  p[(std::size_t{1} << 35) - 1] = 1;
  CHECK(memory.size() == std::size_t{1} << 36);
}

namespace {

/// Where the lowest offset is that fits, looked for at every one.
std::optional<std::size_t> first_fit(const std::map<std::size_t, std::size_t>& used,
                                     std::size_t size, std::size_t bytes, std::size_t alignment) {
  for (std::size_t offset = 0; offset + bytes <= size; offset += alignment) {
    const auto behind = used.lower_bound(offset + bytes);
    if (behind == used.begin() || std::prev(behind)->first + std::prev(behind)->second <= offset)
      return offset;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("Pieces go where the lowest place is, whatever was given back") {
  const std::uint64_t seed = ht::test::test_seed();
  INFO("seed " << seed);
  std::mt19937_64 draw(seed);
  constexpr std::size_t size = 1 << 14;
  NodeMemory memory(size);
  std::map<std::size_t, std::size_t> used;
  int full = 0;
  for (int i = 0; i < 20000; ++i) {
    if (!used.empty() && draw() % 5 < 2) {
      const auto piece = std::next(used.begin(), static_cast<long>(draw() % used.size()));
      memory.release(memory.data() + piece->first);
      used.erase(piece);
      continue;
    }
    const std::size_t bytes = 1 + draw() % (std::size_t{1} << draw() % 11);
    const std::size_t alignment = std::size_t{1} << draw() % 9;
    const auto expected = first_fit(used, size, bytes, alignment);
    if (expected) {
      REQUIRE(memory.offset_of(memory.allocate(bytes, alignment)) == *expected);
      used.emplace(*expected, bytes);
    } else {
      REQUIRE_THROWS_AS(memory.allocate(bytes, alignment), std::bad_alloc);
      ++full;
    }
  }
  CHECK(full > 0);
  for (const auto& [offset, bytes] : used) memory.release(memory.data() + offset);
  CHECK(memory.offset_of(memory.allocate(size)) == 0u);
}
