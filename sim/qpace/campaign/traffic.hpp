// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/campaign/node_events.hpp"
#include "sim/qpace/campaign/scenario.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"

namespace ht::campaign {

/// What channel (receiving link, channel) of a node takes: a region of the node's memory, in lines.
struct Inbox {
  std::size_t flow = check::DeliveryScoreboard::kUnknown;
  std::uint64_t first_line = 0;
  std::uint32_t lines = 0;
  std::vector<const CampaignMessage*> messages;
};

/// One node's part of a run: posts its messages, gives credits when their time has come, clears the
/// interrupts of cables that were pulled, and ends when all that is for it has arrived. Works on
/// registers and posted writes, as a driver would.
class QpaceTraffic {
 public:
  static constexpr int channels = 8;
  using Inboxes = std::array<Inbox, static_cast<std::size_t>(qpace::links* channels)>;

  /// `seed` and `run` key the packets' contents. Registers all packets that this node is to receive
  /// with `board`, flows numbered from `rank` * 48.
  QpaceTraffic(const QpaceScenario& scenario, int rank, std::uint64_t seed, std::uint64_t run,
               check::DeliveryScoreboard& board);

  /// The node's program; `driver` has brought the links up.
  void run(qpace::Driver& driver, machine::NwpNode& node);

  const Inboxes& inboxes() const { return inboxes_; }
  /// Sticky errors that a damaged cable does not explain, as text.
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// What the interrupts were about that were cleared.
  std::uint64_t signal_losses() const { return signal_losses_; }
  const NodeEvents& events() const { return node_events_; }
  /// Links that were given up, since their cable had been silent for too long; one bit each.
  std::uint32_t links_down() const { return down_; }
  /// Messages of TFTP that were sent again.
  std::uint64_t file_repeats() const { return file_repeats_; }

  /// The network notified the `count`-th completed credit of that channel, into which it had
  /// written `arrived` packets by then: a complaint if that is not so.
  void notified(std::size_t channel, std::uint32_t count, std::uint64_t arrived);

 private:
  struct Event {
    Picoseconds at;
    const CampaignMessage* message = nullptr;
    bool credit = false;  ///< of the message
    Picoseconds stall = 0;
    const TreeVote* vote = nullptr;
    const FileRead* file = nullptr;
  };
  struct Channel {
    std::deque<const CampaignMessage*> ready;  ///< their credits' time has come
    std::uint32_t posted = 0;
  };

  void set_up(machine::NwpNode& node);
  void happen(qpace::Driver& driver, machine::NwpNode& node, const Event& event);
  void vote(qpace::Driver& driver, const TreeVote& vote);
  void read(machine::NwpNode& node, const FileRead& file);
  void post_credits(machine::NwpNode& node);
  void give_up_links(machine::NwpNode& node);
  void resume_links(machine::NwpNode& node);
  bool is_down(int link) const { return (down_ >> link & 1U) != 0; }
  void clear_interrupt(machine::NwpNode& node);
  bool complete(machine::NwpNode& node) const;
  std::uint32_t completed(machine::NwpNode& node, std::size_t channel) const;

  const QpaceScenario& scenario_;
  int rank_;
  std::uint64_t seed_, run_;
  Inboxes inboxes_;
  std::array<Channel, static_cast<std::size_t>(qpace::links* channels)> channels_;
  std::array<std::uint32_t, static_cast<std::size_t>(qpace::links* channels)> notified_{};
  std::vector<Event> events_;
  std::uint32_t down_ = 0;
  std::array<Picoseconds, qpace::links> up_last_{};
  NodeEvents node_events_;
  std::uint64_t file_repeats_ = 0;
  std::uint64_t notify_ = 0;  ///< byte offset of the notifications
  std::uint32_t credit_depth_ = 0;
  std::array<std::uint64_t, qpace::links> tickets_{};
  std::vector<std::string> complaints_;
  std::uint64_t signal_losses_ = 0;
};

/// The content of a packet: `index` counts the packets of its message.
std::array<std::byte, qpace::line_bytes> packet_content(std::uint64_t seed, std::uint64_t run,
                                                        const CampaignMessage& message,
                                                        std::uint32_t index);

}  // namespace ht::campaign
