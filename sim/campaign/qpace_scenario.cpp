// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/qpace_scenario.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/campaign/draw.hpp"
#include "verif/model/qpace_wire.hpp"

namespace ht::campaign {
namespace {

using sim::FaultPlan;

constexpr int links = qpace::links;
constexpr int channels = 8;
// Links are up some 4 us after the machine is switched on; messages begin within 8 us after that.
constexpr Picoseconds links_up = 4'000'000;
constexpr Picoseconds first_error = 400'000, last_error = 16'000'000, last_message = 8'000'000;
constexpr Picoseconds longest_outage = 4'000'000;
constexpr int longest_burst = 400;

enum Purpose : std::uint32_t { Settings, Traffic, Choice, Places };

class Faults {
 public:
  Faults(const QpaceCampaignOptions& options, std::uint64_t run, QpaceScenario& scenario)
      : shape_(options.shape), draw_(options.seed, run, Purpose::Places), scenario_(scenario) {}

  void add(Trouble trouble) {
    switch (trouble) {
      case Trouble::Bits:
        return bits();
      case Trouble::Short:
        return bursts(2, 10);
      case Trouble::Long:
        return bursts(11, longest_burst);
      case Trouble::Lost:
      case Trouble::Doubled:
        return slips(trouble == Trouble::Doubled);
      case Trouble::Stuck:
        return stuck();
      case Trouble::Pulled:
      case Trouble::Silent:
        return pull(trouble == Trouble::Silent);
      case Trouble::Idle:
        return aim(sim::Target::Idle, 1, 8);
      case Trouble::Commands:
        return aim(sim::Target::Command, 1, 8);
      case Trouble::Hellos:
        return aim(sim::Target::Hello, 4, 6);
      case Trouble::Headers:
        return aim(sim::Target::Packet, 1, 4);
    }
  }

  void forge(const std::vector<CampaignMessage>& messages) {
    const CampaignMessage& m = messages[draw_.below(messages.size())];
    std::uint32_t packets = 0;
    for (const CampaignMessage& other : messages)
      packets += other.from == m.from && other.link == m.link ? other.packets : 0;
    scenario_.forged_cable = m.from * links + m.link;
    scenario_.faults[static_cast<std::size_t>(scenario_.forged_cable)].forced.push_back(
        machine::forged_packet(draw_.below(packets),
                               static_cast<unsigned>(draw_.below(8 * qpace::line_bytes))));
  }

 private:
  // Mostly one that carries messages, or the acknowledgements of some.
  std::size_t cable() {
    if (draw_.once_in(4)) return draw_.below(scenario_.faults.size());
    const CampaignMessage& m = scenario_.messages[draw_.below(scenario_.messages.size())];
    return static_cast<std::size_t>(draw_.once_in(3) ? m.to * links + (m.link ^ 1)
                                                     : m.from * links + m.link);
  }
  FaultPlan& plan() { return scenario_.faults[cable()]; }
  // Mostly while there is traffic.
  Picoseconds time() {
    return draw_.once_in(4) ? draw_.between(first_error, last_error)
                            : draw_.between(links_up, scenario_.busy_until);
  }
  unsigned lane() { return static_cast<unsigned>(draw_.below(4)); }

