// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/cable_frames.hpp"

#include "verif/model/qpace/wire.hpp"

namespace ht::machine {

using namespace model::qpace;

void CableFrame::store(std::vector<std::uint8_t>& out, const std::vector<model::Word>& words) {
  for (const model::Word& w : words) {
    for (unsigned lane = 0; lane < 4; ++lane) out.push_back(w.lane(lane));
  }
  for (const model::Word& w : words) out.push_back(w.control);
}

bool CableFrame::unseen() const {
  if (!damaged() || arrived.empty()) return false;
  if (starts_with(arrived[0], kStart)) return DataPacket::parse(arrived).has_value();
  if (starts_with(arrived[0], kHello)) return Hello::parse(arrived).has_value();
  return arrived.size() == 1 && Command::parse(arrived[0]).has_value();
}

void CableFrames::carried(std::int64_t slot, const model::Word& sent, const model::Word* received) {
  if (sent != model::kIdleWord) {
    const bool packet = starts_with(sent, kStart), hello = starts_with(sent, kHello);
    if (packet || hello || starts_with(sent, kCommand)) {
      cut();
      frame_.time = sender_.edge(slot);
      words_ = packet ? kPacketWords : hello ? kHelloWords : 1;
    }
    if (words_ == 0) return;  // no sender sends words outside of a frame
    frame_.sent.push_back(sent);
  } else if (words_ == 0) {
    return;  // a damaged idle word between frames belongs to none
  }
  if (received == nullptr) {
    ++frame_.lost;
  } else {
    if (*received != sent) ++frame_.changed;
    arrive(*received);
  }
  if (frame_.sent.size() < words_) return;
  complete_.push_back(std::move(frame_));
  frame_ = {};
  words_ = 0;
}

void CableFrames::inserted(std::int64_t /*slot*/, const model::Word& received) {
  // A copy follows its original: it belongs to that one's frame, which may just have ended.
  CableFrame* frame = words_ > 0 ? &frame_ : complete_.empty() ? nullptr : &complete_.back();
  if (frame == nullptr) return;
  ++frame->inserted;
  if (received != model::kIdleWord) frame->arrived.push_back(received);
}

void CableFrames::arrive(const model::Word& word) {
  if (word != model::kIdleWord) frame_.arrived.push_back(word);
}

std::optional<Picoseconds> CableFrames::open_since(Picoseconds /*now*/) const {
  if (words_ == 0) return std::nullopt;
  return frame_.time;
}

void CableFrames::cut() {
  if (words_ == 0) return;
  frame_.cut_short = true;
  complete_.push_back(std::move(frame_));
  frame_ = {};
  words_ = 0;
}

}  // namespace ht::machine
