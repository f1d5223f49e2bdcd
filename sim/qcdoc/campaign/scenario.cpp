// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/campaign/scenario.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "sim/campaign/node_events.hpp"
#include "sim/campaign/pieces.hpp"
#include "sim/qcdoc/machine.hpp"
#include "sim/qcdoc/rtl_parameters.hpp"

namespace ht::campaign {
namespace {

constexpr int links = qcdoc::links;
// Links are up some 4 us after the machine is switched on; messages begin within 6 us after that.
constexpr Picoseconds links_up = 4'000'000, last_message = 6'000'000;
constexpr Picoseconds first_error = 400'000, last_error = 14'000'000;
constexpr Picoseconds longest_outage = 4'000'000;
constexpr Picoseconds byte = 16'000;  // on the wire
constexpr Picoseconds bit = 2'000;
// A soak run: of each link, in as many messages as its engines have slots; a word takes 146 ns.
constexpr std::uint32_t soak_words = 2'084;
constexpr std::uint32_t content_purpose = 0x100, global_purpose = 0x8000;

enum Purpose : std::uint32_t { Settings, Traffic, Choice, Places, Global, Interrupts };

// What the link is made to detect: single errors, and a line that is not there.
const std::vector<Trouble> detectable = {Trouble::Bits,     Trouble::Pulled, Trouble::Idle,
                                         Trouble::Commands, Trouble::Hellos, Trouble::Headers};

// What damages an acknowledgement delays a supervisor word: they are sent where errors are far
// apart. Several aimed ones may wait for the same frame.
bool single_errors(const std::vector<Trouble>& troubles) {
  return std::ranges::all_of(troubles, [](Trouble t) {
    return t == Trouble::Bits || t == Trouble::Hellos || t == Trouble::Upsets;
  });
}

void draw_messages(Draw& draw, Route route, std::int64_t longest, QcdocScenario& s) {
  QcdocMessage m;
  static_cast<Route&>(m) = route;
  m.send = draw.between(0, last_message);
  m.receive = std::max<Picoseconds>(0, m.send + draw.between(-3'000'000, 3'000'000));
  for (auto n = draw.between(1, 3); n > 0; --n) {
    m.block_words = static_cast<std::uint32_t>(draw.between(1, longest));
    m.blocks = draw.once_in(2) ? 1 : static_cast<std::uint32_t>(draw.between(1, 4));
    m.gap = static_cast<std::uint32_t>(draw.below(3));
    s.messages.push_back(m);
    m.first += m.words();
    m.send += draw.between(0, 1'000'000);
    m.receive += draw.between(0, 1'000'000);
  }
}

// As long as the run, and longer ones.
void draw_soak_messages(Draw& draw, Route route, QcdocScenario& s) {
  constexpr std::uint32_t words = (soak_words + qcdoc::slots - 1) / qcdoc::slots;
  constexpr Picoseconds pause = 2 * soak_span / qcdoc::slots;
  QcdocMessage m;
  static_cast<Route&>(m) = route;
  for (int n = 0; n < qcdoc::slots; ++n) {
    m.receive = std::max(m.receive, m.send + draw.between(-3'000'000, 3'000'000));
    m.block_words = static_cast<std::uint32_t>(draw.between(1, words));
    m.blocks = (words + m.block_words - 1) / m.block_words;
    m.gap = static_cast<std::uint32_t>(draw.below(3));
    s.messages.push_back(m);
    m.first += m.words();
    m.send += draw.between(0, pause);
  }
}

void draw_supervisor(Draw& draw, Route route, QcdocScenario& s) {
  QcdocSupervisorWord w;
  static_cast<Route&>(w) = route;
  w.send = draw.between(0, last_message);
  for (auto n = draw.between(1, 4); n > 0; --n) {
    s.supervisor.push_back(w);
    ++w.number;
    w.send += draw.between(0, 500'000);
  }
}

// In a third of the runs.
void draw_global(Draw draw, QcdocScenario& s) {
  if (!draw.once_in(3)) return;
  for (auto n = draw.between(1, 3); n > 0; --n)
    s.global.push_back({draw.once_in(3), static_cast<std::uint32_t>(draw.between(1, 6))});
}

void draw_interrupts(Draw draw, int nodes, QcdocScenario& s) {
  if (!draw.once_in(2)) return;
  for (auto n = draw.between(1, 6); n > 0; --n)
    s.interrupts.push_back({static_cast<int>(draw.below(static_cast<std::uint64_t>(nodes))),
                            draw.between(0, last_message),
                            static_cast<std::uint32_t>(draw.between(1, 127))});
}

// A word of some link that carries any, damaged so that its parity fits.
void forge(Draw& draw, QcdocScenario& s) {
  const QcdocMessage& m = s.messages[draw.below(s.messages.size())];
  std::uint32_t words = 0;
  for (const QcdocMessage& other : s.messages)
    words += other.from == m.from && other.link == m.link ? other.words() : 0;
  s.forged_cable = m.from * links + m.link;
  s.faults[static_cast<std::size_t>(s.forged_cable)].forced.push_back(
      machine::forged_word(draw.below(words), static_cast<unsigned>(draw.below(64))));
}

bool for_good(const sim::FaultPlan::Pull& pull) {
  return pull.until - pull.from > longest_outage;
}

// Without some messages: words that are left are numbered one after the other on their links.
void keep_pieces(const ScenarioOptions& options, std::uint64_t run, QcdocScenario& s) {
  PieceFilter filter(options, run, s);
  filter.errors();
  filter.messages(s.messages);
  filter.messages(s.supervisor);
  filter.messages(s.global);
  filter.messages(s.interrupts);
  filter.messages(s.events);
  filter.close();
  std::map<std::pair<int, int>, std::uint32_t> words, supervisor;
  for (QcdocMessage& m : s.messages) {
    m.first = words[{m.from, m.link}];
    words[{m.from, m.link}] += m.words();
  }
  for (QcdocSupervisorWord& w : s.supervisor) w.number = supervisor[{w.from, w.link}]++;
  s.unplugged = s.unplugged && std::ranges::any_of(s.faults, [](const sim::FaultPlan& p) {
                  return std::ranges::any_of(p.pulls, for_good);
                });
}

}  // namespace

std::uint64_t global_word(std::uint64_t seed, std::uint64_t run, int node, std::size_t operation,
                          std::uint32_t index) {
  const auto number = static_cast<std::uint32_t>(operation) << 8 | index;
  return Draw(seed ^ (std::uint64_t{number + 1} << 32), run,
              global_purpose + static_cast<std::uint32_t>(node))
      .bits();
}

std::uint64_t word_content(std::uint64_t seed, std::uint64_t run, const Route& r, bool supervisor,
                           std::uint32_t index) {
  const auto flow =
      static_cast<std::uint32_t>(2 * (r.from * links + r.link) + (supervisor ? 1 : 0));
  const std::uint64_t bits =
      Draw(seed ^ (std::uint64_t{index + 1} << 32), run, content_purpose + flow).bits();
  // The driver's own supervisor words have D0 as their top byte.
  return supervisor ? bits & 0x0fffffffffffffff : bits;
}

Picoseconds longest_qcdoc_cable(const ScenarioOptions& options) {
  // Links wait for answers as long as they take over such a cable.
  const long bits = machine::value_of(qcdoc::rtl_parameters, options.set, "CABLE_BITS");
  return std::min(longest_cable, bits * bit - lanes_delay(options, byte));
}

QcdocScenario draw_qcdoc_scenario(const ScenarioOptions& options, std::uint64_t run) {
  QcdocScenario s;
  s.ignore_checksums = options.ignore_checksums;
  s.soak = options.soak;
  Draw settings(options.seed, run, Purpose::Settings);
  World usual;
  const Picoseconds cable = longest_qcdoc_cable(options);
  usual.cable_delay = std::min(settings.between(5, 60) * bit, cable);
  usual.memory_stalls = settings.once_in(3) ? static_cast<std::uint32_t>(settings.below(200)) : 0;
  s.world = draw_world(options, run, usual, cable);
  const Picoseconds up = links_up + lanes_up(options, byte);
  const bool unplugged = options.troubles.empty() && !options.soak && settings.once_in(50);
  const int nodes = machine::node_count(options.shape);
  s.faults.resize(static_cast<std::size_t>(nodes * links));

  const auto neighbour = [&options](int node, int link) {
    return machine::torus_neighbour(options.shape, node, link);
  };
  std::vector<Route> used;
  for (int node = 0; node < nodes; ++node) {
    for (int link = 0; link < links; ++link) {
      const int to = neighbour(node, link);
      if (to != node) used.push_back({node, to, link});
    }
  }
  Draw traffic(options.seed, run, Purpose::Traffic);
  const std::uint64_t busy_of_4 = 1 + traffic.below(4);
  const std::int64_t longest = traffic.between(1, 24);
  while (s.messages.empty()) {
    for (const Route& r : used) {
      if (options.soak)
        draw_soak_messages(traffic, r, s);
      else if (traffic.below(4) < busy_of_4)
        draw_messages(traffic, r, longest, s);
    }
  }

  TroubleLimits limits;
  limits.links = links;
  limits.rates = {1e-6, 1e-5, 3e-5};
  limits.longest_burst = 400;
  limits.idle = limits.command = 8;  // any bit of the byte, or those after it
  limits.hello = 32;
  limits.header = 73;  // its last bit, the payload, the header after it
  limits.first_error = first_error;
  limits.last_error = last_error + up - links_up + (options.soak ? soak_span : 0);
  limits.longest_outage = longest_outage;
  limits.sees_silence = false;
  limits.links_up = up;
  const Picoseconds span = options.soak ? soak_span : last_message;
  limits.busy_until = up + span + 2'000'000;
  limits.neighbour = neighbour;
  std::vector<std::size_t> cables;
  for (const Route& r : used) cables.push_back(static_cast<std::size_t>(r.from * links + r.link));
  const std::vector<Route> routes(s.messages.begin(), s.messages.end());
  TroubleDraw faults(Draw(options.seed, run, Purpose::Places), limits, routes, cables, s.faults);
  s.troubles =
      draw_troubles(Draw(options.seed, run, Purpose::Choice), trouble_choice(options, detectable),
                    faults, rounds_of_trouble(options));
  if (unplugged) {
    faults.add(Trouble::Unplugged);
    s.troubles.push_back(Trouble::Unplugged);
  }
  s.unplugged = std::ranges::find(s.troubles, Trouble::Unplugged) != s.troubles.end();
  // With a link down there are no checksums to be read.
  if (options.forged_every > 0 && run % options.forged_every == 0 && !s.unplugged)
    forge(faults.draw(), s);
  if (single_errors(s.troubles)) {
    for (const Route& r : used) {
      if (traffic.once_in(3)) draw_supervisor(traffic, r, s);
    }
  }
  if (options.draw_world && single_errors(s.troubles))
    draw_interrupts(Draw(options.seed, run, Purpose::Interrupts), nodes, s);
  if (options.draw_world && !s.unplugged && s.forged_cable < 0)
    draw_global(Draw(options.seed, run, Purpose::Global), s);
  s.events = draw_node_events(options, run, nodes, span, !s.unplugged);
  add_stops(faults, up, s.events);
  s.quiet = limits.last_error + longest_outage;
  keep_pieces(options, run, s);
  return s;
}

}  // namespace ht::campaign
