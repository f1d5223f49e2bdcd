// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>

#include "tests/qpace/node/nwp_harness.hpp"

namespace ht::test {

/// What the posted-write port out of a node must write, computed from what was sent to it and which
/// credits it was given; knows nothing of how the node works. Word 0 of every packet is a number of
/// its own, so that a packet is recognised wherever it goes.
class NwpReference {
 public:
  explicit NwpReference(std::uint32_t notify_base) : notify_base_(notify_base) {}

  /// A packet that arrives on channel (link, vc) of the node. Returns the line to put on the port
  /// of the node `sender_link` belongs to.
  PutLine packet(int sender_link, int link, int vc, int offset, std::uint32_t seed);

  /// A credit of the channel; `base` and `local` in units of 128 B.
  void credit(int link, int vc, std::uint32_t base, std::uint32_t local, std::uint32_t packets);

  /// Forgets the channel's credits: they were cancelled while nothing was on its way.
  void cancel(int link, int vc) { channel(link, vc).credits.clear(); }

  /// Checks beats from where the last call ended. Throws std::runtime_error at the first wrong one.
  void check(const std::vector<OutBeat>& beats);

  bool complete() const;  ///< every packet and notification was seen
  /// Every packet sent to that link was seen, and the notification that is due.
  bool idle(int link) const;
  std::uint64_t lines() const { return lines_; }
  std::uint64_t notifications() const { return notifications_; }
  std::uint64_t lines_of(int link, int vc) const {
    return channels_.at(static_cast<std::size_t>(link * channels + vc)).lines;
  }
  std::uint64_t lines_of(int link) const { return lines_of_.at(static_cast<std::size_t>(link)); }

 private:
  struct Packet {
    int offset;
    std::array<std::uint32_t, 32> data;
  };
  struct Credit {
    std::uint32_t destination, left;
  };
  struct Channel {
    std::deque<std::uint32_t> packets;  ///< numbers, in order
    std::deque<Credit> credits;
    std::uint32_t completed = 0;
    std::uint64_t lines = 0;
  };

  void line(const OutBeat* beats);
  void notification(const OutBeat& beat);
  Channel& channel(int link, int vc) {
    return channels_.at(static_cast<std::size_t>(link * channels + vc));
  }

  std::uint32_t notify_base_;
  std::array<Channel, static_cast<std::size_t>(links* channels)> channels_;
  struct Sent {
    int link, vc;
    Packet packet;
  };
  std::map<std::uint32_t, Sent> sent_;  ///< by number
  std::uint32_t next_number_ = 1;
  int notify_due_ = -1;  ///< channel whose notification must come next
  std::size_t checked_ = 0;
  std::uint64_t lines_ = 0, notifications_ = 0;
  std::array<std::uint64_t, links> lines_of_{};
};

}  // namespace ht::test
