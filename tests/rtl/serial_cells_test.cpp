// SPDX-License-Identifier: Apache-2.0
// Cells of serial lines: UARTs to the cycle, and the sampler that follows a line's edges.
#include <Vserial_cells_top.h>
#include <verilated.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace {

struct Draw {
  std::mt19937 random;
  explicit Draw(unsigned seed) : random(seed) {}
  /// 0 to below - 1.
  unsigned operator()(unsigned below) { return static_cast<unsigned>(random() % below); }
};

struct Cells {
  VerilatedContext context;
  std::unique_ptr<Vserial_cells_top> dut = std::make_unique<Vserial_cells_top>(&context);

  Cells() {
    dut->rxd = 1;
    reset();
  }
  ~Cells() { dut->final(); }
  void clock() {
    dut->clk = 0;
    dut->eval();
    dut->clk = 1;
    dut->eval();
  }
  void reset() {
    dut->rst = 1;
    clock();
    clock();
    dut->rst = 0;
  }
};

struct Format {
  unsigned divisor;
  bool parity, even;
};

/// Any, in both UARTs.
Format any_format(Cells& cells, Draw& draw) {
  const Format f{draw(8) == 0 ? 2 : 2 + draw(40), draw(2) == 0, draw(2) == 0};
  cells.dut->divisor = static_cast<std::uint16_t>(f.divisor);
  cells.dut->parity = f.parity;
  cells.dut->even = f.even;
  return f;
}

/// The bits of a character, as they are on the line: start, data, parity if there is one, stop.
std::vector<bool> line_bits(const Format& f, unsigned data) {
  std::vector<bool> bits{false};
  bool odd_ones = false;
  for (unsigned i = 0; i < 8; ++i) {
    const bool bit = (data >> i & 1) != 0;
    bits.push_back(bit);
    odd_ones = odd_ones != bit;
  }
  // Even parity: the ones, with the parity bit, are an even number.
  if (f.parity) bits.push_back(f.even ? odd_ones : !odd_ones);
  bits.push_back(true);
  return bits;
}

}  // namespace

TEST_CASE("uart_tx: every bit lasts its cycles, and characters follow without a gap") {
  Draw draw(1);
  for (int trial = 0; trial < 200; ++trial) {
    Cells c;
    const Format f = any_format(c, draw);
    c.dut->two_stop = draw(2) == 0;
    CAPTURE(f.divisor, f.parity, f.even, c.dut->two_stop);
    const unsigned before = draw(50);
    for (unsigned i = 0; i < before; ++i) {
      c.clock();
      REQUIRE(c.dut->txd == 1);
      REQUIRE(c.dut->tx_idle == 1);
    }
    const unsigned characters = 1 + draw(4);
    for (unsigned n = 0; n < characters; ++n) {
      const unsigned data = draw(256);
      auto bits = line_bits(f, data);
      if (c.dut->two_stop) bits.push_back(true);
      c.dut->tx_valid = 1;
      c.dut->tx_data = static_cast<std::uint8_t>(data);
      c.dut->eval();
      REQUIRE(c.dut->tx_take == 1);
      for (std::size_t bit = 0; bit < bits.size(); ++bit) {
        for (unsigned i = 0; i < f.divisor; ++i) {
          c.clock();
          CAPTURE(n, bit, i);
          REQUIRE(c.dut->txd == bits[bit]);
          REQUIRE(c.dut->tx_idle == 0);
          // Whoever waits is taken with the last cycle of what is sent.
          c.dut->eval();
          REQUIRE(c.dut->tx_take == (bit + 1 == bits.size() && i + 1 == f.divisor));
        }
      }
    }
    c.dut->tx_valid = 0;
    for (unsigned i = 0; i < 50; ++i) {
      c.clock();
      REQUIRE(c.dut->txd == 1);
      REQUIRE(c.dut->tx_idle == 1);
    }
  }
}

