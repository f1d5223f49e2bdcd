// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/cable.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sim/cable/fault_random.hpp"
#include "sw/host/errors.hpp"
#include "tests/cable/cable_fixture.hpp"

using namespace ht;
using namespace ht::test;
using Catch::Matchers::Contains;
using sim::CableOptions;
using sim::ErrorKind;
using sim::Fate;

namespace {

constexpr Picoseconds kEnd = 4000 * 6000;

/// The line in the plainest way: every slot coded, bit errors drawn one after the other, decoded.
Received by_hand(const CableOptions& o, const Sent& sent, std::int64_t slots,
                 std::vector<std::int64_t>* flipped = nullptr) {
  const sim::FaultRandom random(o.seed, o.number);
  const double p = o.faults.bit_error_rate;
  std::uint64_t n = 0;
  const auto draw = [&] {
    return sim::geometric_gap(random.draw(sim::FaultRandom::BitErrors, n++), p);
  };
  std::int64_t bit = draw();
  sim::QpaceLineCode::State tx = 0, rx = 0;
  Received got;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const auto here = sent.find(slot);
    auto coded =
        sim::QpaceLineCode::encode(here == sent.end() ? model::kIdleWord : here->second, tx);
    for (; bit < 40 * (slot + 1); bit += 1 + draw()) {
      const auto b = static_cast<unsigned>(bit - 40 * slot);
      coded[b / 10] = static_cast<std::uint16_t>(coded[b / 10] ^ (1U << (b % 10)));
      if (flipped != nullptr) flipped->push_back(bit);
    }
    const Word w = sim::QpaceLineCode::decode(coded, rx);
    if (w != model::kIdleWord) got[slot + distance(o)] = w;
  }
  return got;
}

Received until(Received r, std::int64_t edge) {
  r.erase(r.lower_bound(edge), r.end());
  return r;
}

}  // namespace

TEST_CASE("cable: a symbol is taken at the edge that follows its arrival, at any phases") {
  const Sent sent = traffic(1, 500);
  for (const Picoseconds tx : {0, 1, 1700, 3999}) {
    for (const Picoseconds rx : {0, 1, 2000, 3999}) {
      for (const Picoseconds delay : {8000, 9001, 250000}) {
        CableOptions o = plain();
        o.sender.phase = tx;
        o.receiver.phase = rx;
        o.delay = delay;
        QpaceCable cable(o);
        CHECK(cable.safe_window() == delay - 4000);
        REQUIRE(carry(cable, sent, cable.safe_window(), 4'000'000) == shifted(sent, distance(o)));
        REQUIRE(cable.in_flight() == 0);
        REQUIRE(cable.next_arrival() == sim::kNever);
        REQUIRE(cable.next_fault_arrival() == sim::kNever);
      }
    }
  }
}

TEST_CASE("cable: ends whose clocks are off by the same keep their distance") {
  const Sent sent = traffic(1, 500);
  for (const std::int64_t ppb : {300'000, -300'000, 77'000, -5'250, 9'000'000}) {
    for (const Picoseconds tx : {0, 1700, 3900}) {
      for (const Picoseconds rx : {0, 2000, 3900}) {
        for (const Picoseconds delay : {9000, 250000}) {
          CableOptions o = plain();
          o.sender = sim::Clock{4000, tx}.slower_by(ppb);
          o.receiver = sim::Clock{4000, rx}.slower_by(ppb);
          o.delay = delay;
          QpaceCable cable(o);
          CHECK(cable.safe_window() == delay - o.sender.longest_cycle());
          const std::int64_t apart = o.receiver.first_edge(o.sender.edge(0) + delay);
          REQUIRE(carry(cable, sent, cable.safe_window(), 4'000'000) == shifted(sent, apart));
          for (std::int64_t n = 0; n < 5000; ++n) {
            const Picoseconds arrives = o.sender.edge(n) + delay;
            // Never early, and by a picosecond at most later than the first edge behind it; moved
            // up by a lost symbol, not within the window in which it was sent.
            REQUIRE(o.receiver.edge(n + apart) >= arrives);
            REQUIRE(o.receiver.edge(n + apart - 1) <= arrives);
            REQUIRE(o.receiver.edge(n + apart - 1) - o.sender.edge(n) >= cable.safe_window());
          }
        }
      }
    }
  }
}

TEST_CASE("cable: bit errors as on a line coded slot by slot, whatever the windows") {
  for (const double rate : {1e-5, 1e-3, 2e-2, 1.0}) {
    INFO("rate " << rate);
    CableOptions o = plain();
    o.faults.bit_error_rate = rate;
    o.seed = 77;
    o.number = 5;
    o.receiver.phase = 1234;
    const std::int64_t slots = rate > 0.1 ? 600 : 6000;
    const Picoseconds end = 4000 * slots;
    const Sent sent = traffic(2, slots);
    std::vector<std::int64_t> flipped;
    const Received expected = by_hand(o, sent, slots, &flipped);
    if (rate > 1e-4) CHECK(expected != shifted(sent, distance(o)));
    const std::int64_t last = o.receiver.first_edge(end);
    for (const Picoseconds window : {246000, 100000, 4000, 999}) {
      QpaceCable cable(o);
      REQUIRE(until(carry(cable, sent, window, end), last) == until(expected, last));
      // Every inverted bit is in the ledger, at its place.
      std::vector<std::int64_t> places;
      for (const auto& e : cable.ledger().errors()) {
        const bool good = e.kind == ErrorKind::Bit && e.time == o.sender.edge(e.symbol);
        if (!good) FAIL("an error that is no bit error, or at the wrong time");
        if (e.symbol < slots) places.push_back(e.symbol * 40 + e.lane * 10 + e.bit);
      }
      REQUIRE(places == flipped);
    }
  }
}

