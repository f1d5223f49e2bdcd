// SPDX-License-Identifier: Apache-2.0
// A link whose ends have clocks of their own: whatever their phase and difference, words arrive
// once, in order and unaltered, and what is sent again is due to damage.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/tester/clocked_pair.hpp"

using ht::test::ClockedOptions;
using ht::test::ClockedPair;
namespace tester = ht::qcdoc::registers::tester;

namespace {

constexpr std::uint32_t enable = 1, sends = 2, new_session = 8, clear = 16;

void traffic(ClockedPair& pair, bool on) {
  for (const int end : {0, 1}) pair.write(end, tester::control, on ? enable | sends : enable);
}

// What each end sent has arrived at the other: nothing of it wrong, checksums equal.
void check_ends(ClockedPair& pair, std::uint32_t least) {
  traffic(pair, false);
  pair.run(4000);
  for (const int end : {0, 1}) {
    INFO("end " << end);
    REQUIRE(pair.up(end));
    CHECK(pair.read(end, tester::wrong) == 0);
    CHECK(pair.read(end, tester::checked) >= least);
    CHECK(pair.read(end, tester::checked) == pair.read(1 - end, tester::sent));
    CHECK(pair.read(end, tester::rx_checksum) == pair.read(1 - end, tester::tx_checksum));
  }
}

}  // namespace

