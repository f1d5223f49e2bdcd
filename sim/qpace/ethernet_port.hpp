// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>

#include "sim/qpace/cable.hpp"
#include "sw/net/packet.hpp"

namespace ht::machine {

/// Finds frames in a stream of nibbles: preamble, start delimiter, bytes, check sequence.
class FrameReader {
 public:
  enum class Found { Nothing, Start, Good, Bad };
  /// The next nibble; quiet ones outside of frames may be left out. Good and Bad come with the
  /// first quiet nibble after a frame: then frame() has its bytes, check sequence included.
  Found next(const sim::EthernetNibble& nibble);
  const net::Bytes& frame() const { return frame_; }
  bool in_carrier() const { return carrier_; }
  /// Nibbles of the last carrier: preamble, delimiter and frame, or noise.
  std::size_t length() const { return length_; }

 private:
  net::Bytes frame_;
  std::size_t nibbles_ = 0, length_ = 0;
  std::uint8_t last_ = 0;
  bool carrier_ = false, in_frame_ = false;
};

/// CRC-32 of IEEE 802.3 over a frame without its check sequence.
std::uint32_t frame_check_sequence(const net::Bytes& frame);

/// A host's end of an Ethernet cable: frames in, frames out, at line rate with the gap between.
class EthernetPort {
 public:
  EthernetPort(sim::EthernetCable& out, sim::EthernetCable& in) : out_(out), in_(in) {}

  /// Sends a frame (without padding and check sequence) as soon as the cable is free, from `now`
  /// on.
  void send(const net::Bytes& frame, Picoseconds now);

  /// Carries out everything before `to`. Frames that arrived good are handed to `take`, without
  /// check sequence, at the time of the quiet nibble after them; it may call send(). `alarm`
  /// (kNever: none) is a time at which `ring` is called, before anything later happens, and returns
  /// the next.
  void run(Picoseconds to, const std::function<void(const net::Bytes&, Picoseconds)>& take,
           const std::function<Picoseconds()>& alarm, const std::function<void(Picoseconds)>& ring);

  /// Next time at which something happens if nothing arrives: `alarm` or a nibble to be sent.
  Picoseconds next(Picoseconds now, Picoseconds alarm) const;

  std::uint64_t frames_in = 0, frames_out = 0;
  std::uint64_t bad_frames = 0;  ///< that came damaged, and are lost

 private:
  struct Outgoing {
    std::int64_t start;  ///< edge of the first nibble
    std::vector<sim::EthernetNibble> nibbles;
  };
  void hear(std::int64_t edge, const sim::EthernetNibble& nibble,
            const std::function<void(const net::Bytes&, Picoseconds)>& take);

  sim::EthernetCable& out_;
  sim::EthernetCable& in_;
  FrameReader reader_;
  std::int64_t heard_ = -1;  ///< edge of the last nibble looked at
  std::int64_t bad_end_ = std::numeric_limits<std::int64_t>::min() / 2;  ///< of a damaged frame
  std::deque<Outgoing> queue_;
  std::size_t sent_ = 0;   ///< nibbles of the first one
  std::int64_t free_ = 0;  ///< edge from which the next frame may start
};

}  // namespace ht::machine
