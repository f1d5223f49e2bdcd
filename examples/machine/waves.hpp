// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vgrid_node.h>
#include <Vgrid_node___024root.h>
#include <verilated_fst_c.h>

#include "line.hpp"
#include "sim/machine/wave_view.hpp"

namespace ht::grid {

/// What a wave file has besides the Verilog's signals: the state of each link and what is on its
/// wires.
class Signals final : public machine::DecodedSignals {
 public:
  Signals(const Vgrid_node& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {tables, signals}), top_(top) {}

  void step() override {}

 private:
  static constexpr const char* states[] = {"DOWN", "TRAIN", "UP"};
  // In the order of Kind, then the others.
  static constexpr const char* kinds[] = {"HELLO", "WELCOME", "DATA", "ACK",     "BUSY",   "?",
                                          "?",     "?",       "IDLE", "PAYLOAD", "DAMAGED"};
  static constexpr Enumeration tables[] = {{"link_state", states, 2}, {"word_kind", kinds, 4}};
  static constexpr Signal signals[] = {{"state", 2, 0}, {"tx_kind", 4, 1}, {"rx_kind", 4, 1}};

  static std::uint8_t kind(std::uint32_t data, unsigned controls, int link) {
    const Word word{data, static_cast<std::uint8_t>(controls >> (4 * link) & 0xf)};
    if (starts_frame(word)) return static_cast<std::uint8_t>(kind_of(word));
    return word == Word{} ? 8 : word.control == 0 ? 9 : 10;
  }
  void read(int link, std::span<std::uint8_t> values) const override {
    const auto i = static_cast<std::size_t>(link);
    values[0] = static_cast<std::uint8_t>(top_.obs_state >> (2 * link) & 3);
    values[1] = kind(top_.tx_data[i], top_.tx_control, link);
    values[2] = kind(top_.rx_data[i], top_.rx_control, link);
  }

  const Vgrid_node& top_;
};

/// What a trace must know of a node.
inline machine::TraceTop trace_top(Vgrid_node& top) {
  using enum machine::Shown;
  static constexpr machine::ShownSignal pins[] = {{"clk", Bit}, {"rst", Bit}},
                                        link[] = {{"tx_data[31:0]", Hexadecimal},
                                                  {"rx_data[31:0]", Hexadecimal},
                                                  {"obs_rx_ok", Bit},
                                                  {"obs_rx_error", Bit},
                                                  {"obs_retransmit", Bit}},
                                        registers[] = {{"reg_valid", Bit},
                                                       {"reg_write", Bit},
                                                       {"reg_address[6:0]", Hexadecimal},
                                                       {"reg_wdata[31:0]", Hexadecimal},
                                                       {"reg_rdata[31:0]", Hexadecimal}};
  static constexpr machine::WaveLayout layout{"grid_node", pins, link, registers};
  return {links, layout, [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> chosen) {
            return std::make_unique<Signals>(top, std::move(node), std::move(chosen));
          },
          0};
}

}  // namespace ht::grid
