// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sim/campaign/node_events.hpp"
#include "sim/campaign/scenario.hpp"
#include "sim/campaign/tally.hpp"
#include "sim/machine/machine.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"

namespace ht::campaign {

/// One run of a campaign over a fresh machine, and the account of it: every delivery, every error
/// and every link, whatever machine it is. A machine's own run says what its traffic is, what its
/// counters must be, and what noticed an error. Cables have numbers: sender's number * links +
/// link.
class MachineRun {
 public:
  virtual ~MachineRun();
  MachineRun(const MachineRun&) = delete;
  MachineRun& operator=(const MachineRun&) = delete;

  /// Runs it; once.
  RunOutcome outcome();

 protected:
  using Delivery = check::DeliveryScoreboard::Trouble;
  /// Where a flow of the scoreboard comes out, and what to call what comes.
  struct Outlet {
    int node = -1, link = -1;
    std::string what;
  };
  /// No run takes longer: what still moves then never ends.
  Picoseconds longest() const { return scenario().soak ? 30'000'000'000 : 3'000'000'000; }

  /// `flows` of the scoreboard. With `closer` lines about the run are kept, and waves if it says
  /// so.
  MachineRun(const ScenarioOptions& options, std::uint64_t number, Closer* closer,
             std::unique_ptr<machine::Machine> machine, std::size_t flows);

  virtual const Scenario& scenario() const = 0;
  /// What is delivered: "packet".
  virtual const char* unit() const = 0;
  /// "17 messages, 3 supervisor words".
  virtual std::string traffic() const = 0;
  /// A line for each message that was kept, where some were taken away; none, if a machine's are
  /// never taken away: then --shrink leaves them all.
  virtual std::vector<std::string> messages() const { return {}; }
  /// Runs the traffic to its end, and reads the links.
  virtual void simulate() = 0;
  /// What the two ends of a cable counted; null if they could not be read.
  virtual const machine::LinkReport* report(int cable) const = 0;
  /// Of a cable that has a report.
  virtual void check_counters(int cable) = 0;
  /// What was on the line when the error hit; empty: not known.
  virtual std::string place(int cable, const sim::InjectedError& error) const;
  virtual Class classify(int cable, const sim::InjectedError& error) = 0;
  /// Within classify(): when it was noticed, if not by a complaint that the ledger knows of.
  void noticed_at(Picoseconds time) { noticed_ = time; }
  /// Whether it is no wonder that the checksums at a cable's ends differ.
  virtual bool checksums_explained(int cable) = 0;
  virtual Outlet outlet(std::size_t flow) const = 0;
  /// Whether checksums, or a link's report, show it.
  virtual bool excused(const Delivery& trouble) = 0;
  /// What else there is to be checked.
  virtual void check_rest() = 0;
  /// What happened to a node, when its program is over.
  void check_events(int node, const NodeEvents& events);

  /// "it did not come to rest in 3 ms".
  std::string it_moves() const;
  void found(int node, int link, const std::string& what);
  /// Hardware or driver said that something is wrong.
  void told() { told_ = true; }
  /// At the end that a cable leads to.
  void found_at(int cable, const std::string& what);
  /// What a model beside the receiver of a cable saw otherwise than its observation port.
  void port_differs(int cable, std::span<const std::string> differences);
  /// Whether a packet was forged, and checksums caught it.
  bool forged_caught() const;
  /// For a detailed look at one run.
  void tell(const std::string& line);

  int links() const { return machine_->links(); }
  int cables() const { return machine_->size() * links(); }
  int receiving_node(int cable) const {
    return machine_->neighbour(cable / links(), cable % links());
  }
  int receiving_link(int cable) const { return machine_->far_link(cable % links()); }
  /// The other direction.
  int back(int cable) const { return receiving_node(cable) * links() + receiving_link(cable); }
  /// The cable that comes in at a node's link.
  int cable_into(int node, int link) const {
    return machine_->neighbour(node, link) * links() + machine_->far_link(link);
  }
  const sim::ErrorLedger& ledger(int cable) const;
  /// Whether it carries bits to lanes: then the ledger has what those account for, whose errors
  /// have no place among the words (sim/lane/lane_account.hpp).
  bool over_lanes() const { return over_lanes_; }
  bool checksums_differ(int cable) const;

  machine::Machine& machine() { return *machine_; }
  check::DeliveryScoreboard& board() { return board_; }
  const check::DeliveryScoreboard& board() const { return board_; }
  std::uint64_t number() const { return number_; }
  Tally& tally() { return out_.tally; }

 private:
  void describe();
  void check_errors(int cable);
  void time_detection(int cable, const sim::InjectedError& error, Class c);
  void check_checksums(int cable);
  void check_deliveries();
  void judge_upset();

  std::uint64_t number_;
  Closer* closer_;
  std::unique_ptr<machine::Machine> machine_;
  check::DeliveryScoreboard board_;
  RunOutcome out_;
  bool over_lanes_, told_ = false;
  int upset_node_ = -1;
  machine::StateBits::Flipped upset_;
  Picoseconds noticed_ = sim::kNever;  ///< the error that is being classified
};

}  // namespace ht::campaign
