// SPDX-License-Identifier: Apache-2.0
// One end is the Verilog link, the other one (TWIN_END) its VHDL twin.
#include <Vqpace_link.h>
#include <Vqpace_link_twin.h>

#include "tests/qpace/link/link_device.hpp"

namespace ht::test {

std::unique_ptr<LinkDevice> make_link(VerilatedContext* context, unsigned end) {
  const char* name = end == 0 ? "a" : "b";
  if (end == TWIN_END) {
    auto model = std::make_unique<Vqpace_link_twin>(context, name);
    auto& port = model->port_number;
    return std::make_unique<LinkModel<Vqpace_link_twin>>(std::move(model), port);
  }
  auto model = std::make_unique<Vqpace_link>(context, name);
  auto& port = model->port;
  return std::make_unique<LinkModel<Vqpace_link>>(std::move(model), port);
}

}  // namespace ht::test