TEST_CASE("uart_rx: the line counts in the middle of a bit and nowhere else") {
  Draw draw(2);
  for (int trial = 0; trial < 2000; ++trial) {
    Cells c;
    const Format f = any_format(c, draw);
    const unsigned data = draw(4) == 0 ? 0 : draw(256);
    auto bits = line_bits(f, data);
    const bool wrong_parity = f.parity && draw(4) == 0;
    if (wrong_parity) bits[9] = !bits[9];
    const bool no_stop = draw(4) == 0;
    if (no_stop) bits.back() = false;
    const bool no_start = draw(8) == 0;
    CAPTURE(trial, f.divisor, f.parity, f.even, data, wrong_parity, no_stop, no_start);

    c.dut->rxd = 0;
    c.clock();
    const unsigned middle = f.divisor / 2;
    for (std::size_t bit = 0; bit < bits.size(); ++bit) {
      for (unsigned i = 0; i < (bit == 0 ? middle : f.divisor); ++i) {
        REQUIRE(c.dut->rx_valid == 0);
        REQUIRE(c.dut->rx_idle == 0);
        const bool sampled = i + 1 == (bit == 0 ? middle : f.divisor);
        c.dut->rxd = sampled ? (bit == 0 ? no_start : bits[bit]) : draw(2) != 0;
        c.clock();
      }
      if (no_start) break;
    }
    if (no_start) {
      c.dut->eval();
      REQUIRE(c.dut->rx_idle == 1);
      continue;
    }
    REQUIRE(c.dut->rx_valid == 1);
    REQUIRE(c.dut->rx_data == data);
    REQUIRE(c.dut->rx_parity_error == wrong_parity);
    REQUIRE(c.dut->rx_framing_error == no_stop);
    bool any = false;  // but the start bit
    for (std::size_t i = 1; i < bits.size(); ++i) any = any || bits[i];
    REQUIRE(c.dut->rx_break == !any);
    // A line that stays 0 begins nothing, until it was 1.
    c.dut->rxd = !no_stop;
    for (unsigned i = 0; i < 20 * f.divisor; ++i) {
      c.clock();
      REQUIRE(c.dut->rx_valid == 0);
      REQUIRE(c.dut->rx_idle == !no_stop);
    }
    c.dut->rxd = 1;
    c.clock();
    REQUIRE(c.dut->rx_idle == 1);
  }
}

namespace {

/// One of the two samplers. A cycle's samples: the earliest in the highest bit.
struct Sampler {
  Cells& cells;
  unsigned samples, votes;

  void feed(unsigned four_or_eight) {
    (samples == 4 ? cells.dut->samples_4 : cells.dut->samples_8) =
        static_cast<std::uint8_t>(four_or_eight);
    cells.clock();
  }
  unsigned count() const { return samples == 4 ? cells.dut->count_4 : cells.dut->count_8; }
  unsigned bits() const { return samples == 4 ? cells.dut->bits_4 : cells.dut->bits_8; }
};

/// Samples of a cycle in which the line's level changes at each of those places (bit i: before
/// sample i).
unsigned with_edges(unsigned samples, unsigned edges, bool& level) {
  unsigned word = 0;
  for (unsigned i = 0; i < samples; ++i) {
    if ((edges >> i & 1) != 0) level = !level;
    word = word << 1 | (level ? 1U : 0U);
  }
  return word;
}

/// Which sample is picked after those cycles: a cycle in which only that sample is another tells
/// it. 2 cycles later.
int picked_after(Sampler s, const std::vector<unsigned>& cycles) {
  int pick = -1;
  for (unsigned i = 0; i < s.samples; ++i) {
    s.feed(0);
    s.cells.reset();
    s.feed(0);
    bool level = false;
    for (const unsigned edges : cycles) s.feed(with_edges(s.samples, edges, level));
    const unsigned steady = level ? (1U << s.samples) - 1 : 0;
    // What was decided last is done, also where a cycle has no bit, or two.
    for (int n = 0; n < 3; ++n) s.feed(steady);
    s.feed(steady ^ 1U << (s.samples - 1 - i));
    REQUIRE((s.bits() >> 1 != 0) == level);
    s.feed(steady);
    REQUIRE(s.count() == 1);
    if ((s.bits() >> 1 != 0) != level) {
      REQUIRE(pick == -1);
      pick = static_cast<int>(i);
    }
    s.feed(steady);
    REQUIRE((s.bits() >> 1 != 0) == level);
  }
  return pick;
}

}  // namespace

