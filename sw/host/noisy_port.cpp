// SPDX-License-Identifier: Apache-2.0
#include "sw/host/noisy_port.hpp"

#include <Random123/philox.h>

#include <algorithm>

#include "sw/host/errors.hpp"

namespace ht::host {

void OsNoise::check() const {
  if (mean_interval <= 0 || shortest <= 0 || longest < shortest)
    throw UsageError(
        "noise of the operating system: interval and durations above 0, the longest not below the "
        "shortest");
}

NoisyPort::NoisyPort(HardwarePort& port, const OsNoise& noise, std::uint32_t node)
    : port_(port), noise_(noise), node_(node) {
  noise_.check();
  draw(std::max(port.now(), noise_.begin));
}

void NoisyPort::draw(Picoseconds from) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto r = r123::Philox4x32()({{low(count_), low(count_ >> 32), node_, 0x6e6f6973}},
                                    {{low(noise_.seed), low(noise_.seed >> 32)}});
  // Evenly from 0 to twice the mean.
  const auto part = [](Picoseconds of, std::uint32_t random) {
    return static_cast<Picoseconds>(static_cast<unsigned __int128>(of) * random >> 32);
  };
  start_ = from + 1 + part(2 * noise_.mean_interval, r[0]);
  // An octave, then a place in it: no logarithms, whose bits differ between computers.
  std::uint32_t octaves = 0;
  while (noise_.shortest << (octaves + 1) <= noise_.longest) ++octaves;
  const Picoseconds base = noise_.shortest << (octaves == 0 ? 0 : r[1] % octaves);
  end_ = start_ + (octaves == 0 ? base + part(noise_.longest - base, r[2])
                                : std::min(noise_.longest, base + part(base, r[2])));
}

void NoisyPort::give_way() {
  for (; port_.now() >= start_; draw(end_)) {
    ++count_;
    if (const Picoseconds now = port_.now(); now < end_) {
      lost_ += end_ - now;
      port_.advance(end_ - now);
    }
  }
}

template <typename Pass>
void NoisyPort::pass(Picoseconds duration, const Pass& pass_piece) {
  give_way();
  while (duration > 0) {
    const Picoseconds piece = std::min(duration, start_ - port_.now());
    pass_piece(piece);
    duration -= piece;
    give_way();
  }
}

void NoisyPort::pause(Picoseconds duration) {
  pass(duration, [this](Picoseconds piece) { port_.pause(piece); });
}

void NoisyPort::compute(Picoseconds duration, double memory_share) {
  pass(duration, [&](Picoseconds piece) { port_.compute(piece, memory_share); });
}

void NoisyPort::wait(std::string_view what) {
  give_way();
  port_.wait(what);
  give_way();
}

std::uint32_t NoisyPort::read_register(std::uint32_t address) {
  give_way();
  return port_.read_register(address);
}

void NoisyPort::write_register(std::uint32_t address, std::uint32_t value) {
  give_way();
  port_.write_register(address, value);
}

std::uint64_t NoisyPort::post_write(unsigned queue, std::uint64_t address, std::uint64_t source,
                                    std::uint64_t bytes) {
  give_way();
  return port_.post_write(queue, address, source, bytes);
}

}  // namespace ht::host
