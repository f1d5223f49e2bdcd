// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/link/link_pair.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/link/link_device.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {

LinkEnd::LinkEnd(VerilatedContext* context, unsigned port, std::uint64_t seed)
    : dut_(make_link(context, port)), random_(seed) {
  dut_->port = static_cast<unsigned char>(port);
  dut_->rst = 1;
  dut_->link_rst = 1;
  dut_->xgmii_rxd = WireWord{}.data;
  dut_->xgmii_rxc = WireWord{}.control;
  dut_->eval();
}
LinkEnd::~LinkEnd() = default;

bool LinkEnd::chance(double p) {
  return p >= 1 || (p > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < p);
}
bool LinkEnd::idle() const {
  return dut_->obs_idle != 0;
}
unsigned LinkEnd::state() const {
  return dut_->obs_state;
}
bool LinkEnd::up() const {
  return dut_->link_up != 0;
}
bool LinkEnd::attention() const {
  return dut_->link_attention != 0;
}
bool LinkEnd::room() const {
  return dut_->tx_room != 0;
}
unsigned LinkEnd::waiting() const {
  return dut_->rx_waiting;
}
std::vector<std::uint32_t> LinkEnd::outputs() const {
  const auto& d = *dut_;
  return {d.tx_ready,      d.tx_room,        d.rx_waiting, d.rx_data.at(0), d.rx_data.at(1),
          d.rx_data.at(2), d.rx_data.at(3),  d.rx_offset,  d.reg_ack,       d.reg_rdata,
          d.reg_error,     d.link_up,        d.xgmii_txd,  d.xgmii_txc,     d.link_attention,
          d.obs_idle,      d.obs_rx_start,   d.obs_rx_ok,  d.obs_state,     d.obs_rx_command,
          d.obs_rx_error,  d.obs_retransmit, d.obs_accept, d.obs_replay};
}
WireWord LinkEnd::wire() const {
  return {dut_->xgmii_txd, dut_->xgmii_txc};
}

void LinkEnd::before_edge(bool core, bool link, const WireWord& in) {
  if (link) {
    dut_->xgmii_rxd = in.data;
    dut_->xgmii_rxc = in.control;
    dut_->link_clk = 0;
  }
  if (core) dut_->clk = 0;
  dut_->eval();
}

void LinkEnd::host_write(std::uint64_t now_ps) {
  tx_taken_ = dut_->tx_valid != 0 && dut_->tx_ready != 0;
  if (!tx_taken_) return;
  if (tx_beat_ == 0) first_beat_ps = now_ps;
  if (++tx_beat_ == 8) {
    tx_beat_ = 0;
    to_send.pop_front();
  }
}

void LinkEnd::host_read(std::uint64_t now_ps) {
  if (data_beat_) {
    for (unsigned i = 0; i < 4; ++i) taking_.words[4 * *data_beat_ + i] = dut_->rx_data.at(i);
    if (*data_beat_ == 0) {
      taking_.offset = dut_->rx_offset;
    } else {
      REQUIRE(taking_.offset == dut_->rx_offset);
    }
    if (*data_beat_ == 7) received.push_back(taking_);
    data_beat_.reset();
  }
  if (reading_) {
    if (rx_beat_ == 0) taking_.vc = dut_->rx_vc;
    data_beat_ = rx_beat_;
    if (++rx_beat_ == 8) reading_ = false;
  }
  if (dut_->rx_waiting != 0 && waiting_ps == 0) waiting_ps = now_ps;
}

