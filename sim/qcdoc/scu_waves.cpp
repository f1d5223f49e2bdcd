// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/scu_waves.hpp"

#include <Vqcdoc_scu.h>
#include <verilated_fst_c.h>

#include <array>

#include "sim/machine/wave_view.hpp"
#include "verif/model/qcdoc/reader.hpp"

namespace ht::machine {
namespace {

constexpr std::size_t node_links = 12;
constexpr unsigned state_train = 1;
constexpr std::uint8_t break_byte = 0xe3;

// What a byte on a link's wire is, for people (rtl/qcdoc/README.md, "Wire format").
enum class ByteKind : std::uint8_t {
  Idle,
  Hold,  ///< idle, and the sender has nowhere to put words yet
  Data,  ///< header of a data word
  Supervisor,
  Interrupt,
  Payload,
  Acknowledge,  ///< of a supervisor word or interrupt, by itself
  Mark,
  Record,    ///< of five bytes, after marks
  Break,     ///< training begins, or the link goes down
  Training,  ///< bytes of the training sequence
  Damaged,   ///< should have been a header or the end of a frame, and is not
  Lost       ///< discarded, until marks and a record
};

ByteKind kind_of(const model::qcdoc::Header& header) {
  using model::qcdoc::Kind;
  switch (header.kind) {
    case Kind::Data:
      return ByteKind::Data;
    case Kind::Supervisor:
      return ByteKind::Supervisor;
    case Kind::Interrupt:
      return ByteKind::Interrupt;
    case Kind::Idle:
      return header.hold ? ByteKind::Hold : ByteKind::Idle;
    case Kind::Mark:
      return ByteKind::Mark;
    case Kind::AckSupervisor:
    case Kind::AckInterrupt:
      return ByteKind::Acknowledge;
  }
  return ByteKind::Damaged;
}

// Follows one direction of a link bit by bit and says what each byte was, once it is complete.
class WireReader {
 public:
  // `training`: the link is in state TRAIN.
  void step(bool bit, bool training) {
    const auto got = aligner_.push(bit, training);
    if (!got.byte) return;
    if (training) {
      bytes_.restart();
      kind_ = got.value == break_byte ? ByteKind::Break : ByteKind::Training;
      return;
    }
    const auto byte = bytes_.push(got.value);
    if (got.value == break_byte && !byte.ok && (byte.error || !bytes_.in_step())) {
      kind_ = ByteKind::Break;
    } else if (byte.error) {
      kind_ = ByteKind::Damaged;
    } else if (byte.record || bytes_.in_record()) {
      kind_ = ByteKind::Record;
    } else if (byte.header && !byte.ok) {
      kind_ = kind_of(*byte.header);
      note_wanted(*byte.header);
    } else {
      kind_ = bytes_.in_step() ? ByteKind::Payload : ByteKind::Lost;
    }
  }
  ByteKind kind() const { return kind_; }
  // Number of the data word that the last header wants next.
  std::uint8_t wanted() const { return wanted_; }

 private:
  void note_wanted(const model::qcdoc::Header& h) {
    using model::qcdoc::Kind;
    const bool frame = h.kind <= Kind::Interrupt;
    if (h.kind == Kind::Idle || (frame && h.acknowledges == model::qcdoc::Acknowledges::Data))
      wanted_ = h.number;
  }

  model::qcdoc::BitAligner aligner_;
  model::qcdoc::ByteReader bytes_;
  ByteKind kind_ = ByteKind::Lost;
  std::uint8_t wanted_ = 0;
};

// In the order of ByteKind.
constexpr const char* kind_names[] = {"IDLE",     "HOLD",    "DATA", "SUPERVISOR", "INTERRUPT",
                                      "PAYLOAD",  "ACK",     "MARK", "RECORD",     "BREAK",
                                      "TRAINING", "DAMAGED", "LOST"};
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
                                        {"serial_in[0:0]", bit},
                                        {"word_valid", bit},
                                        {"word_ready", bit},
                                        {"word[63:0]", hexadecimal},
                                        {"take_valid", bit},
                                        {"take", bit},
                                        {"take_data[63:0]", hexadecimal},
                                        {"hold", bit},
                                        {"held", bit},
                                        {"outstanding", bit},
                                        {"obs_rx_start", bit},
                                        {"obs_rx_ok", bit},
                                        {"obs_rx_error", bit},
                                        {"event_retransmitted", bit},
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
// Of a node that has its unit twice (far/qcdoc_scu_far.v): its Verilog's, or the pins alone.
constexpr WaveLayout near_layout{"qcdoc_scu_far.u_near", clock_signals, link_signals, port_signals};
constexpr WaveLayout routed_layout{"qcdoc_scu_far.u_far", clock_signals, {}, port_signals};

const WaveLayout& layout_of(const auto& top) {
  if constexpr (requires { top.routed; })
    return top.routed ? routed_layout : near_layout;
  else
    return wave_layout;
}

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
    const WireReader& out = sent_[static_cast<std::size_t>(link)];
    const WireReader& in = received_[static_cast<std::size_t>(link)];
    values[0] = static_cast<std::uint8_t>(state(link));
    values[1] = static_cast<std::uint8_t>(out.kind());
    values[2] = static_cast<std::uint8_t>(in.kind());
    values[3] = out.wanted();
    values[4] = in.wanted();
  }

  const Vqcdoc_scu& top_;
  std::array<WireReader, node_links> sent_, received_;
};

}  // namespace

TraceTop scu_trace_top(Vqcdoc_scu& top) {
  // Where bytes begin is only said in training: the wires are followed from the very first bit.
  constexpr Picoseconds lead_in = sim::kNever;
  return {node_links, layout_of(top),
          [&top](VerilatedFstC* file, int levels) { top.trace(file, levels); },
          [&top](std::string node, std::vector<int> links) -> std::unique_ptr<DecodedSignals> {
            return std::make_unique<ScuSignals>(top, std::move(node), std::move(links));
          },
          lead_in};
}

}  // namespace ht::machine
