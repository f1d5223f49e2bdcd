// SPDX-License-Identifier: Apache-2.0
// A QCDOC node's process: its driver over AXI.
#include "sw/qcdoc/driver.hpp"
#include "tests/axi/node_program.hpp"

int main(int argc, char** argv) {
  using namespace ht;
  return test::node_program(
      argc, argv, {},
      [](axi::BoardPort& port, const test::NodeArguments& a) {
        qcdoc::DriverOptions options;
        options.forwards = a.anywhere;
        options.scu.partition.cable = 100'000;
        auto driver =
            std::make_unique<qcdoc::Driver>(port, qcdoc::place_on(a.shape, a.node), options);
        driver->bring_up();
        return driver;
      },
      [](qmp::Transport& driver) { dynamic_cast<qcdoc::Driver&>(driver).check_errors(); });
}
