// SPDX-License-Identifier: Apache-2.0
// The driver over Verilated units: messages.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "tests/qcdoc/sw/driver_support.hpp"

using namespace ht;
using namespace ht::test;
using qcdoc::Driver;
using qmp::Channel;

TEST_CASE("a message is one register write once it is declared") {
  DriverTorus t({2});
  t.run([&](Driver& driver) {
    const auto out = words(driver, 10), in = words(driver, 10);
    for (std::size_t i = 0; i < 10; ++i) out[i] = mark(driver.rank(), i);
    const auto s = driver.declare_send(0, Channel::User, out.data(), 80);
    const auto r = driver.declare_receive(1, Channel::User, in.data(), 80);
    for (int round = 0; round < 3; ++round) {
      std::fill(in.begin(), in.end(), 0);
      const auto writes = t.port_of(driver).register_writes();
      driver.start(s);
      driver.start(r);
      REQUIRE(t.port_of(driver).register_writes() == writes + 2);
      driver.wait(r);
      driver.wait(s);
      for (std::size_t i = 0; i < 10; ++i) REQUIRE(in[i] == mark(1 - driver.rank(), i));
    }
    REQUIRE(driver.instructions_stored() == 2);
  });
}

TEST_CASE("twelve messages of a node are started by one register write") {
  DriverTorus t({2, 2, 2});
  t.run([&](Driver& driver) {
    constexpr std::size_t n = 24;
    const auto out = words(driver, 6 * n), in = words(driver, 6 * n);
    std::vector<qmp::MessageId> all;
    // Slots that differ at first: the first start makes them the same.
    const auto odd = driver.declare_send(2, Channel::User, out.data(), 8);
    for (int d = 0; d < 6; ++d) {
      const std::size_t at = static_cast<std::size_t>(d) * n;
      all.push_back(driver.declare_send(d, Channel::User, &out[at], 8 * n));
      all.push_back(driver.declare_receive(d, Channel::User, &in[at], 8 * n));
    }
    for (unsigned round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = mark(driver.rank(), 1000 * round + i);
      const auto starts = t.port_of(driver).starts();
      driver.start_all(all);
      REQUIRE(t.port_of(driver).starts() == starts + 1);
      for (const auto m : all) driver.wait(m);
      REQUIRE(t.port_of(driver).starts() == starts + 1);
      for (int d = 0; d < 6; ++d) {
        const std::size_t here = static_cast<std::size_t>(d) * n;
        const std::size_t there = static_cast<std::size_t>(d ^ 1) * n;
        for (std::size_t i = 0; i < n; ++i)
          REQUIRE(in[here + i] == mark(neighbour(driver, d), 1000 * round + there + i));
      }
    }
    driver.undeclare(odd);
  });
}

TEST_CASE(
    "more messages than stored instructions, in order, and started before the engine is free") {
  DriverTorus t({2});
  t.run([&](Driver& driver) {
    constexpr std::size_t count = 40;
    const auto out = words(driver, 8 * count), in = words(driver, 8 * count);
    std::vector<qmp::MessageId> sends, receives;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bytes = 8 * (1 + i % 7);
      sends.push_back(driver.declare_send(0, Channel::User, &out[8 * i], bytes));
      receives.push_back(driver.declare_receive(1, Channel::User, &in[8 * i], bytes));
    }
    REQUIRE(driver.instructions_stored() == 32);  // both engines are full
    for (unsigned round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = mark(driver.rank(), 1000 * round + i);
      const bool sends_first = driver.rank() == 0;
      if (sends_first) driver.start_all(sends);
      driver.start_all(receives);
      if (!sends_first) driver.start_all(sends);
      for (const auto m : receives) driver.wait(m);
      for (const auto m : sends) driver.wait(m);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t w = 0; w < 1 + i % 7; ++w)
          REQUIRE(in[8 * i + w] == mark(1 - driver.rank(), 1000 * round + 8 * i + w));
      }
    }
    REQUIRE(driver.instructions_stored() > 32);
  });
}

