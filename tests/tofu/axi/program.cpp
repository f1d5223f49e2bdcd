// SPDX-License-Identifier: Apache-2.0
// A Tofu node's process: its driver over AXI.
#include <algorithm>

#include "sw/tofu/transport.hpp"
#include "tests/axi/node_program.hpp"

int main(int argc, char** argv) {
  using namespace ht;
  axi::PortOptions port_options;
  port_options.registers = 0x40000;
  return test::node_program(
      argc, argv, port_options,
      [](axi::BoardPort& port, const test::NodeArguments& a) {
        tofu::Shape shape{{1, 1, 1, 1, 1, 1}, {true, true, true}};
        std::ranges::copy(a.shape, shape.length.begin());
        auto driver = std::make_unique<tofu::Transport>(port, tofu::Place{shape, a.node});
        driver->bring_up();
        return driver;
      },
      [](qmp::Transport& driver) { dynamic_cast<tofu::Transport&>(driver).check_errors(); });
}
