// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/campaign/scenario.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "sim/campaign/node_events.hpp"
#include "sim/campaign/pieces.hpp"
#include "sw/tofu/links.hpp"
#include "verif/model/common/crc.hpp"
#include "verif/model/common/order_independent_sum.hpp"
#include "verif/model/tofu/route.hpp"

namespace ht::campaign {
namespace {

using model::OrderIndependentSum;
using tofu::Algorithm;
using tofu::GateOperation;

constexpr int links = tofu::links_per_node;
// Links are up within some 2 us; then all nodes wire their gates, and begin when all have.
constexpr Picoseconds links_up = 2'000'000, wired = 24'000'000, usual_span = 12'000'000;
constexpr Picoseconds first_error = 200'000, after_span = 8'000'000, longest_outage = 4'000'000;

constexpr Picoseconds beat = 3'200;  // a cycle

// Links train anew within some us of a cable's being there again.
constexpr Picoseconds late_from = 10'000'000, late_span = 4'000'000;

enum Purpose : std::uint32_t {
  Settings,
  Traffic,
  Choice,
  Places,
  Remote,
  Disorder,
  Unplugging,
  Late
};

// All magnitudes, often ones that cancel, now and then what is no number.
double draw_double(Draw& draw) {
  if (draw.once_in(20)) return std::bit_cast<double>(draw.bits());
  const auto mantissa = static_cast<double>(draw.between(-1'000'000'000'000, 1'000'000'000'000));
  return std::ldexp(mantissa, static_cast<int>(draw.between(-90, 60)));
}

bool reduces_words(GateOperation op) {
  return op >= GateOperation::And && op <= GateOperation::Sum;
}

std::uint64_t combine(GateOperation op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case GateOperation::And:
      return a & b;
    case GateOperation::Or:
      return a | b;
    case GateOperation::Xor:
      return a ^ b;
    case GateOperation::Max:
      return std::max(a, b);
    default:
      return a + b;
  }
}

void give(Draw& draw, GateOperation op, TofuContribution& c) {
  c.word = draw.bits();
  if (op == GateOperation::Fsum) {
    OrderIndependentSum sum;
    const double x = draw_double(draw);
    sum.add(x);
    c.word = std::bit_cast<std::uint64_t>(x);
    c.form = draw.once_in(3) ? TofuForm::State : TofuForm::Double;
    if (c.form == TofuForm::State) {
      for (auto n = draw.between(0, 5); n > 0; --n) sum.add(draw_double(draw));
    }
    c.state = sum.to_bytes();
    return;
  }
  c.form = op == GateOperation::Broadcast && draw.once_in(2) ? TofuForm::State : TofuForm::Word;
  std::memcpy(c.state.data(), &c.word, sizeof(c.word));
  if (c.form != TofuForm::State) return;
  for (std::size_t i = 8; i < c.state.size(); ++i) c.state[i] = static_cast<std::byte>(draw.bits());
}

// What the gates must make of it, by arithmetic without gates.
void work_out(TofuOperation& o) {
  OrderIndependentSum sum;
  std::uint64_t word = 0;
  for (const TofuContribution& c : o.of) {
    if (c.form == TofuForm::None) continue;
    if (o.operation == GateOperation::Fsum) {
      sum.merge(OrderIndependentSum::from_bytes(c.state));
    } else if (reduces_words(o.operation)) {
      word = o.empty ? c.word : combine(o.operation, word, c.word);
    } else {
      o.result = c.state;
    }
    o.empty = false;
  }
  if (o.empty) return;
  if (o.operation == GateOperation::Fsum) o.result = sum.to_bytes();
  if (reduces_words(o.operation)) std::memcpy(o.result.data(), &word, sizeof(word));
}

TofuOperation draw_operation(Draw& draw, std::size_t nodes, bool barriers, Picoseconds& start,
                             Picoseconds pause) {
  TofuOperation o;
  o.operation = static_cast<GateOperation>(barriers ? draw.below(8) : 1 + draw.below(7));
  o.of.resize(nodes);
  const std::size_t root = draw.below(nodes);
  const Picoseconds skew = draw.once_in(2) ? 100'000 : 2'000'000;
  for (std::size_t rank = 0; rank < nodes; ++rank) {
    TofuContribution& c = o.of[rank];
    c.start = start + draw.between(0, skew);
    const bool gives = o.operation == GateOperation::Broadcast ? rank == root : !draw.once_in(8);
    if (o.operation != GateOperation::Barrier && gives) give(draw, o.operation, c);
  }
  start += draw.between(0, pause);
  work_out(o);
  return o;
}

void draw_channels(Draw& draw, std::size_t nodes, bool barriers, bool soak, TofuScenario& s) {
  constexpr std::array patterns = {Algorithm::RecursiveDoubling, Algorithm::DoubleRing,
                                   Algorithm::Tree, Algorithm::WideTree};
  const std::int64_t most = draw.between(1, 7);
  const Picoseconds pause = draw.once_in(3) || soak ? 0 : 2'000'000;
  int gate = tofu::channels_per_node;
  for (int channel = 1; channel <= most; ++channel) {
    TofuChannel c;
    c.channel = channel;
    c.first_gate = gate;
    c.group = static_cast<std::uint8_t>(draw.below(256));
    c.algorithm = patterns[draw.below(patterns.size())];
    gate += tofu::BarrierPattern(c.algorithm, static_cast<int>(nodes)).most_gates() - 1;
    if (gate > tofu::gates_per_node) break;
    c.nodes.resize(nodes);
    std::iota(c.nodes.begin(), c.nodes.end(), 0);
    for (std::size_t i = 0; i + 1 < nodes; ++i)
      std::swap(c.nodes[i], c.nodes[i + draw.below(nodes - i)]);
    Picoseconds start = wired + draw.between(0, usual_span / 2);
    for (auto n = soak ? draw.between(60, 100) : draw.between(1, 8); n > 0; --n)
      c.operations.push_back(draw_operation(draw, nodes, barriers, start, pause));
    s.channels.push_back(std::move(c));
  }
}

model::tofu::Coordinates model_place(const tofu::Shape& shape, int node) {
  model::tofu::Coordinates place{};
  for (std::size_t axis = 0; axis < place.size(); ++axis)
    place[axis] = static_cast<unsigned>(shape.place(node).at[axis]);
  return place;
}

// A packet's way over all cables.
void send(const tofu::Shape& shape, int from, int to, std::uint32_t count, TofuScenario& s) {
  model::tofu::Shape torus;
  std::ranges::copy(shape.length, torus.length.begin());
  torus.ring = shape.ring;
  // By default the first ABC leg leads to the destination's own A, B and C.
  model::tofu::Journey journey{model_place(shape, from), model_place(shape, to),
                               model_place(shape, to), false};
  int here = from;
  while (const auto hop = model::tofu::next_hop(torus, model_place(shape, here), journey)) {
    s.packets[static_cast<std::size_t>(here * links) + hop->port] += count;
    journey.leg = hop->leg;
    here = shape.node(*shape.neighbour(shape.place(here), static_cast<int>(hop->port)));
  }
}

void count_packets(const tofu::Shape& shape, TofuScenario& s) {
  s.packets.assign(static_cast<std::size_t>(shape.nodes() * links), 0);
  for (const TofuChannel& c : s.channels) {
    const tofu::BarrierPattern pattern(c.algorithm, static_cast<int>(c.nodes.size()));
    for (std::size_t rank = 0; rank < c.nodes.size(); ++rank) {
      for (const tofu::GateWiring& gate : pattern.gates(static_cast<int>(rank))) {
        if (!gate.remote_destination) continue;
        const auto to = static_cast<std::size_t>(gate.remote_destination->rank);
        send(shape, c.nodes[rank], c.nodes[to], static_cast<std::uint32_t>(c.operations.size()), s);
      }
    }
  }
}

}  // namespace