TEST_CASE("bit_sampler: as many edges more of one kind as it wants move its pick by one sample") {
  Cells cells;
  for (Sampler s : {Sampler{cells, 4, 4}, Sampler{cells, 8, 1}}) {
    CAPTURE(s.samples, s.votes);
    CHECK(picked_after(s, {}) == 0);
    // Just before the pick: too early, so it goes to the next one; just after it: to the one
    // before.
    for (unsigned n = 0; n <= s.votes; ++n) {
      CAPTURE(n);
      const int moved = n == s.votes ? 1 : 0;
      const int back = moved == 0 ? 0 : static_cast<int>(s.samples) - 1;
      CHECK(picked_after(s, std::vector<unsigned>(n, 1)) == moved);
      CHECK(picked_after(s, std::vector<unsigned>(n, 2)) == back);
    }
    // Against a sequence of any edges, followed by its rule.
    Draw draw(3);
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<unsigned> cycles(draw(60));
      unsigned pick = 0, lead = 0;
      bool later = false;
      // What a cycle tells depends on the pick; most edges are those that move it.
      const unsigned towards = draw(4);
      for (unsigned& edges : cycles) {
        const unsigned here = pick, next = (pick + 1) % s.samples;
        const unsigned kind = draw(8);
        edges = kind == 0   ? 0
                : kind == 1 ? draw(1U << s.samples)
                : kind < 6  ? 1U << (towards < 2 ? here : next)
                            : 1U << (towards % 2 == 0 ? next : here);
        const bool early = (edges >> here & 1) != 0, late = (edges >> next & 1) != 0;
        const bool vote = early != late;
        if (vote && (lead == 0 || later == early)) {
          later = early;
          if (++lead == s.votes) {
            pick = later ? next : (pick + s.samples - 1) % s.samples;
            lead = 0;
          }
        } else if (edges != 0 && lead > 0) {
          --lead;
        }
      }
      CAPTURE(trial);
      REQUIRE(picked_after(s, cycles) == static_cast<int>(pick));
    }
  }
}

TEST_CASE(
    "bit_sampler: clocks that differ permanently, and noise on edges, cost no bit and add none") {
  Cells cells;
  Draw draw(4);
  for (Sampler s : {Sampler{cells, 4, 4}, Sampler{cells, 8, 1}}) {
    // Samples of a bit, over 1,000, beyond the sampler's own: to 0.5 % either way.
    for (int more = -5; more <= 5; ++more) {
      for (int trial = 0; trial < 10; ++trial) {
        CAPTURE(s.samples, more, trial);
        s.feed(0);
        cells.reset();
        const double period = s.samples * (1 + more / 1000.);
        double edge = 1 + period * draw(1000) / 1000.;  // when the bit on the line ends, in samples
        double time = 0;
        bool bit = false;
        std::vector<bool> sent, received;
        bool none = false, two = false;
        for (unsigned cycle = 0; cycle < 4000; ++cycle) {
          unsigned word = 0;
          for (unsigned i = 0; i < s.samples; ++i, ++time) {
            while (time >= edge) {
              sent.push_back(bit);
              bit = draw(2) == 0;
              edge += period;
            }
            // Just before an edge a sample may be of either bit: noise, which one vote would
            // follow.
            const bool unsure = s.votes > 1 && edge - time < 0.3;
            word = word << 1 | ((unsure ? draw(2) == 0 : bit) ? 1U : 0U);
          }
          s.feed(word);
          if (s.count() > 0) received.push_back(s.bits() >> 1 != 0);
          if (s.count() > 1) received.push_back((s.bits() & 1) != 0);
          none = none || (cycle > 200 && s.count() == 0);
          two = two || (cycle > 200 && s.count() == 2);
        }
        // It may begin on an edge, and finds its place within a few of them. After that nothing is
        // missing: what came last is what was sent last, up to the bits on their way.
        bool found = false;
        for (std::size_t late = 0; late < 5 && !found; ++late) {
          const std::size_t want = 3900;
          REQUIRE(sent.size() > want + late);
          REQUIRE(received.size() > want);
          found = std::equal(received.end() - want, received.end(),
                             sent.end() - static_cast<std::ptrdiff_t>(want + late));
        }
        CHECK(found);
        CHECK(none == (more > 0));
        CHECK(two == (more < 0));
      }
    }
  }
}