// The inputs that the next core edge sees.
void LinkEnd::drive() {
  auto& dut = *dut_;
  if (dut.tx_valid == 0 || tx_taken_) {
    dut.tx_valid = !to_send.empty() && !chance(tx_pause) ? 1 : 0;
    if (dut.tx_valid != 0) {
      const Packet& p = to_send.front();
      for (unsigned w = 0; w < 4; ++w) dut.tx_data.at(w) = p.words[4 * tx_beat_ + w];
      dut.tx_first = tx_beat_ == 0 ? 1 : 0;
      // only the last beat's counts
      dut.tx_void = (tx_beat_ == 7 ? p.withdrawn : random_() % 2 == 0) ? 1 : 0;
      // only the first beat's counts
      dut.tx_vc = static_cast<unsigned char>(tx_beat_ == 0 ? p.vc : random_() % 8);
      dut.tx_offset = static_cast<unsigned short>(tx_beat_ == 0 ? p.offset : random_() & 0x7fffU);
    }
  }
  dut.rx_pop = 0;
  if (!reading_) {
    const unsigned waiting = dut.rx_waiting & rx_enabled;
    if (waiting != 0 && chance(rx_eagerness)) {
      unsigned vc = static_cast<unsigned>(random_() % 8);
      while ((waiting >> vc & 1U) == 0) vc = (vc + 1) % 8;
      reading_ = true;
      rx_beat_ = 0;
      dut.rx_vc = static_cast<unsigned char>(vc);
    }
  }
  if (reading_) {
    dut.rx_beat = static_cast<unsigned char>(rx_beat_);
    dut.rx_pop = rx_beat_ == 7 ? 1 : 0;
  }
  drive_register();
}

void LinkEnd::drive_register() {
  dut_->reg_valid = 0;
  if (!request_ || request_->issued) return;
  dut_->reg_valid = 1;
  dut_->reg_write = request_->write ? 1 : 0;
  dut_->reg_address = static_cast<unsigned char>(request_->address);
  dut_->reg_wdata = request_->value;
  request_->issued = true;
}

// Everything has settled before the edge: take what the edge hands over.
void LinkEnd::core_edge(std::uint64_t now_ps) {
  host_write(now_ps);
  host_read(now_ps);
  if (dut_->reg_ack != 0) {
    REQUIRE(request_);
    request_->done = true;
    request_->error = dut_->reg_error != 0;
    request_->value = dut_->reg_rdata;
  }
}

void LinkEnd::link_edge() {
  observed.start += dut_->obs_rx_start;
  observed.ok += dut_->obs_rx_ok;
  observed.command += dut_->obs_rx_command;
  observed.error += dut_->obs_rx_error;
  observed.retransmit += dut_->obs_retransmit;
  observed.replay += dut_->obs_replay;
  observed.accept += dut_->obs_accept;
}

LinkPair::LinkPair(const Options& options, Idle) : context_(power_on()) {
  for (std::size_t i = 0; i < 2; ++i) {
    ends_[i] = std::make_unique<LinkEnd>(context_.get(), static_cast<unsigned>(i),
                                         options.seed * 1000003U + i);
    cables_[i] = std::make_unique<Cable>(options.delay, options.seed * 7919U + i);
  }
  first_cycle_ = options.first_cycle;
  time_passes_ = options.time_passes;
  period_ps_ = {options.core_period_ps, options.core_period_ps, options.link_period_ps,
                options.link_period_ps};
  for (std::size_t i = 0; i < 4; ++i) next_ps_[i] = options.phase_ps[i];
}
LinkPair::LinkPair(const Options& options) : LinkPair(options, Idle{}) {
  LinkPair::run(8);
  end_reset();
  LinkPair::run(options.delay + 8);
}
LinkPair::~LinkPair() {
  for (auto& e : ends_) e->dut_->final();
}

void LinkPair::step() {
  now_ps_ = *std::min_element(next_ps_.begin(), next_ps_.end());
  std::array<bool, 4> at{};
  for (std::size_t i = 0; i < 4; ++i) {
    at[i] = next_ps_[i] == now_ps_;
    if (at[i]) next_ps_[i] += period_ps_[i];
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const bool core = at[i];
    const bool link = at[2 + i];
    if (!core && !link) continue;
    const WireWord out = edge(i, core, link, link ? cables_[1 - i]->pop() : WireWord{}, now_ps_);
    if (link) cables_[i]->push(out);
  }
  if (at[2]) count_cycle();
}

