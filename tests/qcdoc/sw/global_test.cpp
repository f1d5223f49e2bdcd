// SPDX-License-Identifier: Apache-2.0
// The driver's global operations over Verilated units, and what the program may have under way
// meanwhile.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/host/errors.hpp"
#include "sw/qcdoc/global_sum.hpp"
#include "sw/qcdoc/partitions.hpp"
#include "tests/qcdoc/sw/driver_support.hpp"

using namespace ht;
using namespace ht::test;
using qcdoc::Driver;
using qmp::Channel;

namespace {

/// Every node's `count` words along every axis; checks them all.
void circulate(Driver& driver, std::span<std::uint64_t> memory, std::size_t count,
               std::uint64_t round) {
  driver.begin_circulation();
  for (int axis = 0; axis < static_cast<int>(driver.shape().size()); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto length = static_cast<std::size_t>(driver.shape()[a]);
    if (length == 1) continue;
    const auto here = static_cast<std::size_t>(driver.coordinates()[a]);
    std::fill(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(length * count), 0);
    for (std::size_t i = 0; i < count; ++i)
      memory[here * count + i] = mark(driver.rank(), 100 * round + i);
    driver.circulate(axis, memory.data(), 8 * count);
    int stride = 1;
    for (std::size_t i = 0; i < a; ++i) stride *= driver.shape()[i];
    for (std::size_t c = 0; c < length; ++c) {
      const int node = driver.rank() + (static_cast<int>(c) - static_cast<int>(here)) * stride;
      for (std::size_t i = 0; i < count; ++i)
        REQUIRE(memory[c * count + i] == mark(node, 100 * round + i));
    }
  }
}

void circulations(const std::vector<int>& machine, const std::vector<int>& application,
                  bool doubled, bool agree) {
  qcdoc::DriverOptions options;
  options.doubled = doubled;
  options.agree = agree;
  DriverTorus t(machine, application, options);
  t.disturb(3000);
  t.run([&](Driver& driver) {
    const auto memory = words(driver, 128);
    std::uint64_t round = 0;
    for (const std::size_t count : {1, 2, 3, 5, 6, 1}) {
      circulate(driver, memory, count, ++round);
      // Nodes drift apart.
      driver.runtime().advance(driver.rank() * 37'000 % 900'000);
      circulate(driver, memory, count, ++round);
    }
  });
  t.torus.damage = nullptr;
  CHECK(t.disturbed > 10);
  t.run([](Driver& driver) { REQUIRE(driver.compare_checksums() == 0); });
}

}  // namespace

TEST_CASE("words circulate on rings and come out by coordinate, with errors on all cables") {
  circulations({6}, {}, true, true);
  circulations({5}, {}, true, false);
  circulations({4}, {}, false, true);
  circulations({2, 2, 2}, {8}, true, true);
  circulations({3, 2}, {}, true, false);
}

TEST_CASE("a sum takes a hop for each node of a ring but one, or for half of them") {
  for (const bool doubled : {false, true}) {
    for (const auto& shape : {std::vector<int>{6}, std::vector<int>{3, 4}}) {
      CAPTURE(doubled, shape);
      qcdoc::DriverOptions options;
      options.doubled = doubled;
      DriverTorus t(shape, {}, options);
      std::vector<double> sums(static_cast<std::size_t>(t.torus.size()));
      t.run([&](Driver& driver) {
        std::vector<std::uint32_t> before;
        for (std::size_t l = 0; l < 2 * shape.size(); ++l)
          before.push_back(driver.scu().words_sent(static_cast<int>(l)));
        qcdoc::GlobalSum sum(driver);
        // Numbers whose sum depends on the order.
        sums[static_cast<std::size_t>(driver.rank())] = sum(1.0 / (3 + driver.rank()));
        int hops = 0;
        for (std::size_t a = 0; a < shape.size(); ++a) {
          const auto plus = driver.scu().words_sent(static_cast<int>(2 * a)) - before[2 * a];
          const auto minus =
              driver.scu().words_sent(static_cast<int>(2 * a + 1)) - before[2 * a + 1];
          const auto n = static_cast<std::uint32_t>(shape[a]);
          REQUIRE(plus == (doubled ? n / 2 : n - 1));
          REQUIRE(minus == (doubled ? (n - 1) / 2 : 0));
          hops += static_cast<int>(plus);
        }
        REQUIRE(hops == qcdoc::GlobalSum::hops(shape, doubled));
      });
      // In the order of the coordinates, x first.
      double expected = 0;
      const int rows = shape.size() > 1 ? shape[1] : 1;
      for (int y = 0; y < rows; ++y) {
        double row = 0;
        for (int x = 0; x < shape[0]; ++x)
          row = x == 0 ? 1.0 / (3 + y * shape[0]) : row + 1.0 / (3 + x + y * shape[0]);
        expected = y == 0 ? row : expected + row;
      }
      for (const double s : sums) CHECK(s == expected);
    }
  }
}

