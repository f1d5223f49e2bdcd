// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/campaign/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/campaign/machine_run.hpp"
#include "sim/qcdoc/campaign/traffic.hpp"
#include "sw/host/errors.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;
using machine::QcdocLinkReport;
using machine::QcdocMachine;
using sim::ErrorKind;
using sim::Fate;
using sim::InjectedError;

// Training of a link that was up may take so long, in units of 4.096 us.
constexpr std::uint16_t retrain_timeout = 20;
// The first training may take so long. The watchdog waits longer, so that it is the driver who
// names a link whose cable was unplugged before.
constexpr Picoseconds link_up_timeout = 200'000'000;
static_assert(link_up_timeout < run_watchdog);

std::unique_ptr<QcdocMachine> make_machine(const ScenarioOptions& o, const QcdocScenario& s,
                                           std::uint64_t run) {
  auto m = machine_options<machine::QcdocMachineOptions>(o, s, run);
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{o.soak ? 4U : 1U} << 20;
  m.driver.scu.retrain_timeout = retrain_timeout;
  m.driver.scu.link_up_timeout = link_up_timeout;
  m.driver.check_errors = !s.unplugged;
  return std::make_unique<QcdocMachine>(std::move(m));
}

class QcdocRun final : public MachineRun {
 public:
  QcdocRun(const ScenarioOptions& options, std::uint64_t number, Closer* closer,
           QcdocScenario drawn)
      : MachineRun(
            options, number, closer, make_machine(options, drawn, number),
            static_cast<std::size_t>(machine::node_count(options.shape) * QcdocTraffic::flows)),
        scenario_(std::move(drawn)),
        machine_(static_cast<QcdocMachine&>(machine())) {
    for (int n = 0; n < machine_.size(); ++n) {
      traffic_.push_back(
          std::make_unique<QcdocTraffic>(scenario_, n, options.seed, number, board()));
      machine_.node(n).watch_memory(
          [t = traffic_.back().get()](const machine::MemoryAccess& a) { t->written(a); });
    }
  }

 private:
  const Scenario& scenario() const override { return scenario_; }
  const char* unit() const override { return "word"; }
  std::string traffic() const override {
    return fmt::format(
        "{} messages, {} supervisor words, {} global operations, {} times partition interrupts",
        scenario_.messages.size(), scenario_.supervisor.size(), scenario_.global.size(),
        scenario_.interrupts.size());
  }

  std::vector<std::string> messages() const override {
    std::vector<std::string> lines;
    const auto add = [&](const Route& r, const std::string& what, Picoseconds send) {
      lines.push_back(fmt::format("{} from node {} {}, {:.3f} us after the links came up", what,
                                  r.from, machine_.link_name(r.link),
                                  static_cast<double>(send) * 1e-6));
    };
    for (const QcdocMessage& m : scenario_.messages)
      add(m, fmt::format("{} words in {} blocks", m.words(), m.blocks), m.send);
    for (const QcdocSupervisorWord& w : scenario_.supervisor) add(w, "a supervisor word", w.send);
    for (const QcdocGlobal& g : scenario_.global)
      lines.push_back(fmt::format("{} of {} words of all nodes",
                                  g.broadcast ? "broadcast" : "exchange", g.words));
    for (const QcdocInterrupts& i : scenario_.interrupts)
      lines.push_back(fmt::format("partition interrupts {:#x} by node {}", i.bits, i.node));
    return lines;
  }

  void simulate() override {
    // Caught where it is thrown, so that the machine still runs and its links can be read.
    const auto program = [this](qcdoc::Driver& driver) {
      const int n = driver.place().node;
      try {
        auto& mine = *traffic_[static_cast<std::size_t>(n)];
        mine.protect(machine_.open_soft_errors(n));
        mine.run(driver, machine_.node(n));
        mine.account();
      } catch (const ProtocolError& e) {
        report_down(e);
      }
    };
    try {
      if (!machine_.run(program, longest())) stop(it_moves());
    } catch (const TimeoutError& e) {
      // Before the watchdog can have had enough it is the driver's, of a link that never came up.
      if (machine_.kernel().now() < run_watchdog) {
        report_down(e);
        told();
        return;  // nothing was sent, and nobody can be asked
      }
      stop(e.what());
    } catch (const std::exception& e) {
      stop(e.what());
    }
    try {
      reports_ = machine_.read_links();
    } catch (const std::exception& e) {
      told();
      found(-1, -1, fmt::format("the links could not be read at the end: {}", e.what()));
    }
    if (!stop_.empty() || down_) told();
    // Words that were acknowledged but did not arrive are missing for ever: the checksums say so.
    const bool caught = std::ranges::any_of(
        reports_, [](const QcdocLinkReport& r) { return !r.checksums_agree(); });
    if (!stop_.empty() && !down_ && !caught) found(-1, -1, "it came to no end: " + stop_);
    if (!stop_.empty() && !down_) ++tally().counters["runs stopped by missing words"];
  }

  void stop(const std::string& why) {
    if (stop_.empty()) stop_ = why;
  }
  // By a node's driver.
  void report_down(const std::exception& e) {
    down_ = true;
    stop(e.what());
    ++tally().counters["links reported down"];
    tell(fmt::format("  reported: {}", e.what()));
    if (!scenario_.unplugged) found(-1, -1, fmt::format("a link was reported down: {}", e.what()));
  }

  const QcdocLinkReport* report(int cable) const override {
    return reports_.empty() ? nullptr : &reports_[static_cast<std::size_t>(cable)];
  }
  check::QcdocReceiver* receiver(int cable) {
    return machine_.node(receiving_node(cable))
        .receiver_of(static_cast<unsigned>(receiving_link(cable)));
  }

