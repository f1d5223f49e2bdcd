// SPDX-License-Identifier: Apache-2.0
// The two posted-write ports of qpace_nwp: what is sent, what is refused, and where it is written.
#include <catch2/catch.hpp>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"
#include "verif/model/qpace/wire.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

constexpr std::uint32_t notify_base = 0x7000;

std::uint32_t u(int x) {
  return static_cast<std::uint32_t>(x);
}

// All links up, in rings, all channels with a base of their own, notifications on.
void prepare(NwpHarness& h, int delay = 3) {
  h.connect_rings(delay);
  h.write(nwp::notify_base, notify_base);
  h.bring_up();
}

void settle(NwpHarness& h, const NwpReference& reference, std::int64_t cycles = 20000) {
  h.run_until([&] { return h.unsent() == 0; }, cycles, "taking every line");
  h.run_core(2000);
  CHECK(h.idle());
  static_cast<void>(reference);
}

TEST_CASE("the destination is base + remote offset + local offset, modulo 2^39 bytes") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  struct Case {
    std::uint32_t base, local;
    int offset;
  };
  const std::vector<Case> cases{{0, 0, 0},
                                {1, 0, 0},
                                {0, 1, 0},
                                {0, 0, 1},
                                {0x12345678, 0x01010101, 0x7FFF},
                                {0xFFFFFFFF, 0, 1},
                                {0xFFFFFFFF, 0xFFFFFFFF, 0x7FFF},
                                {0x80000000, 0x80000000, 5},
                                {0x0000FFFF, 1, 0x4000}};
  int l = 0, v = 0;
  for (const Case& c : cases) {
    h.write(nwp::base(u(l), u(v)), c.base);
    h.post_credit(l, v, c.local, 1);
    reference.credit(l, v, c.base, c.local, 1);
    h.put(reference.packet(NwpHarness::peer(l), l, v, c.offset, 1));
    l = (l + 1) % links;
    v = (v + 3) % channels;
  }
  settle(h, reference);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(reference.lines() == cases.size());
}

TEST_CASE("a credit carries the base and the offset it was posted with") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  h.write(nwp::base(1, 2), 1000);
  h.post_credit(1, 2, 10, 2);
  reference.credit(1, 2, 1000, 10, 2);
  h.post_credit(1, 2, 20, 1);
  reference.credit(1, 2, 1000, 20, 1);
  h.write(nwp::base(1, 2), 5000);
  h.write(nwp::credit_offset(1, 2), 99);
  for (int i = 0; i < 3; ++i) h.put(reference.packet(0, 1, 2, i, 2));
  settle(h, reference);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(reference.notifications() == 2);
}

TEST_CASE("lines that must be refused set their cause, and nothing is sent") {
  NwpHarness h;
  prepare(h);
  struct Case {
    std::uint32_t address;
    int beats;
    std::uint32_t cause;
  };
  std::vector<Case> cases{
      {put_address(6, 0, 0), 8, nwp::error_write_bad_link.mask},
      {put_address(7, 7, 0x7FFF), 8, nwp::error_write_bad_link.mask},
      {0x10000000, 8, nwp::error_write_bad_address.mask},
      {0x80000000 | put_address(5, 1, 1), 8, nwp::error_write_bad_address.mask},
      {put_address(2, 1, 1) + 64, 8, nwp::error_write_unaligned.mask},
      {0xFFFFFFFF, 8,
       nwp::error_write_unaligned.mask | nwp::error_write_bad_link.mask |
           nwp::error_write_bad_address.mask},
      {put_address(2, 1, 1) + 16, 1, nwp::error_write_unaligned.mask},
      {put_address(2, 1, 1) + 1, 20, nwp::error_write_unaligned.mask},
  };
  for (int beats = 1; beats < port_beats; ++beats)
    cases.push_back({put_address(beats % 6, 1, 1), beats, nwp::error_write_short.mask});
  for (const int more : {1, 2, 7, 8, 9, 16, 92})
    cases.push_back({put_address(more % 6, 2, 1), port_beats + more, nwp::error_write_long.mask});

  std::uint32_t refused = 0;
  for (const bool pauses : {false, true}) {
    std::mt19937 random(7);
    if (pauses) h.source_pauses = [&] { return random() % 2 == 0; };
    for (const Case& c : cases) {
      INFO(std::hex << c.address << ", " << std::dec << c.beats << " beats");
      PutLine line{c.address, {}, c.beats};
      line.data.fill(0xDEADBEEF);
      h.put_raw(line);
      h.run_until([&] { return h.unsent() == 0; }, 1000, "taking the line");
      h.run_core(200);
      ++refused;
      CHECK(h.read(nwp::error) == c.cause);
      CHECK(h.read(nwp::error_first) == c.cause);
      CHECK(h.read(nwp::error_info) == c.address);
      CHECK(h.read(nwp::error_count) == refused);
      CHECK(h.interrupt());
      h.write(nwp::error, 0xFFFFFFFF);
      CHECK_FALSE(h.interrupt());
    }
  }
  // Nothing waits anywhere, nothing was written, and no link complains.
  for (int l = 0; l < links; ++l) {
    for (int v = 0; v < channels; ++v)
      CHECK(nwp::credit_status_waiting.get(h.read(nwp::credit_status(u(l), u(v)))) == 0);
    CHECK(h.read(link::error(u(l))) == 0);
    CHECK(h.rx_errors[static_cast<std::size_t>(l)] == 0);
  }
  CHECK(h.beats.empty());

  // And the ports go on as if nothing had been.
  h.source_pauses = [] { return false; };
  NwpReference reference(notify_base);
  for (int l = 0; l < links; ++l) {
    h.write(nwp::base(u(l), 1), u(1000 * l));
    h.post_credit(l, 1, 0, 20);
    reference.credit(l, 1, u(1000 * l), 0, 20);
    for (int i = 0; i < 20; ++i) h.put(reference.packet(NwpHarness::peer(l), l, 1, i, 3));
  }
  settle(h, reference);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(h.read(nwp::error) == 0);
}

