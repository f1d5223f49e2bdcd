// SPDX-License-Identifier: Apache-2.0
// QMP's promises on Tofu nodes behind AXI, each with a process of its own.
#include "sim/tofu/axi_wires.hpp"
#include "sw/tofu/icc.hpp"
#include "tests/axi/cluster_run.hpp"

using namespace ht;

namespace {

machine::AxiClusterOptions torus(const tofu::Shape& shape) {
  machine::AxiClusterOptions options;
  options.nodes = shape.nodes();
  options.neighbour = [shape](int node, int link) {
    const auto there = shape.neighbour(shape.place(node), link);
    return there ? shape.node(*there) : node;
  };
  options.far_link = [](int link) { return tofu::far_link(link); };
  options.node.clock.period = 3200;
  options.random_state = true;
  return options;
}

}  // namespace

TEST_CASE("QMP's promises on two Tofu nodes behind AXI, processes of their own") {
  auto options = torus({{2, 1, 1, 1, 1, 1}, {true, true, true}});
  options.bit_error_rate = 1e-6;
  test::run_cluster<machine::TofuAxiWires>(
      options, AXI_PROGRAM, "2", {"halo", "strided", "multiples", "barrier", "floating sums"});
}

TEST_CASE("QMP's promises on 2x2x2 Tofu nodes behind AXI", "[nightly]") {
  auto options = torus({{2, 2, 2, 1, 1, 1}, {true, true, true}});
  test::draw(options, 1);
  test::run_cluster<machine::TofuAxiWires>(options, AXI_PROGRAM, "2x2x2", {"all", "anywhere"});
}
