// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/link/pair.hpp"

#include <Vtofu_link.h>
#include <verilated.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {

using model::Beat;
using model::tofu::ChipBeat;
namespace header = model::tofu::header;
namespace reg = tofu::registers::link;

namespace {

constexpr unsigned kBufferBeats = 512;  // of a channel, 8 KB

template <class Wide>
void put(Wide& wide, const ChipBeat& b) {
  for (std::size_t i = 0; i < 4; ++i)
    wide[i] = static_cast<std::uint32_t>(b.data[i / 2] >> (32 * (i % 2)));
  wide[4] = b.ecc | (b.first ? 1U << 16 : 0U) | (b.last ? 1U << 17 : 0U) | (b.bad ? 1U << 18 : 0U) |
            (b.parity ? 1U << 19 : 0U);
}

template <class Wide>
std::array<std::uint64_t, 2> words_of(const Wide& wide) {
  return {wide[0] | std::uint64_t{wide[1]} << 32, wide[2] | std::uint64_t{wide[3]} << 32};
}

template <class Wide>
ChipBeat chip_beat(const Wide& wide) {
  const std::uint32_t top = wide[4];
  return {words_of(wide),        static_cast<std::uint16_t>(top), (top >> 16 & 1U) != 0,
          (top >> 17 & 1U) != 0, (top >> 18 & 1U) != 0,           (top >> 19 & 1U) != 0};
}

}  // namespace

TofuEnd::TofuEnd(VerilatedContext* context, unsigned port, std::uint64_t seed)
    : dut_(std::make_unique<Vtofu_link>(context)), random_(seed) {
  dut_->port = static_cast<unsigned char>(port);
  dut_->rst = 1;
  // Inputs come up as registers do, at random.
  dut_->tx_valid = dut_->reg_valid = 0;
  dut_->rx_credit = 0;
  dut_->rx_free = 0;
  before_edge(model::kIdleBeat);
}
TofuEnd::~TofuEnd() = default;

bool TofuEnd::chance(double p) {
  return p >= 1 || (p > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < p);
}
bool TofuEnd::idle() const {
  return dut_->obs_idle != 0;
}
bool TofuEnd::up() const {
  return dut_->obs_state == 2;
}
unsigned TofuEnd::state() const {
  return dut_->obs_state;
}
bool TofuEnd::attention() const {
  return dut_->attention != 0;
}
bool TofuEnd::fault() const {
  return dut_->fault != 0;
}
unsigned TofuEnd::room(unsigned channel) const {
  return dut_->tx_room >> (7 * channel) & 0x7fU;
}
Beat TofuEnd::wire() const {
  return {words_of(dut_->txd), dut_->txc};
}

std::vector<std::uint32_t> TofuEnd::outputs() const {
  const auto& d = *dut_;
  std::vector<std::uint32_t> all = {
      d.txc,       d.rx_valid,     d.rx_reset,  d.tx_ready,     d.tx_room,
      d.reg_ack,   d.reg_rdata,    d.reg_error, d.attention,    d.fault,
      d.obs_idle,  d.obs_rx_start, d.obs_rx_ok, d.obs_rx_error, d.obs_rx_command_error,
      d.obs_state, d.obs_accept};
  for (std::size_t i = 0; i < 4; ++i) all.push_back(d.txd[i]);
  for (std::size_t i = 0; i < 5; ++i) all.push_back(d.rx_beat[i]);
  return all;
}

void TofuEnd::before_edge(const Beat& in) {
  for (std::size_t i = 0; i < 4; ++i)
    dut_->rxd[i] = static_cast<std::uint32_t>(in.word[i / 2] >> (32 * (i % 2)));
  dut_->rxc = in.control;
  dut_->clk = 0;
  dut_->eval();
}

