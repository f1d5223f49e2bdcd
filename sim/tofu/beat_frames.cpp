// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/beat_frames.hpp"

#include "verif/check/tofu/reader.hpp"

namespace ht::machine {
namespace {

using namespace model::tofu;

bool ends_packet(const model::Beat& beat) {
  return beat.is(0, kEnd) || beat.is(0, kNullified);
}

void carry(BeatFrame& frame, const model::Beat& sent, const model::Beat* received) {
  if (sent != model::kIdleBeat) frame.sent.push_back(sent);
  if (received == nullptr) {
    ++frame.lost;
    return;
  }
  if (*received != sent) ++frame.changed;
  if (*received != model::kIdleBeat) frame.arrived.push_back(*received);
}

}  // namespace

void BeatFrame::store(std::vector<std::uint8_t>& out, const std::vector<model::Beat>& beats) {
  for (const model::Beat& b : beats) {
    for (unsigned i = 0; i < model::Beat::kBytes; ++i) out.push_back(b.byte(i));
  }
  for (const model::Beat& b : beats) {
    out.push_back(static_cast<std::uint8_t>(b.control));
    out.push_back(static_cast<std::uint8_t>(b.control >> 8));
  }
}

bool BeatFrame::carries_data() const {
  return sent.front().is(0, kStart);
}

bool BeatFrame::given_up() const {
  return cut_short || sent.back().is(0, kNullified);
}

bool BeatFrame::unseen() const {
  if (!damaged()) return false;
  check::TofuReader reader;
  bool objection = false;
  for (const model::Beat& beat : arrived) objection = reader.push(beat).error || objection;
  const auto& n = reader.counts();
  return !objection && n.packets + n.nullified + n.hellos + n.controls > 0;
}

void BeatFrames::carried(std::int64_t slot, const model::Beat& sent, const model::Beat* received) {
  last_within_ = false;
  const bool starts = sent.is(0, kStart), hello = sent.is(0, kHello);
  const bool control = sent.is(0, kIdle) && sent.is(8, kControl);
  if (starts || hello) cut();
  if (hello || control) {
    BeatFrame frame;
    frame.time = sender_.edge(slot);
    carry(frame, sent, received);
    if (packet_) {
      within_.push_back(std::move(frame));
      last_within_ = true;
    } else {
      complete_.push_back(std::move(frame));
    }
    return;
  }
  if (starts) {
    packet_.emplace();
    packet_->time = sender_.edge(slot);
  }
  if (!packet_) return;  // a damaged idle beat between frames belongs to none
  carry(*packet_, sent, received);
  if (ends_packet(sent)) end_packet();
}

void BeatFrames::inserted(std::int64_t /*slot*/, const model::Beat& received) {
  // A copy follows its original: it belongs to that one's frame, which may just have ended.
  BeatFrame* frame = last_within_         ? &within_.back()
                     : packet_            ? &*packet_
                     : !complete_.empty() ? &complete_.back()
                                          : nullptr;
  if (frame == nullptr) return;
  ++frame->inserted;
  if (received != model::kIdleBeat) frame->arrived.push_back(received);
}

void BeatFrames::end_packet() {
  complete_.push_back(std::move(*packet_));
  packet_.reset();
  for (BeatFrame& frame : within_) complete_.push_back(std::move(frame));
  within_.clear();
  last_within_ = false;
}

std::optional<Picoseconds> BeatFrames::open_since(Picoseconds /*now*/) const {
  if (!packet_) return std::nullopt;
  return packet_->time;
}

void BeatFrames::cut() {
  if (!packet_) return;
  packet_->cut_short = true;
  end_packet();
}

}  // namespace ht::machine