TEST_CASE("cable: seed and cable number decide where bits are inverted, and nothing else") {
  std::set<std::vector<std::int64_t>> places;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const std::uint32_t number : {0U, 1U}) {
      std::vector<std::int64_t> first;
      for (const std::uint64_t data : {10U, 11U}) {
        CableOptions o = plain();
        o.faults.bit_error_rate = 1e-3;
        o.seed = seed;
        o.number = number;
        QpaceCable cable(o);
        carry(cable, traffic(data, 3000), 246000, kEnd);
        std::vector<std::int64_t> at;
        for (const auto& e : cable.ledger().errors())
          at.push_back(e.symbol * 40 + e.lane * 10 + e.bit);
        if (first.empty()) first = at;
        REQUIRE(at == first);
        // 6000 slots of 40 bits: 240 expected.
        CHECK(std::fabs(static_cast<double>(at.size()) - 240) < 5 * std::sqrt(240.0));
      }
      CHECK(places.insert(first).second);
    }
  }
}

TEST_CASE("cable: bit errors keep to their span of time") {
  CableOptions o = plain();
  o.faults.bit_error_rate = 1e-2;
  o.faults.bit_errors_from = 1'000'000;
  o.faults.bit_errors_until = 3'000'000;
  QpaceCable cable(o);
  carry(cable, traffic(6, 1000), 246000, 6'000'000);
  const auto& errors = cable.ledger().errors();
  // 500 symbols of 40 bits: 200 expected, standard deviation 14.
  CHECK(std::abs(static_cast<double>(errors.size()) - 200) < 70);
  for (const auto& e : errors) CHECK((e.time >= 1'000'000 && e.time < 3'000'000));
  CHECK(cable.next_fault_arrival() == sim::kNever);
}

TEST_CASE("cable: the next fault is never seen before it is announced") {
  CableOptions o = plain();
  o.faults.bit_error_rate = 2e-4;
  o.faults.pulls = {{9'000'000, 9'100'000}};
  QpaceCable cable(o);
  Picoseconds now = 0;
  int seen = 0;
  for (int i = 0; i < 40; ++i) {
    const Picoseconds announced = cable.next_fault_arrival();
    REQUIRE(announced > now);
    // Nobody sends: jump close before it, as the kernel does.
    now = announced / 1000 * 1000;
    cable.transfer(now);
    REQUIRE(cable.next_arrival() >= now);
    for (int k = 0; k < 3 && cable.next_arrival() == sim::kNever; ++k) cable.transfer(now += 4000);
    REQUIRE(cable.next_arrival() - announced <= 8000);
    while (cable.next_edge()) {
      ++seen;
      now = std::max(now, cable.next_arrival());
      cable.receive(*cable.next_edge());
      cable.transfer(now);
    }
  }
  CHECK(seen >= 40);
}

TEST_CASE("cable: symbols cross between ranks as bytes") {
  CableOptions o = plain();
  o.faults.bit_error_rate = 1e-3;
  QpaceCable whole(o), near(o), far(o);
  const Sent sent = traffic(8, 500);
  for (const auto& [edge, word] : sent) {
    whole.send(edge, word);
    near.send(edge, word);
  }
  const auto bytes = near.take_sent();
  CHECK(near.in_flight() == 0);
  far.put_sent(bytes);
  whole.transfer(4'000'000);
  far.transfer(4'000'000);
  CHECK(far.in_flight() == whole.in_flight());
  while (whole.next_edge()) {
    REQUIRE(far.next_edge() == whole.next_edge());
    const auto edge = *whole.next_edge();
    REQUIRE(far.receive(edge) == whole.receive(edge));
  }
  CHECK_THROWS_AS(far.put_sent(std::vector<std::byte>(5)), std::logic_error);
}

TEST_CASE("cable: misuse is refused") {
  CableOptions o = plain();
  o.receiver.period = 4800;
  CHECK_THROWS_AS(QpaceCable(o), UsageError);
  o = plain();
  o.receiver.off_fs = 1;
  CHECK_THROWS_WITH(QpaceCable(o), Contains("4000 ps and 4000 ps +1 fs"));
  o.sender.off_fs = 1;
  CHECK_NOTHROW(QpaceCable(o));
  o.delay = 8001;
  CHECK_THROWS_WITH(QpaceCable(o), Contains("two symbols, 8002 ps"));
  o = plain();
  o.delay = 7999;
  CHECK_THROWS_AS(QpaceCable(o), UsageError);
  o = plain();
  o.faults.bit_error_rate = 1.5;
  CHECK_THROWS_AS(QpaceCable(o), UsageError);
  QpaceCable cable(plain());
  cable.send(10, {1, 0});
  CHECK_THROWS_AS(cable.send(10, {1, 0}), std::logic_error);
  cable.transfer(100'000);
  CHECK_THROWS_AS(cable.receive(10'000), std::logic_error);
}
