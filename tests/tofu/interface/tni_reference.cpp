// SPDX-License-Identifier: Apache-2.0
// The two in step: what they are told, and the course of a test.
#include "tests/tofu/interface/tni_reference.hpp"

#include <verilated.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "tests/support/power_on.hpp"
#include "tests/tofu/interface/tni_reference_layout.hpp"

namespace ht::test {
using namespace in_step;
namespace reg = model::tni_register;

TniInStep::Seen& TniInStep::Seen::operator+=(const Seen& other) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(completions, other.completions);
  add(notices, other.notices);
  add(errors, other.errors);
  add(sent, other.sent);
  return *this;
}

TniInStep::TniInStep(std::uint64_t seed)
    : context_(power_on()),
      random_(seed),
      memory_(kMemory),
      reference_memory_(kMemory),
      peer_memory_(kPeerMemory),
      device_(context_.get(), kHere, kNumber, memory_, seed),
      reference_(kHere, kNumber, std::span(reference_memory_)),
      peer_(kThere, std::span(peer_memory_)) {
  for (std::size_t i = kFirstArea; i < kFirstArea + kAreas * kArea; ++i) {
    memory_[i] = static_cast<std::byte>(random_());
    peer_memory_[i] = static_cast<std::byte>(random_());
  }
  for (unsigned tag = 0; tag < kTags; ++tag) {
    lay_tag(memory_, tag, tag % 12 < 2 * kAreas);
    lay_tag(peer_memory_, tag, tag % 12 < 2 * kAreas);
  }
  reference_memory_ = memory_;

  for (unsigned i = 0; i < 4; ++i) {
    const unsigned base = model::TofuTni::kBase + i * model::TofuTni::kStride;
    peer_.write(base + reg::kTableTags, kTags);
    peer_.write(base + reg::kGroup, in_step::kGroup);
    peer_.write(base + reg::kControl, 1);
    for (unsigned q = 0; q < 2; ++q) {
      const std::uint64_t rings = kPeerRings + kPeerRing * (2 * i + q);
      const unsigned queue = base + reg::kQueue + 16 * q;
      const std::array<std::uint64_t, 3> at{rings, rings + 0x2000, rings + 0x3000};
      for (unsigned ring = 0; ring < 3; ++ring)
        peer_.write(queue + reg::kCommands + ring, static_cast<std::uint32_t>(at[ring] / 16));
      peer_.write(queue, 1 | kPeerLog2 << 1 | kPeerLog2 << 5 | kPeerLog2 << 9);
      peer_queues_[i][q].rings = {Ring{at[1], kPeerLog2, 16}, Ring{at[2], kPeerLog2, 32}};
    }
  }
  write(reg::kTableTags, kTags);
  write(reg::kGroup, in_step::kGroup);
  open(0);
  open(1);
  write(reg::kControl, 1);
  settle();
  compare();
}

TniInStep::~TniInStep() = default;

// -------------------------------------------------------------------------------------------------
// Both are told the same

void TniInStep::write(unsigned address, std::uint32_t value) {
  const auto expected = reference_.write(address, value);
  device_.accesses.push_back(
      {true, address, value, [expected, address, value](std::uint32_t, bool refused) {
         INFO("write of " << value << " to register " << address);
         REQUIRE(refused == expected.refused);
       }});
}

void TniInStep::read(unsigned address) {
  const auto expected = reference_.read(address);
  device_.accesses.push_back(
      {false, address, 0, [expected, address](std::uint32_t value, bool refused) {
         INFO("read of register " << address);
         REQUIRE(refused == expected.refused);
         REQUIRE(value == expected.value);
       }});
}

/// As it comes to the device, whose messages have other numbers.
TniInStep::Frame TniInStep::for_device(Frame frame) const {
  const std::uint32_t message = frame.get(kMessageField);
  if (frame.get(model::tofu::header::channel) >> 1 != 0 && message < numbers_.size())
    frame.set(kMessageField, numbers_[message]);
  return frame;
}

void TniInStep::to_both(const Frame& frame) {
  const std::size_t kind = frame.get(model::tofu::header::channel) >> 1;
  device_.in[kind].push_back(for_device(frame).in_chip());
  reference_.receive(frame);
}

void TniInStep::open(unsigned q) {
  const std::array<std::uint64_t, 3> at{kCommands + 0x400 * q, kCompletions + 0x200 * q,
                                        kNotices + 0x200 * q};
  rings_[0][q] = compared_[0][q] = {at[1], kLog2Completions, 16, 0};
  rings_[1][q] = compared_[1][q] = {at[2], kLog2Notices, 32, 0};
  for (auto* memory : {&memory_, &reference_memory_}) {
    std::fill_n(memory->begin() + static_cast<std::ptrdiff_t>(at[1]), 0x200, std::byte{0});
    std::fill_n(memory->begin() + static_cast<std::ptrdiff_t>(at[2]), 0x200, std::byte{0});
  }
  const unsigned queue = reg::kQueue + 16 * q;
  for (unsigned ring = 0; ring < 3; ++ring)
    write(queue + reg::kCommands + ring, static_cast<std::uint32_t>(at[ring] / 16));
  write(queue, 1 | kLog2Commands << 1 | kLog2Completions << 5 | kLog2Notices << 9);
  produced_[q] = 0;
  open_[q] = true;
}

void TniInStep::settle() {
  for (int i = 0; i < 200000; ++i) {
    if (device_.quiet()) return;
    device_.step();
  }
  FAIL("the interface does not come to rest");
}

// -------------------------------------------------------------------------------------------------
// Events

void TniInStep::event() {
  device_.router_stalls = chance(8) ? 0 : below(12);
  device_.memory_stalls = chance(8) ? 0 : below(12);
  device_.gaps = chance(8) ? 0 : below(12);
  device_.read_latency = 1 + (chance(8) ? 0 : below(60));
  device_.read_jitter = chance(8) ? 0 : below(30);
  make_room();
  switch (below(16)) {
    case 0:
      registers();
      break;
    case 1:
      if (chance(8)) queues();
      break;
    case 2:
      tags();
      break;
    case 3:
    case 4:
    case 5:
    case 6:
      commands();
      break;
    case 7:
    case 8:
    case 9:
      peer_commands();
      break;
    case 10:
      forgeries_ = commands_wait() ? 1 : 1 + below(3);
      for (unsigned n = 0; n < forgeries_; ++n) to_both(forged());
      break;
    case 11:
      acknowledge(below(2));
      break;
    case 12:
      deliver();
      break;
    default:
      deliver();
      arrive();
  }
  settle();
  compare();
}

void TniInStep::finish() {
  device_.router_stalls = device_.memory_stalls = device_.gaps = 0;
  switch_on();
  for (unsigned q = 0; q < 2; ++q) {
    settle();
    if (!open_[q]) open(q);
  }
  settle();
  compare();
  const auto under_way = [&] {
    return to_peer_[0].size() + to_peer_[1].size() + from_peer_[0].size() + from_peer_[1].size();
  };
  for (int i = 0; i < 2000; ++i) {
    for (unsigned q = 0; q < 2; ++q) {
      acknowledge(q);
      settle();
      compare();
    }
    peer_acknowledge();
    deliver();
    arrive();
    settle();
    compare();
    if (under_way() == 0 && i > 50) break;
  }
  CHECK(under_way() == 0);
}

}  // namespace ht::test
