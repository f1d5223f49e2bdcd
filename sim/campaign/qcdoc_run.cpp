// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/qcdoc_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "sim/campaign/qcdoc_traffic.hpp"
#include "sim/machine/trace.hpp"
#include "sw/host/errors.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;
using machine::QcdocLinkReport;
using sim::ErrorKind;
using sim::Fate;
using sim::InjectedError;

constexpr int links = qcdoc::links;
// No run takes longer: what still moves then never ends.
constexpr Picoseconds longest_run = 3'000'000'000, standstill = 300'000'000;
// Training of a link that was up may take so long, in units of 4.096 us.
constexpr std::uint16_t retrain_timeout = 20;

machine::QcdocMachineOptions machine_options(const QcdocCampaignOptions& o, const QcdocScenario& s,
                                             std::uint64_t run) {
  machine::QcdocMachineOptions m;
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{1} << 20;
  m.node.memory_stalls = s.memory_stalls;
  m.random_phases = true;
  m.cable_delay = s.cable_delay;
  m.faults = s.faults;
  m.seed = o.seed * 0x9e3779b97f4a7c15U + run;
  m.kernel.threads = 1;
  m.kernel.watchdog = standstill;
  m.driver.scu.retrain_timeout = retrain_timeout;
  return m;
}

/// A machine with its traffic and its checkers.
class Run {
 public:
  Run(const QcdocCampaignOptions& options, std::uint64_t number, Closer* closer)
      : number_(number),
        closer_(closer),
        scenario_(draw_scenario(options, number)),
        machine_(machine_options(options, scenario_, number)),
        board_(static_cast<std::size_t>(machine_.size() * QcdocTraffic::flows)) {
    for (int n = 0; n < machine_.size(); ++n) {
      traffic_.push_back(
          std::make_unique<QcdocTraffic>(scenario_, n, options.seed, number, board_));
      machine_.node(n).watch_memory(
          [t = traffic_.back().get()](const machine::MemoryAccess& a) { t->written(a); });
      if (closer != nullptr && !closer->trace.empty()) {
        machine::TraceOptions trace;
        trace.stem = closer->trace;
        machine_.node(n).trace(trace);
      }
    }
  }

  RunOutcome outcome() {
    describe();
    simulate();
    board_.close();
    const sim::ErrorTotals totals = machine_.close_ledgers();
    if (!totals.balanced())
      found(-1, -1, "errors injected are not detected + harmless + undetected");
    for (const QcdocLinkReport& r : reports_) check_counters(r);
    for (int cable = 0; cable < machine_.size() * links; ++cable) check_errors(cable);
    check_words();
    check_models();
    out_.tally.counters["simulated ns"] =
        static_cast<std::uint64_t>(machine_.kernel().now() / 1000);
    out_.tally.counters["node-cycles"] = machine_.statistics().cycles.total;
    if (closer_ != nullptr) machine_.close_traces();
    return std::move(out_);
  }

 private:
  void found(int node, int link, const std::string& what) {
    out_.findings.push_back({number_, node, link, what});
  }
  void describe() {
    if (closer_ == nullptr) return;
    std::vector<std::string> names;
    for (const Trouble t : scenario_.troubles) names.emplace_back(name(t));
    closer_->lines.push_back(fmt::format(
        "run {}: {}; {} messages, {} supervisor words, cables of {} ns{}", number_,
        fmt::join(names, ", "), scenario_.messages.size(), scenario_.supervisor.size(),
        scenario_.cable_delay / 1000, scenario_.forged_cable >= 0 ? ", a forged word" : ""));
  }

