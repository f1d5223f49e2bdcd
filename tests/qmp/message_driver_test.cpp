// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/message_driver.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "sw/host/errors.hpp"

using namespace ht;

namespace {

/// A node without hardware: time passes, and waiting ends at once.
class Port final : public host::HardwarePort {
 public:
  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override { now_ += duration; }
  void wait(std::string_view what) override { waited_for = what; }
  std::uint32_t read_register(std::uint32_t) override { return 0; }
  void write_register(std::uint32_t, std::uint32_t) override {}
  bool interrupt() const override { return false; }
  host::NodeMemory& memory() override { return memory_; }
  std::string waited_for;

 private:
  Picoseconds now_ = 0;
  host::NodeMemory memory_{1 << 20};
};

struct Message : qmp::DriverMessage {
  int looks = 0;  ///< until it has landed
};

/// Units of 32 bytes; a message lands after some looks, a receive full of the byte 'r'.
class Driver final : public qmp::MessageDriver<Message> {
 public:
  explicit Driver(Port& port, bool guarded = false)
      : MessageDriver(port, {.memory_unit = 32,
                             .message_unit = 32,
                             .most_bytes = 4096,
                             .start_cost = 1000,
                             .poll_cost = 10,
                             .copy_bytes_per_us = 1'000'000,
                             .guard_receives = guarded}) {}

  std::span<const int> shape() const override { return shape_; }
  std::span<const int> coordinates() const override { return coordinates_; }
  int rank() const override { return 3; }
  std::string description() const override { return "a ring of 5"; }
  std::size_t granularity() const override { return 32; }

  std::vector<std::byte> sent;  ///< all that was, padding too
  std::string events;
  int patience = 2;

 private:
  std::string name() const override { return "node 3"; }
  Message address(qmp::Direction direction, qmp::Channel, bool send) override {
    if (direction > 1) throw UsageError("node 3: a ring has two directions");
    Message m;
    m.send = send;
    m.far_end = direction == 0 ? "+x" : "-x";
    return m;
  }
  void before_launch() override { events += '('; }
  void launch(qmp::MessageId id, Message& m) override {
    events += std::to_string(id);
    m.looks = patience;
    std::byte* const at = port_.memory().data() + m.offset;
    if (m.send)
      sent.assign(at, at + whole_units(m.bytes));
    else
      std::memset(at, 'r', whole_units(m.bytes));
  }
  void after_launch() override { events += ')'; }
  void look(const Message&) override { events += 'l'; }
  void progress() override { events += 'p'; }
  void in_vain() override { events += 'v'; }
  bool landed(const Message& m) override { return --const_cast<Message&>(m).looks == 0; }
  void added(Message& m) override { events += m.bounce != nullptr ? 'B' : 'A'; }
  void forget(Message&) override { events += 'F'; }

  std::vector<int> shape_{5}, coordinates_{3};
};

}  // namespace

TEST_CASE("MessageDriver: what lies well stays where it is, anything else is bounced") {
  Port port;
  Driver driver(port);
  auto* const memory = static_cast<std::byte*>(driver.allocate(100, 1));
  CHECK(*port.memory().offset_of(memory) % 32 == 0);
  CHECK(*port.memory().offset_of(driver.allocate(1, 1)) == 128);  // whole units are taken
  std::vector<std::byte> outside(64);
  const auto kind = [&](std::byte* at, std::size_t bytes) {
    driver.events.clear();
    driver.undeclare(driver.declare_receive(0, qmp::Channel::User, at, bytes));
    return driver.events;
  };
  CHECK(kind(memory, 64) == "AF");
  CHECK(kind(memory + 32, 32) == "AF");
  CHECK(kind(memory + 8, 64) == "BF");
  CHECK(kind(memory, 63) == "BF");
  CHECK(kind(outside.data(), 64) == "BF");
  const auto declare = [&](int direction, std::size_t bytes) {
    driver.declare_send(direction, qmp::Channel::User, memory, bytes);
  };
  CHECK_THROWS_WITH(declare(0, 0), "node 3: a message of no bytes");
  CHECK_THROWS_WITH(declare(0, 4097), "node 3: a message of 4097 bytes; 4096 at most");
  CHECK_THROWS_AS(declare(2, 64), UsageError);
}

