// SPDX-License-Identifier: Apache-2.0
// Bad input to a node: the hardware refuses, says why, and the driver turns that into an exception
// that names node, link and channel.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/registers.hpp"

using namespace ht;
using machine::NwpNode;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;
using qmp::Channel;

namespace {

namespace nwp = qpace::registers::nwp;
namespace link = qpace::registers::link;

constexpr std::size_t line = qpace::line_bytes;

QpaceMachineOptions ring(int nodes) {
  QpaceMachineOptions options;
  options.shape = {nodes};
  options.kernel.threads = 1;
  options.kernel.watchdog = 200'000'000;
  return options;
}

// A request that the hardware is expected to refuse.
void refused(const std::function<void()>& request) {
  try {
    request();
  } catch (const HardwareError&) {
    return;
  }
  throw MismatchError("the request was not refused");
}

// Does `bad` on node 1 of a ring of two, lets its program wait for something, and returns what the
// driver says about it.
std::string report(const std::function<void(NwpNode&)>& bad) {
  QpaceMachine m(ring(2));
  try {
    m.run([&](qpace::Driver& driver) {
      if (driver.rank() == 0) return;
      bad(m.node(1));
      void* buffer = driver.allocate(line, line);
      const auto id = driver.declare_receive(0, Channel::User, buffer, line);
      driver.start(id);
      driver.wait(id);
    });
  } catch (const HardwareError& e) {
    return e.what();
  }
  return "no exception";
}

void check(const std::string& text, const std::vector<std::string>& parts) {
  INFO(text);
  for (const std::string& part : parts) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("refused credits are reported with node, link and channel") {
  const auto post = [](NwpNode& node, std::uint32_t offset, std::uint32_t packets) {
    node.write_register(nwp::credit_offset(2, 5), offset);
    node.write_register(nwp::credit_post(2, 5), packets);
  };
  const std::string place = "node 1: link +y, channel 5: ";
  check(report([&](NwpNode& n) { refused([&] { post(n, 0, 1); }); }),
        {place, "whose BASE was never written"});
  check(report([&](NwpNode& n) {
          n.write_register(nwp::base(2, 5), 0);
          refused([&] { post(n, 0, 0); });
        }),
        {place, "A credit of 0 packets, or of more than 32767"});
  check(report([&](NwpNode& n) {
          n.write_register(nwp::base(2, 5), 0);
          for (std::uint32_t i = 0; i < nwp::credit_depth; ++i) post(n, i, 1);
          refused([&] { post(n, 9, 1); });
        }),
        {place, "whose queue is full"});
  check(report([&](NwpNode& n) {
          n.write_register(nwp::base(2, 5), 0);
          post(n, 100, 10);
          refused([&] { post(n, 109, 1); });
        }),
        {place, "overlaps a queued one"});
  check(report([&](NwpNode& n) {
          n.write_register(nwp::base(2, 5), 0);
          const auto lines = static_cast<std::uint32_t>(n.memory().size() / line);
          post(n, lines - 1, 1);
          refused([&] { post(n, lines - 1, 2); });
        }),
        {place, "reaches beyond CREDIT_LIMIT"});
}

TEST_CASE("refused register accesses are reported with node and link") {
  check(report([](NwpNode& n) { refused([&] { n.write_register(0x0FF, 1); }); }),
        {"node 1: the network processor refused", "A register that does not exist"});
  check(report([](NwpNode& n) { refused([&] { n.write_register(nwp::id, 1); }); }),
        {"node 1: ", "A read-only register was written"});
  check(report([](NwpNode& n) { refused([&] { n.write_register(nwp::credit_status(5, 7), 1); }); }),
        {"node 1: link -z, channel 7: ", "A read-only register was written"});
  check(report([](NwpNode& n) { refused([&] { n.write_register(link::tx_checksum(4), 1); }); }),
        {"node 1: link +z: ", "A link refused a register access"});
  check(report([](NwpNode& n) { refused([&] { n.write_register(link::retry_limit(1), 255); }); }),
        {"node 1: link -x: ", "A number was written that the register cannot hold"});
}

TEST_CASE("refused posted writes are reported with node, link and channel") {
  const auto put = [](std::uint64_t address) {
    return [address](NwpNode& n) { n.post_write(0, address, 0, line); };
  };
  check(report(put(7U << 25 | 2U << 22)), {"node 1: link 7, channel 2: ", "to link 6 or 7"});
  check(report(put(1U << 28 | 3U << 25 | 1U << 22)),
        {"node 1: link -y, channel 1: ", "address bits 31:28 were not 0"});
  check(report(put(4U << 25 | 6U << 22 | 64)),
        {"node 1: link +z, channel 6: ", "address bits 6:0 were not 0"});
}

TEST_CASE("receives that overlap one in flight are refused, on any link or channel") {
  QpaceMachine m(ring(1));
  struct Case {
    int direction;
    Channel channel;
    std::size_t from, bytes;
    bool overlaps;
  };
  // in flight: 10 lines on +x, user
  const std::vector<Case> cases{
      {0, Channel::User, 9, 2, true},        {0, Channel::User, 0, 10, true},
      {1, Channel::User, 3, 1, true},        {1, Channel::Collective, 0, 20, true},
      {0, Channel::Collective, 9, 1, true},  {0, Channel::User, 10, 5, false},
      {1, Channel::Collective, 10, 1, false}};
  for (const Case& c : cases) {
    CAPTURE(c.direction, static_cast<int>(c.channel), c.from, c.bytes);
    std::string text;
    m.run([&](qpace::Driver& driver) {
      auto* buffer = static_cast<std::byte*>(driver.allocate(40 * line, line));
      const auto first = driver.declare_receive(0, Channel::User, buffer, 10 * line);
      const auto second =
          driver.declare_receive(c.direction, c.channel, buffer + c.from * line, c.bytes * line);
      driver.start(first);
      try {
        driver.start(second);
      } catch (const ProtocolError& e) {
        text = e.what();
      }
      // what was started is complete in the end, and then the place is free again
      const auto send = [&](int direction, Channel channel, std::size_t bytes) {
        const auto id = driver.declare_send(direction, channel, buffer + 30 * line, bytes);
        driver.start(id);
        driver.wait(id);
        driver.undeclare(id);
      };
      send(1, Channel::User, 10 * line);
      driver.wait(first);
      if (!text.empty()) driver.start(second);
      if (c.bytes <= 10) {
        send(c.direction ^ 1, c.channel, c.bytes * line);
      } else {
        const auto id =
            driver.declare_send(c.direction ^ 1, c.channel, buffer + 20 * line, c.bytes * line);
        driver.start(id);
        driver.wait(id);
        driver.undeclare(id);
      }
      driver.wait(second);
      driver.undeclare(first);
      driver.undeclare(second);
      driver.release(buffer);
    });
    CHECK(text.empty() != c.overlaps);
    if (c.overlaps)
      check(text, {"node 0: link ", "channel " + std::to_string(static_cast<int>(c.channel)),
                   "overlaps one of 1280 bytes in flight on link +x, channel 0"});
  }
}

// Node 1 is reset while node 0 waits for the second half of its message.
TEST_CASE("after a flush a half received message is given up, and the link carries new ones") {
  QpaceMachine m(ring(2));
  bool flushed = false;
  int phase = 0;
  m.run([&](qpace::Driver& driver) {
    NwpNode& node = m.node(driver.rank());
    auto* buffer = static_cast<std::byte*>(driver.allocate(20 * line, line));
    std::memset(buffer, 0x11, 20 * line);
    const auto exchange = [&](int value) {  // 5 lines from node 1's -x to node 0's +x
      if (driver.rank() == 1) {
        std::memset(buffer, value, 5 * line);
        const auto id = driver.declare_send(1, Channel::User, buffer, 5 * line);
        driver.start(id);
        driver.wait(id);
        driver.undeclare(id);
        return;
      }
      const auto id = driver.declare_receive(0, Channel::User, buffer, 5 * line);
      driver.start(id);
      driver.wait(id);
      driver.undeclare(id);
      for (std::size_t i = 0; i < 5 * line; ++i) {
        if (buffer[i] != static_cast<std::byte>(value)) throw MismatchError("wrong data");
      }
    };
    exchange(1);
    if (driver.rank() == 1) {
      // Half a message, and one on the other channel that nobody expects; then a new session.
      const auto half = driver.declare_send(1, Channel::User, buffer, 7 * line);
      const auto stray = driver.declare_send(1, Channel::Collective, buffer, 3 * line);
      for (const auto id : {half, stray}) {
        driver.start(id);
        driver.wait(id);
        driver.undeclare(id);
      }
      node.advance(20'000'000);
      node.write_register(link::control(1), 0);
      node.write_register(link::epoch(1), 9);
      node.write_register(link::control(1), link::control_enable.mask);
      phase = 1;
      while (phase != 2) node.advance(1'000'000);
    } else {
      const auto id = driver.declare_receive(0, Channel::User, buffer, 20 * line);
      driver.start(id);
      try {
        driver.wait(id);
      } catch (const ProtocolError& e) {
        flushed = std::string(e.what()).find("node 0: link +x: A different peer or epoch") == 0;
      }
      driver.recover(0);
      driver.undeclare(id);
      const auto status = node.read_register(nwp::credit_status(0, 0));
      CHECK(nwp::credit_status_free.get(status) == nwp::credit_depth);
      CHECK(nwp::credit_status_waiting.get(node.read_register(nwp::credit_status(0, 1))) == 0);
      phase = 2;
    }
    for (int value = 2; value < 8; ++value) exchange(value);
    driver.release(buffer);
  });
  CHECK(flushed);
}

TEST_CASE("sticky errors that no program met end the run when its links are read") {
  struct Unmet {
    std::string what;
    int node;
    std::function<void(QpaceMachine&, int rank)> act;  ///< the last that a program does
    std::vector<std::string> says;
  };
  const auto refused_at = [](std::uint32_t address, std::uint32_t value) {
    return [address, value](QpaceMachine& m, int rank) {
      if (rank == 1) refused([&] { m.node(1).write_register(address, value); });
    };
  };
  // A new session, told to a peer that has had packets of the last one.
  const auto new_epoch = [](QpaceMachine& m, int rank) {
    if (rank != 1) return;
    m.node(1).write_register(link::control(0), 0);
    m.node(1).advance(1'000'000);
    m.node(1).write_register(link::epoch(0), 77);
    m.node(1).write_register(link::control(0), link::control_enable.mask);
    m.node(1).advance(20'000'000);
  };
  const std::vector<Unmet> all{
      {"nothing", -1, [](QpaceMachine&, int) {}, {}},
      {"a register there is not", 1, refused_at(0x7F0, 0), {"node 1: "}},
      {"a credit of no packets",
       1,
       refused_at(nwp::credit_post(3, 0), 0),
       {"node 1: link -y, channel 0: "}},
      {"a link's register", 1, refused_at(link::ack_timeout(4), 0), {"node 1: link +z: "}},
      {"a peer that changed", 0, new_epoch, {"node 0: link -x: ", "ERROR"}}};
  for (const Unmet& u : all) {
    INFO(u.what);
    QpaceMachine m(ring(2));
    m.run([&](qpace::Driver& driver) {
      auto* const out = static_cast<std::byte*>(driver.allocate(line, line));
      auto* const in = static_cast<std::byte*>(driver.allocate(line, line));
      const auto send = driver.declare_send(0, Channel::User, out, line);
      const auto receive = driver.declare_receive(1, Channel::User, in, line);
      driver.start(receive);
      driver.start(send);
      driver.wait(receive);
      driver.wait(send);
      driver.signal_barrier();
      u.act(m, driver.rank());
    });
    std::string text;
    try {
      m.read_links();
    } catch (const Error& e) {
      text = e.what();
    }
    CHECK(text.empty() == (u.node < 0));
    check(text, u.says);
  }
}