  void check_counters(int cable) override {
    const QcdocLinkReport& r = *report(cable);
    if (stop_.empty() && !checksums_differ(cable) && r.sent != r.accepted)
      found_at(cable, fmt::format("{} words sent to it, {} accepted", r.sent, r.accepted));
    if (const auto* model = receiver(cable); model != nullptr) {
      const auto& c = model->counts();
      const qcdoc::LinkCounters& h = r.receiver;
      if (c.header_errors != h.header_errors || c.parity_errors != h.parity_errors ||
          c.marker_errors != h.marker_errors)
        found_at(cable,
                 fmt::format("counted header/parity/marker errors {}/{}/{}, by the wire format "
                             "{}/{}/{}",
                             h.header_errors, h.parity_errors, h.marker_errors, c.header_errors,
                             c.parity_errors, c.marker_errors));
    }
    auto& total = tally().counters;
    total["words sent again"] += r.retransmitted;
    total["requests"] += r.receiver.requests;
    total["words refused"] += r.receiver.refused;
    total["trainings"] += r.receiver.retrains;
    total["acknowledgements not heeded"] += r.sender.bad_acknowledgements;
    total["links with checksums that differ"] += r.checksums_agree() ? 0 : 1;
  }

  bool checksums_explained(int cable) override {
    return !ledger(cable).errors().empty() || !ledger(back(cable)).errors().empty();
  }

  Class classify(int number, const InjectedError& e) override {
    const bool outage = e.kind == ErrorKind::Pulled || e.kind == ErrorKind::Silent;
    if (down_ && outage && e.fate != Fate::Harmless) return Class::Down;
    if (e.fate == Fate::Undetected) {
      // An acknowledgement that was not meant shows at the link's other direction.
      if (checksums_differ(number) || checksums_differ(back(number))) return Class::Caught;
      if (down_) return Class::Down;
      // A word that was here already, or one acknowledgement that became another.
      return delivered_wrong(number) || delivered_wrong(back(number)) ? Class::Undetected
                                                                      : Class::Passed;
    }
    if (e.fate == Fate::Harmless) return Class::Harmless;
    switch (e.complaint) {
      case sim::Complaint::Code:
        return Class::Code;
      case sim::Complaint::None:
        return Class::Link;
      case sim::Complaint::Parity:
        return Class::Parity;
      case sim::Complaint::Marks:
        return Class::Marks;
      case sim::Complaint::Training:
        return Class::Training;
      default:
        return Class::Header;
    }
  }

  static int node_of(std::size_t flow) { return static_cast<int>(flow) / QcdocTraffic::flows; }
  static bool supervisor(std::size_t flow) {
    return static_cast<int>(flow) % QcdocTraffic::flows >= qcdoc::links;
  }
  static int link_of(std::size_t flow) {
    return static_cast<int>(flow) % QcdocTraffic::flows % qcdoc::links;
  }
  Outlet outlet(std::size_t flow) const override {
    return {node_of(flow), link_of(flow), supervisor(flow) ? "supervisor word" : unit()};
  }

  /// Whether something came out of a cable that is not what was sent.
  bool delivered_wrong(int cable) const {
    return std::ranges::any_of(board().troubles(), [&](const auto& t) {
      return t.flow != DeliveryScoreboard::kUnknown && node_of(t.flow) == receiving_node(cable) &&
             link_of(t.flow) == receiving_link(cable);
    });
  }

  // Words of a link whose checksums differ are accounted for by them. A link reported down tells
  // that words are missing everywhere, and of the last ones on its own cable not to be trusted.
  bool excused(const Delivery& t) override {
    const int sender = cable_into(node_of(t.flow), link_of(t.flow));
    if (!supervisor(t.flow) && checksums_differ(sender)) return true;
    return down_ && (t.kind == DeliveryScoreboard::Kind::Lost ||
                     std::ranges::any_of(ledger(sender).errors(), [](const InjectedError& e) {
                       return e.kind == ErrorKind::Pulled;
                     }));
  }

  // What nodes' observation ports show, beside models of their receivers.
  void check_rest() override {
    auto& total = tally().counters;
    total["global operations"] += scenario_.global.size();
    bool any_differ = false;
    for (int cable = 0; cable < cables(); ++cable)
      any_differ = any_differ || checksums_differ(cable);
    total["times partition interrupts were raised"] += scenario_.interrupts.size();
    for (int n = 0; n < machine_.size(); ++n) {
      const QcdocTraffic& t = *traffic_[static_cast<std::size_t>(n)];
      for (const std::string& what : t.complaints()) found(n, -1, what);
      // A word that was altered on one link goes on to others: any link's checksums show it.
      for (const std::string& what : t.wrong_operations()) {
        if (any_differ) {
          ++total["global operations with words that checksums tell of"];
          tell(fmt::format("  reported by the checksums: node {}: {}", n, what));
        } else {
          found(n, -1, what);
        }
      }
      check_events(n, t.events());
    }
    for (int cable = 0; cable < cables(); ++cable) {
      auto* const model = receiver(cable);
      if (model == nullptr) continue;
      const sim::Clock clock = machine_.node(receiving_node(cable)).clock();
      port_differs(cable, model->close(clock.first_edge(machine_.kernel().now()) - 1));
    }
  }

  QcdocScenario scenario_;
  QcdocMachine& machine_;
  std::vector<std::unique_ptr<QcdocTraffic>> traffic_;
  std::vector<QcdocLinkReport> reports_;
  bool down_ = false;
  std::string stop_;  ///< why it did not end well
};

}  // namespace

RunOutcome run_qcdoc(const ScenarioOptions& options, std::uint64_t run, Closer* closer) {
  return QcdocRun(options, run, closer, draw_qcdoc_scenario(options, run)).outcome();
}

}  // namespace ht::campaign
