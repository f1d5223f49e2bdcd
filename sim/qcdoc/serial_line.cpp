// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/serial_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

// After so many repeated bits nothing new is read: a payload of equal bytes is over, and so many
// marks are enough.
constexpr std::int64_t kEnough = 32 * 8;

}  // namespace

void QcdocLineCode::Frames::idle_until(std::int64_t slot) {
  if (slot - slot_ > kEnough) {
    const std::int64_t enough = slot_ + kEnough;
    while (slot_ < enough) push(false);
    slot_ += (slot - slot_) & ~std::int64_t{7};
  }
  while (slot_ < slot) push(false);
}

void QcdocLineCode::Frames::push(bool symbol) {
  using model::qcdoc::Kind;
  track(symbol ? 1 : 0, history_);
  const auto e = reader_.push((history_ & 1) != 0);
  if (e.trained) marks_.push_back({slot_, Target::Hello});
  if (e.byte.header && !e.byte.ok && reader_.in_step() && e.byte.header->kind != Kind::Idle) {
    const bool data = e.byte.header->kind == Kind::Data;
    marks_.push_back({slot_, data ? Target::Packet : Target::Command});
  }
  ++slot_;
}

std::vector<std::int64_t> QcdocLineCode::Frames::slots_of(const FaultPlan::Forced& pattern,
                                                          std::int64_t slot) {
  std::vector<std::int64_t> slots;
  for (const auto& flip : pattern.flips) {
    if (flip.word > 1)
      throw UsageError(fmt::format(
          "a forced pattern in word {} of a QCDOC data word: words are 0 (low half) and 1 (high)",
          flip.word));
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((flip.mask >> bit & 1) != 0)
        slots.push_back(slot + 1 + model::qcdoc::place_in_frame(32 * flip.word + bit));
    }
  }
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace ht::sim
