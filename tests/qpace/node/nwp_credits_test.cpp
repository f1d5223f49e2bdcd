// SPDX-License-Identifier: Apache-2.0
// Credits that are refused because of where they point, and credits that are cancelled.
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

constexpr std::uint32_t notify_base = 0x7000;

std::uint32_t u(int x) {
  return static_cast<std::uint32_t>(x);
}

// One refused credit: its cause, its register, counted, and nothing queued. Clears ERROR.
void check_refused(NwpHarness& h, std::uint32_t l, std::uint32_t v, std::uint32_t local,
                   std::uint32_t packets, std::uint32_t cause) {
  const std::uint32_t status = h.read(nwp::credit_status(l, v));
  const std::uint32_t count = h.read(nwp::error_count);
  h.write(nwp::credit_offset(l, v), local);
  CHECK(h.access(true, nwp::credit_post(l, v), packets).error);
  CHECK(h.read(nwp::error) == cause);
  CHECK(h.read(nwp::error_first) == cause);
  CHECK(h.read(nwp::error_info) == nwp::credit_post(l, v));
  CHECK(h.read(nwp::error_count) == count + 1);
  CHECK(h.interrupt());
  CHECK(h.read(nwp::credit_status(l, v)) == status);
  h.write(nwp::error, 0xFFFFFFFF);
  CHECK_FALSE(h.interrupt());
}

TEST_CASE("a credit that reaches beyond the node's memory is refused") {
  constexpr auto range = nwp::error_credit_range.mask;
  NwpHarness h;
  h.write(nwp::credit_limit, 0x1000);
  CHECK(h.read(nwp::credit_limit) == 0x1000);
  h.write(nwp::base(2, 5), 0x800);
  check_refused(h, 2, 5, 0x7FF, 2, range);
  check_refused(h, 2, 5, 0x800, 1, range);
  check_refused(h, 2, 5, 0, 0x801, range);
  check_refused(h, 2, 5, 0, 32767, range);
  check_refused(h, 2, 5, 0x90000000, 1, range);
  // base + offset beyond 2^39 bytes must not come round to where memory is
  check_refused(h, 2, 5, 0xFFFFF800, 1, range);
  check_refused(h, 2, 5, 0xFFFFF900, 1, range);
  h.post_credit(2, 5, 0x7FF, 1);  // the very last line
  h.post_credit(2, 5, 0, 0x7FF);  // all but the last
  CHECK(h.read(nwp::error) == 0);

  // memory to the very end of the address space
  h.write(nwp::credit_limit, 0xFFFFFFFF);
  h.write(nwp::base(0, 0), 0xFFFFFFFE);
  check_refused(h, 0, 0, 1, 1, range);
  check_refused(h, 0, 0, 2, 1, range);
  h.post_credit(0, 0, 0, 1);

  // 0 switches the check off: then destinations are modulo 2^39
  h.write(nwp::credit_limit, 0);
  h.post_credit(0, 0, 5, 100);
  h.post_credit(0, 0, 5, 100);
  CHECK(h.read(nwp::error) == 0);
}