TEST_CASE("broken lines between good ones do not touch them") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  std::mt19937 random(11);
  h.source_pauses = [&] { return random() % 4 == 0; };
  constexpr int packets = 60;
  for (int l = 0; l < links; ++l) {
    h.write(nwp::base(u(l), 0), u(1000 * l));
    h.post_credit(l, 0, 0, packets);
    reference.credit(l, 0, u(1000 * l), 0, packets);
  }
  std::uint32_t broken = 0;
  for (int i = 0; i < packets; ++i) {
    for (int l = 0; l < links; ++l) {
      h.put(reference.packet(NwpHarness::peer(l), l, 0, i, 4));
      const int beats = static_cast<int>(random() % 20) + 1;
      if (beats == port_beats) continue;
      PutLine line{put_address(NwpHarness::peer(l), static_cast<int>(random() % 8), 1), {}, beats};
      line.data.fill(0xDEADBEEF);
      h.put(line);
      ++broken;
    }
  }
  settle(h, reference, 100000);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(h.read(nwp::error) == (nwp::error_write_short.mask | nwp::error_write_long.mask));
  CHECK(h.read(nwp::error_count) == broken);
  CHECK(broken > packets);
}

TEST_CASE("a good packet whose end is damaged into the code of a withdrawn one is sent again") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  h.write(nwp::base(1, 0), 0x50);
  h.post_credit(1, 0, 0, 5);
  reference.credit(1, 0, 0x50, 0, 5);
  int word = -1, damaged = 0;
  h.on_wire = [&](int to, WireWord& w) {
    if (to != 1) return;
    if (w.control == 1 && (w.data & 0xFF) == ht::model::qpace::kStart) word = 0;
    if (w.control != 0xF && word++ == 33 && damaged < 3) {
      w = {(w.data & ~0xFFU) | ht::model::qpace::kWithdrawn, 1};
      ++damaged;
    }
  };
  for (int i = 0; i < 5; ++i) h.put(reference.packet(0, 1, 0, i, 1));
  settle(h, reference);
  CHECK(damaged == 3);
  CHECK(h.rx_errors[1] == 3);
  reference.check(h.beats);
  CHECK(reference.complete());
}

TEST_CASE("without room the port waits, per link, and a full link does not stop the others") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  // No credit at the receiver of link 0: it takes as many packets as a channel has slots, and the
  // FIFO holds sixteen.
  constexpr int packets = 40;
  const auto slots = nwp::version_rx_slots.get(h.read(nwp::version));
  for (int i = 0; i < packets; ++i) {
    h.put(reference.packet(0, 1, 3, i, 5));
    h.put(reference.packet(2, 3, 3, i, 5));
  }
  h.write(nwp::base(1, 3), 0x100);
  h.write(nwp::base(3, 3), 0x900);
  h.post_credit(3, 3, 0, packets);
  reference.credit(3, 3, 0x900, 0, packets);
  h.run_core(8000);
  reference.check(h.beats);
  CHECK(reference.lines_of(3) == packets);
  CHECK(reference.lines_of(1) == 0);
  CHECK((h.room() & 1) == 0);
  CHECK((h.room() & 0x3E) == 0x3E);
  CHECK(h.unsent() == packets - 16 - slots);
  // A line for the full link that does not look at the room: the port waits.
  h.put_raw(reference.packet(0, 1, 4, 0, 5));
  h.run_core(100);
  CHECK_FALSE(h.in_ready());
  h.post_credit(1, 3, 0, packets);
  reference.credit(1, 3, 0x100, 0, packets);
  h.write(nwp::base(1, 4), 0);
  h.post_credit(1, 4, 0, 1);
  reference.credit(1, 4, 0, 0, 1);
  settle(h, reference, 100000);
  reference.check(h.beats);
  CHECK(reference.complete());
}

