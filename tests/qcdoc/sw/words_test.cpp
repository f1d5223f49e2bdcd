// SPDX-License-Identifier: Apache-2.0
// The unit's API over Verilated units: descriptors, supervisor words, partition interrupts,
// checksums.
#include <catch2/catch.hpp>
#include <numeric>

#include "sw/host/errors.hpp"
#include "tests/qcdoc/sw/driver_support.hpp"

using namespace ht;
using namespace ht::test;
using namespace ht::qcdoc;
using qmp::Channel;

TEST_CASE("stored descriptors of both engines, started by one write, again and again") {
  ScuTorus torus({2});
  torus.run([&](int node, ScuPort& port) {
    Scu scu(port, "node " + std::to_string(node));
    scu.train(3);
    auto* const memory = reinterpret_cast<std::uint64_t*>(port.memory().data());
    // A column of a matrix of 8 x 6 words becomes a row, and goes on into a second instruction.
    scu.store(send_engine(0), 5, {16, 1, 8, 48}, 9);
    scu.store(send_engine(0), 9, {800, 2, 1, 0});
    scu.store(receive_engine(1), 5, {2400, 10, 1, 0});
    const Mask both = bit(send_engine(0)) | bit(receive_engine(1));
    for (std::uint64_t round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < 200; ++i) memory[i] = mark(node, 1000 * round + i);
      const auto starts = port.starts();
      scu.start(both, 5);
      scu.wait(both);
      REQUIRE(port.starts() == starts + 1);
      for (std::uint64_t i = 0; i < 8; ++i)
        REQUIRE(memory[300 + i] == mark(1 - node, 1000 * round + 2 + 6 * i));
      REQUIRE(memory[308] == mark(1 - node, 1000 * round + 100));
      REQUIRE(memory[309] == mark(1 - node, 1000 * round + 101));
    }
  });
}

TEST_CASE("supervisor words overtake data and come in order") {
  DriverTorus t({2, 2});
  t.run([&](Driver& driver) {
    const auto out = words(driver, 200), in = words(driver, 200);
    const auto s = driver.declare_send(0, Channel::User, out.data(), 1600);
    const auto r = driver.declare_receive(1, Channel::User, in.data(), 1600);
    driver.start(s);
    for (std::uint64_t i = 0; i < 3; ++i) driver.send_supervisor(0, 100 * i + 1);
    driver.send_supervisor(3, 7);
    // Nobody has started to receive: the data wait, the words do not.
    std::vector<std::pair<int, std::uint64_t>> seen;
    driver.on_supervisor(
        [&](qmp::Direction from, std::uint64_t word) { seen.emplace_back(from, word); });
    while (seen.size() < 4) driver.is_complete(s);
    REQUIRE(!driver.is_complete(s));
    std::vector<std::uint64_t> along_x;
    for (const auto& [from, word] : seen) {
      REQUIRE((from == 1 || (from == 2 && word == 7)));
      if (from == 1) along_x.push_back(word);
    }
    REQUIRE(along_x == std::vector<std::uint64_t>{1, 101, 201});
    driver.start(r);
    driver.wait(r);
    driver.wait(s);
    driver.on_supervisor({});
  });
}

TEST_CASE("partition interrupts reach all nodes in windows of the least length, on busy links") {
  DriverTorus t({3, 2});
  t.run([&](Driver& driver) {
    Scu& scu = driver.scu();
    scu.set_partition(driver.place().partition_links(), driver.place().diameter());
    const auto memory = words(driver, 8);
    driver.begin_circulation();  // all are there
    for (const int axis : {0, 1}) driver.circulate(axis, memory.data(), 8);
    const auto out = words(driver, 1200), in = words(driver, 1200);
    std::vector<qmp::MessageId> all;
    for (int d = 0; d < 4; ++d) {
      const std::size_t at = static_cast<std::size_t>(d) * 300;
      all.push_back(driver.declare_send(d, Channel::User, &out[at], 2400));
      all.push_back(driver.declare_receive(d, Channel::User, &in[at], 2400));
    }
    driver.start_all(all);
    // Each raises one in its turn, when all have seen the one before; three of them at once.
    for (int turn = 0; turn < 10; ++turn) {
      const Mask mine = bit(turn % 7);
      if (driver.rank() == turn % 6 || (turn == 3 && driver.rank() < 3)) scu.raise(mine);
      REQUIRE(scu.wait_partition(0x7F) == mine);
    }
    for (const auto m : all) driver.wait(m);
  });
}

