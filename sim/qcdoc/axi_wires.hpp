// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vqcdoc_axi.h>

#include <array>
#include <cstdint>

#include "sim/axi/axi_node.hpp"
#include "sim/qcdoc/cable.hpp"

namespace ht::machine {

/// What qcdoc_axi has besides AXI: twelve serial wires each way and the count of the global clock.
class QcdocAxiWires {
 public:
  using Top = Vqcdoc_axi;
  using Cable = sim::QcdocCable;
  static constexpr int links = 12;
  static constexpr std::uint32_t register_bytes = 1U << 15;
  static constexpr unsigned ids = 1, beat_bytes = 8, max_beats = 16;
  static constexpr bool one_clock = true;
  static constexpr bool own_cables = false;  ///< links without a neighbour stay down

  explicit QcdocAxiWires(Top& top);

  void before_edge(Picoseconds now, std::int64_t /*link_edge*/) {
    top_.global_count = static_cast<std::uint16_t>(now / global_period & 0xFFFF);
  }
  template <class Plugs>
  void receive(std::int64_t edge, const Plugs& plugs) {
    std::uint32_t symbols = 0;
    for (unsigned link = 0; link < links; ++link) {
      if (plugs[link].in != nullptr)
        symbols |= static_cast<std::uint32_t>(plugs[link].in->receive(edge)) << link;
    }
    top_.serial_in = static_cast<std::uint16_t>(received_.bits(edge, symbols));
  }
  template <class Plugs>
  void send(std::int64_t edge, const Plugs& plugs) {
    const std::uint32_t symbols = sent_.symbols(edge, top_.serial_out);
    for (unsigned link = 0; link < links; ++link) {
      if ((symbols >> link & 1) != 0 && plugs[link].out != nullptr) plugs[link].out->send(edge, 1);
    }
  }
  unsigned state(int link) const { return top_.obs_state >> (2 * link) & 3; }

  bool needs_low(bool /*core*/, bool /*link*/) const { return clk_.needs_low(); }
  void fall() { clk_.fall(); }
  void rise(bool /*core*/, bool /*link*/) { clk_.rise(); }

 private:
  static constexpr Picoseconds global_period = 25'000;  // 40 MHz

  Top& top_;
  ClockPin clk_;
  sim::SerialHistory sent_, received_;
};

extern template class AxiNode<QcdocAxiWires>;

}  // namespace ht::machine
