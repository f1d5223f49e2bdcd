// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/dependency.hpp"

#include <algorithm>

namespace ht::model::tofu {

namespace {

using Adjacency = std::vector<std::vector<std::uint32_t>>;

// Buffers of a node: 4 for each link, {port, response, routing channel}, then these. The four
// network interfaces count as one, which can close cycles, not open them. Gate packets are
// responses.
enum Local : std::uint32_t {
  InjectRequest = 40,
  InjectResponse,
  InjectGate,
  EjectRequest,
  EjectResponse,
  EjectGate
};

struct Stage {
  unsigned axis;
  unsigned channel;  ///< of the leg; X, Y and Z have their own rule
};
constexpr std::array<Stage, 9> kStages{
    {{B, 0}, {C, 0}, {A, 0}, {X, 0}, {Y, 0}, {Z, 0}, {A, 1}, {C, 1}, {B, 1}}};

// Takes away what waits for nobody until nothing is left, or only circles and what waits for them.
std::vector<std::uint32_t> find_cycle(const Adjacency& waits_for) {
  const auto count = waits_for.size();
  std::vector<std::uint32_t> open(count), done;
  Adjacency waited_by(count);
  for (std::uint32_t v = 0; v < count; ++v) {
    open[v] = static_cast<std::uint32_t>(waits_for[v].size());
    if (open[v] == 0) done.push_back(v);
    for (const std::uint32_t w : waits_for[v]) waited_by[w].push_back(v);
  }
  for (std::size_t i = 0; i < done.size(); ++i)
    for (const std::uint32_t v : waited_by[done[i]])
      if (--open[v] == 0) done.push_back(v);
  if (done.size() == count) return {};
  // Everybody left waits for somebody left: follow until one comes back.
  auto v = static_cast<std::uint32_t>(
      std::find_if(open.begin(), open.end(), [](std::uint32_t n) { return n > 0; }) - open.begin());
  std::vector<std::uint32_t> way;
  while (std::find(way.begin(), way.end(), v) == way.end()) {
    way.push_back(v);
    v = *std::find_if(waits_for[v].begin(), waits_for[v].end(),
                      [&](std::uint32_t w) { return open[w] > 0; });
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), v));
  return way;
}

// First hops, last hops and pairs of hops that follow one another, of all ways along one axis.
struct AxisWays {
  struct Move {
    unsigned from;
    Step step;
  };
  std::vector<Move> first, last;
  std::vector<std::pair<Move, Move>> following;
};

unsigned after(const AxisWays::Move& move, unsigned length) {
  return (move.from + (move.step.plus ? 1 : length - 1)) % length;
}

AxisWays axis_ways(const Stage& stage, unsigned length, bool ring, Rule rule) {
  AxisWays ways;
  for (unsigned from = 0; from < length; ++from)
    for (unsigned to = 0; to < length; ++to) {
      std::vector<AxisWays::Move> way;
      for (unsigned here = from; here != to; here = after(way.back(), length)) {
        Step step = axis_step(stage.axis, length, ring, from, here, to, rule);
        if (stage.axis > Z && rule == Rule::Legs) step.channel = stage.channel;
        way.push_back({here, step});
      }
      if (way.empty()) continue;
      ways.first.push_back(way.front());
      ways.last.push_back(way.back());
      for (std::size_t i = 1; i < way.size(); ++i) ways.following.emplace_back(way[i - 1], way[i]);
    }
  return ways;
}

}  // namespace

DependencyGraph::DependencyGraph(const Shape& shape)
    : shape_(shape), waits_for_(std::size_t{buffers_per_node} * shape.nodes()) {}

void DependencyGraph::add(std::uint32_t from, std::uint32_t to) {
  waits_for_[from].push_back(to);
}