TEST_CASE("a credit that overlaps a queued one of its channel is refused, exactly then") {
  constexpr std::uint32_t limit = 200;
  NwpHarness h;
  h.connect_rings();
  h.write(nwp::notify_base, notify_base);
  h.write(nwp::credit_limit, limit);
  h.bring_up();
  for (std::uint32_t l = 0; l < links; ++l) {
    for (std::uint32_t v = 0; v < channels; ++v) h.write(nwp::base(l, v), 10);
  }
  NwpReference reference(notify_base);
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  struct Credit {
    int first, packets;
  };
  std::deque<Credit> queued[links];
  int refused[2] = {}, taken = 0, full = 0, depth[5] = {};
  for (int i = 0; i < 3000; ++i) {
    const int l = below(links), v = 3;
    auto& queue = queued[l];
    if (below(3) == 0) {  // let the oldest credit be used up
      if (queue.empty()) continue;
      for (int n = 0; n < queue.front().packets; ++n)
        h.put(reference.packet(NwpHarness::peer(l), l, v, n, 3));
      queue.pop_front();
      h.run_until(
          [&] {
            reference.check(h.beats);
            return reference.idle(l);
          },
          10000, "writing the lines");
      continue;
    }
    const Credit c{10 + below(190), 1 + below(below(4) == 0 ? 60 : 8)};
    const bool beyond = c.first + c.packets > static_cast<int>(limit);
    bool overlaps = false;
    for (const Credit& q : queue)
      overlaps = overlaps || (c.first < q.first + q.packets && q.first < c.first + c.packets);
    const bool fits = queue.size() < nwp::credit_depth;
    INFO("step " << i << ": " << c.packets << " from " << c.first << ", " << queue.size()
                 << " queued");
    h.write(nwp::credit_offset(u(l), u(v)), u(c.first - 10));
    const RegisterReply reply = h.access(true, nwp::credit_post(u(l), u(v)), u(c.packets));
    const std::uint32_t error = h.read(nwp::error);
    const auto looked_at = static_cast<int>(queue.size());
    if (!fits) {
      REQUIRE(error == nwp::error_credit_full.mask);
      ++full;
    } else if (beyond) {
      REQUIRE(error == nwp::error_credit_range.mask);
      ++refused[0];
    } else if (overlaps) {
      REQUIRE(error == nwp::error_credit_overlap.mask);
      REQUIRE(h.read(nwp::error_info) == nwp::credit_post(u(l), u(v)));
      ++refused[1];
    } else {
      REQUIRE(error == 0);
      const int compared = looked_at == 0 ? 0 : 1 + looked_at;
      CHECK(reply.cycles == 6 + compared + stages * (3 + 3 * (1 + compared)));
      reference.credit(l, v, 10, u(c.first - 10), u(c.packets));
      queue.push_back(c);
      ++taken;
      ++depth[looked_at];
    }
    REQUIRE(reply.error == (error != 0));
    if (error != 0) h.write(nwp::error, 0xFFFFFFFF);
  }
  CHECK(taken > 500);
  CHECK(refused[0] > 50);
  CHECK(refused[1] > 50);
  CHECK(full > 50);
  for (int d = 0; d < 4; ++d) CHECK(depth[d] > 20);
  reference.check(h.beats);
}

// A peer that is wrong writes nothing outside of what its message was given, and no message that
// lacks a packet looks complete.
TEST_CASE("a packet outside of its credit is dropped, reported and not counted") {
  for (const std::uint32_t packets : {1U, 2U, 7U, 100U}) {
    for (const unsigned stall : {0U, 3U}) {
      INFO(packets << " packets, the memory is ready one cycle in " << 1 + stall);
      NwpHarness h;
      h.connect_rings();
      h.write(nwp::notify_base, notify_base);
      h.write(nwp::credit_limit, 0x100000);
      h.bring_up();
      std::mt19937 random(packets);
      h.sink_ready = [&] { return stall == 0 || random() % (1 + stall) == 0; };
      h.write(nwp::base(2, 5), 0x800);
      h.post_credit(2, 5, 0x10, packets);
      const auto send = [&](std::uint32_t offset) {
        PutLine line{};
        line.address = put_address(NwpHarness::peer(2), 5, static_cast<int>(offset));
        h.put(line);
      };
      std::uint32_t wrong = 0;
      for (std::uint32_t n = 0; n < packets; ++n) {
        for (const std::uint32_t outside : {packets, packets + 1 + n, 32767U}) {
          send(outside);
          ++wrong;
        }
        if (n + 1 < packets) send(n);
      }
      h.run_core(20000);
      CHECK(h.beats.size() == 8 * (packets - 1));  // data, and no notification
      CHECK(h.read(nwp::error) == nwp::error_packet_outside.mask);
      CHECK(h.read(nwp::error_first) == nwp::error_packet_outside.mask);
      CHECK(h.read(nwp::error_info) == put_address(2, 5, static_cast<int>(packets)));
      CHECK(h.read(nwp::error_count) == wrong);
      CHECK(h.interrupt());
      CHECK(nwp::credit_status_left.get(h.read(nwp::credit_status(2, 5))) == 1);
      send(packets - 1);
      h.run_core(2000);
      CHECK(h.beats.size() == 8 * packets + 1);
      for (const auto& beat : h.beats) {
        if (beat.notify) continue;
        CHECK(beat.address / 128 >= 0x810);
        CHECK(beat.address / 128 < 0x810 + packets);
      }
    }
  }
}

