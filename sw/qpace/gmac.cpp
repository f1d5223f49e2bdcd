// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/gmac.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sw/host/errors.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace regs = registers::gmac;

constexpr unsigned ring_log2 = regs::min_ring_log2, ring = 1U << ring_log2;
constexpr std::size_t line = 128, ring_bytes = 16 * ring;
constexpr std::size_t max_frame = 9018, buffer_bytes = (max_frame + line - 1) / line * line;
constexpr std::uint32_t own = 1U << 31, bad = 1U << 30;
constexpr std::uint32_t length_mask = 0x3FFF;
/// How often a waiting program looks at a descriptor in memory: our assumption.
constexpr Picoseconds poll_time = 500'000;

std::uint32_t load(const std::byte* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}
void store(std::byte* at, std::uint32_t word) {
  std::memcpy(at, &word, sizeof word);
}

}  // namespace

Gmac::Gmac(host::HardwarePort& port, const net::MacAddress& address) : port_(port) {
  auto& memory = port_.memory();
  rings_ = static_cast<std::byte*>(memory.allocate(2 * ring_bytes, line));
  buffers_ = static_cast<std::byte*>(memory.allocate((1 + ring) * buffer_bytes, line));
  std::memset(rings_, 0, 2 * ring_bytes);
  const auto lines = [&](const std::byte* at) {
    return static_cast<std::uint32_t>(*memory.offset_of(at) / line);
  };
  std::uint32_t low = 0, high = 0;
  for (std::size_t i = 0; i < 4; ++i) low |= static_cast<std::uint32_t>(address[i]) << (8 * i);
  for (std::size_t i = 4; i < 6; ++i)
    high |= static_cast<std::uint32_t>(address[i]) << (8 * (i - 4));
  port_.write_register(regs::control(0), 0);
  port_.write_register(regs::address_low(0), low);
  port_.write_register(regs::address_high(0), high);
  port_.write_register(regs::max_frame(0), max_frame);
  port_.write_register(regs::error(0), ~std::uint32_t{0});
  port_.write_register(regs::interrupt_enable(0), 0);
  port_.write_register(regs::tx_size(0), ring_log2);
  port_.write_register(regs::rx_size(0), ring_log2);
  port_.write_register(regs::tx_base(0), lines(rings_));
  port_.write_register(regs::rx_base(0), lines(rings_ + ring_bytes));
  for (unsigned i = 0; i + 1 < ring; ++i) give_buffer(i);
  port_.write_register(regs::rx_tail(0), ring - 1);
  port_.write_register(regs::control(0),
                       regs::control_tx_enable.mask | regs::control_rx_enable.mask);
}

Gmac::~Gmac() {
  // Without close() the hardware may still write: then its memory is left alone.
  if (open_) return;
  port_.memory().release(rings_);
  port_.memory().release(buffers_);
}

std::uint32_t Gmac::damaged_frames() {
  return port_.read_register(regs::count_rx_fcs(0)) + port_.read_register(regs::count_rx_runt(0)) +
         port_.read_register(regs::count_rx_false(0));
}

void Gmac::close() {
  if (!open_) return;
  port_.write_register(regs::control(0), 0);
  while (port_.read_register(regs::status(0)) != 0) port_.advance(poll_time);
  open_ = false;
}

std::byte* Gmac::descriptor(bool transmit, unsigned index) const {
  return rings_ + (transmit ? 0 : ring_bytes) + 16 * std::size_t{index % ring};
}

void Gmac::give_buffer(unsigned index) {
  std::byte* const d = descriptor(false, index);
  const std::byte* buffer = buffers_ + (1 + std::size_t{index % ring}) * buffer_bytes;
  store(d, static_cast<std::uint32_t>(*port_.memory().offset_of(buffer) / line));
  store(d + 4, own);
}

void Gmac::send(std::span<const std::uint8_t> frame) {
  if (frame.empty() || frame.size() > max_frame - 4)
    throw UsageError(
        fmt::format("a frame of {} bytes; Ethernet takes 1 to {}", frame.size(), max_frame - 4));
  std::byte* const d = descriptor(true, tx_next_);
  std::memcpy(buffers_, frame.data(), frame.size());
  store(d, static_cast<std::uint32_t>(*port_.memory().offset_of(buffers_) / line));
  store(d + 4, own | static_cast<std::uint32_t>(frame.size()));
  ++tx_next_;
  port_.write_register(regs::tx_tail(0), tx_next_ % ring);
  while ((load(d + 4) & own) != 0) port_.advance(poll_time);
  if ((load(d + 4) & bad) != 0) check_hardware();
}

std::optional<net::Bytes> Gmac::receive(Picoseconds deadline) {
  std::byte* const d = descriptor(false, rx_next_);
  while ((load(d + 4) & own) != 0) {
    if (port_.now() >= deadline) {
      check_hardware();
      return std::nullopt;
    }
    port_.pause(poll_time);
  }
  const std::size_t bytes = load(d + 4) & length_mask;
  const auto* data = reinterpret_cast<const std::uint8_t*>(
      buffers_ + (1 + std::size_t{rx_next_ % ring}) * buffer_bytes);
  net::Bytes frame(data, data + bytes);
  // One descriptor is always kept: a ring that is all the hardware's looks like an empty one.
  give_buffer(rx_next_ + ring - 1);
  ++rx_next_;
  port_.write_register(regs::rx_tail(0), (rx_next_ + ring - 1) % ring);
  return frame;
}

// Underruns and overruns are lost frames; the rest cannot happen unless we are wrong.
void Gmac::check_hardware() {
  const std::uint32_t error = port_.read_register(regs::error(0));
  if (error == 0) return;
  port_.write_register(regs::error(0), error);
  const std::uint32_t lost = regs::error_tx_underrun.mask | regs::error_rx_overrun.mask;
  if ((error & ~lost) == 0) return;
  std::string text;
  for (const registers::Cause& c : regs::error_causes) {
    if ((error & ~lost & c.field.mask) != 0) text += std::string(c.doc) + " ";
  }
  throw HardwareError(fmt::format("Ethernet: {}(register ERROR {:#x})", text, error));
}

}  // namespace ht::qpace