  void simulate() {
    const auto program = [this](qcdoc::Driver& driver) {
      const int n = driver.place().number();
      traffic_[static_cast<std::size_t>(n)]->run(driver, machine_.node(n));
    };
    try {
      if (!machine_.run(program, longest_run)) stop_ = "it did not come to rest in 3 ms";
    } catch (const ProtocolError& e) {
      down_ = true;
      stop_ = e.what();
    } catch (const std::exception& e) {
      stop_ = e.what();
    }
    if (down_) {
      ++out_.tally.counters["links reported down"];
      if (closer_ != nullptr) closer_->lines.push_back("  reported: " + stop_);
      if (!scenario_.unplugged) found(-1, -1, "a link was reported down: " + stop_);
      return;  // nobody is left to ask
    }
    try {
      reports_ = machine_.read_links();
    } catch (const std::exception& e) {
      found(-1, -1, fmt::format("the links could not be read at the end: {}", e.what()));
    }
    // Words that were acknowledged but did not arrive are missing for ever: the checksums say so.
    const bool caught = std::ranges::any_of(
        reports_, [](const QcdocLinkReport& r) { return !r.checksums_agree(); });
    if (!stop_.empty() && !caught) found(-1, -1, "it came to no end: " + stop_);
    if (!stop_.empty()) ++out_.tally.counters["runs stopped by missing words"];
  }

  sim::QcdocCable& cable(int number) { return machine_.cable(number / links, number % links); }
  int receiving_node(int cable) const { return machine_.neighbour(cable / links, cable % links); }
  check::QcdocReceiver* receiver(int cable) {
    return machine_.node(receiving_node(cable))
        .receiver_of(static_cast<unsigned>(cable % links ^ 1));
  }
  const QcdocLinkReport* report(int cable) const {
    return reports_.empty() ? nullptr : &reports_[static_cast<std::size_t>(cable)];
  }
  int back(int cable) const { return receiving_node(cable) * links + (cable % links ^ 1); }
  bool differs(int cable) const {
    return report(cable) != nullptr && !report(cable)->checksums_agree();
  }

  void check_counters(const QcdocLinkReport& r) {
    const int cable = r.from * links + r.link;
    if (stop_.empty() && !differs(cable) && r.sent != r.accepted)
      found(r.to, r.link ^ 1, fmt::format("{} words sent to it, {} accepted", r.sent, r.accepted));
    if (const auto* model = receiver(cable); model != nullptr) {
      const auto& c = model->counts();
      const qcdoc::LinkCounters& h = r.receiver;
      if (c.header_errors != h.header_errors || c.parity_errors != h.parity_errors ||
          c.marker_errors != h.marker_errors)
        found(r.to, r.link ^ 1,
              fmt::format("counted header/parity/marker errors {}/{}/{}, by the wire format "
                          "{}/{}/{}",
                          h.header_errors, h.parity_errors, h.marker_errors, c.header_errors,
                          c.parity_errors, c.marker_errors));
    }
    auto& total = out_.tally.counters;
    total["words sent again"] += r.resent;
    total["requests"] += r.receiver.requests;
    total["words refused"] += r.receiver.refused;
    total["trainings"] += r.receiver.retrains;
    total["acknowledgements not heeded"] += r.sender.bad_acknowledgements;
    total["links with checksums that differ"] += r.checksums_agree() ? 0 : 1;
  }

  void check_errors(int number) {
    for (const InjectedError& e : cable(number).ledger().errors()) {
      const Class c = classify(number, e);
      ++out_.tally.by_kind[static_cast<std::size_t>(e.kind)][c];
      if (e.kind == ErrorKind::Forced) ++out_.tally.forced;
      if (c == Class::Undetected)
        found(receiving_node(number), number % links ^ 1,
              fmt::format("an error ({}, {} ps) was accepted, and the checksums agree",
                          sim::name(e.kind), e.time));
      if (closer_ != nullptr)
        closer_->lines.push_back(fmt::format("  {:>12.3f} us  {}: {}: {}",
                                             static_cast<double>(e.time) * 1e-6,
                                             cable(number).name(), sim::name(e.kind), name(c)));
    }
    if (!differs(number)) return;
    const QcdocLinkReport& r = *report(number);
    if (closer_ != nullptr)
      closer_->lines.push_back(fmt::format(
          "  caught by the checksums: node {} {} sent {:#010x}, node {} {} received {:#010x}",
          r.from, qcdoc::link_name(r.link), r.tx_checksum, r.to, qcdoc::link_name(r.link ^ 1),
          r.rx_checksum));
    if (cable(number).ledger().errors().empty() && cable(back(number)).ledger().errors().empty())
      found(r.to, r.link ^ 1, "the checksums at both ends differ without an error on the cable");
  }

