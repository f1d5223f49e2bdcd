// SPDX-License-Identifier: Apache-2.0
#include "sw/host/noisy_port.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sw/host/errors.hpp"

using namespace ht;
using namespace ht::host;

namespace {

/// Time and nothing else; wait() takes as long as it is told.
class Clock final : public HardwarePort {
 public:
  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override {
    CHECK(duration >= 0);
    now_ += duration;
  }
  void pause(Picoseconds duration) override {
    paused += duration;
    advance(duration);
  }
  void wait(std::string_view) override { now_ += wait_takes; }
  std::uint32_t read_register(std::uint32_t address) override { return address + 1; }
  void write_register(std::uint32_t, std::uint32_t value) override { written = value; }
  bool interrupt() const override { return true; }
  NodeMemory& memory() override { throw std::logic_error("none"); }
  Picoseconds wait_takes = 0, paused = 0;
  std::uint32_t written = 0;

 private:
  Picoseconds now_ = 0;
};

}  // namespace

TEST_CASE("Noise stretches computing by exactly the interruptions, whatever the pieces") {
  const OsNoise noise{1'000'000, 10'000, 160'000, 5, 0};
  Picoseconds whole = 0;
  for (const Picoseconds piece :
       {Picoseconds{100'000'000}, Picoseconds{777}, Picoseconds{50'000}}) {
    Clock clock;
    NoisyPort port(clock, noise, 3);
    Picoseconds done = 0;
    for (; done < 100'000'000; done += piece) port.advance(std::min(piece, 100'000'000 - done));
    CHECK(port.now() == 100'000'000 + port.lost());
    Clock pausing;
    NoisyPort pauses(pausing, noise, 3);
    for (done = 0; done < 100'000'000; done += piece)
      pauses.pause(std::min(piece, 100'000'000 - done));
    CHECK(pauses.now() == port.now());
    CHECK(pausing.paused == 100'000'000);
    CHECK(clock.paused == 0);
    if (whole == 0) whole = port.now();
    CHECK(port.now() == whole);
    // About 100 interruptions of 10 to 160 us, evenly by logarithm over four octaves: 56 us.
    CHECK(port.interruptions() > 80);
    CHECK(port.interruptions() < 120);
    const double mean =
        static_cast<double>(port.lost()) / static_cast<double>(port.interruptions());
    CHECK(mean > 45'000);
    CHECK(mean < 68'000);
  }
}

TEST_CASE(
    "Noise differs from node to node and seed to seed, and no interruption is out of bounds") {
  const auto times = [](std::uint64_t seed, std::uint32_t node) {
    Clock clock;
    NoisyPort port(clock, {1'000'000, 20'000, 70'000, seed, 0}, node);
    std::vector<Picoseconds> lost;
    Picoseconds before = 0;
    for (int i = 0; i < 200'000; ++i) {
      port.advance(100);
      if (port.lost() == before) continue;
      lost.push_back(port.lost() - before);
      before = port.lost();
    }
    for (const Picoseconds l : lost) {
      CHECK(l >= 20'000);
      CHECK(l <= 70'000);
    }
    return lost;
  };
  const auto a = times(1, 0);
  CHECK(a == times(1, 0));
  CHECK(a != times(1, 1));
  CHECK(a != times(2, 0));
}

TEST_CASE("Noise while a program waits for hardware costs it only what is left of it") {
  const OsNoise noise{1'000'000, 100'000, 100'000, 9, 0};
  Clock clock;
  NoisyPort port(clock, noise, 0);
  clock.wait_takes = 10'000'000;
  for (int i = 0; i < 100; ++i) port.wait("something");
  CHECK(port.interruptions() > 500);
  // 100 waits end at moments of which one in eleven is inside an interruption.
  CHECK(port.lost() > 0);
  CHECK(port.lost() < 30 * 100'000);
  CHECK(port.now() == 100 * 10'000'000 + port.lost());
  CHECK(port.read_register(4) == 5);
  port.write_register(1, 77);
  CHECK(clock.written == 77);
  CHECK(port.interrupt());
}

TEST_CASE("Noise begins when it is said to") {
  Clock clock;
  NoisyPort port(clock, {1'000, 10'000, 10'000, 1, 5'000'000}, 0);
  port.advance(5'000'000);
  CHECK(port.interruptions() == 0);
  port.advance(10'000);
  CHECK(port.interruptions() > 0);
}

TEST_CASE("Noise that makes no sense is refused") {
  Clock clock;
  CHECK_THROWS_AS(NoisyPort(clock, {0, 1, 1, 1, 0}, 0), UsageError);
  CHECK_THROWS_AS(NoisyPort(clock, {1, 0, 1, 1, 0}, 0), UsageError);
  CHECK_THROWS_AS(NoisyPort(clock, {1, 2, 1, 1, 0}, 0), UsageError);
}
