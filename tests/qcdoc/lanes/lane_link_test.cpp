// SPDX-License-Identifier: Apache-2.0
// QCDOC links before lanes: words, supervisor words and interrupts, whatever the clocks, the
// errors, the cable, and what the pauses cost.
#include <Vqcdoc_link.h>

#include <catch2/catch.hpp>

#include "tests/lane/lane_trouble.hpp"
#include "tests/qcdoc/lanes/lane_qcdoc_pair.hpp"
#include "tests/qcdoc/link/words.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

namespace {

constexpr Femtoseconds kPeriod = 2'000'000;
constexpr std::uint64_t kByte = 8;  // cycles
constexpr Shape kShape{1, 1};

PairOptions at(double ppm_a, double ppm_b) {
  PairOptions options;
  options.shape = kShape;
  options.period = kPeriod;
  options.every = kByte;
  options.ppm = {ppm_a, ppm_b};
  return options;
}

/// Words of an end that sends nothing but data words and idle bytes: where it pauses.
class Bytes {
 public:
  void look(const Word& word, bool pause) {
    pauses_ += pause && !asked_ ? 1 : 0;
    asked_ = pause;
    if (word.control != 0) {
      torn_ += left_ != 0 ? 1 : 0;
      if (idle_ % 2 == 0) starts_.push_back(count_);
      if (idle_ % 2 == 1) torn_ += starts_.back() + 1 != count_ ? 1 : 0;
      ++idle_;
    } else if (left_ != 0) {
      --left_;
    } else if (word.data[0] >> 6 == 0) {
      left_ = 8;  // a data word behind its header
    }
    ++count_;
  }
  std::uint64_t idle() const { return idle_; }
  std::uint64_t pauses() const { return pauses_; }
  std::uint64_t torn() const { return torn_; }  ///< idle words in a frame, or not two together
  const std::vector<std::uint64_t>& starts() const { return starts_; }

 private:
  std::uint64_t count_ = 0, idle_ = 0, pauses_ = 0, torn_ = 0;
  unsigned left_ = 0;
  std::vector<std::uint64_t> starts_;
  bool asked_ = false;
};

/// Byte times from one of 320 words to the last, one behind the other, a to b. Without pauses lanes
/// give up after 4,096.
std::uint64_t bytes_of_320(bool pauses) {
  LaneQcdocPair pair(at(0, 0), 3);
  pair.pauses = pauses;
  REQUIRE(pair.lanes().bring_up());
  REQUIRE(pair.bring_up());
  pair.a.to_send = words(330, 1);
  REQUIRE(pair.run_until([&] { return pair.b.received.size() >= 10; }, kByte * 1000));
  const auto from = pair.cycle;
  REQUIRE(pair.run_until([&] { return pair.b.received.size() >= 330; }, kByte * 4000));
  return (pair.cycle - from) / kByte;
}

}  // namespace

