// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/campaign/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "sim/campaign/machine_run.hpp"
#include "sim/qpace/campaign/listener.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;
using machine::QpaceLinkReport;
using machine::QpaceMachine;
using sim::ErrorKind;
using sim::Fate;
using sim::InjectedError;

constexpr int channels = QpaceTraffic::channels;
// Between the edge that decides to send again and the pulse, and idle edges before it.
constexpr std::int64_t timer_slack = 40;

std::unique_ptr<QpaceMachine> make_machine(const ScenarioOptions& o, const QpaceScenario& s,
                                           std::uint64_t run) {
  auto m = machine_options<machine::QpaceMachineOptions>(o, s, run);
  m.shape = o.shape;
  m.node.memory_bytes = std::size_t{o.soak ? 16U : 4U} << 20;
  m.node.put_latency = m.node.notify_latency = 50'000;
  m.driver.link_up_timeout = 300'000'000;
  if (!s.files.empty()) {
    m.ethernet.files = [files = s.files](const std::string& name) {
      return std::make_shared<const net::Bytes>(file_content(files.at(std::stoul(name))));
    };
    m.ethernet.bit_error_rate = s.ethernet_bit_errors;
    // Given up, when the last acknowledgement was damaged, before the machine is.
    m.ethernet.server.tftp.timeout = 40'000'000;
    m.ethernet.server.tftp.attempts = 5;
  }
  for (const TreeGlitch& g : s.glitches)
    m.signals.disturbances.push_back({g.node, g.up, {g.at, g.at + g.length, g.level}});
  return std::make_unique<QpaceMachine>(std::move(m));
}

class QpaceRun final : public MachineRun {
 public:
  QpaceRun(const ScenarioOptions& options, std::uint64_t number, Closer* closer,
           QpaceScenario drawn)
      : MachineRun(
            options, number, closer, make_machine(options, drawn, number),
            static_cast<std::size_t>(machine::node_count(options.shape) * qpace::links * channels)),
        scenario_(std::move(drawn)),
        machine_(static_cast<QpaceMachine&>(machine())),
        logs_(static_cast<std::size_t>(cables())) {
    for (int rank = 0; rank < machine_.size(); ++rank) {
      traffic_.push_back(
          std::make_unique<QpaceTraffic>(scenario_, rank, options.seed, number, board()));
      listeners_.push_back(std::make_unique<QpaceListener>(*traffic_.back(), board()));
      machine_.node(rank).listen(listeners_.back().get());
      for (int link = 0; link < links() && !over_lanes(); ++link)
        machine_.cable(rank, link).listen(&logs_[static_cast<std::size_t>(rank * links() + link)]);
    }
  }

 private:
  const Scenario& scenario() const override { return scenario_; }
  const char* unit() const override { return "packet"; }
  std::string traffic() const override {
    return fmt::format(
        "{} messages, {} port stalls, {} votes and {} glitches on the tree, {} files by Ethernet",
        scenario_.messages.size(), scenario_.stalls.size(), scenario_.votes.size(),
        scenario_.glitches.size(), scenario_.files.size());
  }

  std::vector<std::string> messages() const override {
    std::vector<std::string> lines;
    for (const CampaignMessage& m : scenario_.messages)
      lines.push_back(
          fmt::format("{} packets on channel {} from node {} {}, {:.3f} us after the "
                      "links came up",
                      m.packets, m.channel, m.from, qpace::link_name(m.link),
                      static_cast<double>(m.send) * 1e-6));
    for (const PortStall& s : scenario_.stalls)
      lines.push_back(fmt::format("memory of node {} takes nothing for {:.3f} us", s.node,
                                  static_cast<double>(s.length) * 1e-6));
    for (const TreeVote& v : scenario_.votes) {
      constexpr std::array names = {"barrier", "AND", "OR"};
      lines.push_back(fmt::format("{} of all nodes on the signal tree",
                                  names[static_cast<std::size_t>(v.kind)]));
    }
    for (const FileRead& f : scenario_.files)
      lines.push_back(fmt::format("node {} reads {} bytes by Ethernet", f.node, f.bytes));
    for (const TreeGlitch& g : scenario_.glitches)
      lines.push_back(fmt::format("glitch of {} ps on the tree's wires {} node {}", g.length,
                                  g.up ? "from" : "to", g.node));
    return lines;
  }

