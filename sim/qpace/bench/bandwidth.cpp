// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

#include "sim/qpace/bench/endpoint.hpp"
#include "sim/qpace/bench/pair.hpp"
#include "sw/host/errors.hpp"

namespace ht::bench {
namespace {

// Every node sends one long message on each of its `links`, and receives one.
double steady_rate(machine::QpaceMachineOptions options,
                   const std::function<std::vector<int>(int rank)>& links_of, int packets,
                   const Progress& progress) {
  machine::QpaceMachine machine(std::move(options));
  std::deque<Arrivals> arrivals;
  for (int rank = 0; rank < machine.size(); ++rank) arrivals.emplace_back(machine.node(rank));
  machine.kernel().on_window(progress);
  const auto bytes = static_cast<std::uint64_t>(packets) * qpace::line_bytes;
  machine.run([&](qpace::Driver& driver) {
    Endpoint end(machine.node(driver.rank()));
    const std::vector<int> links = links_of(driver.rank());
    const std::uint64_t source = end.allocate(bytes);
    for (const int link : links) {
      end.open(link, 0);
      end.credit(link, 0, end.allocate(bytes), bytes);
    }
    for (const int link : links) end.put(link, 0, source, bytes);
    for (const int link : links) end.wait_filled(link, 0, 1);
  });
  require_delivered(machine);
  double slowest = std::numeric_limits<double>::infinity();
  for (const Arrivals& a : arrivals)
    slowest = std::min(slowest, a.rate(a.count() / 4, a.count() * 3 / 4));
  return slowest;
}

}  // namespace

double bidirectional_rate(int packets, const Progress& progress) {
  return steady_rate(
      pair_machine({}), [](int rank) { return std::vector<int>{rank}; }, packets, progress);
}

double six_link_rate(int packets, const Progress& progress) {
  machine::QpaceMachineOptions options = pair_machine({});
  options.shape = {2, 2, 2};
  options.kernel.threads = 0;
  return steady_rate(
      options, [](int) { return std::vector<int>{0, 1, 2, 3, 4, 5}; }, packets, progress);
}

double exchange_rate(const PairOptions& options, std::uint64_t bytes, int in_flight, int messages,
                     const Progress& progress) {
  machine::QpaceMachine machine(pair_machine(options));
  Arrivals arrivals(machine.node(1));
  machine.kernel().on_window(progress);
  double rate[2] = {};
  machine.run([&](qpace::Driver& driver) {
    Endpoint end(machine.node(driver.rank()));
    const int link = driver.rank();  // +x of node 0, -x of node 1
    const std::uint64_t source = end.allocate(bytes);
    std::vector<std::uint64_t> to, ticket(static_cast<std::size_t>(in_flight));
    for (int channel = 0; channel < in_flight; ++channel) {
      to.push_back(end.allocate(bytes));
      end.open(link, channel);
    }
    const auto start = [&](int message) {
      const int channel = message % in_flight;
      const auto c = static_cast<std::size_t>(channel);
      // The credit is there long before the peer's message.
      ticket[c] = end.put(link, channel, source, bytes);
      end.credit(link, channel, to[c], bytes);
    };
    for (int i = 0; i < in_flight; ++i) start(i);
    Picoseconds begin = 0;
    for (int i = 0; i < messages; ++i) {
      const auto c = static_cast<std::size_t>(i % in_flight);
      end.wait_filled(link, i % in_flight, static_cast<std::uint32_t>(i / in_flight + 1));
      end.wait_taken(link, ticket[c]);
      if (i == in_flight - 1) begin = end.port().now();
      if (i + in_flight < messages) start(i + in_flight);
    }
    rate[driver.rank()] = static_cast<double>(bytes) * (messages - in_flight) * 1000 /
                          static_cast<double>(end.port().now() - begin);
  });
  require_delivered(machine);
  return std::min(rate[0], rate[1]);
}

Goodput goodput(const PairOptions& options, int packets, const Progress& progress) {
  machine::QpaceMachine machine(pair_machine(options));
  Arrivals arrivals(machine.node(1));
  machine.kernel().on_window(progress);
  const auto bytes = static_cast<std::uint64_t>(packets) * qpace::line_bytes;
  std::uint64_t from = 0, to = 0;
  machine.run([&](qpace::Driver& driver) {
    Endpoint end(machine.node(driver.rank()));
    if (driver.rank() == 1) {
      to = end.allocate(bytes);
      end.open(1, 0);
      end.credit(1, 0, to, bytes);
      end.wait_filled(1, 0, 1);
      return;
    }
    from = end.allocate(bytes);
    std::byte* data = end.port().memory().data() + from;
    for (std::uint64_t i = 0; i < bytes; i += 4) {
      const auto word = static_cast<std::uint32_t>(i * 2654435761U);
      std::memcpy(data + i, &word, sizeof word);
    }
    end.port().advance(2'000'000);  // until the peer has a credit
    end.wait_taken(0, end.put(0, 0, from, bytes));
  });
  if (std::memcmp(machine.node(0).memory().data() + from, machine.node(1).memory().data() + to,
                  bytes) != 0)
    throw MismatchError("what arrived is not what was sent");
  require_delivered(machine);
  Goodput result;
  result.rate = arrivals.rate(0, arrivals.count() - 1);
  for (const machine::QpaceLinkReport& link : machine.read_links()) {
    if (link.from == 0 && link.link == 0) result.retransmitted = link.sender.retransmitted;
    if ((link.from == 0 && link.link == 0) || (link.from == 1 && link.link == 1))
      result.errors += link.errors.injected;
  }
  return result;
}

}  // namespace ht::bench
