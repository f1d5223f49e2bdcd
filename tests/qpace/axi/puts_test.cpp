// SPDX-License-Identifier: Apache-2.0
// axi_puts beside the stream of a qpace_axi: no line is torn, lost or doubled, links do not keep
// one another back, and nothing is left over from before a reset.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "tests/qpace/axi/puts_bench.hpp"
#include "tests/support/test_seed.hpp"

using ht::test::PutsBench;
using ht::test::seed_of;

namespace {

constexpr unsigned links = PutsBench::links;
constexpr unsigned by_put = 0, by_stream = 1;  // channels

// Places in memory, in lines.
constexpr std::uint32_t sources = 0x600, room = 64;
std::uint32_t arrived(unsigned link, unsigned channel) {
  return (channel == by_put ? 0x1000 : 0x1400) + link * room;
}
std::uint32_t tag(unsigned round, unsigned link, unsigned channel, unsigned line) {
  return round << 24 | link << 20 | channel << 16 | line << 8;
}

/// So many lines by each way over each link, with credits at their far ends.
struct Load {
  std::array<std::uint32_t, links> puts{}, stream{};
};

void begin(PutsBench& bench, unsigned round, const Load& load) {
  for (unsigned link = 0; link < links; ++link) {
    if (load.puts[link] != 0)
      bench.credit(link ^ 1, by_put, arrived(link, by_put), load.puts[link]);
    if (load.stream[link] != 0)
      bench.credit(link ^ 1, by_stream, arrived(link, by_stream), load.stream[link]);
    for (unsigned i = 0; i < load.puts[link]; ++i)
      bench.fill(sources + link * room + i, tag(round, link, by_put, i));
  }
  for (unsigned i = 0; i < room; ++i) {
    for (unsigned link = 0; link < links; ++link) {
      if (i < load.stream[link]) bench.send(link, by_stream, i, tag(round, link, by_stream, i));
    }
  }
  for (unsigned link = 0; link < links; ++link) {
    if (load.puts[link] != 0) bench.put(link, by_put, sources + link * room, load.puts[link]);
  }
}

bool taken(PutsBench& bench) {
  for (int i = 0; i < 3000; ++i) {
    std::uint32_t left = static_cast<std::uint32_t>(bench.unsent());
    for (unsigned link = 0; link < links; ++link) left += bench.left(link);
    if (left == 0) return true;
  }
  return false;
}

void check_arrived(PutsBench& bench, unsigned round, const Load& load) {
  CHECK(taken(bench));
  bench.run(3000);
  for (unsigned link = 0; link < links; ++link) {
    INFO("round " << round << ", link " << link);
    for (unsigned i = 0; i < load.puts[link]; ++i)
      CHECK(bench.is(arrived(link, by_put) + i, tag(round, link, by_put, i)));
    for (unsigned i = 0; i < load.stream[link]; ++i)
      CHECK(bench.is(arrived(link, by_stream) + i, tag(round, link, by_stream, i)));
  }
  CHECK(bench.errors() == 0);
}

}  // namespace

TEST_CASE("lines by puts and by the stream arrive whole, whoever pauses") {
  for (std::uint64_t trial = 1; trial <= 4; ++trial) {
    std::mt19937_64 random(seed_of(trial));
    const double stall = std::uniform_real_distribution<double>(0, 0.8)(random);
    INFO("trial " << trial << ", stall " << stall);
    PutsBench bench(random(), stall);
    bench.start();
    for (unsigned round = 1; round <= 3; ++round) {
      Load load;
      for (unsigned link = 0; link < links; ++link) {
        load.puts[link] = static_cast<std::uint32_t>(random() % 13);
        load.stream[link] = static_cast<std::uint32_t>(random() % 13);
      }
      begin(bench, round, load);
      check_arrived(bench, round, load);
    }
  }
}