TEST_CASE("lanes: a pause is two words between frames, at least 510 words after the last set") {
  LaneQcdocPair pair(at(300, -300), 1);
  REQUIRE(pair.lanes().bring_up());
  REQUIRE(pair.bring_up());
  std::array<Bytes, 2> bytes;
  pair.watch = [&](unsigned end, const Word& word, bool pause) { bytes.at(end).look(word, pause); };
  const auto a = random_words(900, 1), b = random_words(900, 2);
  pair.a.to_send = queue_of(a);
  pair.b.to_send = queue_of(b);
  const auto from = pair.cycle;
  REQUIRE(
      pair.run_until([&] { return pair.a.received.size() >= 900 && pair.b.received.size() >= 900; },
                     kByte * 40'000));
  const auto count = (pair.cycle - from) / kByte;
  for (const Bytes& e : bytes) {
    CHECK(e.torn() == 0);
    CHECK(e.pauses() >= count / 530);
    CHECK(e.idle() + 2 >= 2 * e.pauses());
    CHECK(e.idle() <= 2 * e.pauses());
    CHECK(1000 * e.idle() <= 5 * count);
    REQUIRE(e.starts().size() > 10);
    for (std::size_t n = 1; n < e.starts().size(); ++n) {
      // asked for 510 words after a set; then a word may be under way, of 9 bytes
      CHECK(e.starts()[n] - e.starts()[n - 1] >= 512);
      CHECK(e.starts()[n] - e.starts()[n - 1] <= 512 + 3 + 9);
    }
  }
  CHECK((pair.b.received == a));
  CHECK((pair.a.received == b));
  CHECK(pair.a.events.retransmitted + pair.b.events.retransmitted == 0);
  CHECK(pair.a.events.rx_error + pair.b.events.rx_error == 0);
  CHECK(pair.lanes().count_late(0) + pair.lanes().count_late(1) == 0);
}

TEST_CASE("lanes: pauses cost at most half a percent of the words that pass without them") {
  const auto with = bytes_of_320(true), without = bytes_of_320(false);
  WARN("320 words in " << with << " byte times, " << without << " without pauses");
  // Without lanes they take 9 byte times each. Three words may be in flight, 27 bytes; with 15 to
  // 17 words of lanes each way an acknowledgement is there after 33 at the earliest.
  CHECK(without >= 320 * 33 / 3 - 33);
  // At most 7 pauses, of two words each; some of these would have been idle bytes anyway.
  CHECK(with > without);
  CHECK(with <= without + 2 * (with / 512 + 1));
  CHECK(1000 * (with - without) <= 5 * without);
}

TEST_CASE("lanes: a character that cannot be is a damaged byte, wherever it stands") {
  LaneQcdocPair pair(at(0, 0), 5);
  REQUIRE(pair.lanes().bring_up());
  REQUIRE(pair.bring_up());
  const auto sent = random_words(1500, 5);
  pair.a.to_send = queue_of(sent);
  std::uint64_t byte = 0, spoilt = 0;
  pair.spoil = [&](unsigned end, Word& word) {
    // a prime number, so that each byte of a word is one of them
    if (end != 1 || word.control != 0 || ++byte % 157 != 0) return;
    word = error_word(1);
    ++spoilt;
  };
  REQUIRE(pair.run_until([&] { return pair.b.received.size() >= 1500; }, kByte * 60'000));
  pair.spoil = nullptr;
  REQUIRE(pair.run_until([&] { return pair.a.idle() && pair.b.idle(); }, kByte * 2000));
  CHECK((pair.b.received == sent));
  CHECK(pair.a.dut().tx_checksum == pair.b.dut().rx_checksum);
  CHECK(spoilt > 100);
  CHECK(pair.b.events.parity + pair.b.events.header + pair.b.events.marker >= spoilt / 2);
}

TEST_CASE("lanes: an end that is not heard trains, too") {
  LaneQcdocPair pair(at(100, -100), 6);
  REQUIRE(pair.lanes().bring_up());
  REQUIRE(pair.bring_up());
  // a does not hear b: it says so in its lanes, and b receives nothing but idle words
  pair.lanes().line(0, 0).cut = true;
  REQUIRE(pair.run_until([&] { return !pair.a.up() && !pair.b.up(); }, kByte * 2000));
  CHECK(pair.lanes().out(1).remote_fault);
  CHECK(!pair.lanes().out(1).local_fault);
  pair.lanes().line(0, 0).cut = false;
  REQUIRE(pair.bring_up(kByte * 5000));
}

namespace {

/// Words both ways, and whatever may happen to the cable meanwhile, `flips` too; at the end it is
/// sound again.
void endure(unsigned trial, unsigned events, bool flips, Happened& happened,
            std::uint64_t& wrong_words) {
  const RandomPowerOn power(trial);
  LaneTrouble trouble(seed_of(trial), flips);
  const PairOptions options = trouble.options(kShape, kPeriod, kByte);
  LaneQcdocPair pair(options, trial);
  INFO("trial " << trial << ", " << options.ppm[0] << " and " << options.ppm[1]
                << " ppm, HYPERTORUS_TEST_SEED=" << test_seed());
  trouble.draw_lines(pair.lanes());
  REQUIRE(pair.lanes().bring_up());
  REQUIRE(pair.bring_up());
  for (QcdocEnd* end : {&pair.a, &pair.b}) {
    end->dut().retrain_limit = 15;
    end->send_eagerness = trouble.pick(2) == 0 ? 1 : 0.02;
    end->take_eagerness = trouble.pick(2) == 0 ? 1 : 0.01;
  }
  QcdocMixture mixture(pair, 200, 5, trouble.random());
  for (unsigned n = 0; n < events; ++n) {
    trouble.happen(pair.lanes());
    pair.run(kByte * (trouble.pick(3) == 0 ? trouble.pick(4000) : trouble.pick(400)));
    // a link that ran into its limit is down until it is enabled again; here it never gives up
    for (QcdocEnd* end : {&pair.a, &pair.b}) end->dut().enable = 1;
  }
  trouble.mend(pair.lanes());
  REQUIRE(pair.run_until([&] { return mixture.arrived() && pair.a.idle() && pair.b.idle(); },
                         kByte * 100'000));
  pair.run(kByte * 200);
  mixture.check_few();
  // Two parity bits miss one error in four that lanes do not see at once; the checksums do not.
  const auto wrong = [](const auto& got, const auto& sent) {
    REQUIRE(got.size() == sent.size());
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < got.size(); ++i) n += got[i] != sent[i] ? 1 : 0;
    return n;
  };
  const auto at_b = wrong(pair.b.received, mixture.a), at_a = wrong(pair.a.received, mixture.b);
  CHECK((at_b == 0) == (pair.a.dut().tx_checksum == pair.b.dut().rx_checksum));
  CHECK((at_a == 0) == (pair.b.dut().tx_checksum == pair.a.dut().rx_checksum));
  if (!flips) CHECK(at_a + at_b == 0);
  wrong_words += at_a + at_b;
  happened.add(trouble, pair.lanes());
  happened.retransmitted += pair.a.events.retransmitted + pair.b.events.retransmitted;
  happened.trainings += pair.a.events.retrain + pair.b.events.retrain;
}

void endure_all(unsigned first, unsigned trials, unsigned events, bool flips) {
  Happened happened;
  std::uint64_t wrong_words = 0;
  for (unsigned trial = first; trial < first + trials; ++trial)
    endure(trial, events, flips, happened, wrong_words);
  WARN(happened.cuts << " cuts, " << happened.flipped << " flipped bits, " << happened.retransmitted
                     << " words sent again, " << happened.trainings << " trainings, "
                     << happened.adjusted << " words added or dropped by lanes, " << wrong_words
                     << " wrong words accepted");
  happened.check(trials, flips);
}

}  // namespace

TEST_CASE("lanes: clocks, lanes and cables cut and plugged, at any moment") {
  endure_all(0, 8, 10, false);
}

TEST_CASE("lanes: flipped bits as well: what parity misses shows in the checksums") {
  endure_all(50, 8, 10, true);
}

TEST_CASE("lanes: the same, 100 times each", "[nightly]") {
  endure_all(100, 100, 20, false);
  endure_all(300, 100, 20, true);
}
