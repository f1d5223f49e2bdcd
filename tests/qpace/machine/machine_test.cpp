// SPDX-License-Identifier: Apache-2.0
// The driver and Verilated nodes, without QMP: messages arrive whole, counters tell the same story
// at both ends, and trouble is reported as what it is.
#include <catch2/catch.hpp>
#include <cstring>
#include <tuple>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/qpace/registers.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;

namespace {

constexpr std::size_t bytes = 20 * qpace::line_bytes;

std::byte pattern(int rank, std::size_t i) {
  return static_cast<std::byte>(static_cast<std::size_t>(rank) * 31 + i * 7 + (i >> 8));
}

// Every node sends a message along every link and receives one from each, another one each time.
void exchange(qpace::Driver& driver, int repetitions) {
  const int directions = 2 * static_cast<int>(driver.shape().size());
  const int from = 1 - driver.rank();  // a ring of two: both neighbours are the other node
  const auto stamp = [](int rank, int direction, int r) { return (rank * 6 + direction) * 8 + r; };
  std::vector<std::byte*> out, in;
  std::vector<qmp::MessageId> sends, receives;
  for (int d = 0; d < directions; ++d) {
    out.push_back(static_cast<std::byte*>(driver.allocate(bytes, 128)));
    in.push_back(static_cast<std::byte*>(driver.allocate(bytes, 128)));
    sends.push_back(driver.declare_send(d, qmp::Channel::User, out.back(), bytes));
    receives.push_back(driver.declare_receive(d, qmp::Channel::User, in.back(), bytes));
  }
  for (int r = 0; r < repetitions; ++r) {
    for (int d = 0; d < directions; ++d) {
      for (std::size_t i = 0; i < bytes; ++i)
        out[static_cast<std::size_t>(d)][i] = pattern(stamp(driver.rank(), d, r), i);
    }
    for (const auto m : receives) driver.start(m);
    for (const auto m : sends) driver.start(m);
    for (const auto m : receives) driver.wait(m);
    for (int d = 0; d < directions; ++d) {
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes; ++i)
        wrong += in[static_cast<std::size_t>(d)][i] != pattern(stamp(from, d ^ 1, r), i);
      if (wrong != 0) throw MismatchError("a message came altered, or not yet");
    }
    for (const auto m : sends) driver.wait(m);
  }
  for (const auto m : sends) driver.undeclare(m);
  for (const auto m : receives) driver.undeclare(m);
  for (std::byte* b : out) driver.release(b);
  for (std::byte* b : in) driver.release(b);
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
      CHECK(retransmitted == 0);  // nothing was damaged, whatever was refused
    } else {
      CHECK(errors.detected > 0);
      CHECK(retransmitted > 0);
    }
  }
}

TEST_CASE("messages arrive whole while lanes of their cables are exchanged for a time") {
  const double rate = GENERATE(0.0, 1e-5);
  // 10 symbols, 100, and longer than a packet is waited for.
  const std::int64_t size = GENERATE(40'000, 400'000, 3'000'000);
  std::uint64_t detected = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("bit error rate " << rate << ", " << size << " ps, seed " << seed);
    QpaceMachineOptions options;
    options.shape = {2};
    options.seed = seed;
    options.errors.bit_error_rate = rate;
    options.errors[sim::ErrorKind::Exchanged] = {12, size};
    options.errors.until = options.errors.from + 10'000'000;
    options.kernel.threads = 1;
    QpaceMachine m(options);
    REQUIRE(m.run([](qpace::Driver& driver) { exchange(driver, 5); }));
    for (const auto& link : m.read_links()) CHECK(link.checksums_agree());
    const auto errors = m.close_ledgers();
    const auto exchanged = static_cast<std::size_t>(sim::ErrorKind::Exchanged);
    CHECK(errors.balanced());
    CHECK(errors.undetected == 0);
    CHECK(errors.injected_of[exchanged] > 0);
    CHECK(errors.injected_of[exchanged] <= 12);
    detected += errors.detected_of[exchanged];
  }
  CHECK(detected > 10);
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

