// SPDX-License-Identifier: Apache-2.0
// signal_capture behind a register_crossing, over many ratios and phases of the two clocks: what it
// holds is what the signals did, sample by sample, whatever triggers it and however often its ring
// and its time go round.
#include <Vsignal_capture_top.h>
#include <verilated.h>

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "sw/common/registers.hpp"

namespace {

namespace reg = ht::common::registers::signal_capture;
using Signals = std::uint64_t;

constexpr std::uint32_t arm = 1, stop = 2;
constexpr std::uint32_t idle = 0, armed = 1, triggered = 2, full = 3;
constexpr unsigned width = 40, time_bits = 5, places = 16;
constexpr Signals all_signals = (Signals{1} << width) - 1;

struct Trigger {
  Signals value = 0, mask = 0, change = 0;
  bool operator()(Signals now, Signals before) const {
    return ((now ^ value) & mask) == 0 && (change == 0 || ((now ^ before) & change) != 0);
  }
};

struct Sample {
  std::uint32_t time = 0;
  Signals signals = 0;
  bool operator==(const Sample& o) const { return time == o.time && signals == o.signals; }
};

/// The cell, its registers' clock a, its signals' clock b.
class Bench {
 public:
  Bench(unsigned period_a, unsigned period_b, unsigned phase, int seed)
      : context_(std::make_unique<VerilatedContext>()),
        random(static_cast<unsigned>(seed)),
        period_{period_a, period_b},
        next_{period_a, phase + 1} {
    constexpr int random_bits = 2;
    context_->randReset(random_bits);
    context_->randSeed(seed);
    dut_ = std::make_unique<Vsignal_capture_top>(context_.get());
    dut_->valid = dut_->write = 0;
    dut_->a_clk = dut_->b_clk = 0;
    dut_->a_rst = dut_->b_rst = 1;
    run(5);
    dut_->a_rst = dut_->b_rst = 0;
    run(5);
  }
  ~Bench() { dut_->final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::uint32_t read(std::uint32_t address) { return access(false, address, 0); }
  void write(std::uint32_t address, std::uint32_t value) { access(true, address, value); }
  std::uint32_t state() { return read(reg::status) & 3; }

  void set(const Trigger& t) {
    for (unsigned word = 0; word < 2; ++word) {
      write(reg::word, word);
      write(reg::value, static_cast<std::uint32_t>(t.value >> 32 * word));
      write(reg::mask, static_cast<std::uint32_t>(t.mask >> 32 * word));
      write(reg::change, static_cast<std::uint32_t>(t.change >> 32 * word));
    }
  }

  /// All that is kept, the oldest first.
  std::vector<Sample> samples() {
    const std::uint32_t next = read(reg::position) >> 16;
    const bool wrapped = (read(reg::status) & 4) != 0;
    std::vector<Sample> kept;
    for (std::uint32_t i = wrapped ? 0 : places - next; i < places; ++i) {
      write(reg::sample, (next + i) % places);
      const std::uint32_t upper = read(reg::data1);
      kept.push_back(
          {upper >> (width - 32) & 0x1F, read(reg::data0) | Signals{upper & 0xFF} << 32});
      REQUIRE((upper >> (width - 32 + time_bits)) == 0);
      REQUIRE(read(reg::data2) == 0);
      REQUIRE(read(reg::data3) == 0);
    }
    return kept;
  }

  void run(unsigned cycles) {
    for (const std::size_t ends = history[0].size() + cycles; history[0].size() < ends;) step();
  }

  /// Of each group of signals what it was in each cycle of b.
  std::array<std::vector<Signals>, 2> history;
  std::size_t written = 0;     ///< cycle of b in which a register was last written
  std::size_t commanded = 0;   ///< the same of CONTROL
  double activity = 0.3;       ///< how likely a signal changes in a cycle
  Signals busy = all_signals;  ///< those that may

 private:
  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t value) {
    dut_->valid = 1;
    dut_->write = write;
    dut_->address = static_cast<std::uint8_t>(address);
    dut_->wdata = value;
    dut_->eval();
    for (int patience = 0; !acknowledged_; ++patience) {
      REQUIRE(patience < 1000);
      step();
    }
    acknowledged_ = false;
    if (error_) throw std::runtime_error("refused");
    return rdata_;
  }