TEST_CASE("notifications switched off are not written, but counted") {
  NwpHarness h;
  prepare(h);
  h.write(nwp::notify_control, 0);
  h.write(nwp::base(2, 0), 0x100);
  NwpReference lines(0);
  for (int i = 0; i < 3; ++i) {
    h.post_credit(2, 0, 0, 1);
    h.put(lines.packet(3, 2, 0, i, 6));
  }
  settle(h, lines);
  CHECK(h.beats.size() == 3 * line_beats);
  for (const OutBeat& beat : h.beats) CHECK_FALSE(beat.notify);
  h.write(nwp::notify_control, 1);
  h.post_credit(2, 0, 0, 1);
  h.put(lines.packet(3, 2, 0, 3, 6));
  settle(h, lines);
  REQUIRE(h.beats.size() == 4 * line_beats + 1);
  CHECK(h.beats.back().notify);
  CHECK(h.beats.back().data[0] == 4);
}

TEST_CASE("a channel without credit does not hold up the others of its link") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  for (int v = 0; v < channels; ++v) h.write(nwp::base(0, u(v)), u(0x1000 * v));
  // in every channel but the last, as many packets wait as it has slots
  const auto slots = static_cast<int>(nwp::version_rx_slots.get(h.read(nwp::version)));
  for (int v = 0; v < channels - 1; ++v) {
    for (int i = 0; i < slots; ++i) h.put(reference.packet(1, 0, v, i, 7));
  }
  constexpr int packets = 50;
  h.post_credit(0, 7, 0, packets);
  reference.credit(0, 7, 0x7000, 0, packets);
  for (int i = 0; i < packets; ++i) h.put(reference.packet(1, 0, 7, i, 7));
  h.run_core(5000);
  reference.check(h.beats);
  CHECK(reference.lines() == packets);
  CHECK(reference.notifications() == 1);
  for (int v = 0; v < channels - 1; ++v) {
    CHECK(nwp::credit_status_waiting.get(h.read(nwp::credit_status(0, u(v)))) == 1);
    h.post_credit(0, v, 0, u(slots));
    reference.credit(0, v, u(0x1000 * v), 0, u(slots));
  }
  settle(h, reference);
  reference.check(h.beats);
  CHECK(reference.complete());
}

TEST_CASE("CREDIT_STATUS follows the packets") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  h.write(nwp::base(5, 5), 0x4000);
  h.post_credit(5, 5, 0, 3);
  h.post_credit(5, 5, 0, 1);
  reference.credit(5, 5, 0x4000, 0, 3);
  reference.credit(5, 5, 0x4000, 0, 1);
  const std::uint32_t left[] = {3, 2, 1, 1, 0};
  const std::uint32_t free[] = {2, 2, 2, 3, 4};
  for (int i = 0; i < 5; ++i) {
    const std::uint32_t status = h.read(nwp::credit_status(5, 5));
    CHECK(nwp::credit_status_left.get(status) == left[i]);
    CHECK(nwp::credit_status_free.get(status) == free[i]);
    if (i < 4) h.put(reference.packet(4, 5, 5, i, 8));
    settle(h, reference);
  }
  reference.check(h.beats);
  CHECK(reference.complete());
}

// The cycles in which one packet after another completes its credit are found by shifting what the
// software does against them by single core cycles.
TEST_CASE("a credit posted in the cycle in which the last one completes is not lost") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  h.write(nwp::base(3, 2), 0x10);
  for (int shift = 0; shift < 80; ++shift) {
    CAPTURE(shift);
    for (int i = 0; i < 2; ++i) {
      reference.credit(3, 2, 0x10, 0, 1);
      if (i == 0) h.post_credit(3, 2, 0, 1);
      h.put(reference.packet(2, 3, 2, shift, 1));
      if (i == 1) break;
      h.run_core(shift);
      h.post_credit(3, 2, 0, 1);
    }
    h.run_core(400);
    reference.check(h.beats);
    REQUIRE(reference.complete());
  }
  CHECK(reference.notifications() == 160);
}

TEST_CASE("CREDIT_STATUS never mixes two credits", "[phases]") {
  NwpHarness h;
  prepare(h);
  NwpReference reference(notify_base);
  h.write(nwp::base(0, 0), 0x10);
  int changes = 0;
  for (int shift = 0; shift < 60; ++shift) {
    CAPTURE(shift);
    h.post_credit(0, 0, 0, 2);
    h.post_credit(0, 0, 0, 1000);
    reference.credit(0, 0, 0x10, 0, 2);
    reference.credit(0, 0, 0x10, 0, 1000);
    h.run_core(shift);
    for (int i = 0; i < 2; ++i) h.put(reference.packet(1, 0, 0, i, 1));
    std::uint32_t last_left = 2;
    for (int polls = 0; polls < 60; ++polls) {
      const std::uint32_t status = h.read(nwp::credit_status(0, 0));
      const std::uint32_t left = nwp::credit_status_left.get(status);
      if (nwp::credit_status_free.get(status) == 2) {
        CHECK((left == last_left || left + 1 == last_left));
        CHECK(left >= 1);
      } else {
        CHECK(left == 1000);
        if (last_left != 1000) ++changes;
      }
      last_left = left;
    }
    CHECK(last_left == 1000);
    for (int i = 0; i < 1000; ++i) h.put(reference.packet(1, 0, 0, i, 1));
    h.run_until(
        [&] {
          reference.check(h.beats);
          return reference.complete();
        },
        50000, "the rest");
  }
  CHECK(changes == 60);
}

}  // namespace
