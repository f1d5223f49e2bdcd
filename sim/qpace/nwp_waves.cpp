// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/nwp_waves.hpp"

#include <Vqpace_nwp.h>
#include <verilated_fst_c.h>

#include <array>
#include <cstdint>

#include "sim/machine/wave_view.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::machine {
namespace {

using namespace model::qpace;

constexpr std::size_t node_links = 6;

// What a word on a QPACE link's wire is, for people.
enum class WordKind : std::uint8_t {
  Idle,
  Packet,     ///< header of a data packet
  Payload,    ///< of one
  Check,      ///< the CRC at a packet's or hello's end
  Withdrawn,  ///< end of a packet given up by its sender
  Ack,
  Nack,
  Busy,
  Ready,
  Hello,     ///< first word of a hello
  Identity,  ///< the words after it
  Damaged    ///< none of these
};

// Follows the words of one direction of a link and says what each is.
class WordReader {
 public:
  void step(const model::Word& word);
  WordKind kind() const { return kind_; }
  // Of the last header or command: its sequence number.
  std::uint8_t sequence() const { return sequence_; }

 private:
  WordKind kind_ = WordKind::Idle;
  std::uint8_t sequence_ = 0;
  unsigned left_ = 0;  ///< words until the frame's end
  bool hello_ = false;
};

// In the order of WordKind.
constexpr const char* kind_names[] = {"IDLE", "PACKET", "PAYLOAD", "CHECK", "WITHDRAWN", "ACK",
                                      "NACK", "BUSY",   "READY",   "HELLO", "IDENTITY",  "DAMAGED"};
constexpr const char* state_names[] = {"DOWN", "TRAIN", "UP"};
constexpr DecodedSignals::Enumeration enumeration_table[] = {{"word_kind", kind_names, 4},
                                                             {"link_state", state_names, 2}};
constexpr DecodedSignals::Signal signal_table[] = {{"state", 2, 1},
                                                   {"tx_kind", 4, 0},
                                                   {"rx_kind", 4, 0},
                                                   {"tx_sequence", 6, -1},
                                                   {"rx_sequence", 6, -1}};

constexpr Shown bit = Shown::Bit, hexadecimal = Shown::Hexadecimal;
constexpr ShownSignal link_signals[] = {{"xgmii_txd[31:0]", hexadecimal},
                                        {"xgmii_txc[3:0]", hexadecimal},
                                        {"xgmii_rxd[31:0]", hexadecimal},
                                        {"xgmii_rxc[3:0]", hexadecimal},
                                        {"obs_retransmit", bit},
                                        {"obs_replay", bit},
                                        {"obs_rx_start", bit},
                                        {"obs_rx_ok", bit},
                                        {"obs_rx_command", bit},
                                        {"obs_rx_error", bit},
                                        {"obs_accept", bit},
                                        {"obs_idle", bit}};
constexpr ShownSignal clock_signals[] = {{"clk", bit},           {"rst", bit},
                                         {"link_clk[0:0]", bit}, {"link_rst[5:0]", hexadecimal},
                                         {"obs_idle", bit},      {"irq", bit}};
constexpr ShownSignal port_signals[] = {{"pw_in_valid", bit},
                                        {"pw_in_ready", bit},
                                        {"pw_in_addr[31:0]", hexadecimal},
                                        {"pw_in_data[127:0]", hexadecimal},
                                        {"pw_in_last", bit},
                                        {"pw_in_room[5:0]", hexadecimal},
                                        {"pw_out_valid", bit},
                                        {"pw_out_ready", bit},
                                        {"pw_out_addr[38:0]", hexadecimal},
                                        {"pw_out_data[127:0]", hexadecimal},
                                        {"pw_out_last", bit},
                                        {"pw_out_notify", bit},
                                        {"reg_valid", bit},
                                        {"reg_write", bit},
                                        {"reg_address[11:0]", hexadecimal},
                                        {"reg_wdata[31:0]", hexadecimal},
                                        {"reg_ack", bit},
                                        {"reg_rdata[31:0]", hexadecimal},
                                        {"reg_error", bit}};
constexpr WaveLayout wave_layout{"qpace_nwp", clock_signals, link_signals, port_signals};

void WordReader::step(const model::Word& word) {
  if (word == model::kIdleWord) {
    kind_ = WordKind::Idle;
  } else if (starts_with(word, kStart)) {
    kind_ = WordKind::Packet;
    sequence_ = static_cast<std::uint8_t>(word.data >> 23 & (kSequences - 1));
    left_ = kPacketWords - 1;
    hello_ = false;
  } else if (starts_with(word, kHello)) {
    kind_ = WordKind::Hello;
    left_ = kHelloWords - 1;
    hello_ = true;
  } else if (const auto command = Command::parse(word)) {
    kind_ =
        static_cast<WordKind>(static_cast<int>(WordKind::Ack) + static_cast<int>(command->type));
    sequence_ = command->sequence;
    left_ = 0;
  } else {
    const bool last = left_ == 1;
    const bool inside = left_ > 0;
    if (inside) --left_;
    if (inside && word.control == 0) {
      kind_ = last ? WordKind::Check : hello_ ? WordKind::Identity : WordKind::Payload;
    } else if (last && !hello_ && starts_with(word, kWithdrawn)) {
      kind_ = WordKind::Withdrawn;
    } else {
      kind_ = WordKind::Damaged;
    }
  }
}

class NwpSignals final : public DecodedSignals {
 public:
  NwpSignals(const Vqpace_nwp& top, std::string node, std::vector<int> links)
      : DecodedSignals(std::move(node), std::move(links), {enumeration_table, signal_table}),
        top_(top) {}

  void step() override {
    const auto word = [](const auto& data, std::uint32_t control, int link) {
      return model::Word{data[static_cast<std::size_t>(link)],
                         static_cast<std::uint8_t>(control >> (4 * link) & 0xF)};
    };
    for (const int link : links()) {
      sent_[static_cast<std::size_t>(link)].step(word(top_.xgmii_txd, top_.xgmii_txc, link));
      received_[static_cast<std::size_t>(link)].step(word(top_.xgmii_rxd, top_.xgmii_rxc, link));
    }
  }

 private:
  void read(int link, std::span<std::uint8_t> values) const override {
    const WordReader& out = sent_[static_cast<std::size_t>(link)];
    const WordReader& in = received_[static_cast<std::size_t>(link)];
    values[0] = static_cast<std::uint8_t>(top_.obs_state >> (4 * link) & 3);
    values[1] = static_cast<std::uint8_t>(out.kind());
    values[2] = static_cast<std::uint8_t>(in.kind());
    values[3] = out.sequence();
    values[4] = in.sequence();
  }

  const Vqpace_nwp& top_;
  std::array<WordReader, node_links> sent_, received_;
};

}  // namespace

TraceTop nwp_trace_top(Vqpace_nwp& top) {
  // A frame cut by the window's start is known.
  constexpr Picoseconds lead_in = 4'000'000;
  return {node_links, wave_layout,
          [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> links) -> std::unique_ptr<DecodedSignals> {
            return std::make_unique<NwpSignals>(top, std::move(node), std::move(links));
          },
          lead_in};
}

}  // namespace ht::machine