void DependencyGraph::add_interfaces(const Waiting& waiting) {
  for (std::uint32_t node = 0; node < shape_.nodes(); ++node) {
    const std::uint32_t base = node * buffers_per_node;
    add(base + EjectRequest, base + InjectResponse);
    if (waiting.responses_for_requests) add(base + EjectResponse, base + InjectRequest);
    if (waiting.gates_for_sends) add(base + EjectGate, base + InjectGate);
  }
}

void DependencyGraph::finish(bool one_injection_queue) {
  for (std::uint32_t base = 0; one_injection_queue && base < waits_for_.size();
       base += buffers_per_node) {
    auto& queue = waits_for_[base + InjectRequest];
    auto& responses = waits_for_[base + InjectResponse];
    queue.insert(queue.end(), responses.begin(), responses.end());
    responses.clear();
    for (std::uint32_t& next : waits_for_[base + EjectRequest])
      if (next == base + InjectResponse) next = base + InjectRequest;
  }
  for (auto& list : waits_for_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

DependencyGraph DependencyGraph::by_walking(const Shape& shape, const Waiting& waiting) {
  DependencyGraph graph(shape);
  const auto walk = [&](const Journey& start, std::uint32_t inject, std::uint32_t eject,
                        std::uint32_t response) {
    Journey journey = start;
    Coordinates here = start.from;
    std::uint32_t buffer = shape.index(here) * buffers_per_node + inject;
    while (const auto hop = next_hop(shape, here, journey, waiting.rule)) {
      journey.leg = hop->leg;
      here = neighbour(shape, here, hop->port).value();
      const std::uint32_t next = shape.index(here) * buffers_per_node + 4 * opposite(hop->port) +
                                 2 * response + hop->channel;
      graph.add(buffer, next);
      buffer = next;
    }
    graph.add(buffer, shape.index(here) * buffers_per_node + eject);
  };
  const auto& n = shape.length;
  for (unsigned from = 0; from < shape.nodes(); ++from)
    for (unsigned to = 0; to < shape.nodes(); ++to)
      for (unsigned path = 0; path < n[A] * n[B] * n[C]; ++path) {
        Journey journey{shape.place(from), shape.place(to), {}, false};
        journey.path[A] = path % n[A];
        journey.path[B] = path / n[A] % n[B];
        journey.path[C] = path / n[A] / n[B];
        walk(journey, InjectRequest, EjectRequest, 0);
        walk(journey, InjectResponse, EjectResponse, 1);
        walk(journey, InjectGate, EjectGate, 1);
      }
  graph.add_interfaces(waiting);
  graph.finish(waiting.one_injection_queue);
  return graph;
}

DependencyGraph DependencyGraph::by_axes(const Shape& shape, const Waiting& waiting) {
  DependencyGraph graph(shape);
  const std::uint32_t nodes = shape.nodes();
  // The buffer at the end of a move along an axis, begun at a node. Of requests; responses are 2
  // on.
  const auto buffer_after = [&](std::uint32_t node, unsigned axis, const AxisWays::Move& move) {
    Coordinates place = shape.place(node);
    place[axis] = after(move, shape.length[axis]);
    return shape.index(place) * buffers_per_node + 4 * opposite(port_of(axis, move.step.plus)) +
           move.step.channel;
  };
  const auto connect = [&](std::uint32_t from, std::uint32_t to) {
    graph.add(from, to);
    graph.add(from + 2, to + 2);
  };
  // Where a packet that came along an earlier axis may be: it, or what was injected here, may go
  // on.
  std::vector<std::vector<std::uint32_t>> arrived(nodes);
  for (const Stage& stage : kStages) {
    const unsigned axis = stage.axis, length = shape.length[axis];
    const AxisWays ways = axis_ways(stage, length, shape.is_ring(axis), waiting.rule);
    std::vector<std::vector<std::uint32_t>> here(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      const unsigned at = shape.place(node)[axis];
      const std::uint32_t base = node * buffers_per_node;
      for (const auto& move : ways.first) {
        if (move.from != at) continue;
        const std::uint32_t next = buffer_after(node, axis, move);
        for (const std::uint32_t buffer : arrived[node]) connect(buffer, next);
        graph.add(base + InjectRequest, next);
        graph.add(base + InjectResponse, next + 2);
        graph.add(base + InjectGate, next + 2);
      }
      for (const auto& move : ways.last) {
        if (move.from != at) continue;
        const std::uint32_t buffer = buffer_after(node, axis, move);
        here[buffer / buffers_per_node].push_back(buffer);
      }
      for (const auto& [one, two] : ways.following) {
        if (one.from != at) continue;
        const std::uint32_t buffer = buffer_after(node, axis, one);
        connect(buffer, buffer_after(buffer / buffers_per_node, axis, two));
      }
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      auto& list = arrived[node];
      list.insert(list.end(), here[node].begin(), here[node].end());
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t base = node * buffers_per_node;
    graph.add(base + InjectRequest, base + EjectRequest);
    graph.add(base + InjectResponse, base + EjectResponse);
    graph.add(base + InjectGate, base + EjectGate);
    for (const std::uint32_t buffer : arrived[node]) {
      graph.add(buffer, base + EjectRequest);
      graph.add(buffer + 2, base + EjectResponse);
      graph.add(buffer + 2, base + EjectGate);
    }
  }
  graph.add_interfaces(waiting);
  graph.finish(waiting.one_injection_queue);
  return graph;
}

std::size_t DependencyGraph::edges() const {
  std::size_t count = 0;
  for (const auto& list : waits_for_) count += list.size();
  return count;
}

std::vector<std::uint32_t> DependencyGraph::cycle() const {
  return find_cycle(waits_for_);
}

std::string DependencyGraph::name(std::uint32_t buffer) const {
  static constexpr std::array<const char*, links> kPort{"X+", "X-", "Y+", "Y-", "Z+",
                                                        "Z-", "A",  "B+", "B-", "C"};
  static constexpr std::array<const char*, 6> kEnd{"requests to send",  "responses to send",
                                                   "gate sends",        "requests arrived",
                                                   "responses arrived", "gate packets arrived"};
  const std::uint32_t local = buffer % buffers_per_node;
  std::string text;
  if (local < InjectRequest)
    text = std::string("from ") + kPort[local / 4] + (local & 2U ? " responses " : " requests ") +
           std::to_string(local & 1U);
  else
    text = kEnd[local - InjectRequest];
  text += " at (";
  const Coordinates place = shape_.place(buffer / buffers_per_node);
  for (unsigned axis = 0; axis < 6; ++axis)
    text += (axis > 0 ? "," : "") + std::to_string(place[axis]);
  return text + ")";
}

bool axis_closes_cycle(unsigned axis, unsigned length, bool ring, Rule rule) {
  const AxisWays ways = axis_ways({axis, 0}, length, ring, rule);
  Adjacency waits_for(std::size_t{4} * length);
  const auto id = [](const AxisWays::Move& move) {
    return 4 * move.from + (move.step.plus ? 2 : 0) + move.step.channel;
  };
  for (const auto& [one, two] : ways.following) waits_for[id(one)].push_back(id(two));
  return !find_cycle(waits_for).empty();
}

std::vector<Shape> offered_shapes(unsigned most) {
  struct Length {
    unsigned length;
    bool ring;
  };
  std::vector<Length> lengths;
  for (unsigned n = 1; n <= most; ++n)
    for (const bool ring : {false, true})
      if (n > 1 || !ring) lengths.push_back({n, ring});
  std::vector<Shape> shapes;
  for (const Length& x : lengths)
    for (const Length& y : lengths)
      for (const Length& z : lengths)
        for (unsigned abc = 0; abc < 12; ++abc)
          shapes.push_back(
              Shape{{x.length, y.length, z.length, abc % 2 + 1, abc / 2 % 3 + 1, abc / 6 + 1},
                    {x.ring, y.ring, z.ring}});
  return shapes;
}

}  // namespace ht::model::tofu