void TofuEnd::edge(std::uint64_t cycle) {
  awake_ = awake_ || dut_->rst == 0;
  if (!awake_) {
    dut_->clk = 1;
    dut_->eval();
    return;
  }
  tx_taken_ = dut_->tx_valid != 0 && dut_->tx_ready != 0;
  if (tx_taken_) {
    if (tx_index_ == 0) cycle_of[0] = cycle;
    if (++tx_index_ == tx_beats_.size()) {
      tx_index_ = 0;
      tx_beats_.clear();
    }
  }
  if (dut_->txc == 1 && (dut_->txd[0] & 0xffU) == model::tofu::kStart) cycle_of[1] = cycle;
  if (dut_->rx_valid != 0) receive(cycle);
  if (dut_->rx_reset != 0) {
    ++observed.reset;
    for (Channel& c : channels_) {
      c.credit = 0;
      for (Stored& s : c.beats) s.units = 0;
    }
  }
  observe();
  dut_->clk = 1;
  dut_->eval();
}

void TofuEnd::receive(std::uint64_t cycle) {
  const ChipBeat b = chip_beat(dut_->rx_beat);
  REQUIRE(b.sound());
  REQUIRE(b.first == arriving_.empty());
  if (b.first) cycle_of[2] = cycle;
  arriving_.push_back(b);
  const std::uint64_t head = arriving_[0].data[0];
  const auto length = static_cast<unsigned>(head >> 24 & 127U) + 3;
  Channel& c = channels_[head >> 16 & 3U];
  c.beats.push_back({b, 0});
  if (b.first) c.held += length;
  REQUIRE(c.held <= kBufferBeats);
  if (!b.last) return;
  c.held -= length - static_cast<unsigned>(arriving_.size());  // one that broke off
  c.whole = static_cast<unsigned>(c.beats.size());
  if (b.bad) {
    ++bad;
  } else {
    const auto p = TofuPacket::from_chip(arriving_);
    REQUIRE(p);
    REQUIRE_FALSE(p->nullified);
    c.beats.back().units = p->units();
    payload_beats += p->payload.size();
    received.push_back(*p);
  }
  arriving_.clear();
}

void TofuEnd::observe() {
  const auto& d = *dut_;
  if (d.rst != 0) {
    expected_ = {};
    resting_.clear();
    return;
  }
  observe_rest();
  observed.start += d.obs_rx_start;
  observed.ok += d.obs_rx_ok;
  const bool error = (d.obs_rx_error | d.obs_rx_command_error) != 0;
  observed.error += error ? 1 : 0;
  observed.retransmit += d.obs_retransmit;
  observed.accept += d.obs_accept;
  // what was on rxd a cycle ago, or with STAGES two
  const auto& expected = expected_.front();
  if (differences.size() < 4 &&
      (expected.start != (d.obs_rx_start != 0) || expected.ok != (d.obs_rx_ok != 0) ||
       expected.error != error || expected.anomalies.control != (d.obs_rx_command_error != 0))) {
    const auto say = [](bool start, bool ok, bool error) {
      return std::string(start ? "start " : "") + (ok ? "ok " : "") + (error ? "error" : "");
    };
    differences.push_back("beat " + std::to_string(observed.start) + ": expected " +
                          say(expected.start, expected.ok, expected.error) + ", got " +
                          say(d.obs_rx_start, d.obs_rx_ok, error));
  }
  std::rotate(expected_.begin(), expected_.begin() + 1, expected_.end());
  expected_.back() = reader.push({words_of(d.rxd), d.rxc});
}

// Where it says that it is idle, nothing changes as long as inputs do not.
void TofuEnd::observe_rest() {
  const auto& d = *dut_;
  const Beat in{words_of(d.rxd), d.rxc};
  if (in != model::kIdleBeat || d.tx_valid != 0 || d.reg_valid != 0 || d.tx_pause != 0) {
    resting_.clear();
    return;
  }
  const auto router = {d.rx_credit, static_cast<std::uint32_t>(d.rx_free),
                       static_cast<std::uint32_t>(d.rx_free >> 32)};
  const bool as_before =
      !resting_.empty() && std::equal(router.begin(), router.end(), resting_.begin());
  if (!as_before && !idle()) {
    resting_.clear();
    return;
  }
  std::vector<std::uint32_t> now = router;
  for (const std::uint32_t word : outputs()) now.push_back(word);
  if (as_before && now != resting_ && differences.size() < 4)
    differences.push_back("beat " + std::to_string(observed.start) +
                          ": it changed, though it was idle");
  resting_ = idle() ? std::move(now) : std::vector<std::uint32_t>{};
}

