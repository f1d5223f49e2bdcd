// SPDX-License-Identifier: Apache-2.0
#include "sim/lane/bundle.hpp"

#include <Vlane_bundle_16_1.h>
#include <Vlane_bundle_16_2.h>
#include <Vlane_bundle_16_4.h>
#include <Vlane_bundle_16_8.h>
#include <Vlane_bundle_1_1.h>
#include <Vlane_bundle_4_1.h>
#include <Vlane_bundle_4_2.h>
#include <Vlane_bundle_4_4.h>
#include <fmt/format.h>

#include "sim/machine/verilated_top.hpp"
#include "sw/host/errors.hpp"
#include "verif/model/lane/lane_wire_fields.hpp"

namespace ht::sim::lanes {
namespace {

// Ports of up to 64 bits, and wider ones.
template <typename T>
std::uint32_t part(const T& port, unsigned i) {
  return static_cast<std::uint32_t>(std::uint64_t{port} >> 32 * i);
}
template <std::size_t N>
std::uint32_t part(const VlWide<N>& port, unsigned i) {
  return port[i];
}
template <typename T>
void set_part(T& port, unsigned i, std::uint32_t value) {
  if (i == 0) port = 0;
  port = static_cast<T>(port | static_cast<T>(std::uint64_t{value} << 32 * i));
}
template <std::size_t N>
void set_part(VlWide<N>& port, unsigned i, std::uint32_t value) {
  port[i] = value;
}

template <typename V, unsigned Bytes, unsigned Lanes>
class Verilated final : public Bundle {
 public:
  explicit Verilated(std::optional<std::uint32_t> state) : dut_("lanes", state) {}
  unsigned bytes() const override { return Bytes; }
  unsigned lanes() const override { return Lanes; }

  void eval(bool clk, const BundleInputs& in) override {
    dut_->clk = clk;
    dut_->rst = in.rst;
    dut_->en = in.en;
    dut_->loopback_near = in.loopback_near;
    dut_->loopback_far = in.loopback_far;
    dut_->prbs = in.prbs;
    dut_->prbs31 = in.prbs31;
    for (unsigned i = 0; i < kDataParts; ++i) {
      std::uint32_t value = 0;
      for (unsigned b = 0; b < 4; ++b) value |= std::uint32_t{in.tx.data[4 * i + b]} << 8 * b;
      set_part(dut_->tx_data, i, Bytes < 4 ? value & ((1U << 8 * (Bytes % 4)) - 1) : value);
    }
    set_part(dut_->tx_control, 0, in.tx.control);
    set_part(dut_->rx_clk, 0, in.rx_clk);
    set_part(dut_->phy_rx_valid, 0, in.rx_valid);
    set_part(dut_->phy_rx_signal, 0, in.rx_signal);
    for (unsigned i = 0; i < kLineParts; ++i) set_part(dut_->phy_rx, i, in.rx[i]);
    dut_->eval();
  }

  BundleOutputs outputs() const override {
    BundleOutputs out;
    out.tx_pause = dut_->tx_pause != 0;
    out.rx_strobe = dut_->rx_strobe != 0;
    out.up = dut_->up != 0;
    out.local_fault = dut_->local_fault != 0;
    out.remote_fault = dut_->remote_fault != 0;
    out.deskewed = dut_->deskewed != 0;
    out.late = dut_->late != 0;
    out.added = dut_->event_added != 0;
    out.dropped = dut_->event_dropped != 0;
    out.lost = dut_->event_lost != 0;
    out.rx.control = part(dut_->rx_control, 0);
    for (unsigned i = 0; i < Bytes; ++i) {
      out.rx.data[i] = static_cast<std::uint8_t>(part(dut_->rx_data, i / 4) >> 8 * (i % 4));
    }
    for (unsigned i = 0; i < kLineParts; ++i) out.tx[i] = part(dut_->phy_tx, i);
    out.signal = part(dut_->lane_signal, 0);
    out.synced = part(dut_->lane_synced, 0);
    out.mismatch = part(dut_->lane_mismatch, 0);
    out.prbs_locked = part(dut_->prbs_locked, 0);
    out.bad = part(dut_->event_bad, 0);
    for (unsigned i = 0; i < Lanes; ++i) {
      out.prbs_errors[i] =
          static_cast<std::uint16_t>(part(dut_->prbs_errors, i / 2) >> 16 * (i % 2));
    }
    return out;
  }

 private:
  static constexpr unsigned kDataParts = (Bytes + 3) / 4, kLineParts = (10 * Bytes + 31) / 32;
  machine::VerilatedTop<V> dut_;
};

}  // namespace

Word idle_word(unsigned bytes) {
  Word word;
  for (unsigned i = 0; i < bytes; ++i) word.data[i] = model::lane::wire::port::kIdle;
  word.control = (1U << bytes) - 1;
  return word;
}

Word error_word(unsigned bytes) {
  Word word = idle_word(bytes);
  for (unsigned i = 0; i < bytes; ++i) word.data[i] = model::lane::wire::port::kError;
  return word;
}

std::string text(const Word& word, unsigned bytes) {
  std::string out;
  for (unsigned i = 0; i < bytes; ++i) {
    out += fmt::format("{}{:02x} ", ((word.control >> i) & 1U) != 0 ? "K" : "", word.data[i]);
  }
  return out;
}

std::unique_ptr<Bundle> make_bundle(Shape shape, std::optional<std::uint32_t> state) {
  const auto is = [&](unsigned bytes, unsigned lanes) {
    return shape.bytes == bytes && shape.lanes == lanes;
  };
  if (is(1, 1)) return std::make_unique<Verilated<Vlane_bundle_1_1, 1, 1>>(state);
  if (is(4, 1)) return std::make_unique<Verilated<Vlane_bundle_4_1, 4, 1>>(state);
  if (is(4, 2)) return std::make_unique<Verilated<Vlane_bundle_4_2, 4, 2>>(state);
  if (is(4, 4)) return std::make_unique<Verilated<Vlane_bundle_4_4, 4, 4>>(state);
  if (is(16, 1)) return std::make_unique<Verilated<Vlane_bundle_16_1, 16, 1>>(state);
  if (is(16, 2)) return std::make_unique<Verilated<Vlane_bundle_16_2, 16, 2>>(state);
  if (is(16, 4)) return std::make_unique<Verilated<Vlane_bundle_16_4, 16, 4>>(state);
  if (is(16, 8)) return std::make_unique<Verilated<Vlane_bundle_16_8, 16, 8>>(state);
  throw UsageError(fmt::format("words of {} bytes on {} lanes: no bundle of this shape is built",
                               shape.bytes, shape.lanes));
}

}  // namespace ht::sim::lanes
