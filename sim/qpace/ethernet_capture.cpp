// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_capture.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

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

  Tap(sim::EthernetCable& cable, const CaptureFile::Source& source)
      : source(source), cable_(cable) {
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

  const CaptureFile::Source source;
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
    : spread_(machine.ranks() != nullptr), file_(machine, file) {
  for (int rank = 0; rank < machine.size(); ++rank) {
    const std::uint32_t interface =
        file_.add_interface(fmt::format("node{}", rank), fmt::format("Ethernet of node {}", rank),
                            PcapngFile::Ethernet);
    auto [out, in] = machine.ethernet_cables(rank);
    using enum PcapngFile::Direction;
    for (const auto& [cable, direction] : {std::pair(out, Outbound), std::pair(in, Inbound)})
      taps_.push_back(
          std::make_unique<Tap>(*cable, CaptureFile::Source{taps_.size(), interface, direction}));
  }
}

EthernetCapture::~EthernetCapture() {
  if (spread_) return;  // the others would have to take part
  try {
    finish();
  } catch (const std::exception&) {
    // Reported by finish(), which was not called: the run has failed for another reason.
  }
}

void EthernetCapture::collect(Picoseconds now) {
  for (const auto& tap : taps_) tap->collect(now);
  take_frames();
  file_.complete_until(now - patience);
}

void EthernetCapture::finish() {
  if (std::exchange(finished_, true)) return;
  for (const auto& tap : taps_) tap->quiet();
  take_frames();
  file_.finish();
}

void EthernetCapture::take_frames() {
  for (const auto& tap : taps_) {
    for (Tap::Frame& frame : tap->frames)
      file_.add(tap->source, frame.time, std::move(frame.bytes), {});
    tap->frames.clear();
  }
}

}  // namespace ht::machine
