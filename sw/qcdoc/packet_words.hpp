// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sw/qmp/capabilities.hpp"

namespace ht::qcdoc {

/// Packets between neighbours as supervisor words, beside whatever the links' engines move: seven
/// bytes a word, the first of which is the packet's length. A neighbour may have two packets that
/// were not taken yet; for each that is, a word goes back.
class PacketWords final : public qmp::PacketPort {
 public:
  /// Top bytes of the words. (Those of LossProbe have 0xD1.)
  static constexpr std::uint64_t data_words = 0xD2, taken_words = 0xD3;

  /// `send` sends a word in a direction, and may wait until the neighbour has read the one before.
  using Send = std::function<void(qmp::Direction way, std::uint64_t word)>;
  PacketWords(std::size_t directions, Send send);

  /// A word with one of those top bytes came; it does not block.
  void heard(qmp::Direction from, std::uint64_t word);

  std::size_t packet_bytes() const override { return 125; }
  bool try_send(qmp::Direction way, std::span<const std::byte> packet) override;
  std::size_t try_receive(qmp::Direction from, std::span<std::byte> packet) override;

 private:
  struct Link {
    int sent = 0;                   ///< and not taken
    std::vector<std::byte> coming;  ///< the packet of which some words are here
    std::deque<std::vector<std::byte>> arrived;
  };
  Link& at(qmp::Direction d) { return links_[static_cast<std::size_t>(d)]; }

  Send send_;
  std::vector<Link> links_;
};

}  // namespace ht::qcdoc