  void simulate() override {
    try {
      const auto program = [this](qpace::Driver& driver) {
        traffic_[static_cast<std::size_t>(driver.rank())]->run(driver,
                                                               machine_.node(driver.rank()));
      };
      if (!machine_.run(program, longest())) {
        told();
        found(-1, -1, it_moves());
      }
    } catch (const std::exception& e) {
      told();
      found(-1, -1, fmt::format("it came to no end: {}", e.what()));
    }
    try {
      reports_ = machine_.read_links();
    } catch (const std::exception& e) {
      told();
      found(-1, -1, fmt::format("the links could not be read at the end: {}", e.what()));
    }
  }

  const QpaceLinkReport* report(int cable) const override {
    return reports_.empty() ? nullptr : &reports_[static_cast<std::size_t>(cable)];
  }
  check::QpaceReceiver& receiver(int cable) {
    return listeners_[static_cast<std::size_t>(receiving_node(cable))]->receiver(
        receiving_link(cable));
  }

  // By the node at either end.
  bool down(int cable) const {
    const auto given_up = [this](int node, int link) {
      return (traffic_[static_cast<std::size_t>(node)]->links_down() >> link & 1U) != 0;
    };
    return given_up(cable / links(), cable % links()) ||
           given_up(receiving_node(cable), receiving_link(cable));
  }

  void check_counters(int cable) override {
    if (down(cable)) return;
    const QpaceLinkReport& r = *report(cable);
    const auto& s = r.sender;
    if (s.sent != s.acknowledged || s.sent != r.receiver.accepted || s.flushed != 0)
      found_at(cable,
               fmt::format("{} packets sent to it, {} accepted, {} acknowledged, {} given up",
                           s.sent, r.receiver.accepted, s.acknowledged, s.flushed));
    const auto& counts = receiver(cable).monitor().counts();
    const auto& c = r.receiver;
    if (c.code_errors != counts.code_errors || c.framing_errors != counts.framing_errors ||
        c.crc_errors != counts.crc_errors || c.command_errors < counts.command_crc_errors)
      found_at(cable, fmt::format(
                          "counted code/framing/CRC/command errors {}/{}/{}/{}, by the wire format "
                          "{}/{}/{}/{}",
                          c.code_errors, c.framing_errors, c.crc_errors, c.command_errors,
                          counts.code_errors, counts.framing_errors, counts.crc_errors,
                          counts.command_crc_errors));
    auto& total = tally().counters;
    total["packets sent again"] += s.retransmitted;
    total["packets sent again for want of room"] += s.replayed;
    total["NACKs"] += s.nacks_received;
    total["BUSYs"] += s.busy_received;
    total["timeouts"] += s.timeouts;
    total["trainings"] += s.retrains;
    total["duplicates dropped"] += c.duplicates;
  }

  std::string place(int cable, const InjectedError& e) const override {
    if (over_lanes()) return {};
    return logs_[static_cast<std::size_t>(cable)].place(e.symbol);
  }
  bool checksums_explained(int cable) override { return caught(cable) || down(cable); }

  // Packets that came altered over this cable.
  std::uint64_t altered(int cable) const {
    const auto first = static_cast<std::size_t>(
        (receiving_node(cable) * links() + receiving_link(cable)) * channels);
    return static_cast<std::uint64_t>(std::ranges::count_if(board().troubles(), [&](const auto& t) {
      return t.kind == DeliveryScoreboard::Kind::Altered && t.flow >= first &&
             t.flow < first + channels;
    }));
  }
  bool caught(int cable) const {
    return cable == scenario_.forged_cable && checksums_differ(cable) && altered(cable) == 1;
  }