TEST_CASE("scattered memory is moved by the engines, what does not suit them is copied") {
  DriverTorus t({2});
  t.run([&](Driver& driver) {
    const auto out = words(driver, 64), in = words(driver, 64);
    for (std::size_t i = 0; i < 64; ++i) out[i] = mark(driver.rank(), i);
    auto* base = reinterpret_cast<std::byte*>(out.data());
    // Three blocks of two words, every fifth; then two, backwards: eight words.
    const qmp::ScatterGather::Blocks rows[] = {{base + 8, 16, 3, 40}, {base + 480, 8, 2, -16}};
    const auto s = driver.declare_scattered(true, 0, Channel::User, rows);
    const auto r = driver.declare_receive(1, Channel::User, in.data(), 64);
    REQUIRE(s.has_value());
    driver.start(*s);
    driver.start(r);
    driver.wait(r);
    driver.wait(*s);
    const std::size_t expected[] = {1, 2, 6, 7, 11, 12, 60, 58};
    for (std::size_t i = 0; i < 8; ++i) REQUIRE(in[i] == mark(1 - driver.rank(), expected[i]));
    const auto refused = [&](std::byte* at, std::size_t bytes, std::ptrdiff_t stride) {
      const qmp::ScatterGather::Blocks one[] = {{at, bytes, 2, stride}};
      return !driver.declare_scattered(true, 0, Channel::User, one).has_value();
    };
    REQUIRE(refused(base + 4, 8, 16));
    REQUIRE(refused(base, 12, 16));
    REQUIRE(refused(base, 8, 20));
    std::vector<std::byte> elsewhere(64);
    REQUIRE(refused(elsewhere.data(), 8, 16));

    // 13 bytes from and to odd addresses outside the network's memory.
    std::vector<std::byte> bytes(32, std::byte(driver.rank() + 1)), to(32, std::byte{0xEE});
    const auto bs = driver.declare_send(1, Channel::User, bytes.data() + 3, 13);
    const auto br = driver.declare_receive(0, Channel::User, to.data() + 5, 13);
    driver.start(br);
    driver.start(bs);
    driver.wait(br);
    driver.wait(bs);
    for (std::size_t i = 0; i < 32; ++i)
      REQUIRE(to[i] == (i >= 5 && i < 18 ? std::byte(2 - driver.rank()) : std::byte{0xEE}));
  });
}

TEST_CASE("bad input is refused before it gets to the hardware") {
  DriverTorus t({2});
  t.run([&](Driver& driver) {
    const auto buffer = words(driver, 8);
    CHECK_THROWS_AS(driver.declare_send(2, Channel::User, buffer.data(), 8), UsageError);
    CHECK_THROWS_AS(driver.declare_send(0, Channel::Collective, buffer.data(), 8), UsageError);
    CHECK_THROWS_AS(driver.declare_send(0, Channel::User, buffer.data(), 0), UsageError);
    CHECK_THROWS_AS(driver.start(17), UsageError);
    CHECK_THROWS_AS(driver.send_supervisor(0, Driver::driver_words << 56), UsageError);
    CHECK_FALSE(t.port_of(driver).interrupt());
  });
  CHECK_THROWS_AS(qcdoc::place_on({2, 2}, 0, {3}), UsageError);
  CHECK_THROWS_AS(qcdoc::place_on({2, 2}, 4, {4}), UsageError);
}

TEST_CASE("a message that finds no memory to be copied through leaves nothing behind") {
  DriverTorus t({2});
  t.run([&](Driver& driver) {
    const auto buffer = words(driver, 8);
    std::vector<std::byte> large(std::size_t{8} << 20);
    CHECK_THROWS_AS(driver.declare_send(0, Channel::User, large.data(), large.size()),
                    std::bad_alloc);
    driver.release(buffer.data());
    driver.take_down();
    CHECK_NOTHROW(driver.move(driver.place()));  // no message is declared
  });
}

TEST_CASE("a link that does not come up is named") {
  ScuTorus torus({2, 2});
  torus.damage = [](std::int64_t, int node, int link, bool bit) {
    return node == 1 && link == 2 ? false : bit;
  };
  qcdoc::DriverOptions options;
  options.scu.link_up_timeout = 20'000'000;
  std::vector<std::string> errors(4);
  torus.run([&](int node, ScuPort& port) {
    Driver driver(port, qcdoc::place_on({2, 2}, node), options);
    try {
      driver.bring_up();
    } catch (const TimeoutError& e) {
      errors[static_cast<std::size_t>(node)] = e.what();
    }
  });
  CHECK(errors[0].empty());
  CHECK_THAT(errors[1], Catch::StartsWith("node 1: link +y did not come up"));
  CHECK(errors[2].empty());
  CHECK_THAT(errors[3], Catch::StartsWith("node 3: link -y did not come up"));
}

TEST_CASE("a link that stays silent ends the program with its name") {
  qcdoc::DriverOptions options;
  options.scu.retrain_timeout = 2;
  DriverTorus t({2, 2}, {}, options);
  t.torus.damage = [](std::int64_t, int node, int link, bool bit) {
    return node == 0 && link == 3 ? false : bit;
  };
  try {
    t.run([&](Driver& driver) {
      const auto buffer = words(driver, 1);
      const auto r = driver.declare_receive(3, Channel::User, buffer.data(), 8);
      driver.start(r);
      driver.wait(r);
    });
    FAIL("nothing was thrown");
  } catch (const ProtocolError& e) {
    CHECK_THAT(e.what(), Catch::Contains("node 0: link -y is down") ||
                             Catch::Contains("node 2: link +y is down"));
  }
}
