// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/qpace/campaign/traffic.hpp"
#include "sim/qpace/nwp_node.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"
#include "verif/check/qpace/receiver.hpp"

namespace ht::campaign {

/// A node's checkers: a receiver's model on each link, and the scoreboard on the port to memory.
class QpaceListener final : public machine::NodeListener {
 public:
  QpaceListener(QpaceTraffic& traffic, check::DeliveryScoreboard& board)
      : traffic_(traffic), board_(board) {}

  void received(int link, std::int64_t edge, const model::Word& word) override {
    receiver(link).received(edge, word);
  }
  sim::Complaint observed(int link, std::int64_t edge, const sim::Observation& seen) override;
  void retransmits(int link, std::int64_t edge) override { receiver(link).retransmits(edge); }
  void written(std::uint64_t address, const std::array<std::uint32_t, 4>& data, bool last,
               bool notification) override;

  check::QpaceReceiver& receiver(int link) { return receivers_.at(static_cast<std::size_t>(link)); }

 private:
  void line(std::uint64_t address);

  QpaceTraffic& traffic_;
  check::DeliveryScoreboard& board_;
  std::array<check::QpaceReceiver, qpace::links> receivers_;
  std::array<std::byte, qpace::line_bytes> line_{};
  std::size_t beat_ = 0;
  std::uint64_t address_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(qpace::links* QpaceTraffic::channels)>
      arrived_{};
};

/// Remembers which frames a cable's sender sent when, to tell what an error hit.
class QpaceCableLog final : public sim::CableTap<model::Word> {
 public:
  void carried(std::int64_t slot, const model::Word& sent, const model::Word* received) override;
  void inserted(std::int64_t slot, const model::Word& received) override;

  /// "command", "hello", "header", "payload", "CRC", or "idle": what was sent in that slot.
  std::string place(std::int64_t slot) const;
  /// Whether a frame of just these words was sent.
  bool was_sent(const std::vector<model::Word>& words) const;

 private:
  struct Frame {
    std::int64_t first, last;
    std::uint8_t code;
    std::vector<model::Word> words;
  };
  std::vector<Frame> frames_;
};

}  // namespace ht::campaign
