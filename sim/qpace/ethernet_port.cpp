// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/ethernet_port.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ht::machine {
namespace {

constexpr std::size_t min_bytes = 60, max_bytes = 9018, fcs_bytes = 4;
constexpr int preamble_nibbles = 16, gap_nibbles = 24;

}  // namespace

std::uint32_t frame_check_sequence(const net::Bytes& frame) {
  return static_cast<std::uint32_t>(crc32(0, frame.data(), static_cast<uInt>(frame.size())));
}

FrameReader::Found FrameReader::next(const sim::EthernetNibble& n) {
  const std::uint8_t before = std::exchange(last_, n.valid ? n.data : std::uint8_t{0});
  if (n.valid) length_ = carrier_ ? length_ + 1 : 1;
  if (!n.valid) {
    const bool framed = std::exchange(in_frame_, false);
    const bool had = std::exchange(carrier_, false);
    if (!framed) {
      frame_.clear();
      return had ? Found::Bad : Found::Nothing;
    }
    if (nibbles_ % 2 != 0 || frame_.size() < min_bytes + fcs_bytes || frame_.size() > max_bytes)
      return Found::Bad;
    const net::Bytes body(frame_.begin(), frame_.end() - fcs_bytes);
    const std::uint32_t fcs = frame_check_sequence(body);
    for (std::size_t i = 0; i < fcs_bytes; ++i) {
      if (frame_[body.size() + i] != static_cast<std::uint8_t>(fcs >> (8 * i))) return Found::Bad;
    }
    return Found::Good;
  }
  carrier_ = true;
  if (!in_frame_) {
    if (n.data != 0xD || before != 0x5) return Found::Nothing;
    in_frame_ = true;
    nibbles_ = 0;
    frame_.clear();
    return Found::Start;
  }
  if (nibbles_ % 2 == 0) {
    frame_.push_back(n.data);
  } else {
    frame_.back() = static_cast<std::uint8_t>(frame_.back() | n.data << 4);
  }
  ++nibbles_;
  return Found::Nothing;
}

void EthernetPort::send(const net::Bytes& frame, Picoseconds now) {
  net::Bytes bytes = frame;
  if (bytes.size() < min_bytes) bytes.resize(min_bytes);
  const std::uint32_t fcs = frame_check_sequence(bytes);
  for (std::size_t i = 0; i < fcs_bytes; ++i)
    bytes.push_back(static_cast<std::uint8_t>(fcs >> (8 * i)));
  Outgoing o{std::max(free_, out_.options().sender.first_edge(now)), {}};
  for (int i = 0; i < preamble_nibbles; ++i)
    o.nibbles.push_back({static_cast<std::uint8_t>(i + 1 == preamble_nibbles ? 0xD : 0x5), true});
  for (const std::uint8_t b : bytes) {
    o.nibbles.push_back({static_cast<std::uint8_t>(b & 15), true});
    o.nibbles.push_back({static_cast<std::uint8_t>(b >> 4), true});
  }
  free_ = o.start + static_cast<std::int64_t>(o.nibbles.size()) + gap_nibbles;
  queue_.push_back(std::move(o));
  ++frames_out;
}

void EthernetPort::hear(std::int64_t edge, const sim::EthernetNibble& nibble,
                        const std::function<void(const net::Bytes&, Picoseconds)>& take) {
  heard_ = edge;
  const FrameReader::Found found = reader_.next(nibble);
  if (found == FrameReader::Found::Nothing) return;
  const bool start = found == FrameReader::Found::Start, good = found == FrameReader::Found::Good;
  in_.ledger().observe(edge, {start, good, false, !start && !good});
  if (good) {
    ++frames_in;
    take(net::Bytes(reader_.frame().begin(), reader_.frame().end() - fcs_bytes),
         in_.options().receiver.edge(edge));
  }
  if (found != FrameReader::Found::Bad) return;
  // A nibble or two between frames were none, and what follows a hole in one belongs to it.
  const auto length = static_cast<std::int64_t>(reader_.length());
  if (length < preamble_nibbles) return;
  if (edge - length - bad_end_ >= gap_nibbles) ++bad_frames;
  bad_end_ = edge;
}

void EthernetPort::run(Picoseconds to,
                       const std::function<void(const net::Bytes&, Picoseconds)>& take,
                       const std::function<Picoseconds()>& alarm,
                       const std::function<void(Picoseconds)>& ring) {
  const sim::Clock& receiver = in_.options().receiver;
  const std::int64_t end = receiver.first_edge(to);
  const auto never = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    // In carrier the quiet nibble that ends it counts, though nobody sends it.
    const std::int64_t arrives =
        reader_.in_carrier() ? heard_ + 1 : in_.next_edge().value_or(never);
    const Picoseconds rings = alarm();
    const std::int64_t alarm_edge = rings == sim::kNever ? never : receiver.first_edge(rings);
    if (std::min(arrives, alarm_edge) >= end) break;
    if (alarm_edge < arrives) {
      ring(receiver.edge(alarm_edge));
    } else {
      hear(arrives, in_.receive(arrives), take);
    }
  }
  const std::int64_t stop = out_.options().sender.first_edge(to);
  while (!queue_.empty()) {
    Outgoing& o = queue_.front();
    for (; sent_ < o.nibbles.size(); ++sent_) {
      const std::int64_t edge = o.start + static_cast<std::int64_t>(sent_);
      if (edge >= stop) return;
      out_.send(edge, o.nibbles[sent_]);
    }
    queue_.pop_front();
    sent_ = 0;
  }
}

Picoseconds EthernetPort::next(Picoseconds now, Picoseconds alarm) const {
  Picoseconds first = std::max(alarm, now);
  if (!queue_.empty())
    first = std::min(
        first, out_.options().sender.edge(queue_.front().start + static_cast<std::int64_t>(sent_)));
  if (reader_.in_carrier()) first = std::min(first, in_.options().receiver.edge(heard_ + 1));
  return std::max(first, now);
}

}  // namespace ht::machine