  Class classify(int number, const InjectedError& e) override {
    if (down(number) && e.fate != Fate::Harmless &&
        (e.kind == ErrorKind::Pulled || e.fate == Fate::Undetected))
      return Class::Down;
    if (e.fate == Fate::Undetected) {
      // The lanes' account has looked for what was accepted among what was sent.
      if (e.kind == ErrorKind::Silent && !over_lanes() && spliced(number, e))
        return Class::Harmless;
      if (e.kind != ErrorKind::Forced) return Class::Undetected;
      if (caught(number)) return Class::Caught;
      // Its CRC was good, but it came out of turn and was dropped.
      return altered(number) == 0 && report(number) != nullptr && !checksums_differ(number)
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
    if (over_lanes()) return Class::Harmless;
    const bool vanished =
        e.kind == ErrorKind::Silent || (e.kind == ErrorKind::Lost && place(number, e) == "command");
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
    const auto waits_in_vain = [&](const check::QpaceReceiver& r, std::int64_t from,
                                   const sim::Clock& clock) {
      const std::int64_t timeout = next(r.timeouts(patience), from);
      if (timeout >= next(r.answers(), from + patience)) return false;
      noticed_at(clock.edge(timeout));
      return true;
    };
    const check::QpaceReceiver& near = receiver(number);
    const sim::CableOptions& o = machine_.cable(number / links(), number % links()).options();
    const std::int64_t gap = next(near.gaps(), edge);
    if (gap != sim::kNever && gap <= next(near.frames(), edge)) {
      noticed_at(o.receiver.edge(gap));
      return Class::Gap;
    }
    if (waits_in_vain(near, edge, o.receiver) ||
        waits_in_vain(receiver(back(number)), o.sender.first_edge(o.receiver.edge(edge)), o.sender))
      return Class::Timeout;
    return Class::Harmless;
  }

  Outlet outlet(std::size_t flow) const override {
    const int port = static_cast<int>(flow) / channels;
    return {port / links(), port % links(),
            fmt::format("channel {}, packet", static_cast<int>(flow) % channels)};
  }
  // A forged packet that the checksums caught, or what a link lost that was reported down.
  bool excused(const Delivery& t) override {
    const Outlet to = outlet(t.flow);
    if (t.kind == DeliveryScoreboard::Kind::Lost && down(cable_into(to.node, to.link))) return true;
    return t.kind == DeliveryScoreboard::Kind::Altered && forged_caught() &&
           cable_into(to.node, to.link) == scenario_.forged_cable;
  }

  void check_rest() override {
    tally().counters["votes on the tree"] += scenario_.votes.size();
    tally().counters["files read by Ethernet"] += scenario_.files.size();
    for (int rank = 0; rank < machine_.size(); ++rank) {
      const auto& t = *traffic_[static_cast<std::size_t>(rank)];
      for (const std::string& what : t.complaints()) found(rank, -1, what);
      tally().counters["signals lost"] += t.signal_losses();
      tally().counters["messages of TFTP sent again"] += t.file_repeats();
      for (int link = 0; link < links(); ++link) {
        if ((t.links_down() >> link & 1U) != 0)
          tell(fmt::format("  reported: node {}: link {} is down", rank, qpace::link_name(link)));
      }
      tally().counters["links reported down"] +=
          static_cast<std::uint64_t>(std::popcount(t.links_down()));
      check_events(rank, t.events());
    }
    for (int cable = 0; cable < cables(); ++cable) {
      const auto differences = receiver(cable).close();
      if (!down(cable)) port_differs(cable, differences);
    }
  }

  QpaceScenario scenario_;
  QpaceMachine& machine_;
  std::vector<QpaceCableLog> logs_;
  std::vector<std::unique_ptr<QpaceTraffic>> traffic_;
  std::vector<std::unique_ptr<QpaceListener>> listeners_;
  std::vector<QpaceLinkReport> reports_;
};

}  // namespace

RunOutcome run_qpace(const ScenarioOptions& options, std::uint64_t run, Closer* closer) {
  return QpaceRun(options, run, closer, draw_qpace_scenario(options, run)).outcome();
}

}  // namespace ht::campaign
