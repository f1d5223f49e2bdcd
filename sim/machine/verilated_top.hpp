// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <memory>
#include <string>

namespace ht::machine {

/// A Verilated top in a context of its own, from power-on to its end.
template <class Top>
class VerilatedTop {
 public:
  explicit VerilatedTop(const std::string& name) {
    context_->threads(1);  // else every context keeps a thread pool
    context_->traceEverOn(true);
    top_ = std::make_unique<Top>(context_.get(), name.c_str());
  }
  ~VerilatedTop() {
    top_->final();
    // A top with public variables takes leave of the context that its thread used last, which may
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
