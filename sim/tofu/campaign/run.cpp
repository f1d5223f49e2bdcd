// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/campaign/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "sim/campaign/machine_run.hpp"
#include "sim/machine/lane_words.hpp"
#include "sim/tofu/campaign/listener.hpp"
#include "sim/tofu/campaign/traffic.hpp"
#include "sim/tofu/lane_word.hpp"
#include "sim/tofu/machine.hpp"
#include "verif/model/tofu/gate_packet.hpp"

namespace ht::campaign {
namespace {

using check::DeliveryScoreboard;
using machine::TofuLinkReport;
using machine::TofuMachine;
using sim::ErrorKind;
using sim::Fate;
using sim::InjectedError;

const char* name(tofu::GateOperation operation) {
  constexpr std::array names = {"barrier", "and", "or", "xor", "max", "sum", "fsum", "broadcast"};
  return names[static_cast<std::size_t>(operation)];
}

// Operations that have not ended by then never do.
Picoseconds patience_of(const TofuScenario& s) {
  constexpr Picoseconds usual = 200'000'000, soak = 20'000'000'000, after = 60'000'000;
  if (s.put_back > 0) return s.put_back + after;
  return s.soak ? soak : usual;
}

std::unique_ptr<TofuMachine> make_machine(const ScenarioOptions& o, const Scenario& s,
                                          std::uint64_t run) {
  auto m = machine_options<machine::TofuMachineOptions>(o, s, run);
  m.shape = tofu_shape(o.shape);
  m.node.memory_bytes = std::size_t{o.soak ? 8U : 1U} << 20;
  m.messages = false;
  m.driver.icc.barrier.start_cost = m.driver.icc.barrier.poll_cost = 3'200;
  return std::make_unique<TofuMachine>(std::move(m));
}

class TofuRun final : public MachineRun {
 public:
  TofuRun(const ScenarioOptions& options, std::uint64_t number, Closer* closer, TofuScenario drawn)
      : MachineRun(
            options, number, closer, make_machine(options, drawn, number),
            static_cast<std::size_t>(tofu_shape(options.shape).nodes() * TofuTraffic::flows)),
        scenario_(std::move(drawn)),
        machine_(static_cast<TofuMachine&>(machine())),
        regions_(static_cast<std::size_t>(machine_.size())),
        ends_(scenario_.remote.accesses.size(), tofu::TniCause::Good),
        logs_(static_cast<std::size_t>(cables())) {
    for (int node = 0; node < machine_.size(); ++node) {
      traffic_.push_back(std::make_unique<TofuTraffic>(scenario_, node, board(), regions_, ends_,
                                                       patience_of(scenario_)));
      listeners_.push_back(std::make_unique<TofuLinkListener>());
      machine_.node(node).listen(listeners_.back().get());
      for (int link = 0; link < links(); ++link) listen(node, link);
    }
  }

 private:
  void listen(int node, int link) {
    TofuCableLog& log = logs_[static_cast<std::size_t>(node * links() + link)];
    if (!over_lanes()) return machine_.cable(node, link).listen(&log);
    words_.emplace_back(log, sim::beat_of);
    machine_.lane_cable(node, link).listen(&words_.back());
  }

  const Scenario& scenario() const override { return scenario_; }
  const char* unit() const override { return "result"; }
  std::string traffic() const override {
    std::size_t operations = 0;
    for (const TofuChannel& c : scenario_.channels) operations += c.operations.size();
    return fmt::format(
        "{} operations on {} channels, {} remote accesses on {} queues, {} steering tags taken "
        "away",
        operations, scenario_.channels.size(), scenario_.remote.accesses.size(),
        scenario_.remote.queues.size(), scenario_.remote.changes.size());
  }

  std::vector<std::string> messages() const override {
    std::vector<std::string> lines;
    for (const TofuChannel& c : scenario_.channels) {
      for (const TofuOperation& o : c.operations)
        lines.push_back(fmt::format("{} on channel {}", name(o.operation), c.channel));
    }
    for (const TofuAccess& a : scenario_.remote.accesses) lines.push_back(a.describe());
    for (const TofuTagChange& c : scenario_.remote.changes) lines.push_back(c.describe());
    return lines;
  }

  // All gates are wired before any is started.
  void simulate() override {
    const auto everywhere = [this](void (TofuTraffic::*part)(tofu::Icc&)) {
      return machine_.run(
          [this, part](tofu::Transport& t) {
            (*traffic_[static_cast<std::size_t>(t.place().node)].*part)(t.icc());
          },
          longest());
    };
    try {
      if (!everywhere(&TofuTraffic::wire) || !protect() || !everywhere(&TofuTraffic::run) ||
          !everywhere(&TofuTraffic::account)) {
        told();
        found(-1, -1, it_moves());
      }
      reports_ = machine_.read_links();
    } catch (const std::exception& e) {
      told();
      found(-1, -1, fmt::format("it came to no end: {}", e.what()));
    }
  }

