// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/axi_wires.hpp"

#include <Vtofu_axi___024root.h>

#include "sim/axi/axi_node_impl.hpp"

namespace ht::machine {

TofuAxiWires::TofuAxiWires(Top& top) : top_(top), clk_(HT_CLOCK_PIN(top, aclk)) {
  for (unsigned link = 0; link < links; ++link) put(link, model::kIdleBeat);
}

template class AxiNode<TofuAxiWires>;

}  // namespace ht::machine
