// SPDX-License-Identifier: Apache-2.0
// The two in step: whether both have done the same.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/tofu/interface/tni_reference.hpp"
#include "tests/tofu/interface/tni_reference_layout.hpp"

namespace ht::test {
using namespace in_step;
using model::TniPacket;
namespace reg = model::tni_register;

namespace {
constexpr unsigned kSoft = 0x80;  // ERROR.SOFT_CORRECTED: the reference has no soft errors
}  // namespace

void TniInStep::compare_packets(std::size_t kind) {
  auto& out = device_.out[kind];
  for (const TniPacket& packet : reference_.sent) {
    if (packet.response() != (kind == TniDevice::kResponse)) continue;
    Frame frame = model::to_frame(packet);
    const Frame sent = frame;
    INFO("packet of kind " << static_cast<int>(packet.kind) << ", message " << int{packet.message}
                           << ", offset " << packet.offset);
    // Packets of several queues, and of several answers, take turns.
    const auto it = std::find_if(out.begin(), out.end(), [&](const TniDevice::Beats& beats) {
      const auto seen = Frame::from_chip(beats);
      return seen && (kind == TniDevice::kRequest
                          ? seen->get(kSourceQueueField) == frame.get(kSourceQueueField)
                          : beats == frame.in_chip());
    });
    REQUIRE(it != out.end());
    const auto left = Frame::from_chip(*it);
    // Which number is free first is a matter of time.
    if (kind == TniDevice::kRequest) {
      numbers_[packet.message] = left->get(kMessageField);
      frame.set(kMessageField, numbers_[packet.message]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(i, left->header[i], frame.header[i]);
      REQUIRE(left->header[i] == frame.header[i]);
    }
    for (std::size_t i = 0; i < frame.payload.size() && i < left->payload.size(); ++i) {
      CAPTURE(i, left->payload[i], frame.payload[i]);
      REQUIRE(left->payload[i] == frame.payload[i]);
    }
    REQUIRE(*it == frame.in_chip());
    out.erase(it);
    ++seen.sent[kind];
    to_peer_[kind].push_back(sent);
  }
  REQUIRE(out.empty());
}

/// Of a ring: commands that end at once may end in another order, and a get's notice comes when
/// memory has been read.
void TniInStep::compare_ring(Ring& ring, unsigned q) {
  using Entry = std::array<std::uint64_t, 4>;  // a completion has two
  const std::uint16_t begin = ring.count;
  std::array<std::vector<Entry>, 2> entries;
  const auto at = [&](std::uint16_t n) {
    return static_cast<std::ptrdiff_t>(ring.base + ring.bytes * (n & ((1U << ring.log2) - 1)));
  };
  while (ring.next(reference_memory_) >= 0) {
    std::size_t side = 0;
    for (const auto* memory : {&memory_, &reference_memory_}) {
      Entry& e = entries[side++].emplace_back();
      std::memcpy(e.data(), memory->data() + at(static_cast<std::uint16_t>(ring.count - 1)),
                  ring.bytes);
      INFO("entry " << ring.count << " of a ring of queue " << q);
      REQUIRE((e[0] >> 24 & 1) == (~(static_cast<unsigned>(ring.count - 1) >> ring.log2) & 1));
      e[0] &= ~(std::uint64_t{1} << 24);
    }
  }
  for (auto& side : entries) std::sort(side.begin(), side.end());
  REQUIRE(entries[0] == entries[1]);
  for (std::uint16_t n = begin; n != ring.count; ++n)
    std::copy_n(memory_.begin() + at(n), ring.bytes, reference_memory_.begin() + at(n));
}

void TniInStep::compare() {
  compare_packets(TniDevice::kRequest);
  compare_packets(TniDevice::kResponse);
  reference_.sent.clear();
  for (unsigned q = 0; q < 2; ++q) {
    for (auto& rings : compared_) compare_ring(rings[q], q);
  }
  if (memory_ != reference_memory_) {
    const auto at = std::mismatch(memory_.begin(), memory_.end(), reference_memory_.begin());
    INFO("memory differs at " << at.first - memory_.begin());
    REQUIRE(*at.first == *at.second);
  }
  for (const unsigned r : {reg::kControl, reg::kTableBase, reg::kTableTags, reg::kSent,
                           reg::kReceived, reg::kFaults, reg::kStrayed})
    read(r);
  for (unsigned q = 0; q < 8; ++q) {
    for (const unsigned word :
         {reg::kWorking, reg::kProducer, reg::kConsumer, reg::kCompleted, reg::kNoticed})
      read(reg::kQueue + 16 * q + word);
  }
  const std::uint32_t errors = reference_.read(reg::kError).value;
  const auto info = reference_.read(reg::kErrorInfo);
  // Only of one cause it is sure which came first; a corrected error may have been before it, and
  // one forgery of another class before the other.
  device_.accesses.push_back({false, reg::kError, 0, [this, errors](std::uint32_t value, bool) {
                                REQUIRE((value & ~kSoft) == errors);
                                first_ = forgeries_ < 2 && value == errors && errors != 0 &&
                                         (errors & (errors - 1)) == 0;
                              }});
  device_.accesses.push_back({false, reg::kErrorInfo, 0, [this, info](std::uint32_t value, bool) {
                                if (first_) REQUIRE(value == info.value);
                              }});
  for (std::size_t bit = 0; bit < seen.errors.size(); ++bit) seen.errors[bit] += errors >> bit & 1;
  write(reg::kError, 0x1ff);
  settle();
  REQUIRE(device_.unstable == 0);
  REQUIRE(device_.refused == 0);
  REQUIRE_FALSE(device_.fault());
  REQUIRE_FALSE(device_.attention());
  forgeries_ = 0;
}

}  // namespace ht::test
