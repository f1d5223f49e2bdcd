// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/axi_wires.hpp"

#include <Vqpace_axi___024root.h>

#include "sim/axi/axi_node_impl.hpp"

namespace ht::machine {

QpaceAxiWires::QpaceAxiWires(Top& top)
    : top_(top),
      clk_(HT_CLOCK_PIN(top, aclk)),
      link_clk_(HT_CLOCK_PIN(top, link_clk)),
      io_clk_(HT_CLOCK_PIN(top, io_clk)),
      eth_clk_(HT_CLOCK_PIN(top, eth_rx_clk)) {
  constexpr std::uint32_t idle_data = 0x07070707, all_control = 0xFFFFFF;
  for (int link = 0; link < links; ++link) top_.xgmii_rxd[link] = idle_data;
  top_.xgmii_rxc = all_control;
  top_.link_reset = 0;
  top_.s_axis_tvalid = top_.s_axis_tlast = 0;
  top_.signal_in = 0;
  top_.uart_rxd = 3;
  top_.rgmii_rxd = top_.rgmii_rx_ctl = 0;
}

template class AxiNode<QpaceAxiWires>;

}  // namespace ht::machine