WireWord LinkPair::edge(std::size_t i, bool core, bool link, const WireWord& in,
                        std::uint64_t now_ps) {
  LinkEnd& e = *ends_[i];
  // the word that is on the wire during the cycle that ends now
  const WireWord out = e.wire();
  if (link && time_passes_) e.dut_->beat = (first_cycle_ + edges_[i]++) >> 10 & 1U;
  e.before_edge(core, link, in);
  e.core_awake_ = e.core_awake_ || (core && e.dut_->rst == 0);
  e.link_awake_ = e.link_awake_ || (link && e.dut_->link_rst == 0);
  if (core && e.core_awake_) e.core_edge(now_ps);
  if (link && e.link_awake_) e.link_edge();
  auto& dut = *e.dut_;
  if (core) dut.clk = 1;
  if (link) dut.link_clk = 1;
  dut.eval();
  if (core) e.drive();
  dut.eval();
  return dut.link_rst != 0 ? WireWord{} : out;
}

void LinkPair::end_reset() {
  for (auto& e : ends_) {
    e->dut_->rst = 0;
    e->dut_->link_rst = 0;
  }
}
void LinkPair::set_pause(std::size_t i, bool pause) {
  ends_[i]->dut_->set_tx_pause(pause);
}

void LinkPair::count_cycle() {
  ++link_cycles_;
  if (every) every();
}

void LinkPair::run(std::uint64_t link_cycles) {
  const std::uint64_t end = link_cycles_ + link_cycles;
  while (link_cycles_ < end) step();
}

bool LinkPair::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  const std::uint64_t end = link_cycles_ + limit;
  while (!done()) {
    if (link_cycles_ >= end) return false;
    step();
  }
  return true;
}

std::uint32_t LinkPair::access(int i, bool write, unsigned address, std::uint32_t value,
                               bool* refused) {
  LinkEnd& e = end(i);
  e.request_ = LinkEnd::Request{write, address, value};
  const bool answered = run_until([&] { return e.request_->done; }, 200);
  const LinkEnd::Request r = *e.request_;
  e.request_.reset();
  INFO((write ? "write" : "read") << " of link register " << address << " at end " << i);
  REQUIRE(answered);
  if (refused != nullptr) {
    *refused = r.error;
  } else {
    REQUIRE_FALSE(r.error);
  }
  return r.value;
}

std::uint32_t LinkPair::read(int i, unsigned address, bool* refused) {
  return access(i, false, address, 0, refused);
}
void LinkPair::write(int i, unsigned address, std::uint32_t value, bool* refused) {
  access(i, true, address, value, refused);
}

void LinkPair::reset(int i) {
  LinkEnd& e = end(i);
  e.dut_->rst = 1;
  e.dut_->link_rst = 1;
  run(8);
  e.dut_->rst = 0;
  e.dut_->link_rst = 0;
  run(8);
}

void LinkPair::reset_link(int i, std::uint64_t link_cycles) {
  end(i).dut_->link_rst = 1;
  run(link_cycles);
  end(i).dut_->link_rst = 0;
}

void LinkPair::identify(int i, unsigned node, unsigned epoch) {
  write(i, qpace::registers::link::node, node);
  write(i, qpace::registers::link::epoch, epoch);
}

void LinkPair::bring_up(unsigned epoch) {
  for (int i = 0; i < 2; ++i) {
    identify(i, 100U + static_cast<unsigned>(i), epoch);
    write(i, qpace::registers::link::control, 1);
  }
  REQUIRE(run_until([&] { return end(0).up() && end(1).up(); }, 2000));
}

Packet random_packet(std::mt19937_64& random, unsigned channels) {
  Packet p;
  p.vc = static_cast<unsigned>(random() % channels);
  p.offset = static_cast<unsigned>(random() & 0x7fffU);
  for (auto& w : p.words) w = static_cast<std::uint32_t>(random());
  return p;
}

std::array<std::vector<Packet>, 8> by_channel(const std::vector<Packet>& packets) {
  std::array<std::vector<Packet>, 8> split;
  for (const Packet& p : packets) split.at(p.vc).push_back(p);
  return split;
}

}  // namespace ht::test
