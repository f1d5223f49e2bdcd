// SPDX-License-Identifier: Apache-2.0
// Ethernet: frames on the wire, in exact cycles, and everything that can be wrong with one.
#include <catch2/catch.hpp>
#include <random>

#include "tests/qpace/io/gmac_host.hpp"

namespace {

using namespace ht::test;
namespace g = ht::qpace::registers::gmac;

constexpr std::uint64_t me = GmacHost::own_address, other = 0x010203040506, everybody = ~0ULL >> 16;

struct Counts {
  std::uint32_t good, fcs, runt, oversize, overrun, filtered, none;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& o, const Counts& c) {
  return o << "good " << c.good << " fcs " << c.fcs << " runt " << c.runt << " oversize "
           << c.oversize << " overrun " << c.overrun << " filtered " << c.filtered << " false "
           << c.none;
}
Counts counts(IoHarness& h) {
  return {h.read(g::count_rx_frames(0)),  h.read(g::count_rx_fcs(0)),
          h.read(g::count_rx_runt(0)),    h.read(g::count_rx_oversize(0)),
          h.read(g::count_rx_overrun(0)), h.read(g::count_rx_filtered(0)),
          h.read(g::count_rx_false(0))};
}
// Equal; not shown byte by byte when not.
bool same(const Bytes& a, const Bytes& b) {
  return a == b;
}
void settle(IoHarness& h) {
  h.run_until([&] { return h.receive.empty() && h.idle(); }, 400000, "rest");
}

TEST_CASE("gmac: a frame on the wire has preamble, padding and check sequence") {
  IoHarness h;
  GmacHost host(h, 3);
  std::vector<Bytes> frames;
  for (const std::size_t n : {14U, 59U, 60U, 61U, 64U, 127U, 128U, 129U}) {
    if (n < 60) {
      frames.emplace_back(n, static_cast<std::uint8_t>(n));
    } else {
      frames.push_back(bare(make_frame(other, n + 4, static_cast<unsigned>(n))));
    }
    if (frames.size() == 8) break;
    host.send(frames.back());
  }
  host.tx_go();
  h.run_until([&] { return h.descriptors_written.size() == 7; }, 20000, "the last frame");
  REQUIRE(h.sent.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(same(h.sent[i].bytes(), with_fcs(frames[i])));
    CHECK(h.descriptors_written[i] == GmacHost::tx_ring + 16 * i);
    CHECK(host.word1(GmacHost::tx_ring, static_cast<unsigned>(i)) == 0);
  }
  CHECK(h.read(g::count_tx_frames(0)) == 7);
  CHECK(h.read(g::tx_head(0)) == 7);
  CHECK(h.read(g::error(0)) == 0);
}

// Cycles from the start of one frame to that of the next: 1 Gb/s is a byte every 2 cycles.
TEST_CASE("gmac: back to back at line rate, both ways at once, exactly") {
  for (const std::size_t bytes : {64U, 1518U, 9018U}) {
    IoHarness h;
    GmacHost host(h, 4);
    host.give(15);
    h.loopback = true;
    std::vector<Bytes> frames;
    for (unsigned i = 0; i < 12; ++i) {
      frames.push_back(make_frame(me, bytes, i));
      host.send(bare(frames.back()));
    }
    host.tx_go();
    h.run_until([&] { return h.descriptors_written.size() == 24; }, 20000 * 13, "all frames");
    REQUIRE(h.sent.size() == 12);
    // 64-byte frames: eight come from one line of descriptors, then memory's 2.5 us show.
    const std::size_t even = bytes == 64 ? 8 : 12;
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(same(h.sent[i].bytes(), frames[i]));
      CHECK(same(host.frame(static_cast<unsigned>(i)), bare(frames[i])));
      if (i > 0 && i < even)
        CHECK(h.sent[i].start - h.sent[i - 1].start ==
              2 * static_cast<std::int64_t>(8 + bytes + 12));
    }
    CHECK(h.read(g::error(0)) == 0);
  }
}

TEST_CASE("gmac: receives at line rate, frames of any length, at any phase of the clocks") {
  for (const int phase : {0, 700, 1300, 2000, 3990}) {
    IoHarness h(phase);
    GmacHost host(h, 6);
    host.give(63);
    std::vector<Bytes> frames;
    std::mt19937 random(static_cast<unsigned>(phase));
    for (unsigned i = 0; i < 63; ++i) {
      frames.push_back(
          make_frame(i % 5 == 0 ? everybody : me, i < 40 ? 64 + i % 3 : 64 + random() % 1500, i));
      h.queue(frames.back());
    }
    settle(h);
    for (unsigned i = 0; i < 63; ++i) {
      REQUIRE(host.ready(i));
      CHECK(same(host.frame(i), bare(frames[i])));
    }
    CHECK(counts(h) == Counts{63, 0, 0, 0, 0, 0, 0});
    CHECK(h.rx_oks.size() == 63);
    CHECK(h.rx_errors.empty());
  }
}

