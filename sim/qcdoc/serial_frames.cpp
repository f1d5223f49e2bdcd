// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/serial_frames.hpp"

#include <utility>

namespace ht::machine {

using namespace model::qcdoc;
using Code = sim::QcdocLineCode;

namespace {

// Longer than any frame of equal bytes and its surroundings: after that nothing new is read.
constexpr std::int64_t enough = 32 * 8;
constexpr std::size_t training_bytes = 4;

// Adds a byte, and what happened to it, to a frame.
void append(SerialFrame& frame, const SerialFrame& byte) {
  frame.sent.insert(frame.sent.end(), byte.sent.begin(), byte.sent.end());
  frame.arrived.insert(frame.arrived.end(), byte.arrived.begin(), byte.arrived.end());
  frame.changed += byte.changed;
  frame.lost += byte.lost;
  frame.inserted += byte.inserted;
}

}  // namespace

bool SerialFrame::unseen() const {
  if (!damaged() || lost + inserted > 0) return false;
  ByteReader reader;
  for (unsigned i = 0; i < kMarks; ++i) reader.push(kMark);
  const auto record = *encode_record({});
  for (const std::uint8_t byte : record) reader.push(byte);  // in step
  ByteReader::Event e;
  bool bare = false;
  for (const std::uint8_t byte : arrived) {
    e = reader.push(byte);
    if (e.error) return false;
    bare = e.bare();
  }
  return e.ok || bare;
}

void SerialFrames::carried(std::int64_t slot, const std::uint8_t& sent,
                           const std::uint8_t* received) {
  idle_until(slot);
  Code::track(sent, tx_);
  if (received != nullptr) Code::track(*received, rx_);
  push((tx_ & 1) != 0, received == nullptr ? std::nullopt : std::optional((rx_ & 1) != 0));
}

void SerialFrames::inserted(std::int64_t slot, const std::uint8_t& received) {
  idle_until(slot + 1);  // it follows its original, which may have been idle
  Code::track(received, rx_);
  if (!bits_.empty()) bits_.back().arrived.push_back((rx_ & 1) != 0);
}

void SerialFrames::idle_until(std::int64_t slot) {
  const auto idle = [this] {
    Code::pass_idle(tx_, 1);
    Code::pass_idle(rx_, 1);
    push((tx_ & 1) != 0, (rx_ & 1) != 0);
  };
  if (slot - slot_ > enough) {
    for (const std::int64_t until = slot_ + enough; slot_ < until;) idle();
    slot_ += (slot - slot_) & ~std::int64_t{7};
  }
  while (slot_ < slot) idle();
}

void SerialFrames::push(bool sent, std::optional<bool> arrived) {
  bits_.push_back({sent, {}});
  if (arrived) bits_.back().arrived.push_back(*arrived);
  if (bits_.size() > 8 * training_bytes) bits_.pop_front();
  ++slot_;
  const auto e = reader_.push(sent);
  if (e.trained) {
    frame_.reset();
    repeated_.reset();
    if (bits_.size() >= 8 * training_bytes) train(last_bits(training_bytes));
  } else if (e.value) {
    end_byte(*e.value, e.byte, last_bits(1));
  }
}

void SerialFrames::byte(std::int64_t slot, std::uint8_t value) {
  over_lanes_ = true;
  lane_bytes_.push_back({slot, value});
  if (lane_bytes_.size() > training_bytes) lane_bytes_.pop_front();
  const ByteReader::Event e = lane_reader_.push(value);
  const auto is = [this](std::size_t at, unsigned what) {
    return lane_bytes_[at].value == static_cast<std::uint8_t>(what);
  };
  if (lane_bytes_.size() == training_bytes && is(0, kTrain0) && is(1, kTrain1) &&
      is(3, ~unsigned{lane_bytes_[2].value})) {
    frame_.reset();
    repeated_.reset();
    train(last_bytes(training_bytes));
  } else {
    end_byte(value, e, last_bytes(1));
  }
}

SerialFrame SerialFrames::last_bytes(std::size_t bytes) const {
  SerialFrame f;
  f.time = sender_.edge(lane_bytes_[lane_bytes_.size() - bytes].slot);
  for (std::size_t i = lane_bytes_.size() - bytes; i < lane_bytes_.size(); ++i)
    f.sent.push_back(lane_bytes_[i].value);
  f.arrived = f.sent;
  return f;
}

SerialFrame SerialFrames::last_bits(std::size_t bytes) const {
  SerialFrame f;
  f.time = sender_.edge(slot_ - static_cast<std::int64_t>(8 * bytes));
  const auto add = [](std::vector<std::uint8_t>& to, std::size_t place, bool bit) {
    if (place % 8 == 0) to.push_back(0);
    to.back() = static_cast<std::uint8_t>(to.back() | bit << (7 - place % 8));
  };
  std::size_t place = 0, there = 0;
  for (auto b = bits_.end() - static_cast<std::ptrdiff_t>(8 * bytes); b != bits_.end(); ++b) {
    add(f.sent, place++, b->sent);
    for (const bool bit : b->arrived) add(f.arrived, there++, bit);
    f.lost += b->arrived.empty() ? 1 : 0;
    f.inserted += b->arrived.size() > 1 ? 1 : 0;
    f.changed += !b->arrived.empty() && b->arrived[0] != b->sent ? 1 : 0;
  }
  return f;
}

void SerialFrames::end_byte(std::uint8_t value, const ByteReader::Event& b,
                            const SerialFrame& byte) {
  const bool mark = b.header && b.header->kind == Kind::Mark && !b.ok;
  const bool again = std::exchange(repeated_, std::nullopt) == value;
  if (b.start || (mark && !frame_)) {
    finish();
    frame_ = byte;
  } else if (frame_) {
    append(*frame_, byte);
    if (b.ok || b.error || b.record) finish();
    // Marks that lead nowhere, of a byte boundary that was not yet known.
    if (frame_ && !in_step() && !mark && !in_record()) frame_.reset();
  } else if (b.bare() || value == kBreak) {
    repeated_ = value;
    status_.reset();
    if (!again || byte.damaged()) complete_.push_back(byte);
  }
}

void SerialFrames::train(const SerialFrame& sequence) {
  const std::uint8_t status = sequence.sent[2];
  if (std::exchange(status_, status) != status || sequence.damaged()) complete_.push_back(sequence);
}

void SerialFrames::finish() {
  if (frame_) complete_.push_back(std::move(*frame_));
  frame_.reset();
}

std::optional<Picoseconds> SerialFrames::open_since(Picoseconds now) {
  if (!over_lanes_) idle_until(sender_.first_edge(now));
  if (frame_) return frame_->time;
  if (over_lanes_) return std::max<Picoseconds>(0, now - sender_.cycles(8 * training_bytes));
  // A training sequence is known at its end.
  return sender_.edge(std::max<std::int64_t>(0, slot_ - 32));
}

void SerialFrames::cut() {
  if (frame_) frame_->cut_short = true;
  finish();
}

}  // namespace ht::machine
