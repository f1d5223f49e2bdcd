// SPDX-License-Identifier: Apache-2.0
#include "sw/host/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "sw/host/errors.hpp"
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

TEST_CASE("Memory that lies elsewhere is read and written at its offsets, and nothing beside it") {
  const std::uint64_t seed = ht::test::test_seed();
  INFO("seed " << seed);
  std::mt19937_64 draw(seed);
  const auto below = [&draw](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
  constexpr std::size_t size = 1 << 14;
  NodeMemory memory(size);
  std::vector<std::byte> own(4 * size);
  std::map<std::size_t, std::span<std::byte>> mapped;
  // What is at each offset, by reference.
  const auto at = [&](std::size_t offset) -> std::byte& {
    for (const auto& [begin, bytes] : mapped)
      if (offset >= begin && offset - begin < bytes.size()) return bytes[offset - begin];
    return memory.data()[offset];
  };
  int full = 0, over_ends = 0;
  for (int i = 0; i < 5000; ++i) {
    if (draw() % 20 == 0) {
      const std::size_t bytes = 1 + below(std::size_t{1} << draw() % 12);
      const std::span place = std::span(own).subspan(below(own.size() - bytes), bytes);
      try {
        const std::uint64_t offset = memory.map(place.data(), bytes);
        CHECK(offset % 16 == reinterpret_cast<std::uintptr_t>(place.data()) % 16);
        REQUIRE(mapped.emplace(offset, place).second);
      } catch (const std::bad_alloc&) {
        ++full;
      }
    } else if (!mapped.empty() && draw() % 25 == 0) {
      const auto one = std::next(mapped.begin(), static_cast<long>(below(mapped.size())));
      memory.unmap(one->first);
      mapped.erase(one);
    }
    const std::size_t bytes = draw() % 2 == 0 ? 16 : 1 + below(2000);
    const std::size_t from = below(size - bytes);
    std::vector<std::byte> data(bytes);
    memory.read(from, data);
    for (std::size_t b = 0; b < bytes; ++b) REQUIRE(data[b] == at(from + b));
    for (std::byte& b : data) b = static_cast<std::byte>(draw());
    // Mapped memory may overlap: bytes are compared as they are written.
    for (const auto& [begin, piece] : mapped)
      over_ends += from < begin && from + bytes > begin ? 1 : 0;
    const auto both = [&] {
      std::vector<std::byte> all(memory.data(), memory.data() + size);
      all.insert(all.end(), own.begin(), own.end());
      return all;
    };
    const std::vector<std::byte> before = both();
    memory.write(from, data);
    const std::vector<std::byte> after = both();
    std::copy_n(before.begin(), size, memory.data());
    std::copy_n(before.begin() + size, own.size(), own.begin());
    for (std::size_t b = 0; b < bytes; ++b) at(from + b) = data[b];
    REQUIRE((both() == after));
  }
  CHECK(full > 0);
  CHECK(over_ends > 200);
  for (const auto& [offset, piece] : mapped) memory.unmap(offset);
  CHECK(memory.offset_of(memory.allocate(size)) == 0u);
}

TEST_CASE("Memory that lies elsewhere and is not there any more is an error, not a signal") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const own = static_cast<std::byte*>(
      ::mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(ht::host::is_readable(own, 4 * page));
  CHECK(ht::host::is_readable(own + page - 1, 1));
  CHECK_FALSE(ht::host::is_readable(own, std::numeric_limits<std::size_t>::max()));
  CHECK_FALSE(ht::host::is_readable(nullptr, 1));
  NodeMemory memory(8 * page);
  const ht::host::MappedMemory mapped(memory, own, 4 * page);
  std::vector<std::byte> data(2 * page, std::byte{7});
  memory.write(mapped.offset() + page, data);
  CHECK(own[page] == std::byte{7});
  CHECK(own[3 * page - 1] == std::byte{7});
  CHECK(own[3 * page] == std::byte{0});
  REQUIRE(::mprotect(own + 2 * page, page, PROT_READ) == 0);
  CHECK(ht::host::is_readable(own, 4 * page));
  CHECK_NOTHROW(memory.read(mapped.offset() + page, data));
  CHECK_THROWS_AS(memory.write(mapped.offset() + page, data), ht::ProtocolError);
  REQUIRE(::mprotect(own + 2 * page, page, PROT_NONE) == 0);
  CHECK_FALSE(ht::host::is_readable(own, 4 * page));
  CHECK_FALSE(ht::host::is_readable(own + page, page + 1));
  CHECK(ht::host::is_readable(own, 2 * page));
  CHECK_THROWS_AS(memory.read(mapped.offset() + page, data), ht::ProtocolError);
  REQUIRE(::munmap(own, 4 * page) == 0);
  CHECK_FALSE(ht::host::is_readable(own, 1));
  CHECK_THROWS_WITH(memory.read(mapped.offset(), data), Catch::Contains("not there any more"));
  CHECK_THROWS_AS(memory.write(mapped.offset(), data), ht::ProtocolError);
  std::array<std::byte, 64> place{};
  NodeMemory given(place);
  CHECK_THROWS_AS(given.map(own, 1), std::logic_error);
}
