// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/qpace/bench/endpoint.hpp"
#include "sim/qpace/bench/pair.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::bench {
namespace {

constexpr int pair_link[] = {0, 1};  // +x of node 0, -x of node 1
constexpr Picoseconds link_period = 4000, core_period = 4800;
// After so long the two clocks' edges lie as before.
constexpr Picoseconds pattern = 24'000;

// When a cable's sender put the last packet's header on the wire.
class HeaderTime final : public sim::CableTap<model::Word> {
 public:
  explicit HeaderTime(const sim::Clock& sender) : sender_(sender) {}
  void carried(std::int64_t slot, const model::Word& sent, const model::Word*) override {
    if (model::qpace::starts_with(sent, model::qpace::kStart)) time = sender_.edge(slot);
  }
  void inserted(std::int64_t, const model::Word&) override {}

  Picoseconds time = 0;

 private:
  sim::Clock sender_;
};

FifoToDma fifo_to_dma(Picoseconds phase) {
  machine::QpaceMachineOptions options = pair_machine({});
  options.cable_delay = 100'000;  // whole cycles, taken off below
  options.node.link_clock.phase = phase;
  options.kernel.threads = 1;
  machine::QpaceMachine machine(options);
  HeaderTime header(options.node.link_clock);
  machine.cable(0, 0).listen(&header);
  Picoseconds in = 0, out = 0;
  machine.node(0).watch_ports([&](const machine::PortBeat& beat) {
    if (!beat.out && beat.first) in = beat.time;
  });
  machine.node(1).watch_ports([&](const machine::PortBeat& beat) {
    if (beat.out && beat.last && !beat.notify) out = beat.time;
  });
  FifoToDma worst;
  for (Picoseconds slot = 0; slot < pattern / core_period; ++slot) {
    machine.run([&](qpace::Driver& driver) {
      Endpoint end(machine.node(driver.rank()));
      host::HardwarePort& port = end.port();
      const std::uint64_t buffer = end.allocate(qpace::line_bytes);
      if (driver.rank() == 1) {
        end.open(1, 0);
        end.credit(1, 0, buffer, qpace::line_bytes);
        return;
      }
      // Long after the credit, at each of the core's edges within the pattern.
      const Picoseconds now = port.now() + 2'000'000;
      port.advance(now - now % pattern + slot * core_period - port.now());
      end.wait_taken(0, end.put(0, 0, buffer, qpace::line_bytes));
    });
    worst.to_wire = std::max(worst.to_wire, header.time - in);
    worst.from_wire =
        std::max(worst.from_wire, out - header.time - (options.cable_delay - link_period));
  }
  return worst;
}

// Both return the time of all rounds.
double by_hand(machine::QpaceMachine& machine, int rounds) {
  Picoseconds taken = 0;
  machine.run([&](qpace::Driver& driver) {
    Endpoint end(machine.node(driver.rank()));
    const int link = pair_link[driver.rank()];
    const std::uint64_t to_send = end.allocate(qpace::line_bytes);
    const std::uint64_t received = end.allocate(qpace::line_bytes);
    end.open(link, 0);
    end.credit(link, 0, received, qpace::line_bytes);
    end.port().advance(2'000'000);  // until the peer has a credit, too
    const Picoseconds begin = end.port().now();
    for (int round = 1; round <= rounds; ++round) {
      if (driver.rank() == 1) end.wait_filled(link, 0, static_cast<std::uint32_t>(round));
      end.put(link, 0, to_send, qpace::line_bytes);
      if (driver.rank() == 0) end.wait_filled(link, 0, static_cast<std::uint32_t>(round));
      // The peer's next packet comes a round trip later.
      if (round < rounds) end.credit(link, 0, received, qpace::line_bytes);
    }
    if (driver.rank() == 0) taken = end.port().now() - begin;
  });
  return static_cast<double>(taken);
}

double by_driver(machine::QpaceMachine& machine, int rounds) {
  Picoseconds taken = 0;
  machine.run([&](qpace::Driver& driver) {
    const int direction = pair_link[driver.rank()];
    const auto buffer = [&] { return driver.allocate(qpace::line_bytes, qpace::line_bytes); };
    const auto send = driver.declare_send(direction, qmp::Channel::User, buffer(), 128);
    const auto receive = driver.declare_receive(direction, qmp::Channel::User, buffer(), 128);
    driver.start(receive);
    driver.runtime().advance(2'000'000);
    const Picoseconds begin = driver.runtime().now();
    for (int round = 1; round <= rounds; ++round) {
      if (driver.rank() == 1) driver.wait(receive);
      driver.start(send);
      if (driver.rank() == 0) driver.wait(receive);
      if (round < rounds) driver.start(receive);
      driver.wait(send);
    }
    if (driver.rank() == 0) taken = driver.runtime().now() - begin;
  });
  return static_cast<double>(taken);
}

}  // namespace

FifoToDma fifo_to_dma() {
  FifoToDma worst;
  // Other phases only exchange the slots.
  for (Picoseconds phase = 0; phase < core_period - link_period; phase += 50) {
    const FifoToDma one = fifo_to_dma(phase);
    worst.to_wire = std::max(worst.to_wire, one.to_wire);
    worst.from_wire = std::max(worst.from_wire, one.from_wire);
  }
  return worst;
}

double ping_pong(const PairOptions& options, int rounds, Software software) {
  machine::QpaceMachine machine(pair_machine(options));
  const double taken =
      software == Software::None ? by_hand(machine, rounds) : by_driver(machine, rounds);
  require_delivered(machine);
  return taken / (2.0 * rounds);
}

}  // namespace ht::bench
