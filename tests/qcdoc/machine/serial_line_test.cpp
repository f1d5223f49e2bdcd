// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/serial_line.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

#include "sim/cable/fault_random.hpp"
#include "sim/qcdoc/cable.hpp"
#include "sw/host/errors.hpp"
#include "tests/cable/cable_fixture.hpp"
#include "verif/model/qcdoc/reader.hpp"

using namespace ht;
using sim::CableOptions;
using sim::ErrorKind;
using sim::QcdocCable;
using Bits = std::vector<bool>;

namespace {

constexpr Picoseconds kBit = 2000;

CableOptions serial(Picoseconds delay = 20'000) {
  CableOptions o;
  o.name = "A to B";
  o.sender.period = o.receiver.period = kBit;
  o.delay = delay;
  return o;
}

/// Random bytes, each repeated for a while; now and then for long.
Bits talk(std::uint64_t seed, std::size_t length) {
  std::mt19937_64 r(seed);
  Bits bits;
  while (bits.size() < length) {
    const auto byte = static_cast<unsigned>(r() & 255);
    const std::uint64_t times = r() % 3 != 0 ? 1 : r() % 10 != 0 ? r() % 12 : 400;
    for (std::uint64_t i = 0; i < 8 * times; ++i) bits.push_back(((byte >> (7 - i % 8)) & 1) != 0);
  }
  bits.resize(length);
  return bits;
}

/// What the receiver's wire shows, edge by edge, after `sent` was put on the sender's. With `jump`
/// both ends leave out what the kernel would: windows in which nothing is sent and nothing comes,
/// edges without a symbol.
Bits carry(QcdocCable& cable, const Bits& sent, Picoseconds window, bool jump = false) {
  const auto& o = cable.options();
  const auto length = static_cast<std::int64_t>(sent.size());
  std::vector<std::int64_t> busy;
  sim::SerialHistory out, in;
  for (std::int64_t e = 0; e < length; ++e) {
    if (out.symbols(e, sent[static_cast<std::size_t>(e)] ? 1 : 0) != 0) busy.push_back(e);
  }
  Bits got(sent.size());
  std::array<bool, 8> wire{};
  std::int64_t heard = 0;  // next edge of the receiver
  const auto hear = [&](std::int64_t until, bool symbols) {
    for (; heard < std::min(until, length); ++heard) {
      bool& bit = wire[static_cast<std::size_t>(heard % 8)];
      if (symbols || !jump) bit = in.bits(heard, cable.receive(heard)) != 0;
      got[static_cast<std::size_t>(heard)] = bit;
    }
  };
  auto next = busy.begin();
  for (Picoseconds now = 0; now < kBit * length; now += window) {
    if (jump) {
      const Picoseconds send = next == busy.end() ? sim::kNever : o.sender.edge(*next);
      const Picoseconds wake =
          std::min({send, cable.next_arrival(), cable.next_fault_arrival(), kBit * length - 1});
      now = std::max(now, wake / window * window);
      cable.transfer(now);  // up to where the windows left out end
    }
    const std::int64_t last = o.receiver.first_edge(now + window);
    while (jump && cable.next_edge() && *cable.next_edge() < std::min(last, length)) {
      hear(*cable.next_edge(), false);
      hear(*cable.next_edge() + 1, true);
    }
    hear(last, false);
    for (; next != busy.end() && o.sender.edge(*next) < now + window; ++next) cable.send(*next, 1);
    cable.transfer(now + window);
  }
  return got;
}

/// The wire with bits inverted at `flips`, 0 before the first bit arrives.
Bits line(const Bits& sent, std::int64_t distance, const std::set<std::int64_t>& flips = {}) {
  Bits r(sent.size());
  for (std::size_t e = static_cast<std::size_t>(distance); e < r.size(); ++e) {
    const std::size_t slot = e - static_cast<std::size_t>(distance);
    r[e] = sent[slot] != flips.contains(static_cast<std::int64_t>(slot));
  }
  return r;
}

}  // namespace

TEST_CASE("serial line: a byte that repeats itself is no symbol, and need not be looked at") {
  std::mt19937_64 r(1);
  sim::SerialHistory out, in;
  std::array<std::uint32_t, 8> byte{};
  std::int64_t edge = 0;
  for (int word = 0; word < 400; ++word) {
    for (auto& bits : byte) bits = static_cast<std::uint32_t>(r()) & 0xfff;
    for (int i = 0; i < 24; ++i, ++edge) {
      const std::uint32_t bits = byte[static_cast<std::size_t>(edge & 7)];
      const std::uint32_t symbols = out.symbols(edge, bits);
      if (i >= 8) REQUIRE(symbols == 0);
      REQUIRE(in.bits(edge, symbols) == bits);
    }
    edge += static_cast<std::int64_t>(r() % 100);  // any number
  }
}

