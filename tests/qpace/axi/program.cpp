// SPDX-License-Identifier: Apache-2.0
// A QPACE node's process: its driver over AXI.
#include "sw/qpace/driver.hpp"
#include "tests/axi/node_program.hpp"

int main(int argc, char** argv) {
  using namespace ht;
  axi::PortOptions port_options;
  port_options.puts = true;
  return test::node_program(
      argc, argv, port_options,
      [](axi::BoardPort& port, const test::NodeArguments& a) {
        qpace::DriverOptions options;
        options.forwards = a.anywhere;
        options.signal_tree = false;
        qpace::Place place{a.shape, {}, a.node, a.node};
        int rest = a.node;
        for (const int length : a.shape) {
          place.coordinates.push_back(rest % length);
          rest /= length;
        }
        auto driver = std::make_unique<qpace::Driver>(port, place, options);
        driver->bring_up();
        return driver;
      },
      [](qmp::Transport& driver) { dynamic_cast<qpace::Driver&>(driver).check_errors(); });
}
