// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace ht::machine {

inline std::mutex one_top_at_a_time;

/// A Verilated top in a context of its own, from power-on to its end.
template <class Top>
class VerilatedTop {
 public:
  /// `state`: registers and memories come up with random bits, drawn from it; else with zeros.
  explicit VerilatedTop(const std::string& name, std::optional<std::uint32_t> state = {}) {
    // Verilator draws from one generator a thread, and begins it anew whenever any context, of any
    // thread, is given a seed: one top at a time, else its bits depend on what others do.
    const std::lock_guard lock(one_top_at_a_time);
    context_->threads(1);  // else every context keeps a thread pool
    context_->traceEverOn(true);
    if (state) {
      constexpr int random_bits = 2;
      context_->randReset(random_bits);
      context_->randSeed(static_cast<int>(*state % 0x7fffffff) + 1);  // 0 would be the time of day
    }
    top_ = std::make_unique<Top>(context_.get(), name.c_str());
  }
  ~VerilatedTop() {
    top_->final();
    // A top with public variables detaches from the context that its thread used last, which may
    // be a dead node's (Verilator 5.006).
    Verilated::threadContextp(context_.get());
  }
  VerilatedTop(const VerilatedTop&) = delete;
  VerilatedTop& operator=(const VerilatedTop&) = delete;

  Top* operator->() const { return top_.get(); }
  Top& operator*() const { return *top_; }

 private:
  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Top> top_;
};

}  // namespace ht::machine
