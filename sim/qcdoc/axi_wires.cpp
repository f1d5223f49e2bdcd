// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/axi_wires.hpp"

#include <Vqcdoc_axi___024root.h>

#include "sim/axi/axi_node_impl.hpp"

namespace ht::machine {

QcdocAxiWires::QcdocAxiWires(Top& top) : top_(top), clk_(HT_CLOCK_PIN(top, aclk)) {}

template class AxiNode<QcdocAxiWires>;

}  // namespace ht::machine