tofu::Shape tofu_shape(const std::vector<int>& shape) {
  tofu::Shape s;
  std::copy_n(shape.begin(), std::min(shape.size(), s.length.size()), s.length.begin());
  s.check();
  return s;
}

sim::FaultPlan::Forced forged_gate_packet(std::uint64_t frame, unsigned bit) {
  // The CRC is linear: what a flip makes of it, 12 bytes later, inverted there takes it back.
  const std::uint32_t flip = std::uint32_t{1} << (bit % 32);
  std::array<std::byte, 16> clean{}, damaged{};
  std::memcpy(damaged.data(), &flip, sizeof(flip));
  const std::uint32_t difference = model::crc32c(clean) ^ model::crc32c(damaged);
  return {frame, {{2, flip}, {3, difference}}};
}

TofuScenario draw_tofu_scenario(const ScenarioOptions& options, std::uint64_t run) {
  TofuScenario s;
  s.ignore_checksums = options.ignore_checksums;
  s.soak = options.soak;
  const tofu::Shape shape = tofu_shape(options.shape);
  Draw settings(options.seed, run, Purpose::Settings);
  World usual;
  usual.cable_delay = settings.between(5, 60) * 3'200;
  s.world = draw_world(options, run, usual);
  const int nodes = shape.nodes();
  s.faults.resize(static_cast<std::size_t>(nodes * links));
  const bool forged = options.forged_every > 0 && run % options.forged_every == 0;
  Draw traffic(options.seed, run, Purpose::Traffic);
  draw_channels(traffic, static_cast<std::size_t>(nodes), !forged, options.soak, s);
  count_packets(shape, s);
  // Damage that a CRC does not show is made for packets of gates.
  Draw remote(options.seed, run, Purpose::Remote);
  const Picoseconds span = options.soak ? soak_span : usual_span;
  if (!forged && (!remote.once_in(3) || options.soak))
    s.remote = draw_remote_traffic(remote, shape, {wired, span, options.soak});
  if (options.draw_world)
    draw_disorder(Draw(options.seed, run, Purpose::Disorder), nodes, wired, span, s.remote);

  s.events = draw_node_events(options, run, nodes, span, true);
  for (NodeEvent& e : s.events) e.at += wired;

  TroubleLimits limits;
  limits.links = links;
  const unsigned lanes = options.phy ? options.phy->lanes.shape.lanes : 8;
  const Picoseconds later = lanes_up(options, beat);
  limits.lanes = lanes;
  limits.bits = 160 / lanes;
  limits.rates = {1e-6, 3e-6, 1e-5, 3e-5, 1e-4};
  limits.longest_burst = 400;
  limits.header = 2;
  limits.first_error = first_error;
  limits.last_error = wired + later + span + after_span;
  limits.longest_outage = longest_outage;
  limits.links_up = wired;
  limits.last_hello = links_up;
  limits.busy_until = wired + later + span + 3'000'000;
  limits.unplugged = TofuScenario::unplugged_for;
  limits.unplugged_from = wired;
  limits.neighbour = [shape](int node, int link) {
    const auto there = shape.neighbour(shape.place(node), link);
    return there ? shape.node(*there) : node;
  };
  limits.far_link = tofu::far_link;
  std::vector<Route> routes;
  std::vector<std::size_t> cables;
  for (int node = 0; node < nodes; ++node) {
    for (int link = 0; link < links; ++link) {
      const int to = limits.neighbour(node, link);
      if (to == node) continue;
      cables.push_back(static_cast<std::size_t>(node * links + link));
      if (s.packets[cables.back()] > 0) routes.push_back({node, to, link});
    }
  }
  TroubleDraw faults(Draw(options.seed, run, Purpose::Places), limits, routes, cables, s.faults);
  s.troubles =
      draw_troubles(Draw(options.seed, run, Purpose::Choice),
                    trouble_choice(options, packet_troubles()), faults, rounds_of_trouble(options));
  add_stops(faults, 0, s.events);
  Draw unplugging(options.seed, run, Purpose::Unplugging);
  if (options.draw_world && options.troubles.empty() && !forged && !options.soak &&
      unplugging.once_in(40)) {
    faults.add(Trouble::Unplugged);
    s.troubles.push_back(Trouble::Unplugged);
  }
  if (std::ranges::find(s.troubles, Trouble::Unplugged) != s.troubles.end()) {
    s.put_back = limits.last_error + TofuScenario::unplugged_for;
    draw_late(Draw(options.seed, run, Purpose::Late), s.put_back + late_from, late_span, s.remote);
  }
  // Of a link that was down the checksums differ.
  if (forged && s.put_back == 0) {
    Draw& draw = faults.draw();
    const Route& route = routes[draw.below(routes.size())];
    s.forged_cable = route.from * links + route.link;
    const auto cable = static_cast<std::size_t>(s.forged_cable);
    s.faults[cable].forced.push_back(
        forged_gate_packet(draw.below(s.packets[cable]), static_cast<unsigned>(draw.below(32))));
  }
  s.quiet = limits.last_error + longest_outage;
  PieceFilter filter(options, run, s);
  filter.errors();
  for (TofuChannel& channel : s.channels) filter.messages(channel.operations);
  filter.messages(s.remote.accesses);
  filter.messages(s.remote.changes);
  filter.messages(s.events);
  filter.close();
  count_packets(shape, s);
  return s;
}

}  // namespace ht::campaign
