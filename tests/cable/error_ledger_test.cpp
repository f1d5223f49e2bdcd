// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/error_ledger.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <stdexcept>

using namespace ht::sim;

namespace {

constexpr Observation kStart{true, false, false, false}, kOk{false, true, false, false},
    kCommand{false, false, true, false}, kError{false, false, false, true};

InjectedError some(ErrorKind kind = ErrorKind::Bit) {
  InjectedError e;
  e.kind = kind;
  e.time = 8000;
  e.symbol = 2;
  e.lane = 3;
  e.bit = 7;
  return e;
}

/// Fates by number after `close()`; checks that the totals add up.
std::vector<Fate> fates(ErrorLedger& ledger) {
  ledger.close();
  std::vector<Fate> f;
  ErrorTotals expected;
  for (const auto& e : ledger.errors()) {
    f.push_back(e.fate);
    ++expected.injected;
    ++expected.injected_of[static_cast<std::size_t>(e.kind)];
    if (e.fate == Fate::Detected) {
      ++expected.detected;
      ++expected.detected_of[static_cast<std::size_t>(e.kind)];
    }
    expected.harmless += e.fate == Fate::Harmless ? 1 : 0;
    if (e.fate == Fate::Undetected) {
      ++expected.undetected;
      ++expected.undetected_of[static_cast<std::size_t>(e.kind)];
    }
  }
  CHECK(ledger.totals() == expected);
  CHECK(ledger.totals().balanced());
  return f;
}

}  // namespace

TEST_CASE("error ledger: a changed word in a frame taken as good is undetected") {
  ErrorLedger l("c");
  const auto before = l.inject(some()), inside = l.inject(some()), last = l.inject(some()),
             after = l.inject(some());
  l.changed(before, 9);
  l.changed(inside, 20);
  l.changed(last, 43);
  l.changed(after, 44);
  l.observe(10, kStart);
  l.observe(43, kOk);
  CHECK(fates(l) ==
        std::vector{Fate::Harmless, Fate::Undetected, Fate::Undetected, Fate::Harmless});
}

TEST_CASE("error ledger: a complaint covers the frame so far, or its own word") {
  ErrorLedger l("c");
  const auto idle = l.inject(some()), inside = l.inject(some()), late = l.inject(some()),
             alone = l.inject(some());
  l.changed(idle, 5);
  l.observe(10, kStart);
  l.changed(inside, 12);
  l.observe(43, kError);  // bad CRC
  l.changed(late, 200);
  l.observe(210, kError);  // another word, far after that frame
  l.changed(alone, 300);
  l.observe(300, kError);
  CHECK(fates(l) == std::vector{Fate::Harmless, Fate::Detected, Fate::Harmless, Fate::Detected});
}

// Cables enter what they do to a symbol when it is sent, long before it arrives.
TEST_CASE("error ledger: a complaint says nothing of what is still on the cable") {
  ErrorLedger l("c");
  l.changed(l.inject(some()), 12);
  l.changed(l.inject(some()), 60);
  l.observe(10, kStart);
  l.observe(12, kError);
  l.observe(55, kStart);
  l.observe(70, kOk);
  CHECK(fates(l) == std::vector{Fate::Detected, Fate::Undetected});
}

TEST_CASE("error ledger: when an error was noticed is when the first complaint covered it") {
  ErrorLedger l("c");
  const auto in_frame = l.inject(some()), alone = l.inject(some()), twice = l.inject(some()),
             unseen = l.inject(some());
  l.changed(in_frame, 20);
  l.observe(18, kStart);
  l.observe(51, kError);
  l.changed(alone, 200);
  l.changed(twice, 201);
  l.changed(twice, 203);
  l.observe(200, kError);
  l.observe(201, kError);
  l.observe(203, kError);
  l.changed(unseen, 400);
  fates(l);
  CHECK(l.errors()[in_frame].complaint_after == 31);
  CHECK(l.errors()[alone].complaint_after == 0);
  CHECK(l.errors()[twice].complaint_after == 0);
  CHECK(l.errors()[unseen].fate == Fate::Harmless);
}

TEST_CASE("error ledger: after a complaint the rest of its frame still counts to it") {
  ErrorLedger l("c");
  const auto first = l.inject(some()), second = l.inject(some());
  l.observe(10, kStart);
  l.changed(first, 12);
  l.observe(12, kError);
  l.changed(second, 30);
  l.observe(43, kError);
  CHECK(fates(l) == std::vector{Fate::Detected, Fate::Detected});
}