TEST_CASE("nodes move from one fold to another, and to partitions side by side") {
  DriverTorus t({4, 2}, {8});
  const auto sum_of_ranks = [](Driver& driver) {
    qcdoc::GlobalSum sum(driver);
    return sum(driver.rank());
  };
  t.run([&](Driver& driver) {
    REQUIRE(driver.shape().size() == 1);
    REQUIRE(sum_of_ranks(driver) == 28);
    driver.take_down();
  });
  const qcdoc::Partitions halves(std::vector<int>{4, 2}, "x:2+2");
  const auto fold = std::make_shared<const qcdoc::Fold>(halves.axes(), std::vector<int>{4});
  t.run([&](Driver& driver) {
    const int node = driver.place().node;
    driver.move({fold, halves.physical_node_of(node), node, halves.partition_of(node)});
    driver.bring_up();
    REQUIRE(driver.place().partition_links() == halves.links(node));
    REQUIRE(driver.place().diameter() == halves.diameter());
    REQUIRE(sum_of_ranks(driver) == 6);
    // A partition at work does not hear the other one.
    if (driver.place().partition == 1) REQUIRE(sum_of_ranks(driver) == 6);
    driver.scu().set_partition(driver.place().partition_links(), driver.place().diameter());
    sum_of_ranks(driver);
    if (driver.place().partition == 0 && driver.rank() == 2) driver.scu().raise(1);
    if (driver.place().partition == 0) REQUIRE(driver.scu().wait_partition(1) == 1);
    driver.runtime().advance(10'000'000);
    REQUIRE(driver.scu().take_partition(0x7F) == 0);
  });
}

TEST_CASE("a broadcast passes through all nodes") {
  DriverTorus t({2, 5}, {5, 2});
  t.disturb(3000);
  t.run([&](Driver& driver) {
    const auto memory = words(driver, 200);
    for (const std::size_t count : {1, 3, 40, 200}) {
      for (std::size_t i = 0; i < count; ++i)
        memory[i] = driver.rank() == 0 ? mark(77, count + i) : 0;
      driver.broadcast(memory.data(), 8 * count);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(memory[i] == mark(77, count + i));
    }
  });
  t.torus.damage = nullptr;
  t.run([](Driver& driver) { REQUIRE(driver.compare_checksums() == 0); });
}

TEST_CASE("messages started on one side of a global operation and met on the other") {
  // On all cables of a ring of four, in both directions, of lengths that fit idle receive or not.
  for (const std::size_t length : {1, 3, 9}) {
    for (const bool sends_first : {true, false}) {
      CAPTURE(length, sends_first);
      DriverTorus t({4});
      t.run([&](Driver& driver) {
        constexpr std::size_t messages = 2;
        const auto out = words(driver, 40), in = words(driver, 40), memory = words(driver, 40);
        std::vector<qmp::MessageId> sends, receives;
        for (std::size_t d = 0; d < 2; ++d) {
          for (std::size_t m = 0; m < messages; ++m) {
            const std::size_t at = 10 * (messages * d + m);
            const int direction = static_cast<int>(d);
            sends.push_back(driver.declare_send(direction, Channel::User, &out[at], 8 * length));
            receives.push_back(
                driver.declare_receive(direction ^ 1, Channel::User, &in[at], 8 * length));
          }
        }
        for (std::uint64_t round = 0; round < 3; ++round) {
          for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = mark(driver.rank(), 1000 * round + i);
          std::fill(in.begin(), in.end(), 0);
          // Nodes 0 and 1 start some before, the others all after.
          const bool early = driver.rank() < 2;
          if (early) driver.start_all(sends_first ? sends : receives);
          circulate(driver, memory, 2, round);
          if (round > 0) circulate(driver, memory, 1, round);
          if (early) {
            driver.start_all(sends_first ? receives : sends);
          } else {
            driver.start_all(receives);
            driver.start_all(sends);
          }
          for (const auto m : receives) driver.wait(m);
          for (const auto m : sends) driver.wait(m);
          for (int d = 0; d < 2; ++d) {
            for (std::size_t m = 0; m < messages; ++m) {
              const std::size_t at = 10 * (messages * static_cast<std::size_t>(d) + m);
              for (std::size_t i = at; i < at + length; ++i)
                REQUIRE(in[i] == mark(neighbour(driver, d ^ 1), 1000 * round + i));
            }
          }
        }
      });
    }
  }
}

