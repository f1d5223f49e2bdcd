// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/scu_waves.hpp"

#include <Vqcdoc_scu.h>
#include <verilated_fst_c.h>

#include <array>

#include "sim/machine/serial_bytes.hpp"
#include "sim/machine/wave_view.hpp"

namespace ht::machine {
namespace {

constexpr std::size_t node_links = 12;
constexpr unsigned state_train = 1;

// In the order of ByteKind.
constexpr const char* kind_names[] = {"IDLE",    "HOLD",     "DATA",    "SUPERVISOR", "INTERRUPT",
                                      "PAYLOAD", "ACK",      "REQUEST", "MARK",       "RESUME",
                                      "BREAK",   "TRAINING", "DAMAGED", "LOST"};
constexpr const char* state_names[] = {"DOWN", "TRAIN", "UP"};
constexpr DecodedSignals::Enumeration enumeration_table[] = {{"byte_kind", kind_names, 4},
                                                             {"link_state", state_names, 2}};
constexpr DecodedSignals::Signal signal_table[] = {{"state", 2, 1},
                                                   {"tx_kind", 4, 0},
                                                   {"rx_kind", 4, 0},
                                                   {"tx_wanted", 2, -1},
                                                   {"rx_wanted", 2, -1}};

constexpr Shown bit = Shown::Bit, hexadecimal = Shown::Hexadecimal;
constexpr ShownSignal link_signals[] = {{"serial_out", bit},
                                        {"serial_in", bit},
                                        {"word_valid", bit},
                                        {"word_ready", bit},
                                        {"word[63:0]", hexadecimal},
                                        {"take_valid", bit},
                                        {"take", bit},
                                        {"take_data[63:0]", hexadecimal},
                                        {"hold", bit},
                                        {"peer_hold", bit},
                                        {"outstanding", bit},
                                        {"obs_rx_start", bit},
                                        {"obs_rx_ok", bit},
                                        {"obs_rx_error", bit},
                                        {"event_resent", bit},
                                        {"obs_idle", bit}};
constexpr ShownSignal clock_signals[] = {{"clk", bit},
                                         {"rst", bit},
                                         {"global_count[15:0]", hexadecimal},
                                         {"obs_idle", bit},
                                         {"irq", bit}};
constexpr ShownSignal port_signals[] = {{"mem_valid", bit},
                                        {"mem_ready", bit},
                                        {"mem_write", bit},
                                        {"mem_address[28:0]", hexadecimal},
                                        {"mem_wdata[63:0]", hexadecimal},
                                        {"mem_rvalid", bit},
                                        {"mem_rdata[63:0]", hexadecimal},
                                        {"reg_valid", bit},
                                        {"reg_write", bit},
                                        {"reg_address[11:0]", hexadecimal},
                                        {"reg_wdata[31:0]", hexadecimal},
                                        {"reg_ack", bit},
                                        {"reg_rdata[31:0]", hexadecimal},
                                        {"reg_error", bit}};
constexpr WaveLayout wave_layout{"qcdoc_scu", clock_signals, link_signals, port_signals};

class ScuSignals final : public DecodedSignals {
 public:
  ScuSignals(const Vqcdoc_scu& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {enumeration_table, signal_table}),
        top_(top) {}

  void step() override {
    for (const int link : links()) {
      const bool training = state(link) == state_train;
      sent_[static_cast<std::size_t>(link)].step((top_.serial_out >> link & 1) != 0, training);
      received_[static_cast<std::size_t>(link)].step((top_.serial_in >> link & 1) != 0, training);
    }
  }

 private:
  unsigned state(int link) const { return top_.obs_state >> (2 * link) & 3; }

  void read(int link, std::span<std::uint8_t> values) const override {
    const ByteReader& out = sent_[static_cast<std::size_t>(link)];
    const ByteReader& in = received_[static_cast<std::size_t>(link)];
    values[0] = static_cast<std::uint8_t>(state(link));
    values[1] = static_cast<std::uint8_t>(out.kind());
    values[2] = static_cast<std::uint8_t>(in.kind());
    values[3] = out.wanted();
    values[4] = in.wanted();
  }

  const Vqcdoc_scu& top_;
  std::array<ByteReader, node_links> sent_, received_;
};

}  // namespace

TraceTop scu_trace_top(Vqcdoc_scu& top) {
  // Where bytes begin is only said in training: the wires are followed from the very first bit.
  constexpr Picoseconds lead_in = sim::kNever;
  return {node_links, wave_layout,
          [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> links) -> std::unique_ptr<DecodedSignals> {
            return std::make_unique<ScuSignals>(top, std::move(node), std::move(links));
          },
          lead_in};
}

}  // namespace ht::machine
