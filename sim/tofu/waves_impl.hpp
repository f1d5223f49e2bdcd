// SPDX-License-Identifier: Apache-2.0
// The waves of a Tofu node: for the source that has the Verilated top.
#pragma once
#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "sim/machine/trace.hpp"
#include "sim/machine/wave_view.hpp"
#include "sim/tofu/node.hpp"
#include "sw/tofu/links.hpp"
#include "verif/model/tofu/beat.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::machine {
namespace waves {

namespace wire = model::tofu;

inline constexpr std::size_t node_links = tofu::links_per_node;

// What a beat on a Tofu link's wire is, for people (rtl/tofu/README.md, "Wire format").
enum class BeatKind : std::uint8_t {
  Idle,
  Put,  ///< first beat of a packet, by its kind
  Get,
  Data,
  Atomic,
  Response,
  Gate,
  Unknown,
  Header,     ///< the second beat of a packet
  Payload,    ///< of one
  End,        ///< of one, perhaps with a link control packet in its second half
  Nullified,  ///< end of a packet that is void
  Control,    ///< a link control packet alone
  Hello,
  Damaged  ///< none of these
};

// Follows the beats of one direction of a link and says what each is.
class BeatReader {
 public:
  void step(const model::Beat& b) {
    if (b == model::kIdleBeat) {
      kind_ = BeatKind::Idle;
      return;
    }
    if (b.is(0, wire::kStart)) {
      place_ = 1;
      const unsigned kind = b.byte(2) >> 4;
      kind_ = kind < 6 ? static_cast<BeatKind>(static_cast<unsigned>(BeatKind::Put) + kind)
                       : BeatKind::Unknown;
      sequence_ = b.byte(1);
      channel_ = b.byte(2) & 3U;
    } else if (b.is(0, wire::kEnd) || b.is(0, wire::kNullified)) {
      place_ = 0;
      kind_ = b.is(0, wire::kEnd) ? BeatKind::End : BeatKind::Nullified;
    } else if (b.control == 0 && place_ != 0) {
      kind_ = place_ == 1 ? BeatKind::Header : BeatKind::Payload;
      place_ = 2;
    } else if (b.is(0, wire::kHello)) {
      kind_ = BeatKind::Hello;
    } else if (b.is(8, wire::kControl)) {
      kind_ = BeatKind::Control;
    } else {
      kind_ = BeatKind::Damaged;
    }
  }
  BeatKind kind() const { return kind_; }
  // Of the last packet's first beat.
  std::uint8_t sequence() const { return sequence_; }
  std::uint8_t channel() const { return static_cast<std::uint8_t>(channel_); }

