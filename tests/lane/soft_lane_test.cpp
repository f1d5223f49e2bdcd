// SPDX-License-Identifier: Apache-2.0
// Words onto a pin and off it again, without a transceiver: any phase of the two clocks of a
// sender, a receiver's clock of its own, edges out of place.
#include <Vlane_deserialise.h>
#include <Vlane_serialise.h>
#include <verilated.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/test_seed.hpp"

namespace {

constexpr int kWidth = 10, kSamples = 4;
constexpr double kBit = 20'000.0;  // ps

/// Bits out of one, words into the other, as strings of 0 and 1.
struct Line {
  double phase = 0;   ///< of words against bits, bits
  double ppm = 0;     ///< the receiver's clock is that much slower
  double jitter = 0;  ///< of each sample, at most, bits
  std::uint64_t seed = 1;
  std::string sent, received;
  unsigned signals = 0;  ///< words with which the receiver said that there is a signal

  void run(int words) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(static_cast<int>(seed % 1'000'000 + 1));
    Vlane_serialise out(&context);
    Vlane_deserialise in(&context);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> noise(-jitter, jitter);
    const auto rising = [](auto& top, auto& pin) {
      pin = 1;
      top.eval();
      pin = 0;
      top.eval();
    };
    std::vector<std::pair<double, bool>> levels{{0.0, false}};  // times at which the pin changes
    const auto level_at = [&](double time) {
      std::size_t i = levels.size();
      while (i > 1 && levels[i - 1].first > time) --i;
      return levels[i - 1].second;
    };
    double bit_at = kBit, word_at = kBit * (1 + phase), sample_at = 3.3 * kBit;
    const double sample = kBit * (1 + ppm * 1e-6) / kSamples;
    unsigned samples = 0, taken = 0;
    in.rst = 1;
    for (int n = 0; n < words;) {
      if (word_at <= bit_at && word_at <= sample_at - kBit) {
        rising(out, out.clk);
        const std::uint64_t word = random() & ((1U << kWidth) - 1);
        out.word = static_cast<SData>(word);
        out.eval();
        for (int b = 0; b < kWidth; ++b) sent += (word >> b & 1) != 0 ? '1' : '0';
        word_at += kWidth * kBit;
        ++n;
      } else if (bit_at <= sample_at - kBit) {
        rising(out, out.bit_clk);
        if ((out.line != 0) != levels.back().second) levels.emplace_back(bit_at, out.line != 0);
        if (levels.size() > 64) levels.erase(levels.begin(), levels.end() - 32);
        bit_at += kBit;
      } else {
        // samples lag the sender by a bit, so that jitter looks at what is known
        samples =
            (samples << 1 | (level_at(sample_at - kBit + noise(random) * kBit) ? 1U : 0U)) & 15U;
        sample_at += sample;
        if (++taken % kSamples != 0) continue;
        in.samples = static_cast<CData>(samples);
        in.rst = taken < 16;
        rising(in, in.bit_clk);
        if (in.valid != 0) {
          for (int b = 0; b < kWidth; ++b) received += (in.word >> b & 1) != 0 ? '1' : '0';
          signals += in.signal != 0;
        }
      }
    }
  }

  /// Whether all that was sent, but for the beginning and what is still on its way, came.
  bool arrived() const {
    const std::size_t settled = 2000, rest = 100;
    if (received.size() < settled + 1000) return false;
    const std::string tail = received.substr(settled);
    // where the receiver's bits lie among those that were sent
    const std::size_t at = sent.find(tail.substr(0, 200));
    if (at == std::string::npos) return false;
    const std::size_t n = std::min(tail.size(), sent.size() - at);
    return n + at + rest >= sent.size() && tail.compare(0, n, sent, at, n) == 0;
  }
};

}  // namespace

TEST_CASE("soft lanes: every bit arrives, whatever the phases and clocks") {
  const std::uint64_t seed = ht::test::test_seed();
  std::mt19937_64 draw(seed);
  for (int i = 0; i < 40; ++i) {
    Line line;
    line.phase = std::uniform_real_distribution<double>(0, kWidth)(draw);
    line.ppm = std::uniform_real_distribution<double>(-600, 600)(draw);
    line.jitter = std::uniform_real_distribution<double>(0, 0.12)(draw);
    line.seed = draw();
    INFO("seed " << seed << ", phase " << line.phase << " bits, " << line.ppm << " ppm, jitter "
                 << line.jitter);
    line.run(4000);
    CHECK(line.arrived());
    CHECK(line.signals + 5 > line.received.size() / kWidth);
  }
}

TEST_CASE("soft lanes: at every eighth of a bit between the two clocks of a sender") {
  for (int eighth = 0; eighth < 8 * kWidth; ++eighth) {
    Line line;
    line.phase = eighth / 8.0;
    line.seed = static_cast<std::uint64_t>(eighth) + 1;
    INFO("phase " << line.phase << " bits");
    line.run(700);
    CHECK(line.arrived());
  }
}

TEST_CASE("soft lanes: a line that stands has no signal") {
  VerilatedContext context;
  Vlane_deserialise in(&context);
  const auto clock = [&](unsigned samples, int cycles) {
    in.samples = static_cast<CData>(samples);
    for (int i = 0; i < cycles; ++i) {
      in.bit_clk = 1;
      in.eval();
      in.bit_clk = 0;
      in.eval();
    }
  };
  const unsigned level = GENERATE(0u, 15u);
  in.rst = 1;
  clock(level, 4);
  in.rst = 0;
  clock(level, 3);
  CHECK(in.signal == 0);
  clock(level ^ 3u, 1);
  CHECK(in.signal == 1);
  clock(level, 1);
  clock(level, 63);
  CHECK(in.signal == 1);
  clock(level, 1);
  CHECK(in.signal == 0);
}