TEST_CASE("a link that is full keeps back no other, by puts or by the stream") {
  for (std::uint64_t trial = 1; trial <= 4; ++trial) {
    for (const unsigned full_by : {by_put, by_stream}) {
      INFO("trial " << trial << ", channel " << full_by);
      PutsBench bench(seed_of(trial), 0.2 * static_cast<double>(trial - 1));
      bench.start();
      // More than link 0 holds, without a credit at its far end.
      constexpr std::uint32_t too_many = 60;
      if (full_by == by_put) {
        for (unsigned i = 0; i < too_many; ++i) bench.fill(sources + i, tag(1, 0, by_put, i));
        bench.put(0, by_put, sources, too_many);
      } else {
        for (unsigned i = 0; i < too_many; ++i)
          bench.send(0, by_stream, i, tag(1, 0, by_stream, i));
      }
      Load load;
      load.puts[2] = load.puts[5] = 20;
      if (full_by == by_put) load.stream[4] = load.stream[3] = 20;
      begin(bench, 1, load);
      bench.run(40'000);
      CHECK(bench.left(2) == 0);
      CHECK(bench.left(5) == 0);
      CHECK((full_by == by_put ? bench.left(0) : bench.unsent()) > 0);
      if (full_by == by_put) CHECK(bench.unsent() == 0);
      // With the credit the rest comes.
      bench.credit(1, full_by, arrived(0, full_by), too_many);
      (full_by == by_put ? load.puts : load.stream)[0] = too_many;
      check_arrived(bench, 1, load);
    }
  }
}

TEST_CASE("puts and the stream of one link take turns") {
  PutsBench bench(seed_of(1), 0);
  bench.start();
  Load load;
  load.puts[0] = load.stream[0] = 40;
  begin(bench, 1, load);
  std::uint32_t apart = 0;
  while (bench.left(0) > 0 && bench.unsent() > 0) {
    const std::uint32_t by_puts = 40 - bench.left(0);
    const auto streamed = static_cast<std::uint32_t>(40 - (bench.unsent() + 7) / 8);
    apart = std::max(apart, by_puts > streamed ? by_puts - streamed : streamed - by_puts);
  }
  CHECK(apart <= 16);  // what the link holds
  check_arrived(bench, 1, load);
}

TEST_CASE("puts that fill the port have their turns, and leave the stream its own") {
  PutsBench bench(seed_of(2), 0);
  bench.start();
  Load load;
  load.puts.fill(60);
  load.stream[0] = 10;
  begin(bench, 1, load);
  const auto spread = [&] {
    std::array<std::uint32_t, links> left{};
    for (unsigned link = 0; link < links; ++link) left[link] = bench.left(link);
    return std::ranges::minmax(left);
  };
  while (bench.unsent() > 0) bench.run(10);
  CHECK(spread().min > 30);
  while (spread().min > 20) bench.run(10);
  CHECK(spread().max - spread().min < 10);
  check_arrived(bench, 1, load);
}

TEST_CASE("a put beyond the node's memory stops, and the buses say so") {
  PutsBench bench(seed_of(3), 0.3);
  bench.start();
  bench.credit(1, by_put, arrived(0, by_put), 2);
  constexpr std::uint32_t last = PutsBench::memory_bytes / 128 - 1;
  bench.fill(last, tag(1, 0, by_put, 0));
  bench.put(0, by_put, last, 2);
  bench.run(3000);
  CHECK(bench.left(0) == 1);
  CHECK(bench.is(arrived(0, by_put), tag(1, 0, by_put, 0)));
  constexpr std::uint32_t read_range = 1;
  CHECK(bench.bus_errors() == read_range);
  CHECK_THROWS(bench.errors());  // the node's could speak of what was not read
  // Registers of puts are not those of the buses, whose numbers are 16 less.
  bench.put(1, by_put, 0, 0);
  bench.write(0x1015, 1U << 25);
  CHECK(bench.bus_errors() == read_range);
}

TEST_CASE("a queue takes lines for its own link and channel only") {
  PutsBench bench(seed_of(4), 0.3);
  bench.start();
  for (unsigned queue = 0; queue < links; ++queue) {
    const std::uint32_t target = 0x1011 + 4 * queue, lines = 0x1012 + 4 * queue;
    for (unsigned other = 0; other < 8; ++other)
      CHECK(bench.refuses(target, other << 25 | 0x80) == (other != queue));
    for (unsigned bit = 28; bit < 32; ++bit) CHECK(bench.refuses(target, queue << 25 | 1U << bit));
    // From place 1 of the channel on there are 32767.
    CHECK(bench.refuses(lines, 0x8000));
    CHECK(bench.refuses(lines, 0xFFFF));
    CHECK(bench.left(queue) == 0);
    CHECK(!bench.refuses(target, queue << 25 | 7U << 22 | 0x7FFFU << 7));
    CHECK(bench.refuses(lines, 2));
    CHECK(!bench.refuses(lines, 0));
  }
  CHECK(bench.errors() == 0);
}

TEST_CASE("a node that is held in the midst of puts begins anew") {
  for (const double stall : {0.0, 0.5, 0.85}) {
    PutsBench bench(seed_of(static_cast<std::uint64_t>(100 * stall)), stall);
    bench.start();
    for (int cycles = 0; cycles < 140; cycles += 7) {
      INFO("stall " << stall << ", held after " << cycles);
      Load load;
      load.puts.fill(8);
      begin(bench, 7, load);  // credits that nobody uses up
      for (unsigned i = 0; i < 3; ++i) bench.send(1, by_stream, i, 0xBAD00000);
      bench.run(cycles);
      bench.hold();
      bench.drop_stream();
      CHECK(bench.refuses(0x1012, 1));  // LINES, in reset
      bench.start();
      for (unsigned link = 0; link < links; ++link) CHECK(bench.left(link) == 0);
      load.puts.fill(3);
      if (cycles % 2 == 0) load.stream.fill(2);
      begin(bench, static_cast<unsigned>(cycles % 5), load);
      check_arrived(bench, static_cast<unsigned>(cycles % 5), load);
    }
  }
}
