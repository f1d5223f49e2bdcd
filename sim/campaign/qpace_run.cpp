// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/qpace_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "sim/campaign/qpace_listener.hpp"
#include "sim/machine/trace.hpp"
#include "sw/host/errors.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;
using machine::QpaceLinkReport;
using sim::ErrorKind;
using sim::Fate;
using sim::InjectedError;

constexpr int links = qpace::links;
// No run takes longer: what still moves then never ends.
constexpr Picoseconds longest_run = 3'000'000'000, standstill = 300'000'000;
// Between the edge that decides to send again and the pulse, and idle edges before it.
constexpr std::int64_t timer_slack = 40;

machine::QpaceMachineOptions machine_options(const QpaceCampaignOptions& o, const QpaceScenario& s,
                                             std::uint64_t run) {
  machine::QpaceMachineOptions m;
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{4} << 20;
  m.node.put_latency = m.node.notify_latency = 50'000;
  m.random_phases = true;
  m.cable_delay = s.cable_delay;
  m.faults = s.faults;
  m.seed = o.seed * 0x9e3779b97f4a7c15U + run;
  m.kernel.threads = 1;
  m.kernel.watchdog = standstill;
  m.driver.link_up_timeout = 300'000'000;
  return m;
}

/// A machine with its traffic and its checkers.
class Run {
 public:
  Run(const QpaceCampaignOptions& options, std::uint64_t number, Closer* closer)
      : options_(options),
        number_(number),
        closer_(closer),
        scenario_(draw_scenario(options, number)),
        machine_(machine_options(options, scenario_, number)),
        board_(static_cast<std::size_t>(machine_.size() * links * QpaceTraffic::channels)),
        logs_(static_cast<std::size_t>(machine_.size() * links)) {
    for (int rank = 0; rank < machine_.size(); ++rank) {
      traffic_.push_back(
          std::make_unique<QpaceTraffic>(scenario_, rank, options.seed, number, board_));
      listeners_.push_back(std::make_unique<QpaceListener>(rank, *traffic_.back(), board_));
      machine_.node(rank).listen(listeners_.back().get());
      for (int link = 0; link < links; ++link)
        machine_.cable(rank, link).listen(&logs_[static_cast<std::size_t>(rank * links + link)]);
      if (closer != nullptr && !closer->trace.empty()) {
        machine::TraceOptions trace;
        trace.stem = closer->trace;
        machine_.node(rank).trace(trace);
      }
    }
  }