  // There are drivers once something has run.
  bool protect() {
    for (int node = 0; node < machine_.size(); ++node)
      traffic_[static_cast<std::size_t>(node)]->protect(machine_.open_soft_errors(node));
    return true;
  }

  bool cabled(int cable) const { return receiving_node(cable) != cable / links(); }
  const TofuLinkReport* report(int cable) const override {
    return reports_.empty() || !cabled(cable) ? nullptr
                                              : &reports_[static_cast<std::size_t>(cable)];
  }
  TofuReceiver& receiver(int cable) {
    return listeners_[static_cast<std::size_t>(receiving_node(cable))]->receiver(
        receiving_link(cable));
  }

  // A link that went down, of either node, or both.
  bool down(int cable) const {
    const auto went_down = [this](int node, int link) {
      return (traffic_[static_cast<std::size_t>(node)]->links_down() >> link & 1U) != 0;
    };
    return went_down(cable / links(), cable % links()) ||
           went_down(receiving_node(cable), receiving_link(cable));
  }
  bool any_down() const {
    return std::ranges::any_of(traffic_, [](const auto& t) { return t->links_down() != 0; });
  }

  void check_counters(int cable) override {
    if (down(cable)) return;
    const TofuLinkReport& r = *report(cable);
    const tofu::LinkCounters &s = r.sender, &c = r.receiver;
    if (s.sent != c.accepted || s.flushed != 0 || s.dropped != 0)
      found_at(cable, fmt::format("{} packets sent to it, {} accepted, {} given up, {} dropped",
                                  s.sent, c.accepted, s.flushed, s.dropped));
    if (const std::uint32_t due = scenario_.packets[static_cast<std::size_t>(cable)];
        !any_down() && (scenario_.remote.accesses.empty() ? s.sent != due : s.sent < due))
      found_at(cable, fmt::format("{} packets went over it, by their routes {}", s.sent, due));
    const auto& counts = receiver(cable).counts();
    if (c.code_errors != counts.code || c.framing_errors != counts.framing ||
        c.header_errors != counts.header || c.crc_errors != counts.crc ||
        c.command_errors < counts.control)
      found_at(cable,
               fmt::format("counted code/framing/header/CRC/control errors {}/{}/{}/{}/{}, by the "
                           "wire format {}/{}/{}/{}/{}",
                           c.code_errors, c.framing_errors, c.header_errors, c.crc_errors,
                           c.command_errors, counts.code, counts.framing, counts.header, counts.crc,
                           counts.control));
    // Word for word what went over the cable, a forged packet included.
    const std::uint32_t sent = logs_[static_cast<std::size_t>(cable)].checksum(),
                        got = receiver(cable).checksum();
    if (r.tx_checksum != sent || r.rx_checksum != got)
      found_at(cable, fmt::format("TX_CHECKSUM and RX_CHECKSUM {:#010x} and {:#010x}, by what was "
                                  "on the cable {:#010x} and {:#010x}",
                                  r.tx_checksum, r.rx_checksum, sent, got));
    auto& total = tally().counters;
    total["packets over links"] += s.sent;
    total["sent again"] += s.retransmitted;
    total["NACKs"] += c.nacks;
    total["timeouts"] += s.timeouts;
    total["trainings"] += s.retrains;
    total["duplicates dropped"] += c.duplicates;
    total["gaps"] += c.gaps;
    total["nullified"] += s.void_sent;
  }

  std::string place(int cable, const InjectedError& e) const override {
    if (over_lanes()) return {};
    return logs_[static_cast<std::size_t>(cable)].place(e.symbol);
  }
  bool caught(int cable) const {
    return cable == scenario_.forged_cable && checksums_differ(cable);
  }
  bool checksums_explained(int cable) override {
    if (down(cable)) return true;
    return cable == scenario_.forged_cable &&
           std::ranges::any_of(ledger(cable).errors(), [](const auto& e) {
             return e.kind == ErrorKind::Forced && e.fate == Fate::Undetected;
           });
  }

  static Class class_of(sim::Complaint complaint) {
    switch (complaint) {
      case sim::Complaint::Framing:
        return Class::Framing;
      case sim::Complaint::Header:
        return Class::Header;
      case sim::Complaint::Check:
        return Class::Check;
      case sim::Complaint::Command:
        return Class::Command;
      default:
        return Class::Code;
    }
  }

