// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vtofu_axi.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "sim/axi/axi_node.hpp"
#include "sim/tofu/cable.hpp"

namespace ht::machine {

/// What tofu_axi has besides AXI: ten links of 16 bytes.
class TofuAxiWires {
 public:
  using Top = Vtofu_axi;
  using Cable = sim::TofuCable;
  static constexpr int links = 10;
  static constexpr std::uint32_t register_bytes = 1U << 19;
  static constexpr unsigned ids = 5, beat_bytes = 16, max_beats = 32;
  static constexpr bool one_clock = true;
  static constexpr bool own_cables = false;  ///< there is no cable where there is no neighbour

  explicit TofuAxiWires(Top& top);

  void before_edge(Picoseconds /*now*/, std::int64_t /*link_edge*/) {}
  template <class Plugs>
  void receive(std::int64_t edge, const Plugs& plugs) {
    for (unsigned link = 0; link < links; ++link) {
      if (plugs[link].in != nullptr) put(link, plugs[link].in->receive(edge));
    }
  }
  template <class Plugs>
  void send(std::int64_t edge, const Plugs& plugs) {
    for (unsigned link = 0; link < links; ++link) {
      model::Beat beat;
      std::memcpy(beat.word.data(), &top_.txd[4 * link], beat_bytes);
      beat.control = static_cast<std::uint16_t>(top_.txc[link / 2] >> (16 * (link & 1)));
      if (beat != model::kIdleBeat && plugs[link].out != nullptr) plugs[link].out->send(edge, beat);
    }
  }
  unsigned state(int link) const { return top_.obs_state >> (2 * link) & 3; }

  bool needs_low(bool /*core*/, bool /*link*/) const { return clk_.needs_low(); }
  void fall() { clk_.fall(); }
  void rise(bool /*core*/, bool /*link*/) { clk_.rise(); }

 private:
  void put(unsigned link, const model::Beat& beat) {
    std::memcpy(&top_.rxd[4 * link], beat.word.data(), beat_bytes);
    const unsigned shift = 16 * (link & 1);
    std::uint32_t& control = top_.rxc[link / 2];
    control = (control & ~(0xFFFFU << shift)) | std::uint32_t{beat.control} << shift;
  }

  Top& top_;
  ClockPin clk_;
};

extern template class AxiNode<TofuAxiWires>;

}  // namespace ht::machine