 private:
  BeatKind kind_ = BeatKind::Idle;
  std::uint8_t sequence_ = 0;
  unsigned channel_ = 0;
  int place_ = 0;  ///< 0 between packets, 1 after a first beat, 2 after a second
};

// In the order of BeatKind.
inline constexpr const char* kind_names[] = {
    "IDLE",   "PUT",     "GET", "DATA",      "ATOMIC",  "RESPONSE", "GATE",   "UNKNOWN",
    "HEADER", "PAYLOAD", "END", "NULLIFIED", "CONTROL", "HELLO",    "DAMAGED"};
inline constexpr const char* state_names[] = {"DOWN", "TRAIN", "UP"};
inline constexpr DecodedSignals::Enumeration enumeration_table[] = {{"beat_kind", kind_names, 4},
                                                                    {"link_state", state_names, 2}};
inline constexpr DecodedSignals::Signal signal_table[] = {
    {"state", 2, 1},        {"tx_kind", 4, 0},     {"rx_kind", 4, 0},    {"tx_sequence", 8, -1},
    {"rx_sequence", 8, -1}, {"tx_channel", 2, -1}, {"rx_channel", 2, -1}};

inline constexpr Shown bit = Shown::Bit, hexadecimal = Shown::Hexadecimal;
inline constexpr ShownSignal link_signals[] = {{"txd[127:0]", hexadecimal},
                                               {"txc[15:0]", hexadecimal},
                                               {"rxd[127:0]", hexadecimal},
                                               {"rxc[15:0]", hexadecimal},
                                               {"tx_valid", bit},
                                               {"tx_ready", bit},
                                               {"tx_beat[147:0]", hexadecimal},
                                               {"tx_room[27:0]", hexadecimal},
                                               {"rx_valid", bit},
                                               {"rx_beat[147:0]", hexadecimal},
                                               {"obs_rx_start", bit},
                                               {"obs_rx_ok", bit},
                                               {"obs_rx_command", bit},
                                               {"obs_rx_error", bit},
                                               {"obs_rx_command_error", bit},
                                               {"obs_retransmit", bit},
                                               {"obs_idle", bit}};
inline constexpr ShownSignal clock_signals[] = {
    {"clk", bit}, {"rst", bit}, {"obs_idle", bit}, {"irq", bit}};
// Those of the ports to memory are as many as the node has interfaces.
template <unsigned Networks>
inline constexpr ShownSignal port_signals[] = {{"obs_fired[0:0]", hexadecimal},
                                               {"obs_done[7:0]", hexadecimal},
                                               {"rd_valid[3:0]", hexadecimal},
                                               {"rd_address[143:0]", hexadecimal},
                                               {"rd_rvalid[3:0]", hexadecimal},
                                               {"rd_data[511:0]", hexadecimal},
                                               {"wr_valid[4:0]", hexadecimal},
                                               {"wr_address[179:0]", hexadecimal},
                                               {"wr_data[639:0]", hexadecimal},
                                               {"wr_strobe[79:0]", hexadecimal},
                                               {"reg_valid", bit},
                                               {"reg_write", bit},
                                               {"reg_address[15:0]", hexadecimal},
                                               {"reg_wdata[31:0]", hexadecimal},
                                               {"reg_ack", bit},
                                               {"reg_rdata[31:0]", hexadecimal},
                                               {"reg_error", bit}};
template <>
inline constexpr ShownSignal port_signals<6>[] = {{"obs_fired[5:0]", hexadecimal},
                                                  {"obs_done[47:0]", hexadecimal},
                                                  {"rd_valid[5:0]", hexadecimal},
                                                  {"rd_address[215:0]", hexadecimal},
                                                  {"rd_rvalid[5:0]", hexadecimal},
                                                  {"rd_data[767:0]", hexadecimal},
                                                  {"wr_valid[11:0]", hexadecimal},
                                                  {"wr_address[431:0]", hexadecimal},
                                                  {"wr_data[1535:0]", hexadecimal},
                                                  {"wr_strobe[191:0]", hexadecimal},
                                                  {"reg_valid", bit},
                                                  {"reg_write", bit},
                                                  {"reg_address[15:0]", hexadecimal},
                                                  {"reg_wdata[31:0]", hexadecimal},
                                                  {"reg_ack", bit},
                                                  {"reg_rdata[31:0]", hexadecimal},
                                                  {"reg_error", bit}};
template <unsigned Networks>
inline constexpr WaveLayout wave_layout{"tofu_icc", clock_signals, link_signals,
                                        port_signals<Networks>};

// A link's beat in the wide pins of the top.
template <class Data, class Control>
model::Beat beat_of(const Data& data, const Control& control, int link) {
  const auto i = static_cast<std::size_t>(link);
  model::Beat b;
  std::memcpy(b.word.data(), &data[4 * i], model::Beat::kBytes);
  b.control = static_cast<std::uint16_t>(control[i / 2] >> (16 * (i & 1)));
  return b;
}

template <class Top>
class TofuSignals final : public DecodedSignals {
 public:
  TofuSignals(const Top& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {enumeration_table, signal_table}),
        top_(top) {}

  std::string scope(int link) const override {
    std::string name = tofu::link_name(link);
    if (name.size() == 2) name[1] = name[1] == '+' ? 'p' : 'm';
    return name;
  }

  void step() override {
    for (const int link : links()) {
      sent_[static_cast<std::size_t>(link)].step(beat_of(top_.txd, top_.txc, link));
      received_[static_cast<std::size_t>(link)].step(beat_of(top_.rxd, top_.rxc, link));
    }
  }

 private:
  void read(int link, std::span<std::uint8_t> values) const override {
    const BeatReader& out = sent_[static_cast<std::size_t>(link)];
    const BeatReader& in = received_[static_cast<std::size_t>(link)];
    values[0] = static_cast<std::uint8_t>(top_.obs_state >> (2 * link) & 3);
    values[1] = static_cast<std::uint8_t>(out.kind());
    values[2] = static_cast<std::uint8_t>(in.kind());
    values[3] = out.sequence();
    values[4] = in.sequence();
    values[5] = out.channel();
    values[6] = in.channel();
  }

  const Top& top_;
  std::array<BeatReader, node_links> sent_, received_;
};

}  // namespace waves

/// `top` must outlive them.
template <class Top>
TraceTop tofu_trace_top(Top& top) {
  using namespace waves;
  constexpr Picoseconds lead_in = 1'000'000;  // longer than any packet
  return {node_links, wave_layout<TofuInterfaces<Top>::networks>,
          [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> links) -> std::unique_ptr<DecodedSignals> {
            return std::make_unique<TofuSignals<Top>>(top, std::move(node), std::move(links));
          },
          lead_in};
}

}  // namespace ht::machine