  /// Whether the link began to train anew while it had an effect; and when.
  bool retrained(int number, const InjectedError& e) {
    if (e.last < e.first) return false;
    const auto& losses = receiver(number).losses();
    const auto it = std::ranges::lower_bound(losses, e.first);
    if (it == losses.end() || *it > e.last + 1) return false;
    noticed_at(machine_.cable_of(number / links(), number % links()).receiver_clock().edge(*it));
    return true;
  }

  Class classify(int number, const InjectedError& e) override {
    if (down(number) && e.fate != Fate::Harmless &&
        (e.kind == ErrorKind::Pulled || e.fate == Fate::Undetected))
      return Class::Down;
    const TofuReceiver& r = receiver(number);
    if (over_lanes()) {
      // The lanes' account has looked for what was accepted among what was sent.
      if (e.fate == Fate::Undetected) return Class::Undetected;
      if (e.fate == Fate::Harmless) return Class::Harmless;
      return retrained(number, e) ? Class::Retrain : class_of(e.complaint);
    }
    const auto& log = logs_[static_cast<std::size_t>(number)];
    const auto touches = [&](const TofuReceiver::Frame& f) {
      return f.first <= e.last && e.first <= f.last;
    };
    if (e.fate == Fate::Undetected) {
      if (e.kind == ErrorKind::Forced) {
        const auto packet = std::ranges::find_if(
            r.frames(), [&](const auto& f) { return f.words.size() > 4 && touches(f); });
        // Its CRC was good, but it came out of turn and was dropped; or there was no room for it.
        if (packet == r.frames().end()) return Class::Undetected;
        const auto* const counted = report(number);
        if (!packet->in_turn ||
            (counted != nullptr && counted->receiver.refused > 0 && counted->checksums_agree()))
          return Class::Harmless;
        if (!caught(number)) return Class::Undetected;
        forged_ = operation_of(packet->words);
        return Class::Caught;
      }
      // Harmless if what was accepted, there and next after it, is word for word what was sent.
      // Beats between those of a frame, or of two just alike, may vanish; a packet's last beat, of
      // which nobody reads its half after the packet broke off, may be damaged there and bring a
      // good link control packet in the other; and a cable is pulled and put back.
      const auto next = std::ranges::find_if(
          r.frames(), [&](const auto& f) { return !f.words.empty() && f.first > e.last; });
      const std::int64_t last = next == r.frames().end() ? e.last : next->last;
      const bool as_sent = std::ranges::all_of(r.frames(), [&](const auto& f) {
        const bool there = f.first <= last && e.first <= f.last;
        return f.words.empty() || !there || log.was_sent(f.words);
      });
      return as_sent ? Class::Harmless : Class::Undetected;
    }
    const sim::Clock clock = machine_.cable(number / links(), number % links()).options().receiver;
    if (retrained(number, e)) return Class::Retrain;
    if (e.fate == Fate::Detected) return class_of(e.complaint);
    if (e.last < e.first) return Class::Harmless;
    // A link control packet that rode inside has ended the ledger's frame.
    const auto broken = std::ranges::find_if(r.frames(), [&](const auto& f) {
      return f.complaint != sim::Complaint::None && touches(f);
    });
    if (broken != r.frames().end()) {
      noticed_at(clock.edge(broken->last));
      return class_of(broken->complaint);
    }
    return e.kind == ErrorKind::Silent || e.kind == ErrorKind::Lost ? missed(number, e)
                                                                    : Class::Harmless;
  }

  /// How it was noticed that something vanished without trace: by the next packet, or by one of
  /// the ends that waited in vain, as the counters of the whole run show.
  Class missed(int number, const InjectedError& e) {
    const TofuReceiver& r = receiver(number);
    const auto next = std::ranges::find_if(
        r.frames(), [&](const auto& f) { return f.first > e.last && f.words.size() > 2; });
    if (next != r.frames().end() && std::ranges::binary_search(r.gaps(), next->last)) {
      noticed_at(
          machine_.cable(number / links(), number % links()).options().receiver.edge(next->last));
      return Class::Gap;
    }
    const auto* const forth = report(number);
    const auto* const other = report(back(number));
    const bool waited = (forth != nullptr && forth->sender.timeouts > 0) ||
                        (other != nullptr && other->sender.timeouts > 0);
    return waited ? Class::Timeout : Class::Harmless;
  }