TEST_CASE("gmac: observation pulses come one edge after the nibble's own") {
  IoHarness h;
  GmacHost host(h, 3);
  host.give(7);
  const std::int64_t first =
      h.rx_cycle();  // the next edge drives nibble 0, the one after samples it
  h.queue(make_frame(me, 64, 1));
  settle(h);
  REQUIRE(h.rx_starts.size() == 1);
  REQUIRE(h.rx_oks.size() == 1);
  CHECK(h.rx_starts[0] - first == 15 + 1 + 2);
  CHECK(h.rx_oks[0] - h.rx_starts[0] == 2 * 64 + 1);
}

TEST_CASE("gmac: a bad frame is counted, not delivered, and costs no descriptor") {
  IoHarness h;
  GmacHost host(h, 3);
  host.give(7);
  const Bytes good = make_frame(me, 200, 1);
  std::vector<Bytes> bad;
  for (const unsigned bit : {0U, 47U, 800U, 1599U}) {
    bad.push_back(good);
    bad.back()[bit / 8] = static_cast<std::uint8_t>(bad.back()[bit / 8] ^ 1U << bit % 8);
  }
  for (const Bytes& f : bad) h.queue(f);
  settle(h);
  CHECK(counts(h) == Counts{0, 4, 0, 0, 0, 0, 0});
  CHECK(h.rx_errors.size() == 4);
  CHECK(h.rx_oks.empty());

  Bytes runt(good.begin(), good.begin() + 50);
  h.queue(with_fcs(good));  // 204 bytes: sound
  h.queue(runt);            // broken off
  h.queue(Bytes(good.begin(), good.begin() + 3));
  h.queue(good);
  h.receive.insert(h.receive.end() - 24, 0x13);  // half a byte more
  settle(h);
  CHECK(counts(h) == Counts{1, 5, 2, 0, 0, 0, 0});
  CHECK(same(host.frame(0), good));

  // A short frame with a good check sequence is a runt as well.
  Bytes short_frame = make_frame(me, 64, 3);
  short_frame.resize(40);
  const Bytes padded = with_fcs(short_frame);
  CHECK(padded.size() == 64);
  h.queue(padded);
  for (int i = 0; i < 5; ++i) h.receive.push_back(0x15);  // carrier without a delimiter
  for (int i = 0; i < 24; ++i) h.receive.push_back(0);
  settle(h);
  CHECK(counts(h) == Counts{2, 5, 2, 0, 0, 0, 1});
  CHECK(host.ready(1));
  CHECK_FALSE(host.ready(2));
  CHECK(h.read(g::error(0)) == 0);
}

TEST_CASE("gmac: frames of MAX_FRAME bytes pass, longer ones do not, nor past their buffer") {
  for (const std::uint32_t max : {1518U, 9018U}) {
    IoHarness h;
    GmacHost host(h, 3);
    h.write(g::max_frame(0), max);
    host.give(7);
    const std::uint64_t guard = GmacHost::rx_buffers + (max + 15) / 16 * 16;
    h.memory[guard] = 0x77;
    h.queue(make_frame(me, max + 1, 1));
    h.queue(make_frame(me, 2 * max, 2));
    h.queue(make_frame(me, max, 3));
    settle(h);
    CHECK(counts(h) == Counts{1, 0, 0, 2, 0, 0, 0});
    CHECK(same(host.frame(0), bare(make_frame(me, max, 3))));
    CHECK(h.memory[guard] == 0x77);
  }
}

TEST_CASE("gmac: addresses: mine, everybody's, groups' and others'") {
  IoHarness h;
  GmacHost host(h, 4);
  host.give(15);
  const std::uint64_t group = 0x0000005E0001;  // first byte 01: bit 0 of the first byte
  const std::vector<std::uint64_t> to{me, everybody, group, other ^ 2, me ^ 1ULL << 47};
  const auto run = [&](std::uint32_t flags) {
    h.write(g::control(0), g::control_rx_enable.mask | flags);
    const Counts before = counts(h);
    for (std::size_t i = 0; i < to.size(); ++i) h.queue(make_frame(to[i] & ~0ULL, 64, 1));
    settle(h);
    const Counts after = counts(h);
    CHECK(after.filtered - before.filtered + after.good - before.good == to.size());
    return after.good - before.good;
  };
  // `other ^ 2` begins with 04: not a group; the group begins with 01
  CHECK(run(0) == 2);
  CHECK(run(g::control_multicast.mask) == 3);
  CHECK(run(g::control_promiscuous.mask) == 5);
}