TEST_CASE("serial line: the code's two ends, with repeated bytes passed over at once") {
  std::mt19937_64 r(2);
  sim::QcdocLineCode::State tx = 0, rx = 0, tracked = 0, skipped = 0;
  for (int n = 0; n < 2000; ++n) {
    const auto symbol = static_cast<std::uint8_t>(r() & 1);
    const auto coded = sim::QcdocLineCode::encode(symbol, tx);
    REQUIRE(coded[0] < 2);
    REQUIRE(sim::QcdocLineCode::decode(coded, rx) == symbol);
    sim::QcdocLineCode::track(symbol, tracked);
    const auto idle = static_cast<std::int64_t>(r() % 40);
    skipped = tx;
    sim::QcdocLineCode::pass_idle(skipped, idle);
    for (std::int64_t i = 0; i < idle; ++i) {
      sim::QcdocLineCode::track(0, tx);
      sim::QcdocLineCode::track(0, tracked);
      sim::QcdocLineCode::decode({static_cast<std::uint16_t>(tx & 1)}, rx);
    }
    REQUIRE(rx == tx);
    REQUIRE(tracked == tx);
    REQUIRE(skipped == tx);
  }
}

TEST_CASE("serial cable: bits arrive after the delay, at any phases, in any windows") {
  const Bits sent = talk(1, 4000);
  for (const Picoseconds tx : {0, 700, 1999}) {
    for (const Picoseconds rx : {0, 1, 1234}) {
      for (const Picoseconds delay : {4000, 20'000, 101'001}) {
        CableOptions o = serial(delay);
        o.sender.phase = tx;
        o.receiver.phase = rx;
        const std::int64_t d = test::distance(o);
        for (const bool jump : {false, true}) {
          QcdocCable cable(o);
          REQUIRE(carry(cable, sent, cable.safe_window(), jump) == line(sent, d));
        }
      }
    }
  }
}

