// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vpynq_z2_qpace.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/axi/axi_node.hpp"
#include "sim/cable/level_cable.hpp"

namespace ht::board {

/// Four wires on a Pmod connector, one way.
class PmodCable final : public sim::LevelCable {
 public:
  explicit PmodCable(const sim::CableOptions& options)
      : LevelCable(options.name, options.delay, disturbances(options.number)) {}

  /// What the cable of that number suffers; nothing, unless somebody says so before it is made.
  static inline std::function<std::vector<sim::Disturbance>(std::uint32_t number)> disturbances =
      [](std::uint32_t) { return std::vector<sim::Disturbance>{}; };
};

/// What the PYNQ-Z2's top has besides AXI (machine::AxiNode): link 0 on Pmod A, link 1 on Pmod B.
/// The link clock's edges are those of the reference pin, both ways, which the model of the MMCM
/// takes for the sampling clock.
class PynqZ2Wires {
 public:
  using Top = Vpynq_z2_qpace;
  using Cable = PmodCable;
  static constexpr int links = 2;
  static constexpr std::uint32_t register_bytes = 1U << 15;
  static constexpr unsigned ids = 2, beat_bytes = 16, max_beats = 8;
  static constexpr bool one_clock = false;
  static constexpr bool own_cables = true;

  explicit PynqZ2Wires(Top& top);

  void before_edge(Picoseconds now, std::int64_t /*link_edge*/) { now_ = now; }
  template <class Plugs>
  void receive(std::int64_t /*edge*/, const Plugs& plugs) {
    if (plugs[0].in != nullptr) top_.a_in = plugs[0].in->receive(now_) & 0xF;
    if (plugs[1].in != nullptr) top_.b_in = plugs[1].in->receive(now_) & 0xF;
  }
  template <class Plugs>
  void send(std::int64_t /*edge*/, const Plugs& plugs) {
    const std::array<std::uint8_t, links> now = {top_.a_out, top_.b_out};
    for (std::size_t i = 0; i < links; ++i) {
      if (now[i] != shown_[i] && plugs[i].out != nullptr) plugs[i].out->send(now_, now[i]);
      shown_[i] = now[i];
    }
  }
  unsigned state(int link) const { return top_.obs_state >> (4 * link) & 3; }

  // The model has several clocks of this one, so it is taken low.
  bool needs_low(bool core, bool /*link*/) const { return core && top_.aclk != 0; }
  void fall() { top_.aclk = 0; }
  void rise(bool core, bool link) {
    if (core) top_.aclk = 1;
    if (link) top_.clk125 = !top_.clk125;
  }

 private:
  Top& top_;
  Picoseconds now_ = 0;
  std::array<std::uint8_t, links> shown_{};
};

}  // namespace ht::board

namespace ht::machine {
extern template class AxiNode<board::PynqZ2Wires>;
}
