// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/machine/exchange.hpp"

#include <numeric>

namespace ht::test {
namespace {

using qmp::Channel;

std::uint64_t word(int rank, std::size_t direction, int round, std::size_t i) {
  const auto n =
      (static_cast<std::uint64_t>(rank) * 16 + direction) * 64 + static_cast<std::uint64_t>(round);
  return (n * 4096 + i + 1) * 0x9E3779B97F4A7C15U;
}

// Rank of the application's neighbour in `direction`, x fastest.
int neighbour(const qcdoc::Driver& driver, std::size_t direction) {
  const auto axis = direction / 2;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= driver.shape()[i];
  const int n = driver.shape()[axis], x = driver.coordinates()[axis];
  return driver.rank() + ((x + (direction % 2 == 0 ? 1 : n - 1)) % n - x) * stride;
}

}  // namespace

void exchange(qcdoc::Driver& driver, std::size_t words, int rounds, Exchange& seen,
              Picoseconds compute) {
  std::vector<std::size_t> directions;
  for (std::size_t d = 0; d < 2 * driver.shape().size(); ++d) {
    if (driver.shape()[d / 2] > 1) directions.push_back(d);
  }
  std::vector<std::uint64_t*> out, in;
  std::vector<qmp::MessageId> all;
  for (const std::size_t d : directions) {
    const auto buffer = [&] { return static_cast<std::uint64_t*>(driver.allocate(8 * words, 8)); };
    out.push_back(buffer());
    in.push_back(buffer());
    const int to = static_cast<int>(d);
    all.push_back(driver.declare_send(to, Channel::User, out.back(), 8 * words));
    all.push_back(driver.declare_receive(to, Channel::User, in.back(), 8 * words));
  }
  for (int round = 0; round < rounds; ++round) {
    if (round == 1 && driver.rank() == 0) driver.runtime().advance(compute);
    for (std::size_t k = 0; k < directions.size(); ++k) {
      for (std::size_t i = 0; i < words; ++i)
        out[k][i] = word(driver.rank(), directions[k], round, i);
    }
    if (round % 2 == 0) {
      driver.start_all(all);
    } else {
      // Receives by themselves, on wires that were silent, at any phase of a byte.
      for (std::size_t k = 1; k < all.size(); k += 2) {
        driver.runtime().advance(500'000 + 2000 * (static_cast<Picoseconds>(k) + round));
        driver.start(all[k]);
      }
      driver.runtime().advance(500'000);
      for (std::size_t k = 0; k < all.size(); k += 2) driver.start(all[k]);
    }
    for (const auto m : all) driver.wait(m);
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const std::size_t d = directions[k];
      for (std::size_t i = 0; i < words; ++i) {
        seen.hash = (seen.hash ^ in[k][i]) * 0x100000001B3U;
        seen.wrong += in[k][i] != word(neighbour(driver, d), d ^ 1U, round, i);
      }
    }
    seen.stamps.push_back(driver.runtime().now());
  }
}

namespace {

// Everything that is said on a cable, and when.
struct Hash final : sim::CableTap<sim::QcdocLineCode::Symbol> {
  std::uint64_t hash = 0;

  void carried(std::int64_t slot, const std::uint8_t& sent, const std::uint8_t* received) override {
    add(static_cast<std::uint64_t>(slot) * 16 + sent * 4U + (received != nullptr ? *received : 2U));
  }
  void inserted(std::int64_t slot, const std::uint8_t& received) override {
    add(static_cast<std::uint64_t>(slot) * 16 + 8 + received);
  }
  void add(std::uint64_t what) { hash = (hash ^ what) * 0x100000001B3U; }
};

}  // namespace

Record record(const machine::QcdocMachineOptions& options, const Program& program) {
  machine::QcdocMachine m(options);
  Record r;
  r.nodes.resize(static_cast<std::size_t>(m.size()));
  std::vector<Hash> cables(static_cast<std::size_t>(12 * m.size()));
  for (int i = 0; i < 12 * m.size(); ++i)
    m.cable(i / 12, i % 12).listen(&cables[static_cast<std::size_t>(i)]);
  m.run([&](qcdoc::Driver& driver) {
    program(driver, r.nodes[static_cast<std::size_t>(driver.place().node)]);
  });
  r.end = m.kernel().now();
  r.cycles = m.statistics().cycles.total;
  r.skipped = m.statistics().cycles.skipped;
  for (std::size_t n = 0; n < r.nodes.size(); ++n)
    r.rested += m.node(static_cast<int>(n)).link_edges_left_out();
  for (const auto& link : m.read_links()) {
    for (const std::uint64_t n :
         {link.sent, link.retransmitted, link.accepted, std::uint64_t{link.tx_checksum},
          std::uint64_t{link.rx_checksum}, static_cast<std::uint64_t>(link.first_retransmission)})
      r.counters.push_back(n);
    for (const auto& c : link.counts) r.counters.push_back(c.count);
    r.resent += link.retransmitted;
    r.checksums_agree = r.checksums_agree && link.checksums_agree();
  }
  for (const Hash& cable : cables) r.cables.push_back(cable.hash);
  r.injected = m.close_ledgers().injected;
  return r;
}

Record record(const machine::QcdocMachineOptions& options, std::size_t words, int rounds,
              Picoseconds compute) {
  return record(options, [&](qcdoc::Driver& driver, Exchange& seen) {
    exchange(driver, words, rounds, seen, compute);
  });
}

}  // namespace ht::test