TEST_CASE("messages of any length at any time between global operations, with errors") {
  for (const auto& machine : {std::vector<int>{4}, std::vector<int>{3, 2}}) {
    DriverTorus t(machine);
    t.disturb(4000);
    t.run([&](Driver& driver) {
      const int directions = 2 * static_cast<int>(machine.size());
      std::mt19937_64 own(static_cast<std::uint64_t>(driver.rank()) + 1), shared(99);
      const auto ring = words(driver, 32);
      for (int round = 0; round < 10; ++round) {
        const int operations = 1 + static_cast<int>(shared() % 3);
        // A message's length and contents depend on who sends it, in what direction.
        const auto length = [&](int from, int direction, int i) {
          const int key = 7 * from + 5 * direction + 3 * i + round;
          return static_cast<std::size_t>(1 + key % (i == 0 ? 4 : 9));
        };
        struct Post {
          qmp::MessageId id;
          int from, direction, i, before;
          bool send;
          std::span<std::uint64_t> memory;
        };
        std::vector<Post> posts;
        for (int d = 0; d < directions; ++d) {
          for (const bool send : {true, false}) {
            // Direction d of the sender; a receive is from the other side.
            const int from = send ? driver.rank() : neighbour(driver, d ^ 1);
            int before = 0;
            for (int i = 0; i < 3; ++i) {
              before = std::min(operations, before + static_cast<int>(own() % 2));
              const std::size_t n = length(from, d, i);
              Post p{-1, from, d, i, before, send, words(driver, n)};
              for (std::size_t w = 0; send && w < n; ++w)
                p.memory[w] =
                    mark(from, static_cast<std::uint64_t>(1000 * round + 100 * d + 10 * i) + w);
              p.id = send ? driver.declare_send(d, Channel::User, p.memory.data(), 8 * n)
                          : driver.declare_receive(d ^ 1, Channel::User, p.memory.data(), 8 * n);
              posts.push_back(p);
            }
          }
        }
        for (int operation = 0; operation <= operations; ++operation) {
          for (const Post& p : posts) {
            if (p.before == operation) driver.start(p.id);
          }
          if (operation == operations) break;
          driver.runtime().advance(static_cast<Picoseconds>(own() % 1'500'000));
          const std::size_t count = 1 + shared() % 5;
          if (shared() % 3 != 0) {
            circulate(driver, ring, count, static_cast<std::uint64_t>(10 * round + operation));
          } else {
            for (std::size_t i = 0; i < count; ++i)
              ring[i] = driver.rank() == 0 ? mark(50 + round, i) : 0;
            driver.broadcast(ring.data(), 8 * count);
            for (std::size_t i = 0; i < count; ++i) REQUIRE(ring[i] == mark(50 + round, i));
          }
        }
        for (const Post& p : posts) driver.wait(p.id);
        for (const Post& p : posts) {
          for (std::size_t w = 0; w < p.memory.size(); ++w)
            REQUIRE(p.memory[w] == mark(p.from, static_cast<std::uint64_t>(
                                                    1000 * round + 100 * p.direction + 10 * p.i) +
                                                    w));
          driver.undeclare(p.id);
          driver.release(p.memory.data());
        }
      }
    });
    t.torus.damage = nullptr;
    t.run([](Driver& driver) { REQUIRE(driver.compare_checksums() == 0); });
  }
}

TEST_CASE("nodes that call different global operations are told so") {
  DriverTorus t({2, 2});
  try {
    t.run([&](Driver& driver) {
      const auto memory = words(driver, 8);
      if (driver.rank() == 3)
        driver.broadcast(memory.data(), 8);
      else
        circulate(driver, memory, 1, 0);
    });
    FAIL("nothing was thrown");
  } catch (const ProtocolError& e) {
    CHECK_THAT(e.what(), Catch::Contains("same operations in the same order"));
  }
}

TEST_CASE("a message longer at one end, found at a global operation") {
  DriverTorus t({2});
  try {
    t.run([&](Driver& driver) {
      const auto memory = words(driver, 16);
      const auto s = driver.declare_send(0, Channel::User, memory.data(), 8 * 2);
      const auto r = driver.declare_receive(1, Channel::User, memory.data() + 4, 8 * 3);
      driver.start(s);
      driver.start(r);
      circulate(driver, memory, 1, 0);
    });
    FAIL("nothing was thrown");
  } catch (const ProtocolError& e) {
    CHECK_THAT(e.what(), Catch::Contains("link -x") && Catch::Contains("same length"));
  }
}
