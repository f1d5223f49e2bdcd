// SPDX-License-Identifier: Apache-2.0
#include "tests/qcdoc/link/pair.hpp"
#include "tests/support/power_on.hpp"

#include <Vqcdoc_link.h>
#include <verilated.h>

namespace ht::test {

QcdocEnd::QcdocEnd(VerilatedContext* context, unsigned port, std::uint64_t seed)
    : dut_(std::make_unique<Vqcdoc_link>(context)), random_(seed) {
  dut_->port = static_cast<unsigned char>(port);
  dut_->retrain_limit = 8;
  // Inputs come up as registers do, at random.
  Vqcdoc_link& d = *dut_;
  d.clk = d.enable = d.retrain = d.new_session = d.hold = d.take = 0;
  d.train_timeout = 0;
  d.word_valid = d.word_sent = d.through_valid = d.through_sure = 0;
  d.through_parity = d.through_data = 0;
  d.sup_valid = d.sup_read = d.int_valid = 0;
  d.flip_send = d.flip_receive = 0;
  d.tx_pause = d.lane_rx_strobe = d.lane_rx_data = d.lane_rx_control = 0;
}

QcdocEnd::~QcdocEnd() {
  dut_->final();
}

bool QcdocEnd::chance(double p) {
  return std::uniform_real_distribution<>(0, 1)(random_) < p;
}

bool QcdocEnd::up() const {
  return dut_->state == 2;
}

bool QcdocEnd::idle() const {
  return dut_->obs_idle != 0;
}

void QcdocEnd::before_edge(bool serial_in, bool slot) {
  Vqcdoc_link& d = *dut_;
  d.serial_in = serial_in;
  d.slot = slot;
  // Valid never drops before it was taken.
  if (!d.word_valid && !to_send.empty() && chance(send_eagerness)) {
    d.word_valid = 1;
    d.word = to_send.front();
  }
  if (!d.sup_valid && !sup_to_send.empty()) {
    d.sup_valid = 1;
    d.sup_word = sup_to_send.front();
  }
  if (!d.int_valid && !int_to_send.empty()) {
    d.int_valid = 1;
    d.int_code = int_to_send.front();
  }
  d.hold = take_eagerness == 0;
  d.eval();
  d.take = d.take_valid && chance(take_eagerness);
  d.sup_read = d.sup_arrived && chance(read_eagerness);
  d.eval();
}

void QcdocEnd::after_edge(std::uint64_t cycle) {
  Vqcdoc_link& d = *dut_;
  awake_ = awake_ || d.rst == 0;
  if (!awake_) {
    d.clk = 1;
    d.eval();
    d.clk = 0;
    d.eval();
    return;
  }
  // What the edge is about to take, read before it.
  if (d.take) {
    received.push_back(d.take_data);
    if (received.size() == 1) first_taken = cycle;
    last_taken = cycle;
  }
  if (d.sup_read) sup_received.push_back(d.sup_received);
  if (d.int_arrived) int_received.push_back(d.int_received);
  events.sent += d.event_sent;
  events.retransmitted += d.event_retransmitted;
  events.accepted += d.event_accepted;
  events.refused += d.event_refused;
  events.header += d.event_header;
  events.parity += d.event_parity;
  events.marker += d.event_marker;
  events.request += d.event_request;
  events.burst += d.event_burst;
  events.bad_ack += d.event_bad_ack;
  events.retrain += d.event_retrain;
  events.rx_error += d.obs_rx_error;
  const bool word_taken = d.word_valid && d.word_ready;
  const bool sup_taken = d.sup_valid && d.sup_done;
  const bool int_taken = d.int_valid && d.int_done;
  d.clk = 1;
  d.eval();
  d.clk = 0;
  if (word_taken) {
    to_send.pop_front();
    d.word_valid = 0;
  }
  if (sup_taken) {
    sup_to_send.pop_front();
    d.sup_valid = 0;
  }
  if (int_taken) {
    int_to_send.pop_front();
    d.int_valid = 0;
  }
  d.eval();
}

QcdocPair::QcdocPair(unsigned delay, std::uint64_t seed, unsigned phase_a, unsigned phase_b)
    : QcdocPair(power_on(), delay, seed, phase_a, phase_b) {}

QcdocPair::QcdocPair(std::unique_ptr<VerilatedContext> context, unsigned delay, std::uint64_t seed,
                     unsigned phase_a, unsigned phase_b)
    : context_(std::move(context)),
      a(context_.get(), 0, 2 * seed),
      b(context_.get(), 1, 2 * seed + 1),
      phase_{phase_a, phase_b} {
  for (auto& wire : wire_) wire.assign(delay, false);
  a.dut().rst = b.dut().rst = 1;
  for (unsigned n = 0; n < 16; ++n) QcdocPair::step();
  a.dut().rst = b.dut().rst = 0;
}

QcdocPair::~QcdocPair() = default;

void QcdocPair::step() {
  QcdocEnd* ends[2] = {&a, &b};
  bool arriving[2];
  for (int d : {0, 1}) {
    auto& wire = wire_[d];
    const bool sent = ends[d]->dut().serial_out != 0;
    wire.push_back(sent);
    bool bit = carry ? carry(d, cycle, sent) : wire.front();
    wire.pop_front();
    if (damage) bit = damage(d, cycle, bit);
    arriving[1 - d] = bit;
  }
  for (unsigned i : {0U, 1U}) ends[i]->before_edge(arriving[i], cycle % 8 == phase_[i]);
  for (unsigned i : {0U, 1U}) ends[i]->after_edge(cycle);
  ++cycle;
}

void QcdocPair::before_edge(QcdocEnd& end, bool serial_in, bool slot) {
  end.before_edge(serial_in, slot);
}
void QcdocPair::edge(QcdocEnd& end) {
  end.after_edge(cycle);
}

void QcdocPair::run(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) step();
}

bool QcdocPair::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (done()) return true;
    step();
  }
  return done();
}

bool QcdocPair::bring_up(std::uint64_t limit) {
  a.dut().enable = b.dut().enable = 1;
  // A pair is in step once the bursts after training are over, those still on the cable included.
  std::uint64_t quiet = 0;
  return run_until(
      [&] {
        quiet = a.up() && b.up() && a.idle() && b.idle() ? quiet + 1 : 0;
        return quiet > 2 * wire_[0].size() + 64;
      },
      limit);
}

void QcdocPair::lose_bit(int direction) {
  wire_[direction].pop_front();
}

void QcdocPair::double_bit(int direction) {
  wire_[direction].push_front(wire_[direction].front());
}

}  // namespace ht::test