  void step() {
    const std::uint64_t now = std::min(next_[0], next_[1]);
    const bool a = next_[0] == now;
    const bool b = next_[1] == now;
    if (a) dut_->a_clk = 0;
    if (b) dut_->b_clk = 0;
    dut_->eval();
    if (a && dut_->valid && dut_->ack) {
      acknowledged_ = true;
      rdata_ = dut_->rdata;
      error_ = dut_->error != 0;
    }
    if (b) {
      history[0].push_back(dut_->probes_0);
      history[1].push_back(dut_->probes_1);
      if (dut_->reg_valid && dut_->reg_write) written = history[0].size() - 1;
      if (written == history[0].size() - 1 && dut_->reg_address == reg::control)
        commanded = written;
    }
    if (a) dut_->a_clk = 1;
    if (b) dut_->b_clk = 1;
    dut_->eval();
    if (a && acknowledged_) dut_->valid = 0;
    if (b) {
      dut_->probes_0 = next(dut_->probes_0);
      dut_->probes_1 = next(dut_->probes_1);
    }
    dut_->eval();
    if (a) next_[0] += period_[0];
    if (b) next_[1] += period_[1];
  }
  Signals next(Signals now) {
    if (std::uniform_real_distribution<>()(random) >= activity) return now & all_signals;
    const Signals bit = Signals{1} << random() % width;
    return (now ^ (bit & busy)) & all_signals;
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vsignal_capture_top> dut_;
  bool acknowledged_ = false, error_ = false;
  std::uint32_t rdata_ = 0;

 public:
  std::mt19937 random;

 private:
  std::array<std::uint64_t, 2> period_, next_;
};

/// What should be kept of signals: armed in one cycle, stopped in another one unless it was full.
struct Expected {
  std::vector<Sample> samples;
  std::optional<std::size_t> trigger;
  bool full = false;