TEST_CASE("a window leaves time for an error anywhere on an interrupt's way") {
  DriverTorus t({4});
  std::int64_t opens = 0;
  t.run([&](Driver& driver) {
    driver.scu().set_partition(driver.place().partition_links(), driver.place().diameter());
    driver.runtime().advance(8'000'000);
  });
  // In cycles.
  const std::int64_t window =
      (std::int64_t{25} << least_partition_window_log2_ticks(t.drivers[0]->place().diameter())) / 2;
  for (int trial = 0; trial < 16; ++trial) {
    CAPTURE(trial);
    opens = (t.torus.cycle() / window + 1) * window;
    const std::int64_t hit = opens + 9 * trial;
    // The request for a resend, on its way back, is lost as well, and has to be repeated.
    t.torus.damage = [&](std::int64_t cycle, int node, int link, bool bit) {
      const bool there = node == 1 && link == 1 && cycle == hit;
      const bool back = node == 0 && link == 0 && cycle > hit && cycle < hit + 200;
      return there || (back && cycle % 9 == 0) ? !bit : bit;
    };
    t.run([&](Driver& driver) {
      if (driver.rank() == 0) driver.scu().raise(1);
      driver.scu().wait_partition(1);
      // All in the same window, and nobody late.
      REQUIRE((driver.runtime().now() / 2000 - opens) / window == 1);
    });
  }
}

TEST_CASE("a window that is too short for its cables is reported as late") {
  DriverOptions options;
  options.scu.partition.bit = 20;  // not what the hardware has
  options.scu.partition.cable = options.scu.partition.skew = 0;
  DriverTorus t({6}, {}, options);
  try {
    t.run([&](Driver& driver) {
      driver.scu().set_partition(3, driver.place().diameter());
      driver.runtime().advance(2'000'000);
      if (driver.rank() == 0) driver.scu().raise(1);
      driver.scu().wait_partition(1);
      driver.runtime().advance(2'000'000);
      driver.scu().serve();
    });
    FAIL("nothing was thrown");
  } catch (const HardwareError& e) {
    CHECK_THAT(e.what(), Catch::Contains("the window is too short"));
  }
}

TEST_CASE("checksums are compared when the last word is out, however late its receiver") {
  // Four words: the send is done when the last has left memory, and waits beside a link that
  // holds three.
  DriverTorus t({2});
  t.run([](Driver& driver) {
    const auto memory = words(driver, 4);
    std::fill(memory.begin(), memory.end(), mark(driver.rank(), 3));
    if (driver.rank() == 0) {
      const auto s = driver.declare_send(0, Channel::User, memory.data(), 32);
      driver.start(s);
      driver.wait(s);
    } else {
      driver.runtime().advance(20'000'000);
      const auto r = driver.declare_receive(1, Channel::User, memory.data(), 32);
      driver.start(r);
      driver.wait(r);
    }
    REQUIRE(driver.compare_checksums() == 0);
  });
}

TEST_CASE("two flipped bits of one parity group pass the link, and the checksums name it") {
  DriverTorus t({2, 2});
  int undetected = 0;
  Mask differ[4] = {};
  for (int trial = 0; trial < 40 && undetected == 0; ++trial) {
    // Node 0's link +x; somewhere in a frame.
    const std::int64_t first = t.torus.cycle() + 200 + 5 * trial;
    t.torus.damage = [&](std::int64_t cycle, int node, int link, bool bit) {
      return node == 1 && link == 1 && (cycle == first || cycle == first + 2) ? !bit : bit;
    };
    t.run([&](Driver& driver) {
      const auto memory = words(driver, 32);
      std::fill(memory.begin(), memory.end(), mark(driver.rank(), 5));
      const auto s = driver.declare_send(0, Channel::User, memory.data(), 128);
      const auto r = driver.declare_receive(1, Channel::User, memory.data() + 16, 128);
      driver.start(s);
      driver.start(r);
      driver.wait(s);
      driver.wait(r);
      if (driver.rank() == 1) {
        for (std::size_t i = 16; i < 32; ++i) undetected += memory[i] != mark(0, 5);
      }
      driver.undeclare(s);
      driver.undeclare(r);
    });
    t.torus.damage = nullptr;
    t.run([&](Driver& driver) { differ[driver.rank()] = driver.compare_checksums(); });
    if (undetected == 0) {
      for (const Mask m : differ) REQUIRE(m == 0);
    }
  }
  REQUIRE(undetected == 1);
  CHECK(differ[0] == 0);
  CHECK(differ[1] == bit(1));
  CHECK(differ[2] == 0);
  CHECK(differ[3] == 0);
}