TEST_CASE("error ledger: acceptance counts only what no complaint has covered") {
  ErrorLedger l("c");
  const auto covered = l.inject(some(ErrorKind::Burst)), partly = l.inject(some(ErrorKind::Burst));
  l.changed(covered, 20);
  l.changed(partly, 20);
  l.observe(20, kError);
  l.changed(partly, 31);  // the same error reaches into the next frame, which is taken as good
  l.observe(30, kStart);
  l.observe(63, kOk);
  CHECK(fates(l) == std::vector{Fate::Detected, Fate::Undetected});
}

TEST_CASE("error ledger: commands") {
  ErrorLedger l("c");
  const auto hit = l.inject(some()), next = l.inject(some());
  l.changed(hit, 7);
  l.changed(next, 8);
  l.observe(7, kCommand);
  l.observe(8, kError);
  CHECK(fates(l) == std::vector{Fate::Undetected, Fate::Detected});
}

TEST_CASE("error ledger: lost and doubled symbols lie between words") {
  ErrorLedger l("c");
  const auto in_frame = l.inject(some(ErrorKind::Lost));
  l.slipped(in_frame, 20, 21);
  l.observe(10, kStart);
  l.observe(43, kOk);  // a frame with a hole
  const auto header = l.inject(some(ErrorKind::Lost));
  l.slipped(header, 43, 50);
  l.observe(50, kError);  // the word after the hole: data outside a frame
  const auto command = l.inject(some(ErrorKind::Lost));
  l.slipped(command, 83, 120);
  l.observe(120, kStart);  // the next frame is whole
  l.observe(153, kOk);
  const auto repeated = l.inject(some(ErrorKind::Doubled));
  l.slipped(repeated, 160, 161);
  l.observe(160, kCommand);
  l.observe(161, kCommand);  // heard twice
  const auto trailer = l.inject(some(ErrorKind::Doubled));
  l.slipped(trailer, 203, 204);
  l.observe(170, kStart);
  l.observe(203, kOk);
  l.observe(204, kError);  // the CRC word again
  CHECK(fates(l) == std::vector{Fate::Undetected, Fate::Detected, Fate::Harmless, Fate::Harmless,
                                Fate::Detected});
}

TEST_CASE("error ledger: a complaint and a start of the same word") {
  ErrorLedger l("c");
  const auto cut = l.inject(some(ErrorKind::Lost));
  l.observe(10, kStart);
  l.slipped(cut, 42, 43);  // the CRC word is missing: a header comes in its place
  l.observe(43, {true, false, false, true});
  l.observe(76, kOk);
  CHECK(fates(l) == std::vector{Fate::Detected});
}

TEST_CASE("error ledger: a frame that takes long is remembered whole") {
  ErrorLedger l("c");
  const auto e = l.inject(some());
  l.changed(e, 11);
  l.observe(10, kStart);
  l.observe(100000, kOk);
  CHECK(fates(l) == std::vector{Fate::Undetected});
}

TEST_CASE("error ledger: misuse is refused, the dump names everything") {
  ErrorLedger l("A to B");
  l.inject(some(ErrorKind::Stuck));
  CHECK_THROWS_AS(l.totals(), std::logic_error);
  CHECK(l.totals_so_far().injected == 1);
  CHECK_FALSE(l.totals_so_far().balanced());
  l.observe(5, kError);
  CHECK_THROWS_AS(l.observe(4, kError), std::logic_error);
  l.close();
  CHECK_THROWS_AS(l.inject(some()), std::logic_error);
  std::ostringstream out;
  l.dump(out);
  CHECK(out.str() == "A to B: stuck at 8000 ps, symbol 2, lane 3, bit 7: harmless\n");
  ErrorTotals two = l.totals();
  two += l.totals();
  CHECK(two.injected == 2);
  CHECK(two.harmless == 2);
  CHECK(two.injected_of[static_cast<std::size_t>(ErrorKind::Stuck)] == 2);
}

TEST_CASE("error ledger: totals of several cables are their sums, number by number") {
  ErrorTotals a, b, sum;
  std::uint64_t n = 0;
  const auto next = [&n] { return ++n, n * n; };
  const auto fill = [&next](ErrorTotals& t) {
    for (std::uint64_t* count : {&t.injected, &t.detected, &t.harmless, &t.undetected})
      *count = next();
    for (auto* counts : {&t.injected_of, &t.detected_of, &t.undetected_of})
      for (std::uint64_t& count : *counts) count = next();
  };
  fill(a);
  fill(b);
  sum = a;
  sum += b;
  CHECK(sum.injected == a.injected + b.injected);
  CHECK(sum.detected == a.detected + b.detected);
  CHECK(sum.harmless == a.harmless + b.harmless);
  CHECK(sum.undetected == a.undetected + b.undetected);
  for (std::size_t k = 0; k < kErrorKinds; ++k) {
    CHECK(sum.injected_of[k] == a.injected_of[k] + b.injected_of[k]);
    CHECK(sum.detected_of[k] == a.detected_of[k] + b.detected_of[k]);
    CHECK(sum.undetected_of[k] == a.undetected_of[k] + b.undetected_of[k]);
  }
}