  Outlet outlet(std::size_t flow) const override {
    const int node = static_cast<int>(flow) / TofuTraffic::flows;
    return {node, -1,
            fmt::format("channel {}, result", static_cast<int>(flow) % TofuTraffic::flows)};
  }
  // The operation that a gate's packet belongs to, by the gate it goes to and its sequence number.
  std::optional<std::pair<std::size_t, std::size_t>> operation_of(
      const std::vector<std::uint64_t>& words) const {
    model::tofu::Packet packet;
    std::copy_n(words.begin(), packet.header.size(), packet.header.begin());
    for (std::size_t i = packet.header.size(); i + 1 < words.size(); i += 2)
      packet.payload.push_back({words[i], words[i + 1]});
    const auto gate_packet = model::from_frame(packet);
    if (!gate_packet) return std::nullopt;
    const int gate = gate_packet->to.gate;
    for (std::size_t c = scenario_.channels.size(); c-- > 0;) {
      const TofuChannel& channel = scenario_.channels[c];
      if (gate != channel.channel && (gate < tofu::channels_per_node || gate < channel.first_gate))
        continue;
      if (gate_packet->sequence >= channel.operations.size()) return std::nullopt;
      return std::pair{c, std::size_t{gate_packet->sequence}};
    }
    return std::nullopt;
  }

  // An operation whose packets went into a link that is down; a forged packet that the checksums
  // caught goes into everybody's result of its operation, and into no other.
  bool excused(const Delivery& t) override {
    if (t.kind == DeliveryScoreboard::Kind::Lost && any_down()) return true;
    if (t.kind != DeliveryScoreboard::Kind::Altered || !forged_) return false;
    const auto [channel, operation] = *forged_;
    const int number = scenario_.channels[channel].channel;
    // Results of a node's channels have numbers one after the other.
    std::size_t all = 0, before = 0;
    for (std::size_t c = 0; c < scenario_.channels.size(); ++c) {
      if (c < channel) before += scenario_.channels[c].operations.size();
      all += scenario_.channels[c].operations.size();
    }
    return static_cast<int>(t.flow) % TofuTraffic::flows == number &&
           t.packet % all == before + operation;
  }

  // Nobody's operation ends before all have started it.
  void check_order() {
    for (std::size_t c = 0; c < scenario_.channels.size(); ++c) {
      const TofuChannel& channel = scenario_.channels[c];
      for (std::size_t i = 0; i < channel.operations.size(); ++i) {
        Picoseconds last = 0;
        for (const auto& t : traffic_) last = std::max(last, t->times()[c][i].started);
        for (std::size_t node = 0; node < traffic_.size(); ++node) {
          if (traffic_[node]->times()[c][i].ended < last)
            found(static_cast<int>(node), -1,
                  fmt::format("channel {}, operation {} ended before all had started it",
                              channel.channel, i));
        }
      }
    }
  }

  void check_rest() override {
    check_order();
    for (int node = 0; node < machine_.size(); ++node) {
      const TofuTraffic& t = *traffic_[static_cast<std::size_t>(node)];
      for (const std::string& what : t.complaints()) found(node, -1, what);
      tally().counters["packets to gates"] += t.packets();
      tally().counters["remote accesses"] += t.remote().completed();
      tally().counters["remote accesses without their tag"] += t.remote().failed();
      tally().counters["remote accesses of another job"] += t.remote().strays();
      for (int link = 0; link < links(); ++link) {
        if ((t.links_down() >> link & 1U) == 0) continue;
        tell(fmt::format("  reported: node {}: link {} is down", node, tofu::link_name(link)));
        ++tally().counters["links reported down"];
      }
      tally().counters["remote accesses ended by the time limit"] += t.remote().lost();
      check_events(node, t.events());
    }
    for (int cable = 0; cable < cables(); ++cable) {
      if (!cabled(cable)) continue;
      receiver(cable).close();
      if (down(cable)) continue;
      port_differs(cable, receiver(cable).complaints());
    }
  }

  TofuScenario scenario_;
  TofuMachine& machine_;
  std::vector<std::byte*> regions_;   ///< of nodes' memory, that others access
  std::vector<tofu::TniCause> ends_;  ///< of remote accesses
  std::vector<TofuCableLog> logs_;
  std::deque<machine::LaneWords<model::Beat>> words_;  ///< that lanes hand to those
  std::vector<std::unique_ptr<TofuTraffic>> traffic_;
  std::vector<std::unique_ptr<TofuLinkListener>> listeners_;
  std::vector<TofuLinkReport> reports_;
  /// What the forged packet that the checksums caught belongs to: a channel of the scenario and its
  /// operation.
  std::optional<std::pair<std::size_t, std::size_t>> forged_;
};

}  // namespace

RunOutcome run_tofu(const ScenarioOptions& options, std::uint64_t run, Closer* closer) {
  return TofuRun(options, run, closer, draw_tofu_scenario(options, run)).outcome();
}

}  // namespace ht::campaign