TEST_CASE("MessageDriver: bounced data travel whole, padded with zeros, and copies take time") {
  Port port;
  Driver driver(port);
  void* const used = driver.allocate(64, 32);
  std::memset(used, 0xFF, 64);
  driver.release(used);
  std::vector<std::byte> out(40, std::byte{'s'}), in(40);
  const qmp::MessageId s = driver.declare_send(0, qmp::Channel::User, out.data(), 40);
  const qmp::MessageId r = driver.declare_receive(1, qmp::Channel::User, in.data(), 40);
  const qmp::MessageId both[] = {s, r};
  driver.start_all(both);
  CHECK(port.now() == 2 * 1000 + 40);  // two starts, one copy
  CHECK(driver.events == "BB(01)");
  CHECK(driver.sent.size() == 64);
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(static_cast<char>(driver.sent[i]) == (i < 40 ? 's' : '\0'));
  driver.wait(s);
  CHECK(port.waited_for == "sending 40 bytes to +x");
  CHECK(driver.events == "BB(01)pvp");
  CHECK(in[0] == std::byte{});
  CHECK_FALSE(driver.is_complete(r));
  CHECK(port.now() == 2 * 1000 + 40 + 10);
  CHECK(driver.is_complete(r));
  CHECK(driver.events == "BB(01)pvplvl");
  CHECK(port.now() == 2 * 1000 + 40 + 10 + 40);
  CHECK(in == std::vector<std::byte>(40, std::byte{'r'}));
  CHECK(driver.is_complete(r));  // and once only
  CHECK(port.now() == 2 * 1000 + 40 + 10 + 40);
}

TEST_CASE("MessageDriver: a message in flight is neither started again nor freed") {
  Port port;
  Driver driver(port);
  std::vector<std::byte> memory(32);
  const qmp::MessageId m = driver.declare_receive(0, qmp::Channel::User, memory.data(), 32);
  driver.patience = 100;
  driver.start(m);
  const std::string flight = "in flight was ", what = "receiving 32 bytes from +x";
  CHECK_THROWS_WITH(driver.start(m), Catch::Contains(flight + "started again: " + what));
  CHECK_THROWS_WITH(driver.undeclare(m), Catch::Contains(flight + "freed: " + what));
  CHECK_THROWS_AS(driver.undeclare(m), std::logic_error);
  driver.wait(m);
  CHECK_NOTHROW(driver.undeclare(m));
  CHECK_THROWS_AS(driver.wait(m), UsageError);

  // One that has landed, though nobody has looked, may be.
  driver.patience = 2;
  const qmp::MessageId n = driver.declare_send(1, qmp::Channel::User, memory.data(), 32);
  driver.start(n);
  CHECK_NOTHROW(driver.start(n));
  CHECK_NOTHROW(driver.undeclare(n));
}

TEST_CASE("MessageDriver: a guarded receive buffer is the network's until completion") {
  const std::size_t offset = GENERATE(0U, 8U);  // in place, or bounced
  const std::size_t bytes = GENERATE(1U, 32U, 63U, 64U, 4096U);
  const std::size_t at = bytes * GENERATE(0U, 1U) / 2;
  const bool written = GENERATE(false, true);
  Picoseconds plain = 0;
  for (const bool guarded : {false, true}) {
    INFO(offset << " " << bytes << " " << at << " " << written << " " << guarded);
    Port port;
    Driver driver(port, guarded);
    auto* const buffer = static_cast<std::byte*>(driver.allocate(8192, 32)) + offset;
    std::memset(buffer, 'x', bytes);
    const auto m = driver.declare_receive(1, qmp::Channel::User, buffer, bytes);
    driver.start(m);
    if (guarded) CHECK(std::count(buffer, buffer + bytes, std::byte{'r'}) == 0);
    if (written) buffer[at] = std::byte{'y'};
    if (written && guarded) {
      CHECK_THROWS_WITH(driver.wait(m),
                        Catch::Matchers::Contains("node 3: receiving " + std::to_string(bytes) +
                                                  " bytes from -x: byte " + std::to_string(at)));
      continue;
    }
    driver.wait(m);
    if (!written) CHECK(std::count(buffer, buffer + bytes, std::byte{'r'}) == long(bytes));
    if (guarded) CHECK(port.now() == plain);  // it costs the program nothing
    plain = port.now();
  }
}