TEST_CASE("overlaps are found modulo the address space's size and at its ends") {
  NwpHarness h;
  h.write(nwp::credit_limit, 0xFFFFFFFF);
  h.write(nwp::base(1, 1), 0);
  h.post_credit(1, 1, 0x10000, 32767);
  for (const std::uint32_t first : {0x10000U, 0x10001U, 0x10000U + 32766, 0x10000U - 32766})
    check_refused(h, 1, 1, first, 32767, nwp::error_credit_overlap.mask);
  check_refused(h, 1, 1, 0x10000U + 32766, 1, nwp::error_credit_overlap.mask);
  h.post_credit(1, 1, 0x10000 + 32767, 1);
  h.post_credit(1, 1, 0x10000 - 32767, 32767);
  h.post_credit(1, 1, 0x80000000, 32767);
  CHECK(h.read(nwp::error) == 0);
  // another channel may have the same place
  h.write(nwp::base(1, 2), 0);
  h.post_credit(1, 2, 0x10000, 32767);
  CHECK(h.read(nwp::error) == 0);
}

TEST_CASE("cancelled credits are gone, used in part or not, and the next ones count from there") {
  NwpHarness h;
  h.connect_rings(3);
  h.write(nwp::notify_base, notify_base);
  h.bring_up();
  NwpReference reference(notify_base);
  const auto status = [&] { return h.read(nwp::credit_status(4, 6)); };
  h.write(nwp::base(4, 6), 0x100);
  h.write(nwp::base(4, 5), 0x900);

  h.write(nwp::credit_cancel(4, 6), 1);  // nothing there: nothing happens
  CHECK(nwp::credit_status_free.get(status()) == nwp::credit_depth);

  h.post_credit(4, 5, 0, 7);  // a neighbour keeps its own
  h.post_credit(4, 6, 0, 5);
  h.post_credit(4, 6, 50, 3);
  reference.credit(4, 6, 0x100, 0, 5);
  for (int i = 0; i < 2; ++i) h.put(reference.packet(5, 4, 6, i, 1));
  h.run_core(500);
  CHECK(nwp::credit_status_left.get(status()) == 3);
  CHECK(nwp::credit_status_free.get(status()) == nwp::credit_depth - 2);
  reference.check(h.beats);
  reference.cancel(4, 6);
  h.write(nwp::credit_cancel(4, 6), 0);
  CHECK(nwp::credit_status_left.get(status()) == 0);
  CHECK(nwp::credit_status_free.get(status()) == nwp::credit_depth);
  CHECK(nwp::credit_status_left.get(h.read(nwp::credit_status(4, 5))) == 7);

  // A packet without a credit waits, and takes the next one; that is complete after all its
  // packets.
  h.put(reference.packet(5, 4, 6, 9, 1));
  h.run_core(500);
  CHECK(nwp::credit_status_waiting.get(status()) == 1);
  reference.check(h.beats);
  CHECK(reference.lines() == 2);
  h.post_credit(4, 6, 200, 2);
  reference.credit(4, 6, 0x100, 200, 2);
  h.put(reference.packet(5, 4, 6, 10, 1));
  h.run_core(500);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(reference.notifications() == 1);  // number 1: the cancelled ones were not counted
  CHECK(h.read(nwp::credit_cancel(4, 6)) == 0);
  CHECK(h.read(nwp::error) == 0);
}