// The inputs that the next edge sees.
void TofuEnd::drive(std::uint64_t) {
  auto& d = *dut_;
  if (d.tx_valid == 0 || tx_taken_) {
    tx_taken_ = false;
    d.tx_valid = 0;
    if (tx_index_ == 0 && tx_beats_.empty() && !to_send.empty()) {
      const TofuPacket& p = to_send.front();
      if (!mind_room || room(p.get(header::channel)) >= p.units()) {
        tx_beats_ = p.in_chip();
        to_send.pop_front();
      }
    }
    if (!tx_beats_.empty() && !chance(tx_pause)) {
      ChipBeat b = tx_beats_[tx_index_];
      if (touch) touch(b);
      put(d.tx_beat, b);
      d.tx_valid = 1;
    }
  }
  std::uint32_t credit = 0;
  std::uint64_t free = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Channel& c = channels_[i];
    if (!c.beats.empty() && (!store_forward || c.whole > 0) && chance(drain)) {
      c.credit = (c.credit + c.beats.front().units) % 128;
      c.beats.pop_front();
      --c.held;
      if (c.whole > 0) --c.whole;
    }
    credit |= c.credit << (7 * i);
    free |= std::uint64_t{std::min(kBufferBeats - c.held, 511U)} << (9 * i);
  }
  d.rx_credit = credit;
  d.rx_free = free;
}

TofuPair::TofuPair(unsigned delay, std::uint64_t seed, Idle) : context_(power_on()) {
  for (unsigned i = 0; i < 2; ++i) {
    ends_[i] = std::make_unique<TofuEnd>(context_.get(), 3 + i, seed * 1000003U + i);
    cables_[i] = std::make_unique<BeatCable>(delay, seed * 7919U + i);
  }
}
TofuPair::TofuPair(unsigned delay, std::uint64_t seed) : TofuPair(delay, seed, Idle{}) {
  for (unsigned n = 0; n < 4; ++n) TofuPair::step();
  end_reset();
  for (unsigned n = 0; n < delay + 4; ++n) TofuPair::step();
}
TofuPair::~TofuPair() {
  for (auto& e : ends_) e->dut_->final();
}

void TofuPair::step() {
  std::array<Beat, 2> out{};
  for (std::size_t i = 0; i < 2; ++i) out[i] = edge(i, cables_[1 - i]->pop());
  for (std::size_t i = 0; i < 2; ++i) cables_[i]->push(out[i]);
  count_cycle();
}

Beat TofuPair::edge(std::size_t i, const Beat& in, bool pause) {
  TofuEnd& e = *ends_[i];
  const Beat out = e.wire();
  e.dut_->tx_pause = pause ? 1 : 0;
  e.before_edge(in);
  e.edge(cycle_);
  e.drive(cycle_);
  e.dut_->eval();
  return e.dut_->rst != 0 ? model::kIdleBeat : out;
}

void TofuPair::end_reset() {
  for (auto& e : ends_) e->dut_->rst = 0;
}

void TofuPair::run(std::uint64_t cycles) {
  for (; cycles > 0; --cycles) step();
}

bool TofuPair::run_until(const std::function<bool()>& done, std::uint64_t limit) {
  for (; !done(); --limit) {
    if (limit == 0) return false;
    step();
  }
  return true;
}

