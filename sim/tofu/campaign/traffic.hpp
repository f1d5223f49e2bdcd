// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/campaign/node_events.hpp"
#include "sim/tofu/campaign/scenario.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "sw/tofu/icc.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"

namespace ht::campaign {

/// A node's program: wires the gates of all channels, then starts operations on several at once as
/// they are due, and looks for their ends. Results go to the scoreboard: a flow for each node and
/// channel.
class TofuTraffic {
 public:
  static constexpr int flows = tofu::channels_per_node;  ///< of a node

  /// When a node started an operation, and when it found it ended; kNever: it did not.
  struct Times {
    Picoseconds started = sim::kNever, ended = sim::kNever;
  };

  /// `regions` of memory of all nodes are those of remote accesses, `ends` is how each of these
  /// ended. Tells the board what is to come. No operation is waited for longer than until
  /// `patience`.
  TofuTraffic(const TofuScenario& scenario, int node, check::DeliveryScoreboard& board,
              std::vector<std::byte*>& regions, std::vector<tofu::TniCause>& ends,
              Picoseconds patience);

  /// Its memories' bits may flip.
  void protect(std::unique_ptr<host::SoftErrorSite> site) { node_events_.protect(std::move(site)); }

  void wire(tofu::Icc& icc);
  /// Until all have ended, and nothing goes wrong any more.
  void run(tofu::Icc& icc);
  /// After everything: what gates and packets counted.
  void account(tofu::Icc& icc);

  /// By channel of the scenario, then operation.
  const std::vector<std::vector<Times>>& times() const { return times_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::uint64_t packets() const { return packets_; }
  const TofuRemoteProgram& remote() const { return remote_; }
  const NodeEvents& events() const { return node_events_; }
  /// Links that went down since their cable was dead, as bits.
  std::uint32_t links_down() const { return down_; }

 private:
  struct Mine {
    int rank = 0;
    std::size_t next = 0;  ///< operation to be started, or under way
    bool busy = false;
  };
  bool step(tofu::Icc& icc, std::size_t channel);
  bool watch_links(tofu::Icc& icc);
  void account_gates(tofu::Icc& icc);
  void start(tofu::BarrierInterface& gates, const TofuChannel& channel, const TofuOperation& o,
             const TofuContribution& mine);
  void ended(std::size_t channel, const tofu::GateResult& result);
  std::size_t flow(const TofuChannel& channel) const {
    return static_cast<std::size_t>(node_ * flows + channel.channel);
  }

  const TofuScenario& scenario_;
  int node_;
  check::DeliveryScoreboard& board_;
  Picoseconds patience_;
  TofuRemoteProgram remote_;
  NodeEvents node_events_;
  std::vector<Mine> mine_;
  std::vector<std::unique_ptr<tofu::GateCollectives>> wired_;
  std::vector<std::vector<Times>> times_;
  std::vector<std::string> complaints_;
  std::uint64_t packets_ = 0;
  std::uint32_t down_ = 0;
  bool resumed_ = false;   ///< links that went down train again
  bool up_again_ = false;  ///< and all are up
  Picoseconds watched_ = 0;
};

}  // namespace ht::campaign
