// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/campaign/node_events.hpp"
#include "sim/qcdoc/campaign/scenario.hpp"
#include "sim/qcdoc/machine.hpp"
#include "verif/check/common/delivery_scoreboard.hpp"

namespace ht::campaign {

/// One node's part of a run: starts the engines of its messages when their time has come, sends
/// supervisor words, and ends when all that is for it has arrived and all it had to send was taken.
/// Works on the unit, as a program would.
class QcdocTraffic {
 public:
  /// Flows of a node's scoreboard entries: data words by link, then supervisor words by link.
  static constexpr int flows = 2 * qcdoc::links;

  /// Registers all words that this node is to receive with `board`, flows from `number` * flows.
  QcdocTraffic(const QcdocScenario& scenario, int number, std::uint64_t seed, std::uint64_t run,
               check::DeliveryScoreboard& board);

  /// Its memories' bits may flip.
  void protect(std::unique_ptr<host::SoftErrorSite> site) { node_events_.protect(std::move(site)); }
  /// The node's program.
  void run(qcdoc::Driver& driver, machine::ScuNode& node);
  /// After everything.
  void account() { node_events_.account(); }
  const NodeEvents& events() const { return node_events_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// Global operations that ended with other words than they should.
  const std::vector<std::string>& wrong_operations() const { return wrong_; }
  /// A word that the unit wrote into memory.
  void written(const machine::MemoryAccess& access);

 private:
  struct Place {
    std::size_t flow;
    std::uint32_t index;
  };
  struct Order {  ///< of one engine
    Picoseconds at;
    const QcdocMessage* message;
    int slot;
  };

  void set_up(qcdoc::Driver& driver, machine::ScuNode& node);
  bool start_engines(qcdoc::Scu& scu, Picoseconds now);
  bool send_words(qcdoc::Driver& driver, Picoseconds now);
  void circulate(qcdoc::Driver& driver, std::size_t number);
  void broadcast(qcdoc::Driver& driver, std::size_t number);
  bool raise(qcdoc::Scu& scu, Picoseconds now);

  const QcdocScenario& scenario_;
  int number_;
  std::uint64_t seed_, run_;
  check::DeliveryScoreboard& board_;
  std::unordered_map<std::uint64_t, Place> places_;  ///< by offset in memory
  std::array<std::deque<Order>, qcdoc::engines> orders_;
  qcdoc::Mask started_ = 0;
  std::deque<const QcdocSupervisorWord*> to_say_;  ///< by time
  std::size_t to_hear_ = 0;
  std::array<std::uint32_t, qcdoc::links> heard_{};
  NodeEvents node_events_;
  bool in_global_ = false;  ///< operation: its words are compared when it is over
  std::deque<const QcdocInterrupts*> to_raise_;  ///< by time
  qcdoc::Mask due_interrupts_ = 0, taken_interrupts_ = 0;
  std::vector<std::string> complaints_, wrong_;
};

}  // namespace ht::campaign
