// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "sim/machine/program_node.hpp"

namespace ht::machine {

/// A node that stops permanently at a time: its program's and all of its hardware's clocks. Nothing
/// waits for it after that.
class MortalNode final : public sim::SimNode {
 public:
  MortalNode(std::unique_ptr<ProgramNode> node, Picoseconds end)
      : node_(std::move(node)), end_(end) {}

  std::string name() const override { return node_->name(); }
  void run(Picoseconds from, Picoseconds to) override {
    if (from < end_) node_->run(from, std::min(to, end_));
    if (to < end_ || gone_) return;
    node_->abandon();
    gone_ = true;
  }
  bool finished() const override { return gone_ || node_->finished(); }
  Picoseconds asleep_until() const override { return gone_ ? sim::kNever : node_->asleep_until(); }
  Picoseconds next_housekeeping() const override {
    return gone_ ? sim::kNever : node_->next_housekeeping();
  }
  std::uint64_t progress() const override { return node_->progress(); }
  std::uint64_t pauses() const override { return node_->pauses(); }
  Picoseconds computing_until() const override { return gone_ ? 0 : node_->computing_until(); }
  std::string status() const override { return gone_ ? "gone" : node_->status(); }
  Cycles cycles() const override { return node_->cycles(); }

 private:
  std::unique_ptr<ProgramNode> node_;
  Picoseconds end_;
  bool gone_ = false;
};

}  // namespace ht::machine
