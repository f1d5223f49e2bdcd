// SPDX-License-Identifier: Apache-2.0
// The driver and Verilated nodes, without QMP: messages arrive whole, counters tell the same story
// at both ends, and trouble is reported as what it is.
#include <catch2/catch.hpp>
#include <cstring>

#include "sim/machine/qpace_machine.hpp"
#include "sw/host/errors.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;

namespace {

constexpr std::size_t bytes = 20 * qpace::line_bytes;

std::byte pattern(int rank, std::size_t i) {
  return static_cast<std::byte>(static_cast<std::size_t>(rank) * 31 + i * 7 + (i >> 8));
}

// Every node sends a message along every link and receives one from each.
void exchange(qpace::Driver& driver, int repetitions) {
  const int directions = 2 * static_cast<int>(driver.shape().size());
  std::vector<std::byte*> out, in;
  std::vector<qmp::MessageId> sends, receives;
  for (int d = 0; d < directions; ++d) {
    out.push_back(static_cast<std::byte*>(driver.allocate(bytes, 128)));
    in.push_back(static_cast<std::byte*>(driver.allocate(bytes, 128)));
    for (std::size_t i = 0; i < bytes; ++i) out.back()[i] = pattern(driver.rank() * 6 + d, i);
    sends.push_back(driver.declare_send(d, qmp::Channel::User, out.back(), bytes));
    receives.push_back(driver.declare_receive(d, qmp::Channel::User, in.back(), bytes));
  }
  for (int r = 0; r < repetitions; ++r) {
    for (const auto m : receives) driver.start(m);
    for (const auto m : sends) driver.start(m);
    for (const auto m : receives) driver.wait(m);
    for (const auto m : sends) driver.wait(m);
  }
  for (int d = 0; d < directions; ++d) {
    const int from = 1 - driver.rank();  // a ring of two: both neighbours are the other node
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      wrong += in[static_cast<std::size_t>(d)][i] != pattern(from * 6 + (d ^ 1), i);
    if (wrong != 0) throw MismatchError("a message came altered");
  }
}

}  // namespace

TEST_CASE("messages over Verilated nodes arrive whole, over bad cables too") {
  for (const double rate : {0.0, 1e-5}) {
    QpaceMachineOptions options;
    options.shape = {2};
    options.errors.bit_error_rate = rate;
    options.kernel.threads = 1;
    QpaceMachine m(options);
    REQUIRE(m.run([](qpace::Driver& driver) { exchange(driver, 5); }));
    std::uint64_t retransmitted = 0;
    for (const auto& link : m.read_links()) {
      INFO("node " << link.from << " link " << link.link);
      const std::uint32_t packets = link.link < 2 ? 5 * bytes / qpace::line_bytes : 0;
      CHECK(link.sender.sent == packets);
      CHECK(link.sender.acknowledged == packets);
      CHECK(link.receiver.accepted == packets);
      CHECK(link.checksums_agree());
      if (packets > 0) CHECK(link.sender.tx_checksum != 0);
      retransmitted += link.sender.retransmitted;
    }
    const auto errors = m.close_ledgers();
    CHECK(errors.balanced());
    CHECK(errors.undetected == 0);
    if (rate == 0.0) {
      CHECK(errors.injected == 0);
      CHECK(retransmitted == 0);
    } else {
      CHECK(errors.detected > 0);
      CHECK(retransmitted > 0);
    }
  }
}

TEST_CASE("a node that waits for what nobody sends is named by the watchdog") {
  QpaceMachineOptions options;
  options.shape = {2};
  options.kernel.threads = 1;
  options.kernel.watchdog = 200'000'000;
  QpaceMachine m(options);
  try {
    m.run([](qpace::Driver& driver) {
      if (driver.rank() == 1) {
        void* buffer = driver.allocate(128, 128);
        driver.wait([&] {
          const auto id = driver.declare_receive(0, qmp::Channel::User, buffer, 128);
          driver.start(id);
          return id;
        }());
      }
    });
    FAIL("nobody noticed");
  } catch (const TimeoutError& e) {
    const std::string what = e.what();
    INFO(what);
    CHECK(what.find("node 1") != std::string::npos);
    CHECK(what.find("receiving 128 bytes from +x") != std::string::npos);
    CHECK(what.find("node 0: finished") != std::string::npos);
  }
}

TEST_CASE("a refused register access names node and register") {
  QpaceMachineOptions options;
  options.shape = {1};
  options.kernel.threads = 1;
  QpaceMachine m(options);
  CHECK_THROWS_AS(m.run([&](qpace::Driver&) { m.node(0).write_register(0x0FF, 1); }),
                  HardwareError);
}
