// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/campaign/scenario.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

#include "sim/campaign/draw.hpp"
#include "sim/campaign/node_events.hpp"
#include "sim/campaign/pieces.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::campaign {
namespace {

constexpr int links = qpace::links;
constexpr int channels = 8;
// Links are up some 4 us after the machine is switched on; messages begin within 8 us after that.
constexpr Picoseconds links_up = 4'000'000;
constexpr Picoseconds first_error = 400'000, last_error = 16'000'000, last_message = 8'000'000;
constexpr Picoseconds longest_outage = 4'000'000;
constexpr Picoseconds word = 4'000;  // a cycle of the link's clock
constexpr int longest_burst = 400;
// A soak run: of each channel of each link, 2,088 a link, which takes a packet in 144 ns.
constexpr std::uint32_t soak_packets = 261;

enum Purpose : std::uint32_t { Settings, Traffic, Choice, Places, Tree, Files };

// A packet of some link that carries any, damaged so that its CRC fits.
void forge(Draw& draw, QpaceScenario& s) {
  const CampaignMessage& m = s.messages[draw.below(s.messages.size())];
  std::uint32_t packets = 0;
  for (const CampaignMessage& other : s.messages)
    packets += other.from == m.from && other.link == m.link ? other.packets : 0;
  s.forged_cable = m.from * links + m.link;
  s.faults[static_cast<std::size_t>(s.forged_cable)].forced.push_back(machine::forged_packet(
      draw.below(packets), static_cast<unsigned>(draw.below(8 * qpace::line_bytes))));
}

// How much there is to send: from a few packets on one link to all channels of all links at once.
struct Load {
  std::uint64_t links_of_4, channels_of_8;
  std::int64_t longest;  // message, in packets
  Picoseconds span, latest_credit;
  Picoseconds pause = 1'000'000;  // at most, between two of a channel
  std::uint32_t least = 0;        // packets a channel; 0: one to three messages
};

void draw_channel(const Load& load, Draw& draw, CampaignMessage m, QpaceScenario& s) {
  m.send = draw.between(0, load.span);
  for (auto n = draw.between(1, 3); load.least > 0 ? m.start < load.least : n > 0; --n) {
    m.packets = static_cast<std::uint32_t>(draw.between(1, load.longest));
    if (load.least > 0) m.packets = std::min(m.packets, load.least - m.start);
    const Picoseconds ready = m.send + draw.between(-load.latest_credit / 2, load.latest_credit);
    m.credit = std::max(m.credit, ready);  // credits of a channel are given in order
    m.remote = static_cast<std::uint32_t>(draw.below(s.credits_checked ? 1 : m.start + 1));
    s.messages.push_back(m);
    m.start += m.packets;
    m.send += draw.between(0, load.pause);
  }
}

// All channels of all links, for the whole of the run.
void soak(Load& load) {
  load.links_of_4 = 4;
  load.channels_of_8 = channels;
  load.least = soak_packets;
  load.pause = soak_span * load.longest / soak_packets;
}

void draw_traffic(const ScenarioOptions& options, std::uint64_t run, int nodes, QpaceScenario& s) {
  Draw draw(options.seed, run, Purpose::Traffic);
  Load load{};
  load.links_of_4 = 1 + draw.below(4);
  load.channels_of_8 = 1 + draw.below(8);
  load.longest = draw.between(1, load.channels_of_8 > 4 ? 6 : 16);
  if (draw.once_in(4)) load.longest *= 3;
  load.span = draw.between(500'000, last_message);
  load.latest_credit = draw.once_in(2) ? 100'000 : 4'000'000;
  if (options.soak) soak(load);
  s.busy_until =
      links_up + lanes_up(options, word) + (options.soak ? soak_span : load.span) + 3'000'000;
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
    for (auto n = draw.between(1, options.soak ? 40 : 4); n > 0; --n)
      s.stalls.push_back(
          {node, draw.between(0, s.busy_until - links_up - lanes_up(options, word) - 1'000'000),
           draw.between(20'000, 3'000'000)});
  }
}

// Votes, in half of the runs; glitches of the wires in half of those.
void draw_tree(Draw draw, std::size_t nodes, Picoseconds span, QpaceScenario& s) {
  if (!draw.once_in(2)) return;
  // A filter of 8 samples; a synchroniser may make a disturbance one cycle longer.
  constexpr Picoseconds shortest_seen = 6 * 4'800;
  constexpr Picoseconds between_glitches = 10'000'000;
  const Picoseconds skew = draw.once_in(2) ? 100'000 : 3'000'000;
  std::vector<Picoseconds> at(nodes, draw.between(0, span));
  for (auto n = draw.between(1, 6); n > 0; --n) {
    TreeVote v;
    v.kind = static_cast<TreeVote::Kind>(draw.below(3));
    // Results of both kinds: one node in many that disagrees, or any number.
    const bool mostly = draw.once_in(2), one = draw.once_in(2);
    for (std::size_t i = 0; i < nodes; ++i) v.of.push_back(one ? mostly : draw.once_in(2));
    if (one) v.of[draw.below(nodes)] = draw.once_in(2);
    for (Picoseconds& t : at) t += draw.between(0, skew);
    v.at = at;
    s.votes.push_back(std::move(v));
  }
  if (!draw.once_in(2)) return;
  // Apart from one another: the filter sees each by itself.
  for (std::size_t node = 0; node < nodes; ++node) {
    for (const bool up : {false, true}) {
      for (Picoseconds t = draw.between(0, between_glitches); t < last_error;
           t += draw.between(200'000, between_glitches))
        s.glitches.push_back({static_cast<int>(node), up, t, draw.between(1, shortest_seen - 1),
                              static_cast<std::uint8_t>(draw.below(4))});
    }
  }
}

// Files of one to four blocks, in a third of the runs.
void draw_files(Draw draw, std::size_t nodes, Picoseconds span, QpaceScenario& s) {
  if (!draw.once_in(3)) return;
  constexpr std::array rates = {0.0, 0.0, 1e-6, 1e-5};
  s.ethernet_bit_errors = rates[draw.below(rates.size())];
  for (auto n = draw.between(1, 3); n > 0; --n)
    s.files.push_back({static_cast<int>(draw.below(nodes)), draw.between(0, span),
                       static_cast<std::uint32_t>(draw.below(2'049)), draw.bits()});
}

// Without some messages: those that are left follow one another in their channels' regions.
void keep_pieces(const ScenarioOptions& options, std::uint64_t run, QpaceScenario& s) {
  PieceFilter filter(options, run, s);
  filter.errors();
  filter.messages(s.messages);
  filter.messages(s.stalls);
  filter.messages(s.votes);
  filter.messages(s.files);
  filter.messages(s.glitches);
  filter.messages(s.events);
  filter.close();
  std::map<std::array<int, 3>, std::uint32_t> lines;
  for (CampaignMessage& m : s.messages) {
    std::uint32_t& start = lines[{m.from, m.link, m.channel}];
    m.start = start;
    m.remote = std::min(m.remote, m.start);
    start += m.packets;
  }
}

}  // namespace

bool TreeVote::result() const {
  const auto yes = [](bool vote) { return vote; };
  return kind == Kind::All ? std::ranges::all_of(of, yes) : std::ranges::any_of(of, yes);
}

net::Bytes file_content(const FileRead& file) {
  std::mt19937_64 bits(file.content);
  net::Bytes bytes(file.bytes);
  for (auto& b : bytes) b = static_cast<net::Bytes::value_type>(bits());
  return bytes;
}

QpaceScenario draw_qpace_scenario(const ScenarioOptions& options, std::uint64_t run) {
  QpaceScenario s;
  s.ignore_checksums = options.ignore_checksums;
  s.soak = options.soak;
  Draw settings(options.seed, run, Purpose::Settings);
  constexpr Picoseconds usual_cable = 400'000;
  World usual;
  usual.cable_delay = settings.between(10, 100) * 4'000;
  s.world = draw_world(options, run, usual);
  // Above a round trip with a full window: 2 x 100 + 16 x 34 and some.
  s.ack_timeout = static_cast<std::uint32_t>(settings.between(850, 1'500));
  if (s.world.longest_cable() > usual_cable)
    s.ack_timeout +=
        static_cast<std::uint32_t>(2 * (s.world.longest_cable() - usual_cable) / 4'000 + 1);
  s.ack_timeout += static_cast<std::uint32_t>(2 * lanes_delay(options, word) / word);
  s.busy_probe = static_cast<std::uint32_t>(256 * settings.between(2, 8));
  s.credits_checked = settings.once_in(2);
  const int nodes = machine::node_count(options.shape);
  draw_traffic(options, run, nodes, s);
  const Picoseconds up = links_up + lanes_up(options, word), span = s.busy_until - up;
  if (options.draw_world) {
    draw_tree(Draw(options.seed, run, Purpose::Tree), static_cast<std::size_t>(nodes), span, s);
    draw_files(Draw(options.seed, run, Purpose::Files), static_cast<std::size_t>(nodes), span, s);
  }
  s.events = draw_node_events(options, run, nodes, span, false);
  s.faults.resize(static_cast<std::size_t>(nodes * links));

  TroubleLimits limits;
  limits.links = links;
  limits.lanes = options.phy ? options.phy->lanes.shape.lanes : 4;
  limits.bits = 10;
  limits.rates = {1e-5, 3e-5, 1e-4};
  if (!options.soak) limits.rates.insert(limits.rates.end(), {3e-4, 1e-3});
  limits.longest_burst = longest_burst;
  limits.hello = 4;
  limits.first_error = first_error;
  limits.last_error = options.soak ? s.busy_until : last_error + up - links_up;
  limits.longest_outage = longest_outage;
  limits.links_up = up;
  limits.busy_until = s.busy_until;
  limits.unplugged = QpaceScenario::unplugged_for;
  limits.neighbour = [&options](int node, int link) {
    return machine::torus_neighbour(options.shape, node, link);
  };
  std::vector<Route> routes;
  for (const CampaignMessage& m : s.messages) routes.push_back({m.from, m.to, m.link});
  std::vector<std::size_t> cables(s.faults.size());
  std::iota(cables.begin(), cables.end(), 0U);
  TroubleDraw faults(Draw(options.seed, run, Purpose::Places), limits, routes, cables, s.faults);
  s.troubles =
      draw_troubles(Draw(options.seed, run, Purpose::Choice),
                    trouble_choice(options, packet_troubles()), faults, rounds_of_trouble(options));
  add_stops(faults, up, s.events);
  if (options.draw_world && options.troubles.empty() && !options.soak && settings.once_in(40)) {
    faults.add(Trouble::Unplugged);
    s.troubles.push_back(Trouble::Unplugged);
  }
  if (std::ranges::find(s.troubles, Trouble::Unplugged) != s.troubles.end())
    s.put_back = limits.last_error + QpaceScenario::unplugged_for;
  // Of a link that is down there are no checksums to be read.
  if (options.forged_every > 0 && run % options.forged_every == 0 && s.put_back == 0)
    forge(faults.draw(), s);
  s.quiet = limits.last_error + longest_outage;
  keep_pieces(options, run, s);
  return s;
}

}  // namespace ht::campaign
