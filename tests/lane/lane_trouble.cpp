// SPDX-License-Identifier: Apache-2.0
#include "tests/lane/lane_trouble.hpp"

#include <catch2/catch.hpp>

namespace ht::test {
namespace {

template <typename F>
void each_line(LanePair& pair, F f) {
  for (const unsigned end : {0U, 1U}) {
    for (unsigned lane = 0; lane < pair.lanes(end); ++lane) f(pair.line(end, lane));
  }
}

}  // namespace

PairOptions LaneTrouble::options(Shape shape, Femtoseconds period, unsigned every) {
  std::uniform_real_distribution<double> ppm(-300, 300);
  PairOptions options;
  options.shape = shape;
  options.ppm = {ppm(random_), ppm(random_)};
  // the most that is allowed, in either direction, as often as anything else
  if (pick(3) == 0) options.ppm = {300, -300};
  if (pick(3) == 0) options.ppm = {-300, 300};
  options.period = period;
  options.phase = pick(static_cast<unsigned>(period / 1000)) * Femtoseconds{1000};
  options.every = every;
  options.seed = seed_;
  return options;
}

void LaneTrouble::draw_lines(LanePair& pair) {
  pair.draw_lines(pick(14));
  const Femtoseconds jitter = pick(2) * pair.word_time() / 4;
  each_line(pair, [&](LaneLine& line) { line.jitter = jitter; });
}

void LaneTrouble::cut(LaneLine& line, unsigned kind) {
  // 0: the receiver sees it; 1 to 3: zeros, ones, noise that it takes for a signal; 4: its clock
  // stands
  line.signal = kind != 0;
  line.cut = kind < 4;
  line.dead = kind == 2 ? 1 : kind == 3 ? 2 : 0;
  line.clock = kind != 4;
}

void LaneTrouble::happen(LanePair& pair) {
  const unsigned end = pick(2), kind = pick(5);
  switch (pick(8)) {
    case 0:
    case 1:
      if (!flips_) break;
      for (unsigned lane = 0; lane < pair.lanes(end); ++lane) {
        if (pick(2) == 0) pair.line(end, lane).bit_errors = 1.0 / (300.0 * 10 * pair.bytes(end));
      }
      break;
    case 2:
      each_line(pair, [](LaneLine& line) { line.bit_errors = 0; });
      break;
    case 3:
      ++cuts_;
      cut(pair.line(end, pick(pair.lanes(end))), kind);
      break;
    case 4:
      ++cuts_;
      for (unsigned lane = 0; lane < pair.lanes(end); ++lane) cut(pair.line(end, lane), kind);
      break;
    case 5:
      ++cuts_;
      each_line(pair, [&](LaneLine& line) { cut(line, kind); });
      break;
    default:
      mend(pair);
      break;
  }
}

void LaneTrouble::mend(LanePair& pair) {
  each_line(pair, [&](LaneLine& line) {
    line.bit_errors = 0;
    if (line.signal && !line.cut && line.clock) return;
    line.signal = true;
    line.cut = false;
    line.clock = true;
    line.offset = pick(10);
  });
}

void Happened::add(const LaneTrouble& trouble, LanePair& pair) {
  CHECK(pair.count_late(0) + pair.count_late(1) == 0);
  cuts += trouble.cuts();
  each_line(pair, [&](const LaneLine& line) { flipped += line.flipped; });
  for (const unsigned end : {0U, 1U}) adjusted += pair.count_added(end) + pair.count_dropped(end);
}

void Happened::check(unsigned trials, bool flips) const {
  CAPTURE(cuts, flipped, retransmitted, trainings, adjusted);
  CHECK(cuts >= trials);
  CHECK(flipped >= (flips ? trials : 0));
  CHECK(retransmitted >= trials);
  CHECK(trainings >= trials);
  CHECK(adjusted >= trials);
}

void PauseWatch::look(bool starts, bool idle, bool pause) {
  pauses_ += pause && !asked_ ? 1 : 0;
  asked_ = pause;
  if (starts) starts_.push_back(count_);
  idle_ += idle ? 1 : 0;
  ++count_;
}

void PauseWatch::check(std::uint64_t often) const {
  // one that was asked for as this ends may not have been left yet
  CHECK(idle_ + 2 >= 2 * pauses_);
  CHECK(idle_ <= 2 * pauses_ + 2);
  CHECK(pauses_ >= count_ / often);
  CHECK(1000 * idle_ <= 5 * count_);
}

}  // namespace ht::test
