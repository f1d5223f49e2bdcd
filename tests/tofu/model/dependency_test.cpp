// SPDX-License-Identifier: Apache-2.0
// No deadlock: the graph of who waits for whom has no cycle on any shape, and rules that are known
// to be wrong have one.
#include <catch2/catch.hpp>
#include <vector>

#include "verif/model/tofu/dependency.hpp"

using namespace ht::model::tofu;

namespace {

std::string circle(const DependencyGraph& graph) {
  std::string text;
  for (const auto buffer : graph.cycle()) text += graph.name(buffer) + " waits for\n";
  return text;
}

const Shape kThree{{3, 1, 1, 2, 3, 2}, {true, false, false}};

}  // namespace

TEST_CASE("tofu: no shape with axes up to three can deadlock, nor some larger ones") {
  auto shapes = offered_shapes(3);
  CHECK(shapes.size() == 5 * 5 * 5 * 12);
  // Only rings of four and more have ways of two hops over the dateline.
  shapes.push_back(Shape{{4, 5, 3, 2, 3, 2}, {true, true, true}});
  shapes.push_back(Shape{{5, 1, 6, 2, 3, 2}, {true, false, true}});
  for (const Shape& shape : shapes) {
    const auto graph = DependencyGraph::by_axes(shape);
    // A graph without edges has no cycle either.
    REQUIRE(graph.edges() >= std::size_t{4} * shape.nodes());
    const std::string text = circle(graph);
    INFO(shape.name());
    REQUIRE(text == "");
  }
}

TEST_CASE("tofu: no axis of any length closes a cycle, so no torus of any size does") {
  for (unsigned length = 1; length <= 32; ++length)
    for (const bool ring : {false, true})
      for (const unsigned axis : {X, Y, Z}) CHECK_FALSE(axis_closes_cycle(axis, length, ring));
  for (const unsigned axis : {A, C})
    for (const unsigned length : {1U, 2U}) CHECK_FALSE(axis_closes_cycle(axis, length, false));
  for (const unsigned length : {1U, 2U, 3U}) CHECK_FALSE(axis_closes_cycle(B, length, length == 3));
}

TEST_CASE("tofu: coordinates are independent: the graph by axes is the graph by walking") {
  for (const Shape& shape : {kThree, Shape{{4, 2, 1, 2, 1, 1}, {true, true, false}},
                             Shape{{1, 5, 2, 1, 3, 2}, {false, true, false}},
                             Shape{{3, 1, 3, 2, 2, 2}, {false, false, true}}})
    for (const Rule rule : {Rule::Legs, Rule::DatelineAlone}) {
      INFO(shape.name());
      Waiting waiting;
      waiting.rule = rule;
      const auto walked = DependencyGraph::by_walking(shape, waiting);
      CHECK(walked.edges() > 0);
      CHECK(walked == DependencyGraph::by_axes(shape, waiting));
    }
}

TEST_CASE("tofu: a dateline alone is not enough at 3x1x1 x 2x3x2") {
  Waiting waiting;
  waiting.rule = Rule::DatelineAlone;
  for (const bool ring : {true, false}) {
    Shape shape = kThree;
    shape.ring[X] = ring;
    CHECK(circle(DependencyGraph::by_walking(shape)) == "");
    const auto graph = DependencyGraph::by_walking(shape, waiting);
    const auto cycle = graph.cycle();
    CHECK(cycle.size() >= 4);
    CAPTURE(circle(graph));
    // Each of its members is a link's buffer: routing alone closes it.
    for (const auto buffer : cycle) CHECK(buffer % DependencyGraph::buffers_per_node < 40);
  }
}

TEST_CASE("tofu: B rings of four and five close cycles, and are refused") {
  for (const unsigned length : {4U, 5U}) {
    const Shape shape{{1, 1, 1, 1, length, 1}, {}};
    CHECK(axis_closes_cycle(B, length, true));
    CHECK(DependencyGraph::by_walking(shape).cycle().size() >= 3);
    CHECK_THROWS(check(shape));
  }
  // An X ring has the dateline's two channels.
  CHECK_FALSE(axis_closes_cycle(X, 5, true));
}

TEST_CASE("tofu: what arrives as a response or at a gate must never wait for sending") {
  const Shape shape{{2, 1, 1, 2, 1, 1}, {}};
  CHECK(DependencyGraph::by_walking(shape).cycle().empty());
  Waiting responses;
  responses.responses_for_requests = true;
  CHECK_FALSE(DependencyGraph::by_walking(shape, responses).cycle().empty());
  Waiting gates;
  gates.gates_for_sends = true;
  CHECK_FALSE(DependencyGraph::by_walking(shape, gates).cycle().empty());
  Waiting queue;
  queue.one_injection_queue = true;
  CHECK_FALSE(DependencyGraph::by_walking(shape, queue).cycle().empty());
}
