// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/tofu/node.hpp"
#include "verif/check/tofu/reader.hpp"

namespace ht::campaign {

/// What a link's receiver must make of what came, beat by beat, compared with its observation port.
class TofuReceiver {
 public:
  void received(std::int64_t edge, const model::Beat& beat);
  sim::Complaint observed(std::int64_t edge, const sim::Observation& seen, unsigned state);
  void close();

  /// Something that was accepted, or broken: its first and last beat.
  struct Frame {
    std::int64_t first, last;
    sim::Complaint complaint;
    /// Of a whole packet, a hello, or a link control packet; empty for what is broken.
    std::vector<std::uint64_t> words;
    bool in_turn = false;  ///< a good packet with the sequence number that was due
  };
  const std::vector<Frame>& frames() const { return frames_; }
  /// Edges at which a good packet was ahead of its turn, and at which the link was seen to train
  /// anew.
  const std::vector<std::int64_t>& gaps() const { return gaps_; }
  const std::vector<std::int64_t>& losses() const { return losses_; }
  const check::TofuReader::Counts& counts() const { return reader_.counts(); }
  /// What RX_CHECKSUM must be: of the good packets that came in their turn.
  std::uint32_t checksum() const { return checksum_.value(); }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void differ(const std::string& what);

  check::TofuReader reader_;
  check::TofuReader::Event event_;
  std::int64_t edge_ = -1;   ///< of event_
  bool pending_ = false;     ///< event_ has something that must be observed
  std::int64_t first_ = -1;  ///< beat of the frame under way
  std::uint8_t expected_ = 0;
  model::tofu::Checksum checksum_;
  unsigned state_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::int64_t> gaps_, losses_;
  std::vector<std::string> complaints_;
};

/// The receivers of a node's links.
class TofuLinkListener final : public machine::TofuListener {
 public:
  void received(int link, std::int64_t edge, const model::Beat& beat) override {
    receiver(link).received(edge, beat);
  }
  sim::Complaint observed(int link, std::int64_t edge, const sim::Observation& seen,
                          unsigned state) override {
    return receiver(link).observed(edge, seen, state);
  }
  TofuReceiver& receiver(int link) { return receivers_.at(static_cast<std::size_t>(link)); }

 private:
  std::array<TofuReceiver, machine::TofuNode::links> receivers_;
};

/// What a cable's sender sent when, to tell what an error hit and whether something was sent.
class TofuCableLog final : public sim::CableTap<model::Beat> {
 public:
  void carried(std::int64_t slot, const model::Beat& sent, const model::Beat* received) override;
  void inserted(std::int64_t /*slot*/, const model::Beat& /*received*/) override {}

  /// "header", "payload", "CRC", "command", "hello", or "idle": what was sent in that slot.
  const char* place(std::int64_t slot) const;
  /// What TX_CHECKSUM must be: of the packets sent whole, each once.
  std::uint32_t checksum() const { return checksum_.value(); }
  bool was_sent(const std::vector<std::uint64_t>& words) const { return sent_.contains(words); }

 private:
  struct Sent {
    std::int64_t slot;
    const char* what;
  };
  check::TofuReader reader_;
  std::uint8_t next_ = 0;  ///< sequence number of the next packet
  model::tofu::Checksum checksum_;
  unsigned beats_ = 0;  ///< of the packet under way
  std::vector<Sent> log_;
  std::set<std::vector<std::uint64_t>> sent_;
};

}  // namespace ht::campaign
