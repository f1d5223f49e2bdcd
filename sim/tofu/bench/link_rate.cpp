// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/link_rate.hpp"

#include <Vtofu_link.h>
#include <verilated.h>

#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sw/tofu/registers.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::bench {
namespace {

namespace registers = tofu::registers::link;
using model::Beat;
using model::tofu::ChipBeat;

// Full packets on each virtual channel, one after the other: any content will do, but all differ.
std::vector<std::vector<ChipBeat>> full_packets(std::uint64_t seed) {
  std::vector<std::vector<ChipBeat>> packets;
  for (unsigned channel = 0; channel < 4; ++channel) {
    model::tofu::Packet p;
    p.set(model::tofu::header::channel, channel);
    p.set(model::tofu::header::beats, model::tofu::kMostPayload);
    for (unsigned i = 0; i < model::tofu::kMostPayload; ++i) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      p.payload.push_back({seed, ~seed});
    }
    packets.push_back(p.in_chip());
  }
  return packets;
}

// A link, a router that always has a full packet for it, and a receiver that is never full.
class End {
 public:
  End(VerilatedContext* context, unsigned port)
      : dut_(std::make_unique<Vtofu_link>(context)), send_(full_packets(port)) {
    dut_->port = static_cast<unsigned char>(port);
    dut_->rst = 1;
    dut_->rx_free = (std::uint64_t{1} << 36) - 1;
    dut_->clk = 0;
    dut_->eval();
  }
  ~End() { dut_->final(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  void start() { dut_->rst = 0; }
  bool up() const { return dut_->obs_state == 2; }
  Beat wire() const { return {words_of(dut_->txd), dut_->txc}; }
  std::uint64_t packets_received() const { return received_; }

  void write(std::uint32_t address, std::uint32_t value) { writes_.emplace_back(address, value); }

  // A cycle: what came by the cable, the edge, then the inputs that the next one sees.
  void step(const Beat& in, const std::vector<std::vector<ChipBeat>>& expected) {
    Vtofu_link& d = *dut_;
    for (std::size_t i = 0; i < 4; ++i)
      d.rxd[i] = static_cast<std::uint32_t>(in.word[i / 2] >> (32 * (i % 2)));
    d.rxc = in.control;
    d.clk = 0;
    d.eval();
    const bool taken = d.tx_valid != 0 && d.tx_ready != 0;
    const bool acknowledged = d.reg_ack != 0;
    if (d.rx_valid != 0) receive(expected);
    if (d.obs_retransmit != 0) throw std::logic_error("bench: a link without errors sent again");
    d.clk = 1;
    d.eval();
    if (taken && ++beat_ == send_[channel_].size()) {
      beat_ = 0;
      channel_ = (channel_ + 1) % 4;
    }
    // A packet begins only if its channel has room for it.
    const unsigned room = d.tx_room >> (7 * channel_) & 0x7fU;
    d.tx_valid = up() && (beat_ != 0 || (!taken && d.tx_valid != 0) || room >= packet_units);
    if (d.tx_valid != 0) put(send_[channel_][beat_]);
    d.rx_credit = credit_[0] | credit_[1] << 7 | credit_[2] << 14 | credit_[3] << 21;
    if (acknowledged) writes_.pop_front();
    d.reg_valid = !acknowledged && !writes_.empty();
    if (d.reg_valid != 0) {
      d.reg_write = 1;
      d.reg_address = static_cast<unsigned char>(writes_.front().first & 0x3fU);
      d.reg_wdata = writes_.front().second;
    }
    d.eval();
  }

  const std::vector<std::vector<ChipBeat>>& sends() const { return send_; }

 private:
  static constexpr unsigned packet_units = 16;

  template <class Wide>
  static model::tofu::Bytes16 words_of(const Wide& wide) {
    return {wide[0] | std::uint64_t{wide[1]} << 32, wide[2] | std::uint64_t{wide[3]} << 32};
  }

  void put(const ChipBeat& b) {
    for (std::size_t i = 0; i < 4; ++i)
      dut_->tx_beat[i] = static_cast<std::uint32_t>(b.data[i / 2] >> (32 * (i % 2)));
    dut_->tx_beat[4] = b.ecc | (b.first ? 1U << 16 : 0U) | (b.last ? 1U << 17 : 0U) |
                       (b.bad ? 1U << 18 : 0U) | (b.parity ? 1U << 19 : 0U);
  }

  void receive(const std::vector<std::vector<ChipBeat>>& expected) {
    const std::size_t channel = received_ % 4;
    const std::vector<ChipBeat>& packet = expected[channel];
    const std::uint32_t top = dut_->rx_beat[4];
    const bool last = (top >> 17 & 1U) != 0;
    // The header's own CRC is made anew at every hop.
    if ((arrived_ > 1 && words_of(dut_->rx_beat) != packet[arrived_].data) ||
        last != packet[arrived_].last || (top >> 18 & 1U) != 0)
      throw std::logic_error("bench: a packet came other than it was sent");
    ++arrived_;
    if (!last) return;
    arrived_ = 0;
    ++received_;
    credit_[channel] = (credit_[channel] + packet_units) % 128;
  }

  std::unique_ptr<Vtofu_link> dut_;
  std::vector<std::vector<ChipBeat>> send_;  ///< by channel
  std::size_t channel_ = 0, beat_ = 0;       ///< the next to be sent
  std::size_t arrived_ = 0;                  ///< beats of the packet that comes
  std::uint64_t received_ = 0;
  std::array<std::uint32_t, 4> credit_{};
  std::deque<std::pair<std::uint32_t, std::uint32_t>> writes_;
};

}  // namespace

double tofu_payload_fraction(unsigned cable, unsigned packets) {
  const auto context = std::make_unique<VerilatedContext>();
  End a(context.get(), 0), b(context.get(), 1);
  std::deque<Beat> forth(cable, model::kIdleBeat), back = forth;
  std::uint64_t cycle = 0;
  const auto step = [&] {
    forth.push_back(a.wire());
    back.push_back(b.wire());
    const Beat to_b = forth.front(), to_a = back.front();
    forth.pop_front();
    back.pop_front();
    a.step(to_a, b.sends());
    b.step(to_b, a.sends());
    ++cycle;
  };
  for (int i = 0; i < 4; ++i) step();
  std::uint32_t node = 100;
  for (End* e : {&a, &b}) {
    e->start();
    e->write(registers::node(0), node++);
    e->write(registers::epoch(0), 1);
    e->write(registers::control(0), 1);
  }
  const auto until = [&](const auto& done, std::uint64_t limit) {
    for (limit += cycle; !done(); step()) {
      if (cycle > limit) throw std::logic_error("bench: packets do not come over a link");
    }
  };
  // Then begin with a whole packet, as the first ones are not yet in step with credits.
  until([&] { return a.packets_received() >= 16 && b.packets_received() >= 16; }, 100'000);
  const std::uint64_t begin = cycle, a0 = a.packets_received(), b0 = b.packets_received();
  const std::uint64_t span = std::uint64_t{packets} * (model::tofu::kMostPayload + 3);
  until([&] { return cycle == begin + span; }, span + 1);
  const std::uint64_t least = std::min(a.packets_received() - a0, b.packets_received() - b0);
  return static_cast<double>(least * model::tofu::kMostPayload) / static_cast<double>(span);
}

}  // namespace ht::bench