TEST_CASE("clocks of their own: every phase, up to 300 ppm at each end, with jitter") {
  for (const int ppm : {-300, 0, 20, 300}) {
    for (int phase = 0; phase < 8; ++phase) {
      ClockedOptions options;
      options.ppm = {ppm, -ppm};
      options.phase = phase * options.period / 8 + 17;
      // An eighth of a bit: a sample beside the best one is still right.
      options.jitter = options.period / 8;
      options.delay = 3'000 + 4'321 * phase;
      options.seed = static_cast<std::uint64_t>(100 * phase + ppm + 300);
      INFO(ppm << " ppm, phase " << phase);
      ClockedPair pair(options);
      REQUIRE(pair.bring_up(40'000));
      traffic(pair, true);
      pair.run(40'000);  // 300 ppm each: 24 bits more at one end than at the other
      check_ends(pair, 500);
      for (const int end : {0, 1}) {
        CHECK(pair.read(end, tester::resent) == 0);
        CHECK(pair.read(end, tester::retrains) == 0);
      }
    }
  }
}

TEST_CASE("clocks of their own: flipped bits are sent again, and no word is wrong") {
  ClockedOptions options;
  options.ppm = {50, -70};
  options.jitter = 2'000;
  ClockedPair pair(options);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  for (const int end : {0, 1}) pair.write(end, tester::inject_period, 997);
  pair.run(100'000);
  for (const int end : {0, 1}) {
    CHECK(pair.read(end, tester::injected) >= 90);
    CHECK(pair.read(end, tester::resent) > 50);
    pair.write(end, tester::inject_period, 0);
  }
  pair.run(2000);
  check_ends(pair, 300);
}

TEST_CASE(
    "damage that is counted is that of the bits that came, however regular flipped bits are") {
  // A period may fall in step with words that are sent again: then all bits hit what stands before.
  // A receiver that is out of step counts no damage, and no words come.
  for (const std::uint32_t period : {800U, 900U, 1200U, 2003U}) {
    for (int offset = 0; offset < 750; offset += 61) {
      INFO("every " << period << " bits, the other end " << offset << " later");
      ClockedOptions options;
      options.delay = offset % 2 == 0 ? 3'000 : 200'000;
      options.seed = period;
      ClockedPair pair(options);
      REQUIRE(pair.bring_up(40'000));
      for (const int end : {0, 1}) pair.write(end, tester::control, enable | clear);
      traffic(pair, true);
      for (const int end : {0, 1}) {
        pair.write(end, tester::inject_period, period);
        pair.run(offset);
      }
      pair.run(60'000);
      for (const int end : {0, 1}) pair.write(end, tester::inject_period, 0);
      check_ends(pair, 20);
      for (const int end : {0, 1}) {
        const std::uint32_t flips = pair.read(1 - end, tester::injected);
        CHECK(flips > 25);
        const double damaged = pair.read(end, tester::damaged),
                     words = pair.read(end, tester::checked) + pair.read(1 - end, tester::resent);
        INFO(damaged << " of " << flips << ", " << words << " words");
        CHECK(damaged <= flips + 1);
        CHECK(damaged / (72 * words) > 0.9 / period);
        CHECK(damaged / (72 * words) < 4.0 / period);
      }
    }
  }
}

TEST_CASE("clocks of their own: a cable that is pulled and put back") {
  ClockedOptions options;
  options.ppm = {-100, 100};
  ClockedPair pair(options);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(20'000);
  pair.plug(false);
  pair.run(30'000);
  CHECK(!pair.up(0));
  CHECK(!pair.up(1));
  pair.plug(true);
  pair.run(30'000);
  check_ends(pair, 300);
}

TEST_CASE("the tester's checker: what is not the next word is wrong, the one after it is not") {
  ClockedPair pair({});
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(5'000);
  // A sender that is reset begins its sequence anew, in a new session.
  traffic(pair, false);
  pair.run(2'000);
  pair.write(1, tester::control, 0);
  pair.reset(0);
  pair.write(1, tester::control, new_session);
  pair.run(10);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(5'000);
  CHECK(pair.read(1, tester::wrong) == 1);
  CHECK(pair.read(0, tester::wrong) == 0);
  CHECK(pair.read(1, tester::checked) > 100);
  // Cleared, it begins with whatever comes.
  pair.write(1, tester::control, enable | sends | clear);
  pair.run(5'000);
  CHECK(pair.read(1, tester::wrong) == 0);
  CHECK(pair.read(1, tester::checked) > 50);
}

namespace {

/// Of rtl/qcdoc/tester/qcdoc_probe.toml: one bit each.
const std::map<std::string, unsigned> signals = {
    {"outstanding", 2},   {"tx_valid", 3},      {"tx_ready", 4},      {"rx_valid", 37},
    {"wrong", 70},        {"sent", 71},         {"resent", 72},       {"request", 73},
    {"refused", 74},      {"header_error", 75}, {"parity_error", 76}, {"marker_error", 77},
    {"bad_ack", 78},      {"retrain", 79},      {"flipped", 80},      {"retrain_limit", 81},
    {"peer_changed", 82}, {"version", 83},      {"protocol", 84},     {"memory", 85}};

/// What an end's signals were, cycle by cycle.
struct Seen {
  std::map<std::string, std::uint32_t> cycles;  ///< for so many it was high
  std::uint32_t damaged = 0;                    ///< cycles with header_error or parity_error
  std::uint32_t taken = 0;                      ///< tx_valid and tx_ready
  std::uint32_t ready_alone = 0;                ///< tx_ready without tx_valid
  std::uint32_t out_of_sequence = 0;            ///< words of tx_data and rx_data
  std::uint32_t next = 1, expected = 1;
};

std::uint32_t after(std::uint32_t n) {
  return n >> 1 ^ ((n & 1) != 0 ? 0xA3000000 : 0);
}

void look(const ClockedPair& pair, int end, Seen& seen) {
  for (const auto& [name, bit] : signals) seen.cycles[name] += pair.probe(end, bit);
  const auto high = [&](const char* name) { return pair.probe(end, signals.at(name)) != 0; };
  const bool valid = high("tx_valid"), ready = high("tx_ready");
  seen.damaged += high("header_error") || high("parity_error") ? 1 : 0;
  seen.ready_alone += ready && !valid ? 1 : 0;
  if (valid && ready) {
    ++seen.taken;
    if (pair.probe(end, 5, 32) != seen.next) ++seen.out_of_sequence;
    seen.next = after(seen.next);
  }
  if (high("rx_valid")) {
    if (pair.probe(end, 38, 32) != seen.expected) ++seen.out_of_sequence;
    seen.expected = after(seen.expected);
  }
}

}  // namespace

TEST_CASE("the tester's signals: what is captured is what the counters count") {
  const std::uint32_t period = GENERATE(0U, 997U, 251U);
  INFO("a bit flipped every " << period);
  ClockedOptions options;
  options.ppm = {50, -70};
  ClockedPair pair(options);
  std::array<Seen, 2> seen;
  pair.watch([&](int end) { look(pair, end, seen[static_cast<std::size_t>(end)]); });
  REQUIRE(pair.bring_up(40'000));
  for (const int end : {0, 1}) {
    CHECK(pair.probe(end, 0, 2) == 2);
    Seen& s = seen[static_cast<std::size_t>(end)];
    CHECK(s.cycles["tx_valid"] == 0);
    s.cycles["request"] = 0;  // there may be one as a link comes up
  }
  traffic(pair, true);
  for (const int end : {0, 1}) pair.write(end, tester::inject_period, period);
  pair.run(50'000);
  for (const int end : {0, 1}) pair.write(end, tester::inject_period, 0);
  pair.run(5'000);
  traffic(pair, false);
  pair.run(4'000);
  for (const int end : {0, 1}) {
    INFO("end " << end);
    Seen& s = seen[static_cast<std::size_t>(end)];
    CHECK(s.taken == pair.read(end, tester::sent));
    CHECK(s.cycles["sent"] == pair.read(end, tester::sent));
    CHECK(s.cycles["resent"] == pair.read(end, tester::resent));
    CHECK(s.cycles["rx_valid"] == pair.read(end, tester::checked));
    CHECK(s.cycles["wrong"] == 0);
    // And marker_error, but for records that do not go on.
    CHECK(s.damaged <= pair.read(end, tester::damaged));
    CHECK(pair.read(end, tester::damaged) <= s.damaged + s.cycles.at("marker_error"));
    CHECK(s.cycles["retrain"] == pair.read(end, tester::retrains));
    CHECK(s.cycles["flipped"] == pair.read(end, tester::injected));
    CHECK(s.ready_alone == 0);
    CHECK(s.out_of_sequence == 0);
    // Words are taken faster than they leave, and are outstanding until they are acknowledged.
    CHECK(s.cycles["tx_valid"] > s.taken);
    CHECK(s.cycles["outstanding"] > s.taken);
    CHECK(pair.probe(end, signals.at("outstanding")) == 0);
    // A tester takes what comes at once.
    for (const char* const never :
         {"refused", "retrain_limit", "peer_changed", "version", "protocol", "memory"}) {
      INFO(never);
      CHECK(s.cycles[never] == 0);
    }
    for (const char* const damage : {"parity_error", "marker_error", "request", "resent"}) {
      INFO(damage);
      CHECK((s.cycles[damage] > 0) == (period != 0));
    }
    // A short period strikes at one place of the words that are sent again, time after time.
    if (period == 0) CHECK(s.cycles["header_error"] == 0);
    if (period == 997) CHECK(s.cycles["header_error"] > 0);
  }
}