// The cancel is shifted by single cycles over packets being written, which a slow sink keeps in the
// pipeline for long.
TEST_CASE(
    "a credit cancelled while its packet is written: the packet is finished, no other follows") {
  int during = 0, completed = 0;
  for (int sink = 1; sink <= 7; sink += 3) {
    for (int shift = 0; shift < 45 * sink; ++shift) {
      CAPTURE(sink, shift);
      NwpHarness h;
      h.connect_rings(0);
      h.write(nwp::notify_base, notify_base);
      h.bring_up(0x03);
      NwpReference reference(notify_base);
      int phase = 0;
      h.sink_ready = [&] { return ++phase % sink == 0; };
      h.write(nwp::base(1, 2), 0x100);
      h.write(nwp::base(1, 3), 0x900);
      for (int i = 0; i < 6; ++i) {
        h.put(reference.packet(0, 1, 2, i, 1));
        h.put(reference.packet(0, 1, 3, i, 1));
      }
      h.run_core(300);
      h.post_credit(1, 3, 0, 6);
      reference.credit(1, 3, 0x900, 0, 6);
      h.post_credit(1, 2, 0, 3);
      h.run_core(shift);
      // the bus never waits for the port
      REQUIRE(h.access(true, nwp::credit_cancel(1, 2), 0).cycles <= 5 + 2 * stages);
      // Lines of a credit, by where they go; how many of the cancelled one have begun to leave.
      const auto lines_in = [&](std::uint64_t from, std::uint64_t to) {
        std::uint32_t n = 0;
        for (const OutBeat& beat : h.beats)
          n += !beat.notify && beat.address % 128 == 0 && beat.address >= from * 128 &&
               beat.address < to * 128;
        return n;
      };
      const std::uint32_t begun = lines_in(0x100, 0x140);
      const std::uint32_t free = nwp::credit_status_free.get(h.read(nwp::credit_status(1, 2)));
      REQUIRE(free >= nwp::credit_depth - 1);
      during += free == nwp::credit_depth - 1;
      // A new credit at once, for more packets than are there.
      const auto post = h.access(true, nwp::credit_offset(1, 2), 0x40);
      REQUIRE_FALSE(post.error);
      h.write(nwp::credit_post(1, 2), 10);
      h.run_core(1500);
      const std::uint32_t first = lines_in(0x100, 0x140), second = lines_in(0x140, 0x180);
      std::uint32_t notes = 0;
      for (const OutBeat& beat : h.beats) notes += beat.notify && beat.data[1] == (1U << 8 | 2);
      REQUIRE(first + second == 6);
      REQUIRE(first >= begun);
      REQUIRE(first <= begun + 1);  // that one was in the pipeline
      REQUIRE(notes == (first == 3 ? 1U : 0U));
      completed += notes;
      CHECK(nwp::credit_status_free.get(h.read(nwp::credit_status(1, 2))) == nwp::credit_depth - 1);
      CHECK(nwp::credit_status_left.get(h.read(nwp::credit_status(1, 2))) == 10 - second);
      CHECK(h.read(nwp::error) == 0);
    }
  }
  CHECK(during > 20);
  CHECK(completed > 20);
}

// The cancel clears what another channel's packets count with; shifted by single cycles over the
// only packet of a credit.
TEST_CASE("a credit completes whenever another channel's is cancelled") {
  for (int shift = 0; shift < 150; ++shift) {
    CAPTURE(shift);
    NwpHarness h;
    h.connect_rings(0);
    h.write(nwp::notify_base, notify_base);
    h.bring_up(0x03);
    NwpReference reference(notify_base);
    h.write(nwp::base(1, 2), 0x100);
    h.write(nwp::base(1, 3), 0x900);
    h.post_credit(1, 2, 0, 5);
    h.post_credit(1, 3, 0, 1);
    reference.credit(1, 3, 0x900, 0, 1);
    h.put(reference.packet(0, 1, 3, 0, 1));
    h.run_core(shift);
    h.write(nwp::credit_cancel(1, 2), 0);
    h.run_core(300);
    reference.check(h.beats);
    REQUIRE(reference.complete());
    REQUIRE(nwp::credit_status_free.get(h.read(nwp::credit_status(1, 3))) == nwp::credit_depth);
  }
}

}  // namespace