  Class classify(int number, const InjectedError& e) {
    const bool outage = e.kind == ErrorKind::Pulled || e.kind == ErrorKind::Silent;
    if (down_ && outage && e.fate != Fate::Harmless) return Class::Down;
    if (e.fate == Fate::Undetected) {
      // An acknowledgement that was not meant shows at the link's other direction.
      if (differs(number) || differs(back(number))) return Class::Caught;
      if (down_) return Class::Down;
      // A word that was here already, or one acknowledgement that became another.
      return delivered_wrong(number) || delivered_wrong(back(number)) ? Class::Undetected
                                                                      : Class::Passed;
    }
    if (e.fate == Fate::Harmless) return Class::Harmless;
    switch (e.complaint) {
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

  /// Whether something came out of a cable that is not what was sent.
  bool delivered_wrong(int cable) const {
    return std::ranges::any_of(board_.troubles(), [&](const auto& t) {
      const auto base = static_cast<std::size_t>(receiving_node(cable) * QcdocTraffic::flows);
      return t.flow >= base && t.flow < base + QcdocTraffic::flows &&
             static_cast<int>(t.flow - base) % links == (cable % links ^ 1);
    });
  }

  // Words of a link whose checksums differ are accounted for by them. A link reported down tells
  // that words are missing everywhere, and of the last ones on its own cable not to be trusted.
  bool excused(int node, int flow, DeliveryScoreboard::Kind kind) {
    const int link = flow % links, sender = machine_.neighbour(node, link) * links + (link ^ 1);
    if (!down_) return flow < links && differs(sender);
    return kind == DeliveryScoreboard::Kind::Lost ||
           std::ranges::any_of(cable(sender).ledger().errors(),
                               [](const InjectedError& e) { return e.kind == ErrorKind::Pulled; });
  }

  void check_words() {
    check::Deliveries d = board_.deliveries();
    for (const auto& t : board_.troubles()) {
      const bool known = t.flow != DeliveryScoreboard::kUnknown;
      const int node = known ? static_cast<int>(t.flow) / QcdocTraffic::flows : -1;
      const int flow = known ? static_cast<int>(t.flow) % QcdocTraffic::flows : -1;
      if (known && excused(node, flow, t.kind)) {
        ++out_.tally.forced_delivered;
        std::uint64_t& count = t.kind == DeliveryScoreboard::Kind::Lost         ? d.lost
                               : t.kind == DeliveryScoreboard::Kind::Doubled    ? d.doubled
                               : t.kind == DeliveryScoreboard::Kind::Altered    ? d.altered
                               : t.kind == DeliveryScoreboard::Kind::Misordered ? d.misordered
                                                                                : d.misrouted;
        --count;
        continue;
      }
      found(node, known ? flow % links : -1,
            fmt::format("{} {} {}", flow < links ? "word" : "supervisor word",
                        t.packet == DeliveryScoreboard::kUnknown ? "?" : std::to_string(t.packet),
                        check::name(t.kind)));
    }
    out_.tally.packets = d;
  }

  void check_models() {
    for (int cable = 0; cable < machine_.size() * links; ++cable) {
      auto* const model = receiver(cable);
      if (model == nullptr) continue;
      const sim::Clock clock = machine_.node(receiving_node(cable)).clock();
      for (const std::string& what : model->close(clock.first_edge(machine_.kernel().now()) - 1))
        found(receiving_node(cable), cable % links ^ 1,
              "its observation port and the wire format differ: " + what);
    }
  }

  std::uint64_t number_;
  Closer* closer_;
  QcdocScenario scenario_;
  std::vector<std::unique_ptr<QcdocTraffic>> traffic_;
  machine::QcdocMachine machine_;
  DeliveryScoreboard board_;
  std::vector<QcdocLinkReport> reports_;
  bool down_ = false;
  std::string stop_;  ///< why it did not end well
  RunOutcome out_;
};

}  // namespace

RunOutcome run_qcdoc(const QcdocCampaignOptions& options, std::uint64_t run, Closer* closer) {
  return Run(options, run, closer).outcome();
}

}  // namespace ht::campaign
