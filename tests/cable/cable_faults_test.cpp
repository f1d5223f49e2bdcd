// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/qpace/cable.hpp"
#include "tests/cable/cable_fixture.hpp"

using namespace ht;
using namespace ht::test;
using sim::CableOptions;
using sim::ErrorKind;
using sim::Fate;

namespace {

/// Words whose groups are balanced in both sub-blocks, so that losing one damages no other.
Word neutral(std::int64_t i) {
  constexpr std::uint32_t kBytes[] = {0xb5, 0x4a, 0xaa, 0x55};
  std::uint32_t data = 0;
  for (int lane = 0; lane < 4; ++lane) data = (data << 8) | kBytes[(i >> lane) & 3];
  return {data, 0};
}

}  // namespace

TEST_CASE("cable: bursts stay in their span and begin and end with an inverted bit") {
  CableOptions o = plain();
  o.faults.bursts = {{400'000, 25, 2U}};
  QpaceCable cable(o);
  const Sent sent = traffic(3, 1000, 100);
  const Received got = carry(cable, sent, 246000, 4'000'000);
  const Received clean = shifted(sent, distance(o));
  std::set<std::int64_t> damaged;
  for (const auto& [edge, word] : clean) {
    if (edge >= 1000) break;  // the run ended
    const auto it = got.find(edge);
    const Word w = it == got.end() ? model::kIdleWord : it->second;
    if (w == word) continue;
    damaged.insert(edge - distance(o));
    CHECK(sim::QpaceLineCode::differ(w, word) == 1U << 2);
  }
  REQUIRE(damaged.count(100) == 1);  // bits 0 to 9
  REQUIRE(damaged.count(102) == 1);  // bits 20 to 24, the last one certainly
  CHECK(*damaged.begin() == 100);
  REQUIRE(cable.ledger().errors().size() == 1);
  CHECK(cable.ledger().errors()[0].kind == ErrorKind::Burst);
  CHECK(cable.ledger().errors()[0].first == 100 + distance(o));
  CHECK(cable.ledger().errors()[0].last == *damaged.rbegin() + distance(o));

  CableOptions all = plain();
  all.faults.bursts = {{400'000, 10, {}}};
  QpaceCable wide(all);
  const Received hit = carry(wide, {}, 246000, 4'000'000);
  REQUIRE(hit.count(100 + distance(o)) == 1);
  CHECK(sim::QpaceLineCode::differ(hit.at(100 + distance(o)), model::kIdleWord) == 0xf);

  CableOptions drawn = plain();
  drawn.faults.drawn = {40, 7, 0, 0, 1'000'000, 3'000'000};
  QpaceCable many(drawn);
  carry(many, sent, 246000, 4'000'000);
  REQUIRE(many.ledger().errors().size() == 40);
  std::set<int> lanes;
  for (const auto& e : many.ledger().errors()) {
    CHECK(e.time >= 1'000'000);
    CHECK(e.time < 3'004'000);
    lanes.insert(e.lane);
  }
  CHECK(lanes.size() == 4);
}

TEST_CASE("cable: a lost symbol moves its followers up until the next idle one") {
  Sent sent;
  for (std::int64_t i = 10; i < 20; ++i) sent[i] = neutral(i);
  sent[22] = {0x5c, 1};
  CableOptions o = plain();
  const std::int64_t d = distance(o);
  // "Busy": the loss is due at slot 5, and waits for the first symbol that is not idle.
  for (const auto& [time, lost] : std::vector<std::pair<Picoseconds, std::int64_t>>{
           {4000 * 5, 10}, {4000 * 13, 13}, {4000 * 19, 19}}) {
    o.faults.lost = {{time, true}};
    for (const Picoseconds window : {246000, 4000}) {
      QpaceCable cable(o);
      const Received got = carry(cable, sent, window, 1'000'000);
      Received expected;
      for (const auto& [slot, word] : sent) {
        if (slot != lost) expected[slot + d - (slot > lost && slot < 22 ? 1 : 0)] = word;
      }
      REQUIRE(got == expected);
      REQUIRE(cable.ledger().errors().size() == 1);
      CHECK(cable.ledger().errors()[0].symbol == lost);
      CHECK(cable.ledger().errors()[0].kind == ErrorKind::Lost);
      // It can show at the symbol that comes where it would have been, and not before.
      const std::int64_t next = (lost == 19 ? 22 : lost) + d;
      CHECK(cable.ledger().errors()[0].first == next);
      CHECK(cable.ledger().errors()[0].last == next);
    }
  }
}

TEST_CASE("cable: a doubled symbol moves its followers back until the next idle one") {
  Sent sent;
  for (std::int64_t i = 10; i < 20; ++i) sent[i] = neutral(i);
  sent[21] = {0x5c, 1};
  CableOptions o = plain();
  o.faults.doubled = {{4000 * 13, true}};
  const std::int64_t d = distance(o);
  QpaceCable cable(o);
  Received expected;
  for (const auto& [slot, word] : sent)
    expected[slot + d + (slot > 13 && slot < 21 ? 1 : 0)] = word;
  expected[14 + d] = sent.at(13);
  CHECK(carry(cable, sent, 246000, 1'000'000) == expected);
}

TEST_CASE("cable: idle symbols lost or doubled do nothing") {
  CableOptions o = plain();
  o.faults.lost = {{40'000, false}};
  o.faults.doubled = {{80'000, false}};
  const Sent sent{{100, {0x5c, 1}}};
  QpaceCable cable(o);
  CHECK(carry(cable, sent, 246000, 1'000'000) == shifted(sent, distance(o)));
  cable.ledger().close();
  CHECK(cable.ledger().totals().injected == 2);
  CHECK(cable.ledger().totals().harmless == 2);
}

TEST_CASE("cable: the elastic buffer holds one symbol either way") {
  // Without an idle symbol in between: the second loss leaves a hole, the second copy overwrites.
  Sent sent;
  for (std::int64_t i = 10; i < 40; ++i) sent[i] = {0xb5b5b5b5U, 0};  // all alike, and neutral
  CableOptions o = plain();
  const std::int64_t d = distance(o);
  o.faults.lost = {{4000 * 15, true}, {4000 * 25, true}};
  QpaceCable losing(o);
  Received expected;
  for (std::int64_t i = 10; i < 39; ++i) {
    if (i != 24) expected[i + d] = {0xb5b5b5b5U, 0};
  }
  CHECK(carry(losing, sent, 246000, 1'000'000) == expected);
  o.faults.lost.clear();
  o.faults.doubled = {{4000 * 15, true}, {4000 * 25, true}};
  QpaceCable doubling(o);
  expected = shifted(sent, d);
  expected[40 + d] = {0xb5b5b5b5U, 0};
  CHECK(carry(doubling, sent, 246000, 1'000'000) == expected);
}

TEST_CASE("cable: a stuck lane shows errors for its time") {
  CableOptions o = plain();
  const Sent sent = traffic(4, 900, 100);
  for (const bool value : {false, true}) {
    o.faults.lane_faults = {{ErrorKind::Stuck, 1, value, 400'000, 480'000}};
    QpaceCable cable(o);
    const Received got = carry(cable, sent, 246000, 4'000'000);
    for (std::int64_t slot = 0; slot < 850; ++slot) {
      const auto it = got.find(slot + distance(o));
      const Word w = it == got.end() ? model::kIdleWord : it->second;
      const Word s = sent.count(slot) == 0 ? model::kIdleWord : sent.at(slot);
      if (slot >= 100 && slot < 120) {
        REQUIRE(w.lane(1) == 0xfe);
        REQUIRE(w.is_control(1));
        REQUIRE((sim::QpaceLineCode::differ(w, s) & ~2U) == 0);
      } else if (slot < 100 || slot > 125) {
        REQUIRE(w == s);
      }
    }
    CHECK(cable.ledger().errors().size() == 1);
  }
}

TEST_CASE("cable: two lanes exchanged carry each other's groups for their time") {
  Sent sent;
  for (std::int64_t i = 10; i < 200; ++i) sent[i] = neutral(i);
  CableOptions o = plain();
  o.faults.lane_faults = {{ErrorKind::Exchanged, 3, 1, 400'000, 480'000}};
  QpaceCable cable(o);
  Received expected = shifted(sent, distance(o));
  for (std::int64_t slot = 100; slot < 120; ++slot) {
    const Word w = sent.at(slot);
    const std::uint32_t data = (w.data & 0x00ff00ffU) |
                               static_cast<std::uint32_t>(w.lane(1)) << 24 |
                               static_cast<std::uint32_t>(w.lane(3)) << 8;
    expected[slot + distance(o)] = {data, 0};
  }
  CHECK(carry(cable, sent, 246000, 4'000'000) == expected);
  REQUIRE(cable.ledger().errors().size() == 1);
  CHECK(cable.ledger().errors()[0].kind == ErrorKind::Exchanged);
  CHECK(cable.ledger().errors()[0].symbol == 100);
  CHECK(cable.ledger().errors()[0].first >= 100 + distance(o));
  CHECK(cable.ledger().errors()[0].last < 120 + distance(o));

  // Bits on exchanged lanes can be inverted, those on a stuck one cannot.
  o.faults.bursts = {{440'000, 1, 1U}};
  QpaceCable both(o);
  carry(both, sent, 246000, 4'000'000);
  CHECK(both.ledger().errors().size() == 2);
  o.faults.lane_faults[0] = {ErrorKind::Stuck, 1, 1, 400'000, 480'000};
  QpaceCable stuck(o);
  carry(stuck, sent, 246000, 4'000'000);
  CHECK(stuck.ledger().errors().size() == 1);
}

TEST_CASE("cable: other lanes and other times are not touched by an exchange") {
  const unsigned lane = GENERATE(0U, 1U, 2U, 3U);
  const unsigned with = (lane + GENERATE(1U, 2U, 3U)) % 4;
  CableOptions o = plain();
  o.faults.lane_faults = {{ErrorKind::Exchanged, lane, with, 400'000, 480'000}};
  const Sent sent = traffic(4, 900, 100);
  QpaceCable cable(o);
  const Received got = carry(cable, sent, 246000, 4'000'000);
  int changed = 0;
  for (std::int64_t slot = 0; slot < 850; ++slot) {
    const auto it = got.find(slot + distance(o));
    const Word w = it == got.end() ? model::kIdleWord : it->second;
    const Word s = sent.count(slot) == 0 ? model::kIdleWord : sent.at(slot);
    const std::uint32_t differ = sim::QpaceLineCode::differ(w, s);
    REQUIRE((differ & ~(1U << lane | 1U << with)) == 0);
    if (slot < 100 || slot > 130) REQUIRE(differ == 0);
    changed += differ != 0 ? 1 : 0;
  }
  CHECK(changed >= 15);
}

TEST_CASE("cable: exchanged lanes are noticed, and no packet is accepted for another") {
  for (const double rate : {0.0, 1e-4}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      INFO("bit error rate " << rate << ", seed " << seed);
      CableOptions o = plain();
      o.seed = seed;
      o.faults.bit_error_rate = rate;
      std::mt19937_64 random(seed);
      for (int i = 0; i < 30; ++i) {
        const auto lane = static_cast<unsigned>(random() % 4);
        const auto with = static_cast<unsigned>((lane + 1 + random() % 3) % 4);
        const auto from = static_cast<Picoseconds>(random() % 76'000'000);
        // One symbol to a quarter of a thousand.
        const auto length = static_cast<Picoseconds>(4000U << (random() % 9));
        o.faults.lane_faults.push_back({ErrorKind::Exchanged, lane, with, from, from + length});
      }
      const Sent sent = traffic(seed, 19000, 90);
      QpaceCable cable(o);
      check::QpaceMonitor monitor;
      std::vector<model::qpace::DataPacket> got;
      carry(cable, sent, 246000, 4000 * 21000, &monitor, &got);
      check::QpaceMonitor all;
      std::vector<model::qpace::DataPacket> packets;
      for (const auto& s : sent) {
        if (auto e = all.push(s.second); e.packet) packets.push_back(*e.packet);
      }
      auto it = packets.begin();
      for (const auto& p : got) {
        it = std::find(it, packets.end(), p);
        REQUIRE(it != packets.end());
      }
      REQUIRE(got.size() < packets.size());
      cable.ledger().close();
      const auto totals = cable.ledger().totals();
      const auto exchanged = static_cast<std::size_t>(ErrorKind::Exchanged);
      CHECK(totals.balanced());
      CHECK(totals.undetected == 0);
      CHECK(totals.injected_of[exchanged] == 30);
      CHECK(totals.detected_of[exchanged] >= 20);  // the others met idle words of one disparity
      CHECK((totals.injected > 30) == (rate > 0));
    }
  }
}

TEST_CASE("cable: pulled and put back") {
  CableOptions o = plain();
  o.faults.pulls = {{400'000, 800'000}};
  o.faults.bit_error_rate = 0.5;  // on a line that is not there, no bit can be inverted
  o.seed = 3;
  CableOptions quiet = o;
  quiet.faults.bit_error_rate = 0;
  const Sent sent = traffic(5, 900, 100);
  const std::int64_t d = distance(o);
  QpaceCable cable(quiet);
  const Received got = carry(cable, sent, 246000, 4'000'000);
  for (std::int64_t edge = d; edge < 850; ++edge) {
    const Picoseconds t = o.receiver.edge(edge);
    const auto it = got.find(edge);
    const Word w = it == got.end() ? model::kIdleWord : it->second;
    const auto s = sent.find(edge - d);
    const Word original = s == sent.end() ? model::kIdleWord : s->second;
    // From `from`, nothing arrives until what is sent after `until` does, 250 ns later.
    if (t >= 400'000 && t < 1'052'000) {
      if (t >= 404'000 && t < 1'048'000) REQUIRE(w == model::kErrorWord);
    } else if (t < 396'000 || edge > 270) {
      REQUIRE(w == original);
    }
  }
  CHECK(cable.ledger().errors().size() == 1);
  CHECK(cable.ledger().errors()[0].kind == ErrorKind::Pulled);

  QpaceCable noisy(o);
  carry(noisy, sent, 246000, 1'000'000);
  for (const auto& e : noisy.ledger().errors()) {
    if (e.kind == ErrorKind::Bit) CHECK((e.time < 152'000 || e.time >= 800'000));
  }
}

TEST_CASE("cable: a silent pull shows idle symbols, as if nothing had been sent") {
  CableOptions o = plain();
  o.faults.pulls = {{400'000, 800'000, true}};
  const Sent sent = traffic(5, 900, 100);
  const std::int64_t d = distance(o);
  QpaceCable cable(o);
  const Received got = carry(cable, sent, 246000, 4'000'000);
  std::size_t missing = 0;
  for (const auto& [slot, word] : sent) {
    const Picoseconds t = o.receiver.edge(slot + d);
    const bool there = got.contains(slot + d);
    if (t >= 404'000 && t < 1'048'000) {
      CHECK_FALSE(there);
      ++missing;
    } else if (t < 396'000) {
      CHECK(there);
    }
  }
  CHECK(missing > 100);
  REQUIRE(cable.ledger().errors().size() == 1);
  CHECK(cable.ledger().errors()[0].kind == ErrorKind::Silent);
}

TEST_CASE("cable: aimed errors hit the first of what they are aimed at, in windows of any length") {
  using sim::Target;
  CableOptions o = plain();
  // Four K codes of their own: idle, command, hello and packet are told apart.
  for (const Target t : {Target::Idle, Target::Command, Target::Packet, Target::Hello}) {
    for (const Picoseconds time : {0, 801'000, 1'620'000}) {
      o.faults.aimed.push_back({time, t, 0, {{2, 4}}});
    }
  }
  o.faults.aimed.push_back({2'000'000, Target::Packet, 3, {{0, 0}, {0, 1}, {3, 9}}});
  Sent sent = traffic(7, 900, 80);
  for (std::int64_t at : {1000, 1200}) {
    for (const Word& w : model::qpace::Hello{}.words()) sent[at++] = w;
  }
  const auto starts = [](const Word& w, Target t) { return sim::QpaceLineCode::is(w, t); };
  std::multiset<std::int64_t> expected;
  for (const auto& a : o.faults.aimed) {
    std::int64_t slot = o.sender.first_edge(a.time);
    const auto here = [&] {
      const auto it = sent.find(slot);
      return it == sent.end() ? model::kIdleWord : it->second;
    };
    while (slot < 2000 && !starts(here(), a.target)) ++slot;
    if (slot < 2000) expected.insert(slot + a.after);
  }
  REQUIRE(expected.size() == o.faults.aimed.size());
  std::optional<Received> first;
  for (const Picoseconds window : {4'000, 52'000, 246'000}) {
    QpaceCable cable(o);
    CHECK(cable.next_fault_arrival() < 1'000'000);  // idle ones wait for nobody
    const Received got = carry(cable, sent, window, 8'000'000);
    std::multiset<std::int64_t> hit;
    for (const auto& e : cable.ledger().errors()) {
      CHECK(e.kind == ErrorKind::Aimed);
      hit.insert(e.symbol);
    }
    CHECK(hit == expected);
    if (!first) first = got;
    CHECK(got == *first);
    CHECK(got != shifted(sent, distance(o)));
  }
}

TEST_CASE("cable: a forced pattern that the CRC cannot see") {
  model::qpace::DataPacket a, b;
  a.payload.fill(std::byte{0x5a});
  b = a;
  b.payload[17] = std::byte{0x5b};
  b.payload[90] = std::byte{0x00};
  CableOptions o = plain();
  sim::FaultPlan::Forced pattern;
  pattern.frame = 2;
  for (unsigned i = 0; i < 34; ++i) {
    const std::uint32_t mask = a.words()[i].data ^ b.words()[i].data;
    if (mask != 0) pattern.flips.push_back({i, mask});
  }
  REQUIRE(pattern.flips.size() == 3);
  o.faults.forced = {pattern};
  Sent sent;
  for (std::int64_t n = 0; n < 4; ++n) {
    std::int64_t at = 50 * n;
    for (const Word& w : a.words()) {
      if (at % 50 == 20) ++at;  // an idle word inside does not count
      sent[at++] = w;
    }
  }
  QpaceCable cable(o);
  check::QpaceMonitor monitor;
  std::vector<model::qpace::DataPacket> got;
  carry(cable, sent, 100'000, 2'000'000, &monitor, &got);
  CHECK(got == std::vector{a, a, b, a});
  cable.ledger().close();
  CHECK(cable.ledger().totals().undetected == 1);
  CHECK(cable.ledger().totals().undetected_of[static_cast<std::size_t>(ErrorKind::Forced)] == 1);
}

TEST_CASE("cable: a doubled symbol does not answer for what another error made of it") {
  // The second of two words is changed, and taken with the first; then comes its copy, alone.
  CableOptions o = plain();
  o.faults.forced = {{.frame = 0, .flips = {{1, 0x00010000U}}}};
  o.faults.doubled = {{4000 * 11, true}};
  const Sent sent{{10, {0x000000fbU, 1}}, {11, neutral(1)}, {20, {0x5c, 1}}};
  const std::int64_t d = distance(o);
  for (const bool accepted : {true, false}) {
    INFO("accepted " << accepted);
    QpaceCable cable(o);
    carry(cable, sent, 246000, 1'000'000);
    cable.ledger().observe(10 + d, {.start = true});
    cable.ledger().observe(11 + d, {.ok = accepted, .error = !accepted});
    cable.ledger().observe(12 + d, {.error = true});
    cable.ledger().close();
    const auto totals = cable.ledger().totals();
    const auto fate_of = [&](ErrorKind kind) {
      for (const auto& e : cable.ledger().errors())
        if (e.kind == kind) return e.fate;
      return sim::Fate::Open;
    };
    CHECK(totals.injected == 2);
    CHECK(fate_of(ErrorKind::Doubled) == sim::Fate::Detected);
    CHECK(fate_of(ErrorKind::Forced) == (accepted ? sim::Fate::Undetected : sim::Fate::Detected));
  }
}

TEST_CASE("cable: every kind of error at once, each with a fate, and no wrong packet accepted") {
  std::uint64_t harmless = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    CableOptions o = plain();
    o.seed = seed;
    o.faults.bit_error_rate = 1e-4;
    o.faults.drawn = {5, 30, 60, 60, 0, 4000 * 20000};
    o.faults.lane_faults = {{ErrorKind::Stuck, 2, 1, 9'000'000, 9'100'000}};
    o.faults.pulls = {{20'000'000, 20'500'000}};
    const Sent sent = traffic(seed, 19000, 70);
    QpaceCable cable(o);
    check::QpaceMonitor monitor;
    std::vector<model::qpace::DataPacket> got;
    carry(cable, sent, 246000, 4000 * 21000, &monitor, &got);
    check::QpaceMonitor all;
    std::vector<model::qpace::DataPacket> packets;
    for (const auto& s : sent) {
      if (auto e = all.push(s.second); e.packet) packets.push_back(*e.packet);
    }
    // What is accepted is a subsequence of what was sent.
    auto it = packets.begin();
    for (const auto& p : got) {
      it = std::find(it, packets.end(), p);
      REQUIRE(it != packets.end());
    }
    REQUIRE(got.size() < packets.size());
    REQUIRE(got.size() > packets.size() / 2);
    cable.ledger().close();
    const auto totals = cable.ledger().totals();
    CHECK(totals.balanced());
    CHECK(totals.undetected == 0);
    for (const auto kind : {ErrorKind::Bit, ErrorKind::Burst, ErrorKind::Lost, ErrorKind::Doubled,
                            ErrorKind::Stuck, ErrorKind::Pulled}) {
      CHECK(totals.injected_of[static_cast<std::size_t>(kind)] > 0);
    }
    harmless += totals.harmless;
    CHECK(totals.detected > 4 * totals.harmless);
    for (const auto& e : cable.ledger().errors()) {
      // Every damaged word draws a complaint, an idle one too; only slips can pass unnoticed, or
      // what fell into their gaps.
      if (e.fate == Fate::Harmless && e.kind == ErrorKind::Bit && e.last < 20990) {
        CHECK(e.last < e.first);
      }
    }
  }
  CHECK(harmless > 0);  // commands lost or heard twice
}
