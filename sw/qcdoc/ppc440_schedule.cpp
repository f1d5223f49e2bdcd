// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/ppc440_schedule.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "sw/qcdoc/ppc440_walk.hpp"

namespace ht::qcdoc::ppc440 {
namespace {

/// Takes instructions in order and gives each its cycle.
class Issue {
 public:
  enum class Unit : std::uint8_t { Arithmetic, LoadStore, Integer };

  /// The cycle of the next instruction, `earliest` at the least.
  std::int64_t next(Unit unit, std::int64_t earliest) {
    if (earliest > cycle_) start(earliest);
    const bool arithmetic = unit == Unit::Arithmetic, memory = unit == Unit::LoadStore;
    if (issued_ == 2 || (arithmetic && arithmetic_) || (memory && memory_)) start(cycle_ + 1);
    ++issued_;
    arithmetic_ = arithmetic_ || arithmetic;
    memory_ = memory_ || memory;
    return cycle_;
  }
  std::int64_t cycle() const { return cycle_; }

 private:
  void start(std::int64_t cycle) {
    cycle_ = cycle;
    issued_ = 0;
    arithmetic_ = memory_ = false;
  }
  std::int64_t cycle_ = 0;
  int issued_ = 0;
  bool arithmetic_ = false, memory_ = false;
};

/// The code of a kernel, loads running ahead of the arithmetic that needs them, and touches ahead
/// of those.
class Code {
 public:
  Code(const CoreTiming& core, DataMemory& memory) : core_(core), memory_(memory) {}

  std::int64_t cycle() const { return issue_.cycle(); }

  /// A repetition of a step: its loads, the touches of a later one, the stores of an earlier site.
  void run(Repetition& r, const Repetition* touched, const Repetition* stored) {
    const auto loads = static_cast<double>(r.loads.size());
    for (int i = 0; i < r.integers; ++i) issue_.next(Issue::Unit::Integer, 0);
    operations_.clear();
    const auto add = [&](Kind kind, const std::vector<std::uint64_t>& addresses) {
      double at = 0.5;
      for (const std::uint64_t a : addresses)
        operations_.push_back({at++ / static_cast<double>(addresses.size()), kind, a});
    };
    add(Kind::Load, r.loads);
    if (touched != nullptr) add(Kind::Touch, touched->touches);
    if (stored != nullptr) add(stored->to_send ? Kind::Through : Kind::Store, stored->stores);
    std::stable_sort(operations_.begin(), operations_.end(),
                     [](const Operation& a, const Operation& b) { return a.at < b.at; });
    // The arithmetic waits in a queue, a few loads behind.
    const double lag = core_.lead / std::max(1.0, std::max(loads, 1.0 * r.instructions));
    for (int i = 0; i < r.instructions; ++i)
      queue_.push_back({number_ + lag + (i + 0.5) / r.instructions, &r, i});
    auto& ready = r.ready;
    ready.clear();
    for (const Operation& o : operations_) {
      arithmetic_until(number_ + o.at);
      const std::int64_t cycle = issue_.next(Issue::Unit::LoadStore, free_);
      DataMemory::Access access{};
      switch (o.kind) {
        case Kind::Load:
          access = memory_.load(cycle, o.address);
          ready.push_back(std::max(ready.empty() ? 0 : ready.back(),
                                   std::max(access.data, cycle + core_.load)));
          break;
        case Kind::Touch:
          access = memory_.touch(cycle, o.address);
          break;
        case Kind::Store:
          access = memory_.store(cycle, o.address);
          break;
        case Kind::Through:
          access = memory_.store_through(cycle, o.address);
          break;
      }
      free_ = access.free;
    }
    arithmetic_until(++number_);
  }
  /// What is left to compute.
  void finish() { arithmetic_until(1e300); }

 private:
  enum class Kind : std::uint8_t { Load, Touch, Store, Through };
  struct Operation {
    double at;  ///< within the repetition
    Kind kind;
    std::uint64_t address;
  };
  struct Arithmetic {
    double at;
    const Repetition* repetition;
    int index;
  };

  void arithmetic_until(double at) {
    for (; !queue_.empty() && queue_.front().at < at; queue_.pop_front()) {
      const Arithmetic& a = queue_.front();
      const Repetition& r = *a.repetition;
      if (a.index == 0) chain_.assign(static_cast<std::size_t>(r.chains), 0);
      std::int64_t earliest = 0;
      const auto& ready = r.ready;
      if (!r.loads.empty() && !ready.empty()) {
        const auto needs = static_cast<std::size_t>(a.index + 1) * r.loads.size() /
                           static_cast<std::size_t>(r.instructions);
        earliest = ready[std::clamp<std::size_t>(needs, 1, ready.size()) - 1];
      }
      std::int64_t& chain = chain_[static_cast<std::size_t>(a.index % r.chains)];
      earliest = std::max(earliest, chain);
      chain = issue_.next(Issue::Unit::Arithmetic, earliest) + core_.arithmetic;
    }
  }

  const CoreTiming core_;
  DataMemory& memory_;
  Issue issue_;
  std::int64_t free_ = 0;  ///< the load-store unit
  double number_ = 0;      ///< of the repetition
  std::vector<Operation> operations_;
  std::deque<Arithmetic> queue_;
  std::vector<std::int64_t> chain_;
};

}  // namespace

Scheduled schedule(const Sweep& sweep, const CoreTiming& core, const MemoryTiming& timing,
                   double clock) {
  Walk walk(sweep, core);
  DataMemory memory(timing, clock);
  Code code(core, memory);
  // A repetition's arithmetic may wait until the next one is loading.
  const int ahead = walk.repetitions_ahead(), slots = ahead + 3;
  std::vector<Repetition> ring(static_cast<std::size_t>(slots));
  const auto slot = [&](std::int64_t n) -> Repetition& {
    return ring[static_cast<std::size_t>(n % slots)];
  };
  const std::int64_t site = walk.repetitions_of_site();
  const std::int64_t begin = site * walk.warm_sites(), end = begin + site * walk.measured_sites();
  for (std::int64_t n = 0; n < ahead; ++n) walk.next(slot(n));
  std::int64_t from = 0, embedded = 0, external = 0, busy = 0;
  for (std::int64_t n = 0; n < end; ++n) {
    if (n == begin) {
      from = code.cycle();
      embedded = memory.embedded_lines();
      external = memory.external_lines();
      busy = memory.embedded_busy();
    }
    walk.next(slot(n + ahead));
    code.run(slot(n), &slot(n + ahead), n > 0 ? &slot(n - 1) : nullptr);
  }
  code.finish();
  const double cycles = static_cast<double>(std::max<std::int64_t>(code.cycle() - from, 1));
  const auto sites = static_cast<double>(walk.measured_sites());
  return {
      .cycles = cycles / sites,
      .embedded_lines = static_cast<double>(memory.embedded_lines() - embedded) / sites,
      .external_lines = static_cast<double>(memory.external_lines() - external) / sites,
      .memory_share = std::min(1.0, static_cast<double>(memory.embedded_busy() - busy) / cycles)};
}

}  // namespace ht::qcdoc::ppc440
