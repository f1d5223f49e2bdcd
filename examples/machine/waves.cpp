// SPDX-License-Identifier: Apache-2.0
// What a wave file has besides the Verilog's signals: the state of each link, and kinds and numbers
// of the frames on its wires.
#include <Vgrid_node.h>
#include <verilated_fst_c.h>

#include "node.hpp"
#include "sim/machine/wave_view.hpp"

namespace ht::grid {
namespace {

using machine::DecodedSignals;
using machine::Shown;

constexpr const char* kinds[] = {"HELLO", "WELCOME", "DATA", "ACK",     "BUSY",   "?",
                                 "?",     "?",       "IDLE", "PAYLOAD", "DAMAGED"};
constexpr std::uint8_t idle = 8, payload = 9, damaged = 10;
constexpr const char* states[] = {"DOWN", "TRAIN", "UP"};
constexpr DecodedSignals::Enumeration enumeration_table[] = {{"word_kind", kinds, 4},
                                                             {"link_state", states, 2}};
constexpr DecodedSignals::Signal signal_table[] = {{"state", 2, 1},
                                                   {"tx_kind", 4, 0},
                                                   {"rx_kind", 4, 0},
                                                   {"tx_number", 8, -1},
                                                   {"rx_number", 8, -1}};

constexpr machine::ShownSignal clock_signals[] = {
    {"clk", Shown::Bit}, {"rst", Shown::Bit}, {"obs_idle", Shown::Bit}};
constexpr machine::ShownSignal link_signals[] = {{"tx_data[31:0]", Shown::Hexadecimal},
                                                 {"tx_control[3:0]", Shown::Hexadecimal},
                                                 {"rx_data[31:0]", Shown::Hexadecimal},
                                                 {"rx_control[3:0]", Shown::Hexadecimal},
                                                 {"obs_rx_start", Shown::Bit},
                                                 {"obs_rx_ok", Shown::Bit},
                                                 {"obs_rx_error", Shown::Bit},
                                                 {"obs_retransmit", Shown::Bit},
                                                 {"obs_done", Shown::Bit}};
constexpr machine::ShownSignal port_signals[] = {{"reg_valid", Shown::Bit},
                                                 {"reg_write", Shown::Bit},
                                                 {"reg_address[6:0]", Shown::Hexadecimal},
                                                 {"reg_wdata[31:0]", Shown::Hexadecimal},
                                                 {"reg_ack", Shown::Bit},
                                                 {"reg_rdata[31:0]", Shown::Hexadecimal}};
constexpr machine::WaveLayout layout{"grid_node", clock_signals, link_signals, port_signals};

class Signals final : public DecodedSignals {
 public:
  Signals(const Vgrid_node& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {enumeration_table, signal_table}),
        top_(top) {}

  void step() override {
    for (const int link : links()) {
      const auto i = static_cast<std::size_t>(link);
      follow(sent_[i], top_.tx_data[i], top_.tx_control, link);
      follow(received_[i], top_.rx_data[i], top_.rx_control, link);
    }
  }

 private:
  struct Wire {
    std::uint8_t kind = idle, number = 0;
  };

  static void follow(Wire& wire, std::uint32_t data, unsigned controls, int link) {
    const Word word{data, static_cast<std::uint8_t>(controls >> (4 * link) & 0xf)};
    wire.kind = word == Word{} ? idle : word.control == 0 ? payload : damaged;
    if (!word.starts()) return;
    wire.kind = static_cast<std::uint8_t>(kind_of(word));
    wire.number = word.byte(3);
  }
  void read(int link, std::span<std::uint8_t> values) const override {
    const Wire &out = sent_[static_cast<std::size_t>(link)],
               &in = received_[static_cast<std::size_t>(link)];
    values[0] = static_cast<std::uint8_t>(top_.obs_state >> (2 * link) & 3);
    values[1] = out.kind;
    values[2] = in.kind;
    values[3] = out.number;
    values[4] = in.number;
  }

  const Vgrid_node& top_;
  std::array<Wire, grid::links> sent_, received_;
};

}  // namespace

machine::TraceTop trace_top(Vgrid_node& top) {
  constexpr Picoseconds lead_in = 1'000'000;  // longer than any frame
  return {grid::links, layout, [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> links) -> std::unique_ptr<DecodedSignals> {
            return std::make_unique<Signals>(top, std::move(node), std::move(links));
          },
          lead_in};
}

}  // namespace ht::grid
