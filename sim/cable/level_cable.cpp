// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/level_cable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sw/host/errors.hpp"

namespace ht::sim {

LevelCable::LevelCable(std::string name, Picoseconds delay, std::vector<Disturbance> disturbances)
    : name_(std::move(name)),
      delay_(delay),
      disturbances_(std::move(disturbances)),
      ledger_(name_) {
  if (delay_ < 1)
    throw UsageError(
        fmt::format("cable {}: a delay of {} ps; it must be at least 1 ps", name_, delay_));
  Picoseconds end = 0;
  for (const Disturbance& d : disturbances_) {
    if (d.from < end || d.until <= d.from)
      throw UsageError(fmt::format(
          "cable {}: disturbances must follow one another and last at least 1 ps", name_));
    end = d.until;
  }
}

void LevelCable::send(Picoseconds time, std::uint8_t level) {
  if (!sent_.empty() && time <= sent_.back().time)
    throw std::logic_error(
        fmt::format("cable {}: sent at {} ps after {} ps", name_, time, sent_.back().time));
  sent_.push_back({time, level});
  ++changes_;
}

std::uint8_t LevelCable::receive(Picoseconds time) {
  while (head_ < queue_.size() && queue_[head_].time <= time)
    level_ = static_cast<std::uint8_t>(queue_[head_++].level);
  while (disturbance_ < disturbances_.size() && disturbances_[disturbance_].until <= time)
    ++disturbance_;
  disturbed_ = disturbance_ < disturbances_.size() && disturbances_[disturbance_].from <= time;
  return disturbed_ ? disturbances_[disturbance_].level : level_;
}

Picoseconds LevelCable::next_change() const {
  return std::min(next_arrival(), next_fault_arrival());
}

void LevelCable::transfer(Picoseconds /*end*/) {
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  for (const Change& c : sent_) queue_.push_back({c.time + delay_, c.level});
  sent_.clear();
}

Picoseconds LevelCable::next_arrival() const {
  return head_ == queue_.size() ? kNever : queue_[head_].time;
}

Picoseconds LevelCable::next_fault_arrival() const {
  if (disturbance_ == disturbances_.size()) return kNever;
  const Disturbance& d = disturbances_[disturbance_];
  return disturbed_ ? d.until : d.from;
}

std::vector<std::byte> LevelCable::take_sent() {
  std::vector<std::byte> bytes(sent_.size() * sizeof(Change));
  if (!bytes.empty()) std::memcpy(bytes.data(), sent_.data(), bytes.size());
  sent_.clear();
  return bytes;
}

void LevelCable::put_sent(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Change) != 0)
    throw std::logic_error(
        fmt::format("cable {}: {} bytes are no whole number of changes", name_, bytes.size()));
  sent_.resize(bytes.size() / sizeof(Change));
  if (!bytes.empty()) std::memcpy(sent_.data(), bytes.data(), bytes.size());
}

}  // namespace ht::sim