TEST_CASE("gmac: without descriptors frames wait, then are lost and told, then all goes on") {
  IoHarness h;
  GmacHost host(h, 3);
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 7; ++i) {
    frames.push_back(make_frame(me, 500, i));
    h.queue(frames.back());
  }
  h.run_until([&] { return h.receive.empty(); }, 20000, "the last nibble");
  CHECK(counts(h) == Counts{0, 0, 0, 0, 0, 0, 0});
  host.give(7);  // late, not too late: 7 x 33 words wait in 256
  settle(h);
  for (unsigned i = 0; i < 7; ++i) CHECK(same(host.frame(i), bare(frames[i])));
  CHECK(h.read(g::error(0)) == 0);

  // The ring is used up; 20 more frames of which 4 KB hold 7 and the rest is lost. Of whole words,
  // so that the last one is not what tells.
  for (unsigned i = 0; i < 20; ++i) h.queue(make_frame(me, 512, 100 + i));
  h.run_until([&] { return h.receive.empty(); }, 40000, "the last nibble");
  h.run(100);
  host.give(7);
  h.run(20000);
  for (unsigned i = 7; i < 14; ++i) CHECK(same(host.frame(i), bare(make_frame(me, 512, 93 + i))));
  host.give(7);
  settle(h);
  const Counts c = counts(h);
  CHECK(c.good + c.overrun == 27);
  CHECK(c.good == 14);
  CHECK(h.read(g::error(0)) == g::error_rx_overrun.mask);
  h.write(g::error(0), ~0U);
  h.queue(make_frame(me, 777, 5));
  settle(h);
  CHECK(same(host.frame(14), bare(make_frame(me, 777, 5))));
  CHECK(h.read(g::error(0)) == 0);
}

TEST_CASE("gmac: rings wrap, memory stutters, and nothing is lost or doubled") {
  for (const unsigned seed : {1U, 2U}) {
    IoHarness h;
    GmacHost host(h, 3);
    std::mt19937 random(seed);
    h.loopback = true;
    h.write_ready = [&] { return random() % 4 == 0; };
    h.read_ready = [&] { return random() % 3 == 0; };
    host.give(7);
    std::deque<Bytes> expected;
    unsigned sent = 0, received = 0;
    while (received < 60) {
      while (sent < 60 && sent - received < 7) {
        const Bytes f = make_frame(me, 64 + random() % (seed == 1 ? 200 : 3000), sent);
        host.send(bare(f));
        expected.push_back(bare(f));
        ++sent;
      }
      host.tx_go();
      h.run_until([&] { return host.ready(received); }, 40000, "a frame");
      CHECK(same(host.frame(received), expected.front()));
      expected.pop_front();
      ++received;
      host.give(1);
    }
    CHECK(counts(h) == Counts{60, 0, 0, 0, 0, 0, 0});
    CHECK(h.read(g::count_tx_frames(0)) == 60);
    CHECK(h.read(g::error(0)) == 0);
  }
}

TEST_CASE("gmac: a memory that is too slow breaks a frame off, and the next is whole") {
  IoHarness h;
  GmacHost host(h, 3);
  const Bytes big = bare(make_frame(other, 9018, 1)), small = bare(make_frame(other, 300, 2));
  host.send(big);
  host.send(small);
  bool stall = false;
  h.read_ready = [&] { return !stall; };
  host.tx_go();
  h.run_until([&] { return !h.sent.empty(); }, 20000, "the first frame");
  stall = true;
  h.run(10000);  // 4 KB are 8192 cycles of data
  stall = false;
  h.run_until([&] { return h.descriptors_written.size() == 2; }, 60000, "both frames");
  REQUIRE(h.sent.size() == 2);
  const Bytes cut = h.sent[0].bytes();
  CHECK(cut.size() < big.size());
  CHECK(with_fcs(bare(cut)) != cut);
  CHECK(same(h.sent[1].bytes(), with_fcs(small)));
  CHECK(host.word1(GmacHost::tx_ring, 0) == 1U << 30);
  CHECK(host.word1(GmacHost::tx_ring, 1) == 0);
  CHECK(h.read(g::error(0)) == g::error_tx_underrun.mask);
  CHECK(h.read(g::count_tx_bad(0)) == 1);
  CHECK(h.read(g::count_tx_frames(0)) == 1);
}

