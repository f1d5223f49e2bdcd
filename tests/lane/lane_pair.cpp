// SPDX-License-Identifier: Apache-2.0
#include "tests/lane/lane_pair.hpp"

#include <algorithm>

#include "tests/support/power_on.hpp"

namespace ht::test {

LanePair::LanePair(const PairOptions& options) : options_(options), random_(options.seed) {
  for (unsigned i = 0; i < 2; ++i) {
    End& end = ends_[i];
    end.bundle = sim::lanes::make_bundle(
        i == 1 && options.other.bytes != 0 ? options.other : options.shape, power_on_state());
    end.period = static_cast<double>(options.period) / (1 + 1e-6 * options.ppm[i]);
    end.exact = static_cast<double>(i == 0 ? 0 : options.phase);
    end.next = static_cast<Femtoseconds>(end.exact);
    end.in.tx = idle_word(end.bundle->bytes());
    source[i] = [word = end.in.tx](const BundleOutputs&) { return word; };
    sink[i] = [](const Word&) {};
  }
  for (unsigned i = 0; i < 2; ++i) {
    ends_[i].lines.resize(std::min(lanes(i), lanes(1 - i)));
    for (unsigned l = 0; l < ends_[i].lines.size(); ++l) {
      ends_[i].lines[l].from = l;
      ends_[i].in.rx_signal |= 1U << l;
    }
  }
}

LanePair::~LanePair() = default;

void LanePair::draw_lines(double skew) {
  const auto word = static_cast<double>(options_.period) * options_.every;
  for (End& end : ends_) {
    for (LaneLine& line : end.lines) {
      line.delay = 1'000'000 + static_cast<Femtoseconds>(
                                   std::uniform_real_distribution<double>(0, skew)(random_) * word);
      line.offset = static_cast<unsigned>(random_() % end.bundle->width());
    }
  }
}

// The bits of a word go into the other end's lines; whenever a line has a whole word of the
// receiver's, its clock has an edge.
void LanePair::send(unsigned i, Femtoseconds now) {
  End& to = ends_[1 - i];
  const unsigned from_width = ends_[i].bundle->width(), width = to.bundle->width();
  for (LaneLine& line : to.lines) {
    if (line.drop_words > 0) {
      --line.drop_words;
      continue;
    }
    for (unsigned b = 0; b < from_width; ++b) {
      if (line.drop_bits > 0) {
        --line.drop_bits;
        continue;
      }
      bool bit = bit_of(ends_[i].out.tx, line.from * from_width + b);
      if (line.inverted) bit = !bit;
      if (line.cut) bit = line.dead == 2 ? (random_() & 1U) != 0 : line.dead == 1;
      const bool flip =
          line.bits++ == line.flips_at ||
          (line.bit_errors > 0 && std::bernoulli_distribution(line.bit_errors)(random_));
      line.flipped += flip ? 1 : 0;
      line.line.push_back(bit != flip);
    }
    while (line.line.size() >= width + line.offset) {
      Bits word{};
      for (unsigned b = 0; b < width; ++b) word[b / 32] |= (line.line[b] ? 1U : 0U) << (b % 32);
      line.line.erase(line.line.begin(), line.line.begin() + width);
      Femtoseconds at = now + line.delay;
      if (line.jitter > 0)
        at += std::uniform_int_distribution<Femtoseconds>(0, line.jitter)(random_);
      if (!line.edges.empty()) at = std::max(at, line.edges.back().first + options_.period / 4);
      if (line.clock) line.edges.emplace_back(at, word);
    }
  }
}

void LanePair::receive(unsigned i, unsigned lane) {
  End& end = ends_[i];
  LaneLine& line = end.lines[lane];
  const unsigned width = end.bundle->width();
  const Bits word = line.edges.front().second;
  line.edges.pop_front();
  for (unsigned b = 0; b < width; ++b) {
    const unsigned at = lane * width + b;
    const std::uint32_t mask = 1U << (at % 32);
    end.in.rx[at / 32] = bit_of(word, b) ? end.in.rx[at / 32] | mask : end.in.rx[at / 32] & ~mask;
  }
  end.in.rx_valid |= 1U << lane;
  end.in.rx_signal = line.signal ? end.in.rx_signal | 1U << lane : end.in.rx_signal & ~(1U << lane);
  end.bundle->eval(false, end.in);
  end.in.rx_clk |= 1U << lane;
  end.bundle->eval(false, end.in);
  end.in.rx_clk &= ~(1U << lane);
}

void LanePair::clock(unsigned i) {
  End& end = ends_[i];
  const Femtoseconds now = end.next;
  end.in.rst = end.resetting > 0;
  if (end.resetting > 0) --end.resetting;
  end.in.en = end.cycle == 0;
  end.cycle = (end.cycle + 1) % options_.every;
  for (unsigned l = 0; l < end.lines.size(); ++l) {
    const LaneLine& line = end.lines[l];
    end.in.rx_signal = line.signal ? end.in.rx_signal | 1U << l : end.in.rx_signal & ~(1U << l);
  }
  end.bundle->eval(false, end.in);
  end.out = end.bundle->outputs();
  if (tick[i]) tick[i](end.out, end.in.en);
  if (end.out.rx_strobe && !end.in.rst) sink[i](end.out.rx);
  if (end.in.en) {
    end.in.tx = source[i](end.out);
    ++end.words;
    send(i, now);
  }
  if (!end.in.rst) {
    end.added += end.out.added ? 1 : 0;
    end.dropped += end.out.dropped ? 1 : 0;
    end.lost += end.out.lost ? 1 : 0;
    end.bad += end.out.bad != 0 ? 1 : 0;
    end.late += end.out.late ? 1 : 0;
  }
  end.bundle->eval(true, end.in);
  end.bundle->eval(false, end.in);
  end.exact += end.period;
  end.next = static_cast<Femtoseconds>(end.exact);
}

void LanePair::step() {
  unsigned end = ends_[0].next <= ends_[1].next ? 0 : 1;
  Femtoseconds at = ends_[end].next;
  int lane = -1;
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned l = 0; l < ends_[i].lines.size(); ++l) {
      const LaneLine& line = ends_[i].lines[l];
      if (!line.edges.empty() && line.edges.front().first < at) {
        at = line.edges.front().first;
        end = i;
        lane = static_cast<int>(l);
      }
    }
  }
  if (lane < 0) {
    clock(end);
  } else {
    receive(end, static_cast<unsigned>(lane));
  }
}

void LanePair::run(std::uint64_t words) {
  const auto until = ends_[0].words + words;
  while (ends_[0].words < until) step();
}

bool LanePair::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  const auto until = ends_[0].words + limit;
  while (!done()) {
    if (ends_[0].words >= until) return false;
    step();
  }
  return true;
}

bool LanePair::bring_up(std::uint64_t limit) {
  return run_until([&] { return up(); }, limit);
}

void LanePair::reset(unsigned end, unsigned cycles) {
  ends_[end].resetting = cycles * options_.every;
  ends_[end].out = {};
}

}  // namespace ht::test
