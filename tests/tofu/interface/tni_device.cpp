// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/interface/tni_device.hpp"

#include <Vtofu_tni_top.h>
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/tofu/link/chip_beat_port.hpp"

namespace ht::test {
using model::tofu::Bytes16;
using model::tofu::ChipBeat;

namespace {

constexpr std::uint64_t kUnit = 16, kTick = 64;

std::byte* at(std::span<std::byte> memory, std::uint64_t address) {
  if (address > memory.size() - kUnit)
    throw std::runtime_error("network interface: address " + std::to_string(address) +
                             " is beyond memory");
  return memory.data() + address;
}

std::array<std::uint64_t, 4> words(const ChipBeat& b) {
  return {b.data[0], b.data[1],
          b.ecc | (b.first ? 1ULL << 16 : 0) | (b.last ? 1ULL << 17 : 0) | (b.bad ? 1ULL << 18 : 0),
          0};
}

}  // namespace

TniDevice::TniDevice(VerilatedContext* context, std::uint32_t where, unsigned which,
                     std::span<std::byte> memory, std::uint64_t seed)
    : coordinates(where),
      number(which),
      dut_(std::make_unique<Vtofu_tni_top>(context)),
      memory_(memory),
      random_(static_cast<std::minstd_rand::result_type>(seed * 8 + which + 1)) {
  dut_->coordinates = where;
  dut_->number = static_cast<std::uint8_t>(which);
  dut_->rst = 1;
}

TniDevice::~TniDevice() {
  dut_->final();
  Verilated::threadContextp(dut_->contextp());
}

bool TniDevice::quiet() const {
  return accesses.empty() && in[0].empty() && in[1].empty() && writes_.empty() &&
         cycle > reset_until_ && dut_->obs_idle != 0;
}

bool TniDevice::attention() const {
  return dut_->attention != 0;
}
bool TniDevice::fault() const {
  return dut_->fault != 0;
}
unsigned TniDevice::period() const {
  return dut_->obs_period;
}

bool TniDevice::sometimes(unsigned of_16) {
  return of_16 != 0 && (random_() >> 8) % 16 < of_16;
}

void TniDevice::reset() {
  reset_until_ = cycle + 2;
  accesses.clear();
  answers_.clear();
  writes_.clear();
  for (auto& packet : packet_) packet.clear();
  for (auto& before : before_) before.reset();
  if (arriving_) in[*arriving_].pop_front();
  arriving_.reset();
}

void TniDevice::step() {
  auto& d = *dut_;
  d.tick_count = static_cast<std::uint16_t>(cycle / kTick);
  if (skip_idle && quiet() && cycle % (kTick << d.obs_period) != 0) {
    ++skips;
    ++cycle;
    return;
  }
  d.rst = cycle < reset_until_;
  d.inj_ready = static_cast<std::uint8_t>((sometimes(router_stalls) ? 0U : 1U) |
                                          (sometimes(router_stalls) ? 0U : 2U));
  d.mem_stopped = memory_stopped;
  d.mem_look = std::exchange(looks, false);
  d.rd_ready = !memory_stopped && !sometimes(memory_stalls);
  d.wr_ready = !memory_stopped && !sometimes(memory_stalls);
  arrive();
  d.rd_rvalid = !answers_.empty() && answers_.front().due <= cycle;
  if (d.rd_rvalid) {
    for (std::size_t i = 0; i < 4; ++i)
      d.rd_data[i] = static_cast<std::uint32_t>(answers_.front().data[i / 2] >> (32 * (i % 2)));
    answers_.pop_front();
  }
  d.reg_valid = !accesses.empty();
  if (!accesses.empty()) {
    d.reg_write = accesses.front().write;
    d.reg_address = static_cast<std::uint8_t>(accesses.front().address);
    d.reg_wdata = accesses.front().value;
  }
  deposit_due();
  d.clk = 0;
  d.eval();
  d.wr_pending = write_latency != 0 && (d.wr_valid != 0 || !writes_.empty());
  d.wr_passed = std::ranges::none_of(writes_, &Write::marked);
  d.eval();

  seen = d.mem_seen != 0;
  if (cycle >= reset_until_) {
    memory_ports();
    leave();
  }
  // Before the first edge of its reset the hardware's outputs may be anything.
  if (cycle > 0 && d.reg_ack && !accesses.empty()) {
    const TniRegisterAccess done = std::move(accesses.front());
    accesses.pop_front();
    if (done.then)
      done.then(d.reg_rdata, d.reg_error != 0);
    else if (d.reg_error)
      ++refused;
  }
  d.clk = 1;
  d.eval();
  ++cycle;
}

// A packet begins when there is room for its class.
void TniDevice::arrive() {
  auto& d = *dut_;
  d.ej_valid = 0;
  if (cycle < reset_until_ || sometimes(gaps)) return;
  if (!arriving_) {
    std::array<bool, 2> able{};
    for (std::size_t c = 0; c < 2; ++c) able[c] = !in[c].empty() && (d.ej_room >> c & 1) != 0;
    if (!able[0] && !able[1]) return;
    const bool response = able[1] && (!able[0] || (random_() >> 8 & 1) != 0);
    arriving_ = response ? kResponse : kRequest;
    arrived_ = 0;
  }
  const Beats& packet = in[*arriving_].front();
  d.ej_valid = 1;
  put_beat(d.ej_beat, packet[arrived_++]);
  if (arrived_ == packet.size()) {
    last_in = cycle;
    in[*arriving_].pop_front();
    arriving_.reset();
  }
}

template <class Now>
void TniDevice::watch(std::optional<Now>& before, bool valid, bool ready, const Now& now) {
  if (before && dut_->fault == 0 && (!valid || *before != now)) ++unstable;
  before.reset();
  if (valid && !ready) before = now;
}

void TniDevice::memory_ports() {
  auto& d = *dut_;
  watch(before_[0], d.rd_valid != 0, d.rd_ready != 0, Port{d.rd_address});
  if (d.rd_valid && d.rd_ready) {
    Bytes16 data{};
    std::memcpy(data.data(), at(memory_, d.rd_address * kUnit), kUnit);
    for (const Write& w : writes_) {  // reads come behind writes of their interface
      if (w.address == d.rd_address * kUnit) deposit(w, std::as_writable_bytes(std::span(data)));
    }
    const std::uint64_t jitter = read_jitter == 0 ? 0 : (random_() >> 8) % (read_jitter + 1);
    const std::uint64_t due = cycle + read_latency + jitter;
    answers_.push_back({due, data});
    ++reads;
    if (on_read) on_read(d.rd_address * kUnit);
  }
  const auto word = [&](std::size_t i) {
    return d.wr_data[2 * i] | static_cast<std::uint64_t>(d.wr_data[2 * i + 1]) << 32;
  };
  const Bytes16 data{word(0), word(1)};
  watch(before_[1], d.wr_valid != 0, d.wr_ready != 0,
        Port{d.wr_address, d.wr_strobe, data[0], data[1]});
  if (d.wr_valid && d.wr_ready) {
    Write write{cycle, d.wr_address * kUnit, d.wr_strobe, {}, false};
    std::memcpy(write.bytes.data(), data.data(), kUnit);
    at(memory_, write.address);
    if (write_latency != 0) write.due += 1 + (random_() >> 8) % write_latency;
    if (!writes_.empty()) write.due = std::max(write.due, writes_.back().due);
    writes_.push_back(write);
    ++writes;
  }
  if (d.wr_mark != 0)
    for (Write& w : writes_) w.marked = true;
  if (write_latency == 0) deposit_due();
}

void TniDevice::deposit(const Write& write, std::span<std::byte> to) const {
  for (std::size_t i = 0; i < kUnit; ++i) {
    if ((write.strobe >> i & 1) != 0) to[i] = write.bytes[i];
  }
}

void TniDevice::deposit_due() {
  for (; !writes_.empty() && writes_.front().due <= cycle; writes_.pop_front()) {
    const Write& write = writes_.front();
    deposit(write, {at(memory_, write.address), kUnit});
    if (on_write) on_write(write.address);
  }
}

void TniDevice::leave() {
  auto& d = *dut_;
  for (std::size_t c = 0; c < 2; ++c) {
    const bool valid = (d.inj_valid >> c & 1) != 0, ready = (d.inj_ready >> c & 1) != 0;
    if (!valid && !before_[2 + c]) continue;
    const ChipBeat b = c == kRequest ? get_beat(d.inj_request) : get_beat(d.inj_response);
    watch(before_[2 + c], valid, ready, words(b));
    if (!valid || !ready) continue;
    if (b.first) began[c].push_back(cycle);
    packet_[c].push_back(b);
    if (!b.last) continue;
    if (on_packet)
      on_packet(packet_[c]);
    else
      out[c].push_back(packet_[c]);
    packet_[c].clear();
  }
}

}  // namespace ht::test
