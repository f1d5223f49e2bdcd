// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "sim/qpace/machine.hpp"

namespace ht::machine {
namespace {

// The longest frame takes 73 us: one that began this long ago has ended.
constexpr Picoseconds patience = 100'000'000;

}  // namespace

// Frames of one direction of one cable, as they arrived. Its times are the sender's.
class EthernetCapture::Tap final : public sim::CableTap<sim::EthernetNibble> {
 public:
  struct Frame {
    Picoseconds time;
    net::Bytes bytes;
  };

  Tap(sim::EthernetCable& cable, std::uint32_t interface, PcapngFile::Direction direction)
      : interface(interface), direction(direction), cable_(cable) {
    cable_.listen(this);
  }
  ~Tap() override { cable_.listen(nullptr); }

  void carried(std::int64_t slot, const sim::EthernetNibble& /*sent*/,
               const sim::EthernetNibble* received) override {
    if (slot != last_ + 1) quiet();
    last_ = slot;
    if (received != nullptr) hear(slot, *received);
  }
  void inserted(std::int64_t slot, const sim::EthernetNibble& received) override {
    hear(slot, received);
  }
  /// Nothing has come since the last nibble.
  void quiet() { hear(last_, {}); }
  /// Ends a frame after which nothing came until `now`.
  void collect(Picoseconds now) {
    if (reader_.in_carrier() && cable_.options().sender.edge(last_ + 2) < now) quiet();
  }

  std::uint32_t interface;
  PcapngFile::Direction direction;
  std::deque<Frame> frames;

 private:
  void hear(std::int64_t slot, const sim::EthernetNibble& nibble) {
    switch (reader_.next(nibble)) {
      case FrameReader::Found::Nothing:
        break;
      case FrameReader::Found::Start:
        begin_ = slot;
        break;
      case FrameReader::Found::Good:
      case FrameReader::Found::Bad:
        if (!reader_.frame().empty())
          frames.push_back({cable_.options().sender.edge(begin_), reader_.frame()});
    }
  }

  sim::EthernetCable& cable_;
  FrameReader reader_;
  std::int64_t last_ = -2, begin_ = 0;
};

EthernetCapture::EthernetCapture(QpaceMachine& machine, const std::string& file)
    : machine_(machine), file_(file, "hypertorus") {
  for (int rank = 0; rank < machine_.size(); ++rank) {
    const std::uint32_t interface =
        file_.add_interface(fmt::format("node{}", rank), fmt::format("Ethernet of node {}", rank),
                            PcapngFile::Ethernet);
    auto [out, in] = machine_.ethernet_cables(rank);
    taps_.push_back(std::make_unique<Tap>(*out, interface, PcapngFile::Direction::Outbound));
    taps_.push_back(std::make_unique<Tap>(*in, interface, PcapngFile::Direction::Inbound));
  }
}

EthernetCapture::~EthernetCapture() {
  try {
    finish();
  } catch (const std::exception&) {
    // Told by finish(), which nobody called: the run has failed for another reason.
  }
}

void EthernetCapture::collect(Picoseconds now) {
  for (const auto& tap : taps_) tap->collect(now);
  write_until(now - patience);
}

void EthernetCapture::finish() {
  for (const auto& tap : taps_) tap->quiet();
  write_until(sim::kNever);
  file_.flush();
}

void EthernetCapture::write_until(Picoseconds horizon) {
  for (;;) {
    Tap* next = nullptr;
    for (const auto& tap : taps_) {
      if (tap->frames.empty() || tap->frames.front().time >= horizon) continue;
      if (next == nullptr || tap->frames.front().time < next->frames.front().time) next = tap.get();
    }
    if (next == nullptr) return;
    const Tap::Frame& frame = next->frames.front();
    file_.write(next->interface, frame.time, next->direction, frame.bytes, "");
    next->frames.pop_front();
  }
}

}  // namespace ht::machine
