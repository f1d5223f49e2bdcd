// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sim/cable/cable.hpp"
#include "sim/cable/line.hpp"
#include "sw/host/errors.hpp"

namespace ht::sim {

template <LineCode Code>
Cable<Code>::Cable(CableOptions options) : options_(std::move(options)), ledger_(options_.name) {
  static_assert(std::is_trivially_copyable_v<Timed>);
  options_.sender.check();
  options_.receiver.check();
  const auto said = [](const Clock& c) {
    return c.off_fs == 0 ? fmt::format("{} ps", c.period)
                         : fmt::format("{} ps {:+} fs", c.period, c.off_fs);
  };
  if (options_.sender.period != options_.receiver.period ||
      options_.sender.off_fs != options_.receiver.off_fs) {
    throw UsageError(fmt::format("cable {}: its ends have clocks of {} and {}; they must be equal",
                                 options_.name, said(options_.sender), said(options_.receiver)));
  }
  const Picoseconds shortest = 2 * options_.sender.longest_cycle();
  if (options_.delay < shortest) {
    throw UsageError(
        fmt::format("cable {}: a delay of {} ps; it must be at least two symbols, {} ps",
                    options_.name, options_.delay, shortest));
  }
  options_.faults.check(Code::kLanes, Code::kGroupBits, options_.name);
  line_ = std::make_unique<Line>(options_, ledger_);
}

template <LineCode Code>
Cable<Code>::~Cable() = default;

template <LineCode Code>
void Cable<Code>::send(std::int64_t edge, const Symbol& symbol) {
  if (!sent_.empty() && edge <= sent_.back().edge) {
    throw std::logic_error(fmt::format("cable {}: sent at edge {} after edge {}", options_.name,
                                       edge, sent_.back().edge));
  }
  if (symbol != Code::idle()) sent_.push_back({edge, symbol});
}

template <LineCode Code>
typename Cable<Code>::Symbol Cable<Code>::pop(std::int64_t edge) {
  if (queue_[head_].edge != edge) {
    throw std::logic_error(
        fmt::format("cable {}: the symbol of edge {} was not taken before edge {}", options_.name,
                    queue_[head_].edge, edge));
  }
  return queue_[head_++].symbol;
}

template <LineCode Code>
void Cable<Code>::transfer(Picoseconds end) {
  if (head_ == queue_.size()) {
    queue_.clear();
    head_ = 0;
  } else if (head_ > 1024) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  line_->transfer(options_.sender.first_edge(end), sent_, queue_, tap_);
  sent_before_ += sent_.size();
  sent_.clear();
}

template <LineCode Code>
Picoseconds Cable<Code>::next_arrival() const {
  return head_ == queue_.size() ? kNever : options_.receiver.edge(queue_[head_].edge);
}

template <LineCode Code>
Picoseconds Cable<Code>::next_fault_arrival() const {
  const std::int64_t slot = line_->next_fault_slot();
  if (slot == FaultSchedule::kNoSlot) return kNever;
  return options_.sender.edge(slot) + safe_window();
}

template <LineCode Code>
std::vector<std::byte> Cable<Code>::take_sent() {
  std::vector<std::byte> bytes(sent_.size() * sizeof(Timed));
  if (!bytes.empty()) std::memcpy(bytes.data(), sent_.data(), bytes.size());
  sent_before_ += sent_.size();
  sent_.clear();
  return bytes;
}

template <LineCode Code>
void Cable<Code>::put_sent(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Timed) != 0) {
    throw std::logic_error(fmt::format("cable {}: {} bytes are no whole number of symbols",
                                       options_.name, bytes.size()));
  }
  sent_.resize(bytes.size() / sizeof(Timed));
  if (!bytes.empty()) std::memcpy(sent_.data(), bytes.data(), bytes.size());
}

}  // namespace ht::sim
