// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace ht::sim {
class RankExchange;
}

namespace ht::cli {

/// A bench's measurements, shared out among the processes that it is spread over, if there are
/// several: each is made by one of them. All run through the same bench; the first one, which
/// reports, gets every result, and waits for those that it has not got yet. The others go on at
/// once, with zero for what they have not measured.
class BenchShare {
 public:
  /// Null for `ranks`: this process is alone, and measures all.
  BenchShare(sim::RankExchange* ranks, const std::atomic<bool>& stop);

  /// What `measure` returns, in the process whose turn it is and in the first one. The turn is of
  /// who has been given the least until now; `weight`: how long it takes, in any unit. Throws
  /// InterruptedError once the bench is to end.
  template <typename F>
  auto run(double weight, const F& measure) {
    using Result = decltype(measure());
    static_assert(std::is_trivially_copyable_v<Result>, "it is sent as bytes");
    const unsigned owner = next(weight);
    Result result{};
    if (owner == own_) result = measure();
    if (owner != 0) pass_on(owner, std::as_writable_bytes(std::span(&result, 1)));
    return result;
  }

 private:
  unsigned next(double weight);
  void pass_on(unsigned owner, std::span<std::byte> result);

  sim::RankExchange* ranks_;
  const std::atomic<bool>& stop_;
  unsigned own_ = 0;
  std::vector<double> given_;  ///< by process, weights
};

}  // namespace ht::cli
