// SPDX-License-Identifier: Apache-2.0
// QCDOC links over the simulator's cables: every injected error has a fate, the model beside each
// receiver agrees with the hardware byte by byte, and the checksums tell what parity misses.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "sim/qcdoc/cable.hpp"
#include "sim/qcdoc/scu_watch.hpp"
#include "tests/qcdoc/link/words.hpp"

using namespace ht;
using namespace ht::test;
using sim::ErrorKind;
using sim::Fate;

namespace {

constexpr Picoseconds bit_time = 2000;
constexpr std::int64_t window = 8;  // cycles; the cable takes ten

sim::CableOptions cable(std::uint32_t number, std::uint64_t seed, const sim::FaultPlan& faults) {
  sim::CableOptions o;
  o.name = number == 0 ? "a to b" : "b to a";
  o.number = number;
  o.sender.period = o.receiver.period = bit_time;
  o.delay = 10 * bit_time;
  o.seed = seed;
  o.faults = faults;
  return o;
}

/// A pair of links with the simulator's cables between them, watched.
struct Watched {
  QcdocPair pair;
  sim::QcdocCable ab, ba;
  sim::SerialHistory out[2], in[2];
  machine::ScuWatch watch[2];  // by receiver; link 0 of each

  Watched(std::uint64_t seed, const sim::FaultPlan& a_to_b, const sim::FaultPlan& b_to_a = {})
      : pair(10, seed, 0, 3), ab(cable(0, seed, a_to_b)), ba(cable(1, seed, b_to_a)) {
    watch[0].watch(0, &ba.ledger());
    watch[1].watch(0, &ab.ledger());
    pair.carry = [this](int d, std::uint64_t cycle, bool bit) {
      const auto edge = static_cast<std::int64_t>(cycle);
      if (d == 0 && edge % window == 0) {
        ab.transfer(edge * bit_time);
        ba.transfer(edge * bit_time);
      }
      sim::QcdocCable& line = d == 0 ? ab : ba;
      const auto end = static_cast<std::size_t>(d);
      if (out[end].symbols(edge, bit ? 1 : 0) != 0) line.send(edge, 1);
      const std::uint32_t symbol = line.receive(edge);
      watch[1 - end].received(edge, symbol);
      return in[1 - end].bits(edge, symbol) != 0;
    };
  }
  void step() {
    pair.step();
    for (const unsigned i : {0U, 1U}) {
      Vqcdoc_link& d = (i == 0 ? pair.a : pair.b).dut();
      watch[i].observed(static_cast<std::int64_t>(pair.cycle) - 1, d.state, d.obs_rx_start,
                        d.obs_rx_ok, d.obs_rx_error);
    }
  }
  bool step_until(const std::function<bool()>& done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit && !done(); ++i) step();
    return done();
  }
  void enable() { pair.a.dut().enable = pair.b.dut().enable = 1; }
  /// Until the bursts after training are over: from then on no word is sent twice without cause.
  void bring_up() {
    enable();
    int quiet = 0;
    REQUIRE(step_until(
        [&] {
          quiet = pair.a.up() && pair.b.up() && pair.a.idle() && pair.b.idle() ? quiet + 1 : 0;
          return quiet > 100;
        },
        20'000));
  }
  /// Ends the run: differences between the hardware and the model of it.
  std::vector<std::string> close() {
    std::vector<std::string> all;
    for (auto& w : watch) {
      const auto& some = w.receiver_of(0)->close(static_cast<std::int64_t>(pair.cycle) - 1);
      all.insert(all.end(), some.begin(), some.end());
    }
    ab.ledger().close();
    ba.ledger().close();
    return all;
  }
};

}  // namespace

TEST_CASE("QCDOC ledger: bit errors each have a fate, and the model agrees with the hardware") {
  sim::ErrorTotals all;
  for (const double rate : {1e-5, 1e-4, 2e-3, 1.9e-3, 2.1e-3}) {
    CAPTURE(rate);
    sim::FaultPlan faults;
    faults.bit_error_rate = rate;
    faults.bit_errors_from = 4'000'000;  // the links are up
    Watched w(static_cast<std::uint64_t>(1 / rate), faults, faults);
    w.enable();
    w.pair.a.take_eagerness = 0.2;
    w.pair.a.to_send = words(400, 1);
    w.pair.b.to_send = words(300, 2);
    w.pair.a.sup_to_send = words(20, 3);
    const auto a = listed(w.pair.a.to_send), b = listed(w.pair.b.to_send);
    REQUIRE(w.step_until(
        [&] { return w.pair.b.received.size() >= 400 && w.pair.a.received.size() >= 300; },
        400'000));
    for (int i = 0; i < 3000; ++i) w.step();
    const auto differences = w.close();
    CAPTURE(differences);
    CHECK(differences.empty());
    const auto check = [&](const sim::ErrorLedger& ledger, bool whole, bool sums_agree) {
      const auto totals = ledger.totals();
      CHECK(totals.balanced());
      // At the highest rate some words have two flipped bits in one group, and some bare codes are
      // others, which alters no word.
      CHECK((totals.undetected != 0 || whole));
      if (rate < 1e-3) CHECK(totals.undetected == 0);
      CHECK(sums_agree == whole);
      if (rate < 1e-3) CHECK(whole);
      all += totals;
    };
    check(w.ab.ledger(), w.pair.b.received == a,
          w.pair.a.dut().tx_checksum == w.pair.b.dut().rx_checksum);
    check(w.ba.ledger(), w.pair.a.received == b,
          w.pair.b.dut().tx_checksum == w.pair.a.dut().rx_checksum);
    const auto& counts = w.watch[1].receiver_of(0)->counts();
    CHECK(counts.header_errors == w.pair.b.events.header);
    CHECK(counts.parity_errors == w.pair.b.events.parity);
    CHECK(counts.marker_errors == w.pair.b.events.marker);
    CHECK(counts.refused == w.pair.b.events.refused + w.pair.b.events.bad_ack);
    CHECK(counts.header_errors + counts.parity_errors + counts.marker_errors + counts.refused ==
          w.pair.b.events.rx_error);
  }
  CHECK(all.injected > 100);
  CHECK(2 * all.detected > all.harmless);  // the rest: while discarding
  CHECK(all.harmless > 0);
  CHECK(all.undetected > 0);
}

TEST_CASE("QCDOC ledger: a forged double error is undetected, and the checksums differ") {
  for (const std::uint64_t frame : {0U, 7U, 20U}) {
    CAPTURE(frame);
    sim::FaultPlan faults;
    // Two even bits, or two odd ones, in either half.
    faults.forced = {{frame, {{0, 1U << 4}, {frame == 0 ? 0U : 1U, 1U << 30}}}};
    Watched w(5, faults);
    w.bring_up();
    w.pair.a.to_send = words(40, 1);
    const auto sent = listed(w.pair.a.to_send);
    REQUIRE(w.step_until([&] { return w.pair.b.received.size() == 40; }, 40'000));
    for (int i = 0; i < 500; ++i) w.step();
    for (std::size_t i = 0; i < 40; ++i) {
      const std::uint64_t expected =
          i != frame ? 0 : 1U << 4 | std::uint64_t{1} << (frame == 0 ? 30 : 62);
      CHECK((w.pair.b.received[i] ^ sent[i]) == expected);
    }
    CHECK(w.close().empty());
    const auto totals = w.ab.ledger().totals();
    CHECK(totals.injected == 1);
    CHECK(totals.undetected_of[static_cast<std::size_t>(ErrorKind::Forced)] == 1);
    CHECK(w.pair.a.dut().tx_checksum != w.pair.b.dut().rx_checksum);
    CHECK(w.pair.b.dut().tx_checksum == w.pair.a.dut().rx_checksum);
  }
}

TEST_CASE("QCDOC ledger: bits of two groups, or one bit, are detected") {
  for (const std::uint32_t mask : {1U << 4, 3U << 12, 7U << 1}) {
    CAPTURE(mask);
    sim::FaultPlan faults;
    faults.forced = {{11, {{1, mask}}}};
    Watched w(6, faults);
    w.enable();
    w.pair.a.to_send = words(40, 1);
    const auto sent = listed(w.pair.a.to_send);
    REQUIRE(w.step_until([&] { return w.pair.b.received.size() == 40; }, 40'000));
    CHECK((w.pair.b.received == sent));
    CHECK(w.close().empty());
    REQUIRE(w.ab.ledger().errors().size() == 1);
    CHECK(w.ab.ledger().errors()[0].fate == Fate::Detected);
    CHECK(w.ab.ledger().errors()[0].complaint == sim::Complaint::Parity);
  }
}

TEST_CASE("QCDOC ledger: any one bit of an idle byte, and of a training sequence, is detected") {
  sim::FaultPlan faults;
  for (unsigned i = 0; i < 8; ++i)
    faults.aimed.push_back({20'000'000 + 8'000'000 * i, sim::Target::Idle, i, {{0, 0}}});
  faults.aimed.push_back({500'000, sim::Target::Hello, 13, {{0, 0}}});
  Watched w(9, faults);
  w.bring_up();
  REQUIRE_FALSE(w.step_until([] { return false; }, 50'000));
  CHECK(w.close().empty());
  REQUIRE(w.ab.ledger().errors().size() == 9);
  CHECK(w.ab.ledger().errors()[0].complaint == sim::Complaint::Training);
  for (const auto& e : w.ab.ledger().errors()) {
    CAPTURE(e.symbol % 8);
    CHECK(e.fate == Fate::Detected);
    if (e.time > 1'000'000) CHECK(e.complaint == sim::Complaint::Header);
  }
}

TEST_CASE("QCDOC ledger: cables pulled, also silently, and put back") {
  for (const bool silent : {false, true}) {
    CAPTURE(silent);
    sim::FaultPlan faults;
    faults.pulls = {{9'000'000, 60'000'000, silent}};
    Watched w(7, faults, faults);
    w.enable();
    w.pair.a.to_send = words(300, 1);
    w.pair.b.to_send = words(300, 2);
    const auto a = listed(w.pair.a.to_send), b = listed(w.pair.b.to_send);
    REQUIRE(w.step_until(
        [&] { return w.pair.b.received.size() >= 300 && w.pair.a.received.size() >= 300; },
        200'000));
    for (int i = 0; i < 3000; ++i) w.step();
    CHECK((w.pair.b.received == a));
    CHECK((w.pair.a.received == b));
    CHECK(w.pair.b.events.retrain >= 1);
    const auto differences = w.close();
    CAPTURE(differences);
    CHECK(differences.empty());
    for (const auto* cable : {&w.ab, &w.ba}) {
      REQUIRE(cable->ledger().errors().size() == 1);
      CHECK(cable->ledger().errors()[0].fate == Fate::Detected);
    }
  }
}

TEST_CASE("QCDOC ledger: a bit slip is noticed, the link aligns itself anew and nothing is lost") {
  for (const bool doubled : {false, true}) {
    for (const Picoseconds at : {20'000'000, 20'002'000, 20'008'000}) {  // in idle bytes
      CAPTURE(doubled, at);
      sim::FaultPlan faults;
      (doubled ? faults.doubled : faults.lost) = {{at, false}};
      Watched w(8, faults);
      w.enable();
      w.pair.a.to_send = words(50, 1);
      const auto first = listed(w.pair.a.to_send);
      REQUIRE(w.step_until([&] { return w.pair.b.received.size() == 50; }, 9'000));
      CHECK((w.pair.b.received == first));
      w.step_until([] { return false; }, 10'100 - w.pair.cycle);  // after the slip
      w.pair.a.to_send = words(50, 2);
      const auto second = listed(w.pair.a.to_send);
      REQUIRE(w.step_until([&] { return w.pair.b.received.size() == 100; }, 40'000));
      w.pair.b.received.erase(w.pair.b.received.begin(), w.pair.b.received.begin() + 50);
      CHECK((w.pair.b.received == second));
      CHECK(w.pair.b.events.retrain == 1);
      CHECK(w.close().empty());
      REQUIRE(w.ab.ledger().errors().size() == 1);
      CHECK(w.ab.ledger().errors()[0].kind == (doubled ? ErrorKind::Doubled : ErrorKind::Lost));
      CHECK(w.ab.ledger().errors()[0].fate == Fate::Detected);
    }
  }
}

TEST_CASE("QCDOC ledger: cables pulled for 5 us at any moment are detected, and nothing is lost") {
  for (unsigned i = 0; i < 160; ++i) {
    const Picoseconds from = 9'000'000 + 2'000 * (i / 2),
                      until = from + 5'000'000 + 2'000 * (i % 7);
    const unsigned traffic = i % 2;
    CAPTURE(from, until, traffic);
    sim::FaultPlan faults;
    faults.pulls = {{from, until, false}};
    Watched w(7, faults, faults);
    w.bring_up();
    if (traffic == 1) {
      w.pair.a.to_send = words(60, 1);
      w.pair.b.to_send = words(60, 2);
    }
    const auto a = listed(w.pair.a.to_send), b = listed(w.pair.b.to_send);
    REQUIRE(w.step_until(
        [&] {
          return w.pair.cycle > 8'000 && w.pair.b.received.size() >= a.size() &&
                 w.pair.a.received.size() >= b.size();
        },
        40'000));
    for (int j = 0; j < 3000; ++j) w.step();
    const auto differences = w.close();
    CAPTURE(differences);
    CHECK(differences.empty());
    const bool sums_a = w.pair.a.dut().tx_checksum == w.pair.b.dut().rx_checksum;
    const bool sums_b = w.pair.b.dut().tx_checksum == w.pair.a.dut().rx_checksum;
    CHECK(sums_a == (w.pair.b.received == a));
    CHECK(sums_b == (w.pair.a.received == b));
    for (const auto* cable : {&w.ab, &w.ba}) {
      REQUIRE(cable->ledger().errors().size() == 1);
      const auto& e = cable->ledger().errors()[0];
      CAPTURE(e.first, e.last, cable == &w.ba, sums_a, sums_b);
      CHECK((e.fate == Fate::Undetected) == !(cable == &w.ab ? sums_a : sums_b));
    }
  }
}
