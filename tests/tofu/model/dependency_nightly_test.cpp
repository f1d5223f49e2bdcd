// SPDX-License-Identifier: Apache-2.0
// Every shape with X, Y, Z up to five: some 20 s.
#include <catch2/catch.hpp>

#include "verif/model/tofu/dependency.hpp"

using namespace ht::model::tofu;

TEST_CASE("tofu: no shape with axes up to five can deadlock") {
  const auto shapes = offered_shapes(5);
  CHECK(shapes.size() == 9 * 9 * 9 * 12);
  for (const Shape& shape : shapes) {
    const auto graph = DependencyGraph::by_axes(shape);
    REQUIRE(graph.edges() >= std::size_t{4} * shape.nodes());
    INFO(shape.name());
    REQUIRE(graph.cycle().empty());
  }
}