namespace {

/// What comes in over one node's links, with its edges.
class Recorder final : public machine::NodeListener {
 public:
  using Heard = std::tuple<int, std::int64_t, std::uint32_t>;
  void received(int link, std::int64_t edge, const model::Word& word) override {
    heard.emplace_back(link, edge, word.data);
  }
  sim::Complaint observed(int, std::int64_t, const sim::Observation&) override {
    return sim::Complaint::None;
  }
  void retransmits(int, std::int64_t) override {}
  void written(std::uint64_t, const std::array<std::uint32_t, 4>&, bool, bool) override {}
  std::vector<Heard> heard;
};

}  // namespace

// Links of a resting machine say that they are there, at the cycles at which they would if none was
// left out.
TEST_CASE("keep-alives come at their cycle, skipped or not, and cost little") {
  std::vector<Recorder::Heard> heard[2];
  for (const bool skip : {true, false}) {
    QpaceMachineOptions options;
    options.shape = {2};
    options.random_phases = true;
    options.node.skip_idle = skip;
    options.kernel.jump = skip;
    options.kernel.threads = 1;
    QpaceMachine m(options);
    Recorder recorder;
    m.node(0).listen(&recorder);
    REQUIRE(m.run([](qpace::Driver& driver) {
      exchange(driver, 1);
      driver.runtime().advance(300'000'000);
      exchange(driver, 1);
    }));
    heard[skip ? 0 : 1] = recorder.heard;
    for (const auto& link : m.read_links()) {
      CHECK(link.sender.silent == 0);
      CHECK(link.sender.retrains == 0);
    }
    if (!skip) continue;
    const auto cycles = m.kernel().statistics().cycles;
    // 300 us of rest are 75,000 cycles a node; what is not skipped is training, traffic, and the
    // signs.
    const double share = static_cast<double>(cycles.skipped) / static_cast<double>(cycles.total);
    INFO("skipped " << cycles.skipped << " of " << cycles.total);
    CHECK(cycles.skipped > 2 * 75'000 * 95 / 100);
    CHECK(share > 0.8);
  }
  CHECK(heard[0].size() > 300 / 9 * 6);
  CHECK((heard[0] == heard[1]));
}

TEST_CASE("a refused register access names node and register") {
  QpaceMachineOptions options;
  options.shape = {1};
  options.kernel.threads = 1;
  QpaceMachine m(options);
  CHECK_THROWS_AS(m.run([&](qpace::Driver&) { m.node(0).write_register(0x0FF, 1); }),
                  HardwareError);
}

TEST_CASE("a link that goes down for good ends the program") {
  QpaceMachineOptions options;
  options.shape = {2};
  options.kernel.threads = 1;
  // Enough of them to pull every cable of the ring, and never put back.
  options.errors[sim::ErrorKind::Pulled] = {40, 1'000'000'000'000};
  options.errors.from = 100'000'000;
  options.errors.until = 101'000'000;
  QpaceMachine m(options);
  try {
    m.run([&](qpace::Driver& driver) {
      namespace link = qpace::registers::link;
      for (std::uint32_t l = 0; l < 2; ++l)
        m.node(driver.rank()).write_register(link::train_timeout(l), 0x4000);
      for (;;) exchange(driver, 10);
    });
    FAIL("nobody noticed");
  } catch (const ProtocolError& e) {
    const std::string what = e.what();
    INFO(what);
    CHECK(what.find(": link ") != std::string::npos);
    CHECK(what.find("Training did not finish") != std::string::npos);
  }
}

TEST_CASE("a machine comes to rest though damaged idle symbols never cease") {
  QpaceMachineOptions options;
  options.shape = {2, 2, 2};
  options.errors.bit_error_rate = 2e-4;  // some twenty of them in each window
  QpaceMachine m(options);
  REQUIRE(m.run([](qpace::Driver& driver) {
    auto* to = driver.allocate(bytes, 128);
    auto* from = driver.allocate(bytes, 128);
    const auto receive = driver.declare_receive(1, qmp::Channel::User, to, bytes);
    const auto send = driver.declare_send(0, qmp::Channel::User, from, bytes);
    driver.start(receive);
    driver.start(send);
    driver.wait(receive);
    driver.wait(send);
  }));
  // The last acknowledgements have arrived.
  for (const auto& link : m.read_links()) {
    CHECK(link.sender.acknowledged == link.sender.sent);
    CHECK(link.checksums_agree());
  }
  CHECK(m.kernel().now() < 1'000'000'000);
}