TEST_CASE("serial cable: a wire that repeats its byte costs nothing") {
  Bits sent(100'000);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = (0xc4U >> (7 - i % 8) & 1) != 0;
  QcdocCable cable(serial());
  CHECK(carry(cable, sent, 18'000, true) == line(sent, 10));
  CHECK(cable.sent() == 3);  // the bits of the first byte that are not 0
  CHECK(cable.in_flight() == 0);
}

TEST_CASE("serial cable: each flipped bit is one wrong bit on the wire, where the plan has it") {
  const Bits sent = talk(2, 40'000);
  for (const double rate : {1e-4, 1e-2, 0.5, 1.0}) {
    INFO("rate " << rate);
    CableOptions o = serial();
    o.faults.bit_error_rate = rate;
    o.seed = 7;
    o.number = 3;
    o.receiver.phase = 500;
    // Drawn by hand, one gap after the other.
    const sim::FaultRandom random(o.seed, o.number);
    std::set<std::int64_t> flips;
    std::uint64_t n = 0;
    const auto gap = [&] {
      return sim::geometric_gap(random.draw(sim::FaultRandom::BitErrors, n++), rate);
    };
    for (std::int64_t at = gap(); at < 40'000; at += 1 + gap()) flips.insert(at);
    const double mean = 40'000 * rate;
    CHECK(std::fabs(static_cast<double>(flips.size()) - mean) <= 5 * std::sqrt(mean * (1 - rate)));
    const std::int64_t d = test::distance(o);
    const Bits expected = line(sent, d, flips);
    for (const Picoseconds window : {18'000, 6'000, 999}) {
      for (const bool jump : {false, true}) {
        QcdocCable cable(o);
        REQUIRE(carry(cable, sent, window, jump) == expected);
        // Each in the ledger, with an effect on that bit alone.
        std::set<std::int64_t> places;
        for (const auto& e : cable.ledger().errors()) {
          const bool good =
              e.kind == ErrorKind::Bit && e.first == e.symbol + d && e.last == e.first;
          if (!good) FAIL("an error that is no bit error, or with another effect");
          if (e.symbol < 40'000) places.insert(e.symbol);
        }
        REQUIRE(places == flips);
      }
    }
  }
}

TEST_CASE("serial cable: the same bits are flipped at any clock of nodes") {
  constexpr std::int64_t bits = 40'000;
  std::vector<std::int64_t> first;
  for (const Picoseconds period : {2000, 2222, 2381, 2778, 100'000}) {
    INFO("period " << period);
    CableOptions o = serial(10 * period);
    o.sender.period = o.receiver.period = period;
    o.faults.bit_error_rate = 1e-2;
    QcdocCable cable(o);
    cable.transfer(period * bits);
    std::vector<std::int64_t> places;
    for (const auto& e : cable.ledger().errors()) places.push_back(e.symbol);
    if (first.empty()) first = places;
    CHECK(std::fabs(static_cast<double>(places.size()) - 400) < 5 * std::sqrt(400.0));
    REQUIRE(places == first);
  }
}

TEST_CASE("serial cable: a lost bit lets the rest come early, a doubled one late, for good") {
  const Bits sent = talk(3, 6000);
  CableOptions o = serial();
  o.faults.lost = {{kBit * 1000, false}, {kBit * 3000, false}};
  o.faults.doubled = {{kBit * 2000, false}, {kBit * 4000, false}, {kBit * 5000, false}};
  Bits expected(10);
  const auto bit = [&](std::size_t i) { return sent[i]; };
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (i == 1000 || i == 3000) continue;
    expected.push_back(bit(i));
    if (i == 2000 || i == 4000 || i == 5000) expected.push_back(bit(i));
  }
  expected.resize(sent.size());
  for (const Picoseconds window : {18'000, 2'000}) {
    for (const bool jump : {false, true}) {
      QcdocCable cable(o);
      CHECK(carry(cable, sent, window, jump) == expected);
      REQUIRE(cable.ledger().errors().size() == 5);
      CHECK(cable.ledger().errors()[0].kind == ErrorKind::Lost);
      CHECK(cable.ledger().errors()[0].first == 1010);
      CHECK(cable.ledger().errors()[1].kind == ErrorKind::Doubled);
      CHECK(cable.ledger().errors()[1].first == 2010);  // early by one, and then the copy
    }
  }
  // "Busy": the first bit from then on that is not the one of eight before.
  o.faults = {};
  o.faults.lost = {{kBit * 1000, true}};
  QcdocCable cable(o);
  std::size_t lost = 1000;
  while (bit(lost) == bit(lost - 8)) ++lost;
  expected = line(sent, 10);
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(lost) + 10);
  expected.push_back(bit(sent.size() - 10));
  CHECK(carry(cable, sent, 18'000) == expected);
}

TEST_CASE("serial cable: nothing comes more than one bit early") {
  // The second loss finds the buffer empty: the last byte comes once more, the rest seven bits
  // late.
  const Bits sent = talk(4, 3000);
  CableOptions o = serial();
  o.faults.lost = {{kBit * 1000, false}, {kBit * 1500, false}};
  Bits expected = line(sent, 10);
  const auto at = [&](std::ptrdiff_t i) { return expected.begin() + i; };
  expected.erase(at(1010));
  expected.erase(at(1509));
  const Bits byte(at(1501), at(1509));
  expected.insert(at(1509), byte.begin(), byte.end());
  expected.resize(sent.size());
  for (const bool jump : {false, true}) {
    QcdocCable cable(o);
    CHECK(carry(cable, sent, 18'000, jump) == expected);
  }
}

TEST_CASE("serial cable: pulled, the wire reads 0, and put back it is as it was") {
  const Bits sent = talk(5, 6000);
  CableOptions o = serial();
  // What is in flight at 2 us is lost; what is sent from 6 us on arrives.
  o.faults.pulls = {{2'000'000, 6'000'000}};
  o.faults.bit_error_rate = 0.5;
  o.faults.bit_errors_from = 3'000'000;
  o.faults.bit_errors_until = 5'000'000;  // no bit to invert on a line that is not there
  Bits expected = line(sent, 10);
  for (std::size_t e = 1000; e < 3010; ++e) expected[e] = false;
  for (const Picoseconds window : {18'000, 4'000}) {
    for (const bool jump : {false, true}) {
      QcdocCable cable(o);
      CHECK(carry(cable, sent, window, jump) == expected);
      REQUIRE(cable.ledger().errors().size() == 1);
      CHECK(cable.ledger().errors()[0].kind == ErrorKind::Pulled);
    }
  }
  // Silent: the last byte repeated, as if the sender had nothing to say.
  o.faults.pulls[0].silent = true;
  for (std::size_t e = 1000; e < 3010; ++e) expected[e] = expected[e - 8];
  QcdocCable silent(o);
  CHECK(carry(silent, sent, 18'000, true) == expected);
}

TEST_CASE("serial cable: a stuck wire reads one value for its time, bursts stay in theirs") {
  const Bits sent = talk(6, 3000);
  CableOptions o = serial();
  o.faults.lane_faults = {{sim::ErrorKind::Stuck, 0, 1, 2'000'000, 2'400'000}};
  o.faults.bursts = {{4'000'000, 20, {}}};
  QcdocCable cable(o);
  const Bits got = carry(cable, sent, 18'000);
  const Bits clean = line(sent, 10);
  std::size_t wrong = 0;
  for (std::size_t e = 0; e < got.size(); ++e) {
    if (e >= 1010 && e < 1210) {
      CHECK(got[e]);
    } else if (e >= 2010 && e < 2030) {
      wrong += got[e] != clean[e] ? 1 : 0;
    } else {
      if (got[e] != clean[e]) FAIL("edge " << e);
    }
  }
  CHECK(got[2010] != clean[2010]);
  CHECK(got[2029] != clean[2029]);
  CHECK(wrong < 20);
}

namespace {

/// A sender's bits: training, marks, then a data word, idle bytes and an acknowledgement, and over.
struct Speech {
  Bits bits;
  std::vector<std::int64_t> words, acknowledgements, sequences;  ///< slots of their last header bit

  void say(std::initializer_list<unsigned> bytes) {
    for (const unsigned b : bytes) {
      for (int i = 7; i >= 0; --i) bits.push_back((b >> i & 1) != 0);
    }
  }
  std::int64_t last() const { return static_cast<std::int64_t>(bits.size()) - 1; }
};

Speech speak() {
  using namespace model::qcdoc;
  Speech s;
  s.bits.resize(13);
  for (int i = 0; i < 8; ++i) {
    s.say({kTrain0, kTrain1, 0x00, 0xff});
    s.sequences.push_back(s.last());
  }
  for (int i = 0; i < 10; ++i) s.say({kMark});
  const auto record = *encode_record({.next = 0});
  for (const std::uint8_t b : record) s.say({b});
  Header idle, word, acknowledgement;
  word.kind = Kind::Data;
  acknowledgement.kind = Kind::AckInterrupt;
  for (int n = 0; n < 40; ++n) {
    word.parity = parity_of_word(0x0101010101010101U * static_cast<unsigned>(n));
    s.say({*encode(word)});
    s.words.push_back(s.last());
    for (int i = 0; i < 8; ++i) s.say({static_cast<unsigned>(n)});
    for (int i = 0; i < (n == 20 ? 500 : n % 3); ++i) s.say({*encode(idle)});
    if (n % 4 == 0) {
      s.say({*encode(acknowledgement)});
      s.acknowledgements.push_back(s.last());
    }
  }
  return s;
}

}  // namespace

TEST_CASE("serial cable: patterns and aims find their frames, in any windows") {
  const Speech s = speak();
  CableOptions o = serial();
  o.faults.forced = {{3, {{0, 1U << 31}, {1, 3U}}}, {30, {{0, 1U}}}};
  const auto time = [](std::int64_t slot) { return kBit * slot; };
  o.faults.aimed = {
      {time(s.words[7] - 5), sim::Target::Packet, 2, {{0, 0}}},
      {time(s.words[25] + 1), sim::Target::Packet, 0, {{0, 0}}},
      {time(s.acknowledgements[6] - 1), sim::Target::Command, 0, {{0, 0}}},
      {time(s.sequences[2] + 1), sim::Target::Hello, 1, {{0, 0}}},
  };
  std::set<std::int64_t> flips = {
      // byte 3's first bit, byte 4's last two; byte 0's last
      s.words[3] + 1 + 24, s.words[3] + 1 + 38, s.words[3] + 1 + 39, s.words[30] + 1 + 7,
      // what is aimed at, or so many slots later
      s.words[7] + 2, s.words[26], s.acknowledgements[6], s.sequences[3] + 1};
  for (const Picoseconds window : {18'000, 6'000, 2'000}) {
    for (const bool jump : {false, true}) {
      CAPTURE(window, jump);
      QcdocCable cable(o);
      CHECK(carry(cable, s.bits, window, jump) == line(s.bits, 10, flips));
      REQUIRE(cable.ledger().errors().size() == 6);
      std::multiset<ErrorKind> kinds;
      for (const auto& e : cable.ledger().errors()) kinds.insert(e.kind);
      CHECK(kinds.count(ErrorKind::Forced) == 2);
      CHECK(kinds.count(ErrorKind::Aimed) == 4);
    }
  }
  o.faults.forced[0].flips[0].word = 2;
  CHECK_THROWS_AS(QcdocCable(o), UsageError);
}