std::uint32_t TofuPair::access(int i, bool write, std::uint32_t address, std::uint32_t value,
                               bool* refused) {
  Vtofu_link& d = *end(i).dut_;
  d.reg_valid = 1;
  d.reg_write = write ? 1 : 0;
  d.reg_address = static_cast<unsigned char>(address);
  d.reg_wdata = value;
  const bool answered = run_until([&] { return d.reg_ack != 0; }, 10);
  const std::uint32_t result = d.reg_rdata;
  const bool error = d.reg_error != 0;
  d.reg_valid = 0;
  step();
  INFO((write ? "write" : "read") << " of link register " << address << " at end " << i);
  REQUIRE(answered);
  if (refused != nullptr) {
    *refused = error;
  } else {
    REQUIRE_FALSE(error);
  }
  return result;
}

void TofuPair::identify(int i, unsigned node, unsigned epoch) {
  write(i, tofu::registers::link::node, node);
  write(i, tofu::registers::link::epoch, epoch);
}

void TofuPair::bring_up(unsigned epoch) {
  for (int i = 0; i < 2; ++i) {
    identify(i, 100U + static_cast<unsigned>(i), epoch);
    write(i, tofu::registers::link::control, 1);
  }
  REQUIRE(run_until([&] { return end(0).up() && end(1).up(); }, 3000));
}

void TofuPair::reset(int i) {
  end(i).dut_->rst = 1;
  end(i).channels_ = {};
  end(i).arriving_.clear();
  run(4);
  end(i).dut_->rst = 0;
}

bool TofuPair::finished() const {
  return std::all_of(ends_.begin(), ends_.end(), [](const auto& e) {
    return e->to_send.empty() && e->tx_beats_.empty() && e->idle();
  });
}

TofuPacket random_tofu_packet(std::mt19937_64& random, unsigned beats, unsigned channel) {
  TofuPacket p;
  for (auto& w : p.header) w = random();
  p.header[0] &= ~std::uint64_t{0xffff};
  p.header[3] &= 0xffffffffU;
  p.set(header::beats, beats);
  p.set(header::channel, channel);
  for (; beats > 0; --beats) p.payload.push_back({random(), random()});
  return p;
}

TofuPacket random_tofu_packet(std::mt19937_64& random) {
  const auto beats = random() % 5 == 0 ? 125 : random() % 3 == 0 ? random() % 3 : random() % 126;
  return random_tofu_packet(random, static_cast<unsigned>(beats),
                            static_cast<unsigned>(random() % 4));
}

std::vector<TofuPacket> good_packets(const std::deque<TofuPacket>& packets) {
  std::vector<TofuPacket> good;
  std::copy_if(packets.begin(), packets.end(), std::back_inserter(good),
               [](const TofuPacket& p) { return !p.nullified; });
  return good;
}

void check_delivered(TofuPair& pair, const Sent& sent) {
  for (int i = 0; i < 2; ++i) {
    TofuEnd& e = pair.end(i);
    INFO("at end " << i);
    CHECK(e.received.size() == sent[static_cast<std::size_t>(1 - i)].size());
    CHECK((e.received == sent[static_cast<std::size_t>(1 - i)]));
    CHECK_THAT(e.differences, Catch::Equals(std::vector<std::string>{}));
    CHECK(pair.read(i, reg::rx_checksum) == pair.read(1 - i, reg::tx_checksum));
    for (unsigned c = 0; c < 4; ++c) CHECK(e.room(c) == 64);
    CHECK(pair.read(i, reg::count_accepted) == e.received.size());
    CHECK(pair.read(1 - i, reg::count_sent) >= e.received.size());
    CHECK(pair.read(i, reg::count_code_error) == e.reader.counts().code);
    CHECK(pair.read(i, reg::count_framing_error) == e.reader.counts().framing);
    CHECK(pair.read(i, reg::count_header_error) == e.reader.counts().header);
    CHECK(pair.read(i, reg::count_crc_error) == e.reader.counts().crc);
    CHECK(pair.read(i, reg::count_command_error) >= e.reader.counts().control);
  }
}

}  // namespace ht::test