TEST_CASE("ledger: remembers what the first complaint was about") {
  using ht::sim::Complaint;
  ErrorLedger l("c");
  const auto one = l.inject(some()), two = l.inject(some());
  l.changed(one, 12);
  l.changed(two, 20);
  l.observe(10, kStart);
  l.observe(12, {false, false, false, true, Complaint::Code});
  l.observe(20, {false, false, false, true, Complaint::Check});
  l.close();
  CHECK(l.errors()[one].complaint == Complaint::Code);
  CHECK(l.errors()[two].complaint == Complaint::Check);
}

TEST_CASE("error ledger: a slip for good counts until the receiver says, or aligns itself anew") {
  constexpr Observation kAligned{false, false, false, false, Complaint::None, true};
  ErrorLedger l("c");
  const auto noticed = l.inject(some(ErrorKind::Lost)), accepted = l.inject(some(ErrorKind::Lost)),
             over = l.inject(some(ErrorKind::Doubled)), never = l.inject(some(ErrorKind::Doubled));
  l.observe(90, kOk);  // before it
  l.slipped_for_good(noticed, 100, -1);
  l.observe(700, kError);  // long after: words in between looked like nothing
  l.slipped_for_good(accepted, 800, -1);
  l.observe(900, kStart);
  l.observe(960, kOk);
  l.observe(970, kError);
  l.slipped_for_good(over, 1000, 1);
  l.slipped_for_good(never, 2000, 1);
  l.observe(1500, kAligned);
  l.observe(1600, kOk);
  CHECK(fates(l) == std::vector{Fate::Detected, Fate::Undetected, Fate::Harmless, Fate::Harmless});
}

TEST_CASE("error ledger: slips that make up for each other leave what follows as it was sent") {
  ErrorLedger l("c");
  const auto doubled = l.inject(some(ErrorKind::Doubled)), lost = l.inject(some(ErrorKind::Lost)),
             inside = l.inject(some(ErrorKind::Lost)), byte = l.inject(some(ErrorKind::Lost));
  l.slipped_for_good(doubled, 100, 1);
  l.observe(150, kError);
  l.slipped_for_good(lost, 200, -1);
  l.observe(210, kStart);
  l.observe(280, kOk);
  // Between its first word and its last a frame must not slip, whatever was before.
  l.slipped_for_good(byte, 300, 7);
  l.observe(400, kStart);
  l.slipped_for_good(inside, 430, 1);
  l.observe(470, kOk);
  l.close();
  CHECK(l.errors()[doubled].fate == Fate::Detected);
  CHECK(l.errors()[lost].fate == Fate::Harmless);
  CHECK(l.errors()[byte].fate == Fate::Undetected);
  CHECK(l.errors()[inside].fate == Fate::Undetected);
}

TEST_CASE(
    "ledger: of a word with two parts the part that is taken counts, and the part that is "
    "refused") {
  using ht::sim::Part;
  constexpr Observation kBoth{false, true, true, false};
  constexpr Observation kBadCommand{false, true, false, false, Complaint::None, false, true};
  ErrorLedger l("c");
  std::vector<std::size_t> n;
  for (int i = 0; i < 8; ++i) n.push_back(l.inject(some()));
  // Nobody reads the end of a packet given up, but the command beside it is good.
  l.changed(n[0], 10, Part::Frame);
  l.observe(10, kCommand);
  // A command that passes for a good one.
  l.changed(n[1], 20, Part::Command);
  l.observe(20, kCommand);
  // A good packet whose last word has lost the command beside it.
  l.observe(100, kStart);
  l.changed(n[2], 105, Part::Command);
  l.observe(105, kOk);
  // A packet that passes for a good one, beside a good command, and beside a damaged one.
  l.observe(200, kStart);
  l.changed(n[3], 205, Part::Frame);
  l.observe(205, kBoth);
  l.observe(300, kStart);
  l.changed(n[4], 303, Part::Frame);
  l.changed(n[5], 305, Part::Command);
  l.observe(305, kBadCommand);
  // A damaged command inside a packet says nothing of the packet.
  l.observe(400, kStart);
  l.changed(n[6], 402, Part::Frame);
  l.changed(n[7], 403, Part::Command);
  l.observe(403, {false, false, false, false, Complaint::None, false, true});
  l.observe(405, kOk);
  l.close();
  CHECK(fates(l) == std::vector{Fate::Harmless, Fate::Undetected, Fate::Harmless, Fate::Undetected,
                                Fate::Undetected, Fate::Detected, Fate::Undetected,
                                Fate::Detected});
}
