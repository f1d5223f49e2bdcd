// SPDX-License-Identifier: Apache-2.0
#include "sim/board/pynq_z2_wires.hpp"

#include "sim/axi/axi_node_impl.hpp"

namespace ht::board {

PynqZ2Wires::PynqZ2Wires(Top& top) : top_(top) {
  top_.aclk = 0;
  top_.clk125 = 0;
  top_.a_in = top_.b_in = 0;
}

}  // namespace ht::board

template class ht::machine::AxiNode<ht::board::PynqZ2Wires>;