  void bits() {
    constexpr std::array rates = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3};
    const double rate = rates[draw_.below(rates.size())];
    const bool everywhere = draw_.once_in(2);
    const std::size_t one = cable();
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      if (!everywhere && i != one) continue;
      FaultPlan& p = scenario_.faults[i];
      p.bit_error_rate = rate;
      p.bit_errors_from = first_error;
      p.bit_errors_until = last_error;
    }
  }
  void bursts(int shortest, int longest) {
    for (auto n = draw_.between(1, 8); n > 0; --n) {
      FaultPlan::Burst b{time(), static_cast<unsigned>(draw_.between(shortest, longest)), {}};
      if (!draw_.once_in(4)) b.lane = lane();
      plan().bursts.push_back(b);
    }
  }
  void slips(bool doubled) {
    for (auto n = draw_.between(1, 8); n > 0; --n) {
      FaultPlan& p = plan();
      (doubled ? p.doubled : p.lost).push_back({time(), !draw_.once_in(4)});
    }
  }
  void stuck() {
    for (auto n = draw_.between(1, 2); n > 0; --n) {
      const Picoseconds from = time();
      plan().stuck.push_back({lane(), draw_.once_in(2), from, from + duration(40'000, 2'000'000)});
    }
  }
  // Both directions of the cable.
  void pull(bool silent) {
    for (auto n = silent ? draw_.between(1, 4) : 1; n > 0; --n) pull_one(silent);
  }
  void pull_one(bool silent) {
    const auto forth = static_cast<int>(cable());
    const int to = machine::torus_neighbour(shape_, forth / links, forth % links);
    const int back = to * links + (forth % links ^ 1);
    const Picoseconds from = time();
    const FaultPlan::Pull p{from, from + duration(50'000, longest_outage), silent};
    scenario_.faults[static_cast<std::size_t>(forth)].pulls.push_back(p);
    if (back != forth) scenario_.faults[static_cast<std::size_t>(back)].pulls.push_back(p);
  }
  void aim(sim::Target target, unsigned words, int most) {
    for (auto n = draw_.between(1, most); n > 0; --n) {
      FaultPlan::Aimed a{time(), target, static_cast<unsigned>(draw_.below(words)), {}};
      // Hellos are rare once the links are up.
      if (target == sim::Target::Hello && draw_.once_in(2))
        a.time = draw_.between(first_error, links_up);
      for (auto bits = draw_.between(1, 4); bits > 0; --bits)
        a.bits.push_back({lane(), static_cast<unsigned>(draw_.below(10))});
      // A bit named twice would be inverted back.
      std::sort(a.bits.begin(), a.bits.end(), [](const auto& x, const auto& y) {
        return x.lane != y.lane ? x.lane < y.lane : x.bit < y.bit;
      });
      a.bits.erase(std::unique(a.bits.begin(), a.bits.end(),
                               [](const auto& x, const auto& y) {
                                 return x.lane == y.lane && x.bit == y.bit;
                               }),
                   a.bits.end());
      plan().aimed.push_back(a);
    }
  }
  // Short ones as likely as long ones: evenly on a logarithmic scale, in doublings.
  Picoseconds duration(Picoseconds shortest, Picoseconds longest) {
    int doublings = 0;
    while (shortest << (doublings + 1) <= longest) ++doublings;
    const Picoseconds at_least = shortest << draw_.between(0, doublings);
    return std::min(longest, draw_.between(at_least, 2 * at_least));
  }

  const std::vector<int>& shape_;
  Draw draw_;
  QpaceScenario& scenario_;
};

// How much there is to send: from a few packets on one link to all channels of all links at once.
struct Load {
  std::uint64_t links_of_4, channels_of_8;
  std::int64_t longest;  // message, in packets
  Picoseconds span, latest_credit;
};

void draw_channel(const Load& load, Draw& draw, CampaignMessage m, QpaceScenario& s) {
  m.send = draw.between(0, load.span);
  for (auto n = draw.between(1, 3); n > 0; --n) {
    m.packets = static_cast<std::uint32_t>(draw.between(1, load.longest));
    const Picoseconds ready = m.send + draw.between(-load.latest_credit / 2, load.latest_credit);
    m.credit = std::max(m.credit, ready);  // credits of a channel are given in order
    m.remote = static_cast<std::uint32_t>(draw.below(s.credits_checked ? 1 : m.start + 1));
    s.messages.push_back(m);
    m.start += m.packets;
    m.send += draw.between(0, 1'000'000);
  }
}

void draw_traffic(const QpaceCampaignOptions& options, std::uint64_t run, int nodes,
                  QpaceScenario& s) {
  Draw draw(options.seed, run, Purpose::Traffic);
  Load load{};
  load.links_of_4 = 1 + draw.below(4);
  load.channels_of_8 = 1 + draw.below(8);
  load.longest = draw.between(1, load.channels_of_8 > 4 ? 6 : 16);
  if (draw.once_in(4)) load.longest *= 3;
  load.span = draw.between(500'000, last_message);
  load.latest_credit = draw.once_in(2) ? 100'000 : 4'000'000;
  s.busy_until = links_up + load.span + 3'000'000;
  while (s.messages.empty()) {
    for (CampaignMessage m; m.from < nodes; ++m.from) {
      for (m.link = 0; m.link < links; ++m.link) {
        if (draw.below(4) >= load.links_of_4) continue;
        m.to = machine::torus_neighbour(options.shape, m.from, m.link);
        for (m.channel = 0; m.channel < channels; ++m.channel) {
          if (draw.below(8) < load.channels_of_8) draw_channel(load, draw, m, s);
        }
      }
    }
  }
  for (int node = 0; node < nodes; ++node) {
    if (!draw.once_in(3)) continue;
    for (auto n = draw.between(1, 4); n > 0; --n)
      s.stalls.push_back(
          {node, draw.between(0, load.span + 2'000'000), draw.between(20'000, 3'000'000)});
  }
}

}  // namespace

const char* name(Trouble trouble) {
  constexpr std::array<const char*, kTroubles> names = {"bits",    "short",    "long",   "lost",
                                                        "doubled", "stuck",    "pulled", "silent",
                                                        "idle",    "commands", "hellos", "headers"};
  return names[static_cast<std::size_t>(trouble)];
}

QpaceScenario draw_scenario(const QpaceCampaignOptions& options, std::uint64_t run) {
  QpaceScenario s;
  Draw settings(options.seed, run, Purpose::Settings);
  s.cable_delay = settings.between(10, 100) * 4'000;
  // Above a round trip with a full window: 2 x 100 + 16 x 34 and some.
  s.ack_timeout = static_cast<std::uint32_t>(settings.between(850, 1'500));
  s.busy_probe = static_cast<std::uint32_t>(256 * settings.between(2, 8));
  s.credits_checked = settings.once_in(2);
  const int nodes =
      std::accumulate(options.shape.begin(), options.shape.end(), 1, std::multiplies<>());
  draw_traffic(options, run, nodes, s);
  s.faults.resize(static_cast<std::size_t>(nodes * links));

  std::vector<Trouble> choice = options.troubles;
  if (choice.empty()) {
    for (std::size_t i = 0; i < kTroubles; ++i) choice.push_back(static_cast<Trouble>(i));
  }
  Draw draw(options.seed, run, Purpose::Choice);
  // One to three sorts of trouble; now and then everything at once.
  const std::size_t sorts =
      draw.once_in(10) ? choice.size() : std::min<std::size_t>(choice.size(), 1 + draw.below(3));
  Faults faults(options, run, s);
  for (std::size_t i = 0; i < sorts; ++i) {
    std::swap(choice[i], choice[i + draw.below(choice.size() - i)]);
    s.troubles.push_back(choice[i]);
    faults.add(choice[i]);
  }
  const bool forged = options.forged_every > 0 && run % options.forged_every == 0;
  if (forged) faults.forge(s.messages);
  s.quiet = last_error + longest_outage;
  return s;
}

}  // namespace ht::campaign