  RunOutcome outcome() {
    describe();
    std::vector<QpaceLinkReport> reports;
    try {
      const auto program = [this](qpace::Driver& driver) {
        traffic_[static_cast<std::size_t>(driver.rank())]->run(machine_.node(driver.rank()));
      };
      if (!machine_.run(program, longest_run)) found(-1, -1, "it did not come to rest in 3 ms");
      reports = machine_.read_links();
    } catch (const std::exception& e) {
      found(-1, -1, fmt::format("it came to no end: {}", e.what()));
    }
    board_.close();
    const sim::ErrorTotals totals = machine_.close_ledgers();
    if (!totals.balanced())
      found(-1, -1, "errors injected are not detected + harmless + undetected");
    for (const QpaceLinkReport& r : reports) check_counters(r);
    for (int cable = 0; cable < machine_.size() * links; ++cable) {
      check_errors(cable, reports.empty() ? nullptr : &reports[static_cast<std::size_t>(cable)]);
    }
    check_packets();
    for (int rank = 0; rank < machine_.size(); ++rank) check_node(rank);
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
        "run {}: {}; {} messages, {} port stalls, cables of {} ns{}", number_,
        fmt::join(names, ", "), scenario_.messages.size(), scenario_.stalls.size(),
        scenario_.cable_delay / 1000, scenario_.forged_cable >= 0 ? ", a forged packet" : ""));
  }

  sim::QpaceCable& cable(int number) { return machine_.cable(number / links, number % links); }
  int receiving_node(int cable) const { return machine_.neighbour(cable / links, cable % links); }
  check::QpaceReceiver& receiver(int cable) {
    return listeners_[static_cast<std::size_t>(receiving_node(cable))]->receiver(cable % links ^ 1);
  }

  void check_counters(const QpaceLinkReport& r) {
    const auto& s = r.sender;
    if (s.sent != s.acknowledged || s.sent != r.receiver.accepted || s.flushed != 0)
      found(r.to, r.link ^ 1,
            fmt::format("{} packets sent to it, {} accepted, {} acknowledged, {} given up", s.sent,
                        r.receiver.accepted, s.acknowledged, s.flushed));
    const auto& counts =
        listeners_[static_cast<std::size_t>(r.to)]->receiver(r.link ^ 1).monitor().counts();
    const auto& c = r.receiver;
    if (c.code_errors != counts.code_errors || c.framing_errors != counts.framing_errors ||
        c.crc_errors != counts.crc_errors || c.command_errors < counts.command_crc_errors)
      found(r.to, r.link ^ 1,
            fmt::format("counted code/framing/CRC/command errors {}/{}/{}/{}, by the wire format "
                        "{}/{}/{}/{}",
                        c.code_errors, c.framing_errors, c.crc_errors, c.command_errors,
                        counts.code_errors, counts.framing_errors, counts.crc_errors,
                        counts.command_crc_errors));
    auto& total = out_.tally.counters;
    total["packets sent again"] += s.retransmitted;
    total["NACKs"] += s.nacks_received;
    total["BUSYs"] += s.busy_received;
    total["timeouts"] += s.timeouts;
    total["trainings"] += s.retrains;
    total["duplicates dropped"] += c.duplicates;
  }

  void check_errors(int number, const QpaceLinkReport* report) {
    for (const InjectedError& e : cable(number).ledger().errors()) {
      const Class c = classify(number, e, report);
      const std::string place = logs_[static_cast<std::size_t>(number)].place(e.symbol);
      ++out_.tally.by_kind[static_cast<std::size_t>(e.kind)][c];
      ++out_.tally.by_place[place][c];
      if (e.kind == ErrorKind::Forced) ++out_.tally.forced;
      if (c == Class::Undetected)
        found(receiving_node(number), number % links ^ 1,
              fmt::format("an error ({}, in {}, {} ps) was accepted{}", sim::name(e.kind), place,
                          e.time,
                          report != nullptr && report->checksums_agree()
                              ? " and the checksums agree"
                              : "; the checksums at both ends differ"));
      if (closer_ != nullptr)
        closer_->lines.push_back(
            fmt::format("  {:>12.3f} us  {}: {} in {}: {}", static_cast<double>(e.time) * 1e-6,
                        cable(number).name(), sim::name(e.kind), place, name(c)));
    }
    const bool forged = caught(number, report);
    if (report != nullptr && !report->checksums_agree() && !forged)
      found(report->to, report->link ^ 1, "the checksums at both ends differ");
    if (report != nullptr && !report->checksums_agree() && forged && closer_ != nullptr)
      closer_->lines.push_back(fmt::format(
          "  caught by the checksums: node {} {} sent {:#010x}, node {} {} received {:#010x}",
          report->from, qpace::link_name(report->link), report->sender.tx_checksum, report->to,
          qpace::link_name(report->link ^ 1), report->receiver.rx_checksum));
  }

  // Packets that came altered over this cable.
  std::uint64_t altered(int cable) const {
    const auto first = static_cast<std::size_t>(
        (receiving_node(cable) * links + (cable % links ^ 1)) * QpaceTraffic::channels);
    return static_cast<std::uint64_t>(std::ranges::count_if(board_.troubles(), [&](const auto& t) {
      return t.kind == DeliveryScoreboard::Kind::Altered && t.flow >= first &&
             t.flow < first + QpaceTraffic::channels;
    }));
  }
  bool caught(int cable, const QpaceLinkReport* report) const {
    return cable == scenario_.forged_cable && report != nullptr && !report->checksums_agree() &&
           altered(cable) == 1;
  }

  Class classify(int number, const InjectedError& e, const QpaceLinkReport* report) {
    if (e.fate == Fate::Undetected) {
      if (e.kind == ErrorKind::Silent && spliced(number, e)) return Class::Harmless;
      if (e.kind != ErrorKind::Forced) return Class::Undetected;
      if (caught(number, report)) return Class::Caught;
      // Its CRC was good, but it came out of turn and was dropped.
      return altered(number) == 0 && report != nullptr && report->checksums_agree()
                 ? Class::Harmless
                 : Class::Undetected;
    }
    const check::QpaceReceiver& r = receiver(number);
    const auto within = [&](const std::vector<std::int64_t>& edges) {
      const auto it = std::ranges::lower_bound(edges, e.first);
      return it != edges.end() && *it <= e.last + 1;
    };
    if (e.fate == Fate::Detected) {
      if (within(r.signal_losses())) return Class::Retrain;
      switch (e.complaint) {
        case sim::Complaint::Framing:
          return Class::Framing;
        case sim::Complaint::Check:
          return Class::Check;
        case sim::Complaint::Command:
          return Class::Command;
        default:
          return Class::Code;
      }
    }
    const bool vanished = e.kind == ErrorKind::Silent ||
                          (e.kind == ErrorKind::Lost &&
                           logs_[static_cast<std::size_t>(number)].place(e.symbol) == "command");
    return vanished && e.last >= e.first ? missed(number, e.last) : Class::Harmless;
  }

  /// Silence that begins in one frame and ends in another just like it (a hello, or a packet sent
  /// again) leaves one whole frame, which was sent as it arrived: nothing is wrong with it.
  bool spliced(int number, const InjectedError& e) {
    const check::QpaceReceiver& r = receiver(number);
    const auto frame = std::ranges::lower_bound(r.frames(), e.first);
    return frame != r.frames().end() &&
           logs_[static_cast<std::size_t>(number)].was_sent(r.frame_at(*frame));
  }

  /// How it was noticed that frames vanished from a cable without trace, the last one at `edge`.
  Class missed(int number, std::int64_t edge) {
    const auto next = [](const std::vector<std::int64_t>& edges, std::int64_t after) {
      const auto it = std::ranges::upper_bound(edges, after);
      return it == edges.end() ? sim::kNever : *it;
    };
    const std::int64_t patience = scenario_.ack_timeout - timer_slack;
    // Whoever waits for an answer by this cable, and whoever sent packets into it.
    const auto waits_in_vain = [&](const check::QpaceReceiver& r, std::int64_t from) {
      return next(r.timeouts(patience), from) < next(r.answers(), from + patience);
    };
    const check::QpaceReceiver& near = receiver(number);
    const int back = receiving_node(number) * links + (number % links ^ 1);
    const sim::CableOptions& o = cable(number).options();
    const std::int64_t gap = next(near.gaps(), edge);
    if (gap != sim::kNever && gap <= next(near.frames(), edge)) return Class::Gap;
    if (waits_in_vain(near, edge) ||
        waits_in_vain(receiver(back), o.sender.first_edge(o.receiver.edge(edge))))
      return Class::Timeout;
    return Class::Harmless;
  }

  void check_packets() {
    check::Deliveries d = board_.deliveries();
    for (const auto& t : board_.troubles()) {
      const int place = t.flow == DeliveryScoreboard::kUnknown
                            ? -1
                            : static_cast<int>(t.flow) / QpaceTraffic::channels;
      const int node = place < 0 ? -1 : place / links, link = place < 0 ? -1 : place % links;
      if (t.kind == DeliveryScoreboard::Kind::Altered && node >= 0 &&
          out_.tally.by_kind[static_cast<std::size_t>(ErrorKind::Forced)][Class::Caught] > 0 &&
          machine_.neighbour(node, link) * links + (link ^ 1) == scenario_.forged_cable) {
        --d.altered;
        ++out_.tally.forced_delivered;
        continue;
      }
      found(node, link,
            fmt::format("packet {} of channel {} {}",
                        t.packet == DeliveryScoreboard::kUnknown ? "?" : std::to_string(t.packet),
                        place < 0 ? -1 : static_cast<int>(t.flow) % QpaceTraffic::channels,
                        check::name(t.kind)));
    }
    out_.tally.packets = d;
  }

  void check_node(int rank) {
    const auto& t = *traffic_[static_cast<std::size_t>(rank)];
    for (const std::string& what : t.complaints()) found(rank, -1, what);
    out_.tally.counters["signals lost"] += t.signal_losses();
    for (int link = 0; link < links; ++link) {
      for (const std::string& what :
           listeners_[static_cast<std::size_t>(rank)]->receiver(link).close())
        found(rank, link, "its observation port and the wire format differ: " + what);
    }
  }

  const QpaceCampaignOptions& options_;
  std::uint64_t number_;
  Closer* closer_;
  QpaceScenario scenario_;
  std::vector<std::unique_ptr<QpaceTraffic>> traffic_;
  std::vector<std::unique_ptr<QpaceListener>> listeners_;
  machine::QpaceMachine machine_;
  DeliveryScoreboard board_;
  std::vector<QpaceCableLog> logs_;
  RunOutcome out_;
};

}  // namespace

RunOutcome run_qpace(const QpaceCampaignOptions& options, std::uint64_t run, Closer* closer) {
  return Run(options, run, closer).outcome();
}

}  // namespace ht::campaign
