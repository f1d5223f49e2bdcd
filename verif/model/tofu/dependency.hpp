// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "verif/model/tofu/route.hpp"

/// Who waits for whom in a Tofu: a packet that fills one buffer waits for room in the next. No
/// cycle, no deadlock (Dally and Seitz 1987). Buffers are those of every link, class and routing
/// channel, what waits to be injected, and what arrived at an interface.
namespace ht::model::tofu {

/// What else may wait, beyond packets for the next buffer of their way and requests that arrived
/// for the response they cause: each but the defaults is a mistake that closes a cycle.
struct Waiting {
  Rule rule = Rule::Legs;
  bool responses_for_requests = false;  ///< a response that arrives waits until a request is sent
  bool gates_for_sends = false;         ///< a gate packet that arrives waits until its gate sent
  bool one_injection_queue = false;     ///< requests and responses of an interface queue together
};

/// A directed graph over the buffers of all nodes, `buffers_per_node` each.
class DependencyGraph {
 public:
  static constexpr unsigned buffers_per_node = 46;

  /// By walking from every node to every node on each of the first legs: exact, and slow.
  static DependencyGraph by_walking(const Shape& shape, const Waiting& waiting = {});
  /// The same graph from one-dimensional walks: coordinates are independent of one another, so a
  /// packet that ended an axis here may begin any later one here.
  static DependencyGraph by_axes(const Shape& shape, const Waiting& waiting = {});

  bool operator==(const DependencyGraph&) const = default;
  std::size_t edges() const;
  /// Buffers that wait for one another in a circle, or nothing.
  std::vector<std::uint32_t> cycle() const;
  /// "X+ in 0 of (1,0,0,0,2,1), request" and the like.
  std::string name(std::uint32_t buffer) const;

 private:
  explicit DependencyGraph(const Shape& shape);
  void add(std::uint32_t from, std::uint32_t to);
  void add_interfaces(const Waiting& waiting);
  void finish(bool one_injection_queue);

  Shape shape_;
  std::vector<std::vector<std::uint32_t>> waits_for_;
};

/// Whether the hops along one axis of this length close a circle by themselves. With the order of
/// the nine stages B C A X Y Z A C B, which no packet goes back in, this decides for tori of any
/// size: no axis closes one, none is closed.
bool axis_closes_cycle(unsigned axis, unsigned length, bool ring, Rule rule = Rule::Legs);

/// All shapes with X, Y and Z, rings and meshes, 1 to `most` long, A and C 1 to 2, B 1 to 3.
std::vector<Shape> offered_shapes(unsigned most);

}  // namespace ht::model::tofu
