// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/frame_source.hpp"

#include <stdexcept>
#include <utility>

#include "sim/tofu/beat_frames.hpp"
#include "sim/qpace/cable_frames.hpp"
#include "sim/qcdoc/serial_frames.hpp"

namespace ht::machine {
namespace {

enum Format : std::uint8_t { qpace_format = 1, qcdoc_format = 2, tofu_format = 3 };

// Data of all words, in the order they are on the line; then their control bits, a byte each.
void put_words(std::vector<std::uint8_t>& out, const std::vector<model::Word>& words) {
  for (const model::Word& w : words) {
    for (unsigned lane = 0; lane < 4; ++lane) out.push_back(w.lane(lane));
  }
  for (const model::Word& w : words) out.push_back(w.control);
}

void put_words(std::vector<std::uint8_t>& out, const std::vector<std::uint8_t>& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Bytes of all beats, then two of control bits each, bit 0 first.
void put_words(std::vector<std::uint8_t>& out, const std::vector<model::Beat>& beats) {
  for (const model::Beat& b : beats) {
    for (unsigned i = 0; i < model::Beat::kBytes; ++i) out.push_back(b.byte(i));
  }
  for (const model::Beat& b : beats) {
    out.push_back(static_cast<std::uint8_t>(b.control));
    out.push_back(static_cast<std::uint8_t>(b.control >> 8));
  }
}

template <class Frame>
CapturedFrame captured(const Frame& frame) {
  CapturedFrame f;
  f.sent = frame.sent.size();
  f.damaged = frame.damaged();
  put_words(f.data, frame.sent);
  if (f.damaged) {
    f.arrived = frame.arrived.size();
    put_words(f.data, frame.arrived);
    f.damage = frame.damage();
  }
  return f;
}

template <class Cable, class Frames>
class Source final : public FrameSource {
 public:
  Source(Cable& cable, std::uint8_t format)
      : cable_(cable), frames_(cable.options().sender), format_(format) {
    cable.listen(&frames_);
  }
  ~Source() override { cable_.listen(nullptr); }

  std::uint8_t format() const override { return format_; }
  std::optional<Picoseconds> next() const override {
    if (frames_.complete().empty()) return std::nullopt;
    return frames_.complete().front().time;
  }
  CapturedFrame take() override {
    const auto& frame = frames_.complete().front();
    CapturedFrame f = captured(frame);
    f.time = frame.time;
    f.unseen = frame.unseen();
    f.cut_short = frame.cut_short;
    frames_.complete().pop_front();
    return f;
  }
  std::optional<Picoseconds> open_since(Picoseconds now) override {
    return frames_.open_since(now);
  }
  void cut() override { frames_.cut(); }

 private:
  Cable& cable_;
  Frames frames_;
  std::uint8_t format_;
};

}  // namespace

std::unique_ptr<FrameSource> listen_to(sim::CableBase& cable) {
  if (auto* qpace = dynamic_cast<sim::QpaceCable*>(&cable))
    return std::make_unique<Source<sim::QpaceCable, CableFrames>>(*qpace, qpace_format);
  if (auto* qcdoc = dynamic_cast<sim::QcdocCable*>(&cable))
    return std::make_unique<Source<sim::QcdocCable, SerialFrames>>(*qcdoc, qcdoc_format);
  if (auto* tofu = dynamic_cast<sim::TofuCable*>(&cable))
    return std::make_unique<Source<sim::TofuCable, BeatFrames>>(*tofu, tofu_format);
  throw std::logic_error("no frames are known on cable " + cable.name());
}

}  // namespace ht::machine
