// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vgrid_node.h>
#include <verilated_fst_c.h>

#include "line.hpp"
#include "sim/machine/wave_view.hpp"

namespace ht::grid {

/// What a wave file has besides the Verilog's signals: the state of each link, what is on its
/// wires, and the number of the last frame each way.
class Signals final : public machine::DecodedSignals {
 public:
  Signals(const Vgrid_node& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {enumeration_table, signal_table}),
        top_(top) {}

  void step() override {
    for (const int link : links()) {
      const auto i = static_cast<std::size_t>(link);
      follow(wires_[i][0], {top_.tx_data[i], nibble(top_.tx_control, link)});
      follow(wires_[i][1], {top_.rx_data[i], nibble(top_.rx_control, link)});
    }
  }

 private:
  enum : std::uint8_t { Idle = 5, Payload, Damaged };  // after Kind
  static constexpr const char* kinds[] = {"HELLO", "WELCOME", "DATA",    "ACK",
                                          "BUSY",  "IDLE",    "PAYLOAD", "DAMAGED"};
  static constexpr const char* states[] = {"DOWN", "TRAIN", "UP"};
  static constexpr Enumeration enumeration_table[] = {{"kind", kinds, 3},
                                                      {"link_state", states, 2}};
  static constexpr Signal signal_table[] = {{"state", 2, 1},
                                            {"tx_kind", 3, 0},
                                            {"rx_kind", 3, 0},
                                            {"tx_number", 8, -1},
                                            {"rx_number", 8, -1}};
  struct Wire {
    std::uint8_t kind = Idle, number = 0;
  };

  static std::uint8_t nibble(unsigned controls, int link) {
    return static_cast<std::uint8_t>(controls >> (4 * link) & 0xf);
  }
  static void follow(Wire& wire, const Word& word) {
    wire.kind = word == Word{} ? Idle : word.control == 0 ? Payload : Damaged;
    if (!word.starts_frame() || kind_of(word) > Kind::Busy) return;
    wire = {static_cast<std::uint8_t>(kind_of(word)), word.byte(3)};
  }
  void read(int link, std::span<std::uint8_t> values) const override {
    const auto& [out, in] = wires_[static_cast<std::size_t>(link)];
    const auto state = static_cast<std::uint8_t>(top_.obs_state >> (2 * link) & 3);
    std::ranges::copy(std::array{state, out.kind, in.kind, out.number, in.number}, values.begin());
  }

  const Vgrid_node& top_;
  std::array<std::array<Wire, 2>, grid::links> wires_;
};

/// What a trace must know of a node.
inline machine::TraceTop trace_top(Vgrid_node& top) {
  using machine::Shown;
  static constexpr machine::ShownSignal pins[] = {{"clk", Shown::Bit}, {"rst", Shown::Bit}};
  static constexpr machine::ShownSignal of_link[] = {{"tx_data[31:0]", Shown::Hexadecimal},
                                                     {"tx_control[3:0]", Shown::Hexadecimal},
                                                     {"rx_data[31:0]", Shown::Hexadecimal},
                                                     {"rx_control[3:0]", Shown::Hexadecimal},
                                                     {"obs_rx_ok", Shown::Bit},
                                                     {"obs_rx_error", Shown::Bit},
                                                     {"obs_retransmit", Shown::Bit}};
  static constexpr machine::ShownSignal registers[] = {{"reg_valid", Shown::Bit},
                                                       {"reg_write", Shown::Bit},
                                                       {"reg_address[6:0]", Shown::Hexadecimal},
                                                       {"reg_wdata[31:0]", Shown::Hexadecimal},
                                                       {"reg_rdata[31:0]", Shown::Hexadecimal}};
  static constexpr machine::WaveLayout layout{"grid_node", pins, of_link, registers};
  constexpr Picoseconds lead_in = 1'000'000;  // longer than any frame
  return {links, layout, [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> chosen) {
            return std::make_unique<Signals>(top, std::move(node), std::move(chosen));
          },
          lead_in};
}

}  // namespace ht::grid
