// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/machine/back_pressure.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"

namespace ht::test {
namespace {

using machine::QpaceMachine;
using machine::QpaceMachineOptions;
using qmp::Channel;

constexpr std::size_t line = qpace::line_bytes;

// What message `number` from node `rank` in `direction` is; both ends know.
struct Message {
  std::uint64_t key;
  std::size_t bytes;
};

Message message(const BackPressure& o, int rank, int direction, int channel, int number) {
  std::seed_seq seq{static_cast<int>(o.seed), rank, direction, channel, number};
  std::mt19937_64 random(seq);
  const std::uint64_t key = random();
  return {key, line * (1 + random() % static_cast<unsigned>(o.max_packets))};
}

std::byte content(const Message& m, std::size_t i) {
  const std::uint64_t x = (m.key + i / 8) * 0x9E3779B97F4A7C15U;
  return static_cast<std::byte>(x >> (i % 8 * 8));
}

void program(const BackPressure& o, const QpaceMachine& machine, qpace::Driver& driver) {
  const int rank = driver.rank(), directions = 2 * static_cast<int>(driver.shape().size());
  std::mt19937_64 random(o.seed * 1000 + static_cast<unsigned>(rank));
  struct Transfer {
    Message m;
    std::byte* buffer;
    qmp::MessageId id;
  };
  std::vector<Transfer> sends;
  std::vector<std::vector<Transfer>> receives;  // by direction and channel, in order
  for (int n = 0; n < o.messages; ++n) {
    for (int d = 0; d < directions; ++d) {
      for (const Channel c : {Channel::User, Channel::Collective}) {
        const Message m = message(o, rank, d, static_cast<int>(c), n);
        auto* buffer = static_cast<std::byte*>(driver.allocate(m.bytes, line));
        for (std::size_t i = 0; i < m.bytes; ++i) buffer[i] = content(m, i);
        sends.push_back({m, buffer, driver.declare_send(d, c, buffer, m.bytes)});
        driver.start(sends.back().id);
      }
    }
  }
  for (int d = 0; d < directions; ++d) {
    for (const Channel c : {Channel::User, Channel::Collective}) {
      receives.emplace_back();
      for (int n = 0; n < o.messages; ++n) {
        // what comes in at link d was sent in the opposite direction
        const Message m =
            message(o, machine.neighbour(rank, d), qmp::opposite(d), static_cast<int>(c), n);
        auto* buffer = static_cast<std::byte*>(driver.allocate(m.bytes, line));
        receives.back().push_back({m, buffer, driver.declare_receive(d, c, buffer, m.bytes)});
      }
    }
  }
  // Each stream's receives in order, the streams in any order, with pauses.
  std::vector<std::size_t> order, next(receives.size());
  for (std::size_t s = 0; s < receives.size(); ++s)
    order.insert(order.end(), static_cast<std::size_t>(o.messages), s);
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t s : order) {
    driver.runtime().advance(
        static_cast<Picoseconds>(random() % (static_cast<unsigned>(o.max_delay_us) * 1'000'000U)));
    driver.start(receives[s][next[s]++].id);
  }
  for (auto& stream : receives) {
    for (Transfer& t : stream) {
      driver.wait(t.id);
      for (std::size_t i = 0; i < t.m.bytes; ++i) {
        if (t.buffer[i] != content(t.m, i))
          throw MismatchError("node " + std::to_string(rank) + ": byte " + std::to_string(i) +
                              " of a message is wrong");
      }
    }
  }
  for (Transfer& t : sends) driver.wait(t.id);
}

}  // namespace

void check_back_pressure(const BackPressure& o) {
  QpaceMachineOptions options;
  options.shape = o.shape;
  options.random_phases = true;
  options.seed = o.seed;
  options.errors.bit_error_rate = o.bit_error_rate;
  options.node.memory_stalls = o.memory_stalls;
  QpaceMachine machine(options);
  REQUIRE(machine.run([&](qpace::Driver& driver) { program(o, machine, driver); }));
  const int directions = 2 * static_cast<int>(o.shape.size());
  std::uint64_t busy = 0, replayed = 0;
  for (const auto& link : machine.read_links()) {
    INFO("node " << link.from << " link " << link.link);
    std::size_t packets = 0;
    for (int n = 0; n < o.messages && link.link < directions; ++n) {
      for (const int c : {0, 1}) packets += message(o, link.from, link.link, c, n).bytes / line;
    }
    CHECK(link.sender.sent == packets);
    CHECK(link.sender.acknowledged == packets);
    CHECK(link.receiver.accepted == packets);
    CHECK(link.checksums_agree());
    CHECK(link.sender.flushed == 0);
    CHECK(link.sender.retrains == 0);
    busy += link.receiver.busy_sent;
    replayed += link.sender.replayed;
    if (o.bit_error_rate == 0) CHECK(link.sender.retransmitted == 0);
  }
  const auto errors = machine.close_ledgers();
  CHECK(errors.balanced());
  CHECK(errors.undetected == 0);
  CHECK(busy >= static_cast<std::uint64_t>(machine.size()));
  CHECK(replayed > busy);
}

}  // namespace ht::test
