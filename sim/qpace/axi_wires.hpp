// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vqpace_axi.h>

#include <array>
#include <cstdint>

#include "sim/axi/axi_node.hpp"
#include "sim/qpace/cable.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::machine {

/// What qpace_axi has besides AXI: six links of XGMII and their clock. Its stream, its serial ports
/// and its wires of the global signal tree are not used here, and there is no Ethernet.
class QpaceAxiWires {
 public:
  using Top = Vqpace_axi;
  using Cable = sim::QpaceCable;
  static constexpr int links = 6;
  static constexpr std::uint32_t register_bytes = 1U << 15;
  static constexpr unsigned ids = 2, beat_bytes = 16, max_beats = 8;
  static constexpr bool one_clock = false;
  static constexpr bool own_cables = true;  ///< of axes of length 1, from + to -

  explicit QpaceAxiWires(Top& top);

  void before_edge(Picoseconds /*now*/, std::int64_t link_edge) {
    top_.link_beat = link_edge / mark_edges & 1;
  }
  template <class Plugs>
  void receive(std::int64_t edge, const Plugs& plugs) {
    std::uint32_t control = 0;
    for (unsigned link = 0; link < links; ++link) {
      const model::Word word =
          plugs[link].in != nullptr ? plugs[link].in->receive(edge) : model::kIdleWord;
      top_.xgmii_rxd[link] = word.data;
      control |= static_cast<std::uint32_t>(word.control & 0xF) << (4 * link);
    }
    top_.xgmii_rxc = control;
  }
  template <class Plugs>
  void send(std::int64_t edge, const Plugs& plugs) {
    for (unsigned link = 0; link < links; ++link) {
      const model::Word word{top_.xgmii_txd[link],
                             static_cast<std::uint8_t>(top_.xgmii_txc >> (4 * link) & 0xF)};
      if (word != model::kIdleWord && plugs[link].out != nullptr) plugs[link].out->send(edge, word);
    }
  }
  unsigned state(int link) const { return top_.obs_state >> (4 * link) & 3; }

  bool needs_low(bool core, bool link) const {
    return (core && clk_.needs_low()) || (link && link_clk_.needs_low());
  }
  void fall() {
    for (ClockPin* pin : {&clk_, &link_clk_, &io_clk_, &eth_clk_}) pin->fall();
  }
  void rise(bool core, bool link) {
    clk_.set(core);
    for (ClockPin* pin : {&link_clk_, &io_clk_, &eth_clk_}) pin->set(link);
  }

 private:
  static constexpr std::int64_t mark_edges = 1024;  // rtl/qpace/README.md, link_beat

  Top& top_;
  ClockPin clk_, link_clk_, io_clk_, eth_clk_;
};

extern template class AxiNode<QpaceAxiWires>;

}  // namespace ht::machine
