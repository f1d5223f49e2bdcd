// SPDX-License-Identifier: Apache-2.0
// Both ends are the Verilog link.
#include <Vqpace_link.h>

#include "tests/qpace/link/link_device.hpp"

namespace ht::test {

std::unique_ptr<LinkDevice> make_link(VerilatedContext* context, unsigned end) {
  auto model = std::make_unique<Vqpace_link>(context, end == 0 ? "a" : "b");
  auto& port = model->port;
  return std::make_unique<LinkModel<Vqpace_link>>(std::move(model), port);
}

}  // namespace ht::test