  Expected(const std::vector<Signals>& history, std::size_t arm_cycle, std::size_t stop_cycle,
           const Trigger& fires, std::size_t after) {
    for (std::size_t n = arm_cycle + 1; n <= stop_cycle && !full; ++n) {
      const Signals now = history[n - 2];
      const Signals before = history[n - 3];
      const auto time = static_cast<std::uint32_t>((n - arm_cycle - 1) % (1U << time_bits));
      const bool now_triggers = !trigger && fires(now, before);
      if (!now_triggers && now == before && time != 0) continue;
      if (now_triggers) trigger = samples.size();
      samples.push_back({time, now});
      full = trigger && samples.size() - 1 == *trigger + after;
    }
  }
  std::vector<Sample> kept() const {
    const auto dropped = samples.size() > places ? samples.size() - places : 0;
    return {samples.begin() + static_cast<std::ptrdiff_t>(dropped), samples.end()};
  }
};

template <typename F>
void over_clocks(F f) {
  for (const unsigned period_b : {4000U, 4800U, 4801U, 6024U, 1300U, 19000U}) {
    for (unsigned phase = 0; phase < 5000; phase += 1111) {
      INFO("clock periods 4800 and " << period_b << ", phase " << phase);
      Bench bench(4800, period_b, phase, static_cast<int>(phase + period_b));
      f(bench);
    }
  }
}

Trigger draw(std::mt19937& random) {
  const auto some = [&random] { return Signals{1} << random() % width; };
  Trigger t;
  t.value = (Signals{random()} << 20 ^ random()) & all_signals;
  if (random() % 2 != 0) t.mask = some() | some();
  if (random() % 2 != 0) t.change = some() | some();
  return t;
}

}  // namespace

TEST_CASE("signal_capture: what it keeps is what the signals did, before and after any trigger") {
  unsigned in_all = 0, wrapped = 0, untriggered = 0, quiet = 0;
  over_clocks([&](Bench& bench) {
    for (int n = 0; n < 12; ++n) {
      bench.activity = n % 4 == 0 ? 0.02 : n % 4 == 1 ? 1.0 : 0.3;
      bench.busy = n % 5 == 4 ? 0xFF : all_signals;
      const Trigger trigger = draw(bench.random);
      const unsigned source = bench.random() % 2;
      const unsigned after = bench.random() % places;
      bench.set(trigger);
      bench.write(reg::source, source);
      bench.write(reg::after, after);
      bench.write(reg::control, arm);
      const std::size_t arm_cycle = bench.commanded;
      for (int tries = 0; bench.state() != full && tries < 40; ++tries) bench.run(20);
      std::size_t stop_cycle = bench.history[0].size() - 1;
      const bool stopped = bench.state() != full;
      if (stopped) {
        bench.write(reg::control, stop);
        stop_cycle = bench.commanded;
      }
      const Expected expected(bench.history[source], arm_cycle, stop_cycle, trigger, after);
      REQUIRE((stopped || expected.full));
      REQUIRE(bench.state() == (stopped ? idle : full));
      REQUIRE(bench.samples() == expected.kept());
      REQUIRE(((bench.read(reg::status) & 4) != 0) == (expected.samples.size() >= places));
      if (expected.trigger)
        REQUIRE((bench.read(reg::position) & 0x7FFF) == *expected.trigger % places);
      ++in_all;
      wrapped += expected.samples.size() > places ? 1 : 0;
      untriggered += expected.trigger ? 0 : 1;
      quiet += bench.activity < 0.1 ? 1 : 0;
    }
  });
  // Of all kinds there were some.
  CHECK(wrapped > in_all / 10);
  CHECK(untriggered > 5);
  CHECK(quiet > in_all / 10);
}

TEST_CASE("signal_capture: armed and stopped in any state") {
  Bench bench(4800, 4801, 17, 1);
  const Trigger never{all_signals, all_signals, 0};
  bench.busy = 0xFF;
  bench.write(reg::control, stop);
  CHECK(bench.state() == idle);
  bench.set(never);
  bench.write(reg::control, arm);
  CHECK(bench.state() == armed);
  // It goes on as it was when it is armed again.
  bench.run(200);
  const std::size_t first = bench.commanded;
  bench.write(reg::control, arm);
  CHECK(bench.state() == armed);
  bench.write(reg::control, stop);
  CHECK(bench.state() == idle);
  CHECK(bench.samples() == Expected(bench.history[0], first, bench.commanded, never, 0).kept());
  // Nothing but its time: TRIGGERED for long.
  bench.activity = 0;
  bench.set({});
  bench.write(reg::after, 15);
  bench.write(reg::control, arm);
  CHECK(bench.state() == triggered);
  bench.write(reg::control, arm);
  CHECK(bench.state() == triggered);
  bench.write(reg::control, stop);
  CHECK(bench.state() == idle);
  bench.write(reg::control, arm);
  bench.run(16 * (1 << time_bits) + 10);
  CHECK(bench.state() == full);
  const auto kept = bench.samples();
  CHECK(kept.size() == places);
  for (const Sample& s : kept) CHECK(s.time == 0);
  bench.write(reg::control, stop);
  CHECK(bench.state() == idle);
  // No sample behind the trigger's.
  bench.write(reg::after, 0);
  bench.write(reg::control, arm);
  CHECK(bench.state() == full);
  CHECK(bench.samples().size() == 1);
  bench.write(reg::control, arm | stop);
  CHECK(bench.state() == idle);
}

TEST_CASE("signal_capture: a trigger that is changed while signals stand still has its sample") {
  Bench bench(4800, 4801, 17, 3);
  bench.activity = 0;
  bench.set({0, 0, 1});
  bench.write(reg::control, arm);
  CHECK(bench.state() == armed);
  bench.write(reg::word, 0);
  bench.write(reg::change, 0);
  const auto cycle = bench.written + 2 - bench.commanded - 1;
  CHECK(bench.state() == full);
  CHECK(cycle % (1U << time_bits) != 0);
  CHECK(bench.samples().back().time == cycle % (1U << time_bits));
  CHECK(bench.samples().size() == (bench.read(reg::position) & 0xF) + 1);
}

TEST_CASE("signal_capture: its registers") {
  Bench bench(4800, 6024, 3, 2);
  CHECK(bench.read(reg::shape) == (width | time_bits << 8 | 4U << 16 | 2U << 20));
  CHECK(bench.read(reg::signals) == 0xC0FFEE00);
  for (const auto& r : reg::all) {
    if (r.access == ht::host::Access::ReadOnly) {
      CHECK_THROWS(bench.write(r.address, 1));
    } else {
      bench.write(r.address, 0xFFFFFFFC);
      const bool of_ring = r.address == reg::after || r.address == reg::sample;
      const std::uint32_t reads = r.access == ht::host::Access::WriteOnly ? 0
                                  : of_ring                               ? 0xC
                                  : r.address == reg::source              ? 0xC
                                                                          : 0;
      CHECK(bench.read(r.address) == reads);
    }
  }
  // A group that is not there has no signals.
  bench.activity = 1.0;
  bench.set({});
  bench.write(reg::source, 2);
  bench.write(reg::after, 3);
  bench.write(reg::control, arm);
  bench.run(200);
  for (const Sample& s : bench.samples()) CHECK(s.signals == 0);
}