TEST_CASE("gmac: descriptors that cannot be, or are not the hardware's") {
  IoHarness h;
  GmacHost host(h, 3);
  const Bytes frame = bare(make_frame(other, 100, 1));
  host.send({});           // no bytes
  host.send(Bytes(9015));  // one too many
  host.send(frame);
  host.send(frame, /*own=*/false);
  host.tx_go();
  h.run(5000);
  CHECK(h.read(g::error(0)) == (g::error_tx_length.mask | g::error_tx_owner.mask));
  CHECK(h.sent.size() == 1);
  CHECK(host.word1(GmacHost::tx_ring, 0) == 1U << 30);
  CHECK(host.word1(GmacHost::tx_ring, 1) == 1U << 30);
  CHECK(host.word1(GmacHost::tx_ring, 2) == 0);
  CHECK(h.read(g::tx_head(0)) == 3);
  host.tx_tail = 3;
  host.send(frame);
  h.write(g::error(0), ~0U);
  h.run(3000);
  CHECK(h.sent.size() == 2);
  CHECK(h.read(g::error(0)) == 0);

  host.give(3, /*own=*/false);
  h.run(2000);
  CHECK(h.read(g::error(0)) == g::error_rx_owner.mask);
  host.rx_tail = 0;
  host.give(3);
  h.write(g::error(0), ~0U);
  h.queue(make_frame(me, 100, 9));
  settle(h);
  CHECK(same(host.frame(0), bare(make_frame(me, 100, 9))));
}

TEST_CASE("gmac: switched off with frames inside, it comes to rest and drops them") {
  IoHarness h;
  GmacHost host(h, 3);
  for (unsigned i = 0; i < 4; ++i) h.queue(make_frame(me, 700, i));
  h.run(2 * 2500);
  h.write(g::control(0), 0);
  h.run_until([&] { return h.receive.empty(); }, 20000, "the last nibble");
  settle(h);
  CHECK(h.read(g::status(0)) == 0);
  CHECK(counts(h).good == 0);
  host.give(7);
  h.write(g::control(0), g::control_rx_enable.mask);
  h.run(20);
  h.queue(make_frame(me, 333, 9));
  settle(h);
  CHECK(counts(h).good == 1);
  CHECK(same(host.frame(0), bare(make_frame(me, 333, 9))));
}

TEST_CASE("gmac: interrupts") {
  IoHarness h;
  GmacHost host(h, 3);
  h.write(g::interrupt_enable(0), g::interrupt_enable_rx_done.mask);
  host.send(bare(make_frame(other, 100, 1)));
  host.tx_go();
  h.run(3000);
  CHECK(h.irq() == 0);
  CHECK(h.read(g::interrupt(0)) == g::interrupt_tx_done.mask);
  h.write(g::interrupt_enable(0), g::interrupt_enable_tx_done.mask);
  CHECK(h.irq() == 4);
  h.write(g::interrupt(0), g::interrupt_tx_done.mask);
  CHECK(h.irq() == 0);
  h.write(g::interrupt_enable(0),
          g::interrupt_enable_rx_done.mask | g::interrupt_enable_error.mask);
  host.give(3);
  h.queue(make_frame(other, 100, 2));
  settle(h);
  CHECK(h.irq() == 0);
  h.queue(make_frame(me, 100, 2));
  settle(h);
  CHECK(h.irq() == 4);
  h.write(g::interrupt(0), ~0U);
  CHECK(h.irq() == 0);
  host.give(1, false);
  h.queue(make_frame(me, 100, 2));
  settle(h);
  h.write(g::interrupt(0), ~0U);
  CHECK(h.irq() == 0);
  CHECK(h.read(g::error(0)) == 0);
  h.queue(make_frame(me, 100, 3));  // the last good descriptor: the next one is reached
  settle(h);
  h.write(g::interrupt(0), ~0U);
  CHECK(h.irq() == 4);
  CHECK(h.read(g::error(0)) == g::error_rx_owner.mask);
}

TEST_CASE("gmac: registers refuse what cannot be") {
  IoHarness h;
  for (const std::uint32_t a : {g::status(0), g::tx_head(0), g::rx_head(0), g::count_tx_frames(0)})
    CHECK(h.access(true, a, 1).refused);
  for (const std::uint32_t bad : {0U, 2U, 13U}) {
    CHECK(h.access(true, g::tx_size(0), bad).refused);
    CHECK(h.access(true, g::rx_size(0), bad).refused);
  }
  for (const std::uint32_t bad : {63U, 16257U, 0x10000U + 1518U})
    CHECK(h.access(true, g::max_frame(0), bad).refused);
  CHECK(h.access(true, g::tx_size(0), 0x13).refused);
  CHECK(h.access(true, g::tx_tail(0), 8).refused);
  CHECK(h.access(true, g::rx_tail(0), 8).refused);
  CHECK(h.access(false, g::count_rx_false(0) + 1).refused);
  CHECK(h.read(g::max_frame(0)) == 9018);
  CHECK(h.read(g::tx_size(0)) == 3);
}

}  // namespace
