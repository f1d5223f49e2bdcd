// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/io/io_harness.hpp"

namespace ht::test {

/// What software does for qpace_gmac: rings of 2^log2 descriptors in the harness's memory, a buffer
/// of 9216 bytes for each. Transmit ring at 0x1000, receive ring at 0x2000.
class GmacHost {
 public:
  static constexpr std::uint64_t tx_ring = 0x1000, rx_ring = 0x2000;
  static constexpr std::uint64_t tx_buffers = 0x10000, rx_buffers = 0x200000, buffer_bytes = 9216;
  static constexpr std::uint64_t own_address = 0x665544332202;  // 02:22:33:44:55:66

  GmacHost(IoHarness& h, unsigned log2) : h_(h), count_(1U << log2) {
    namespace g = ht::qpace::registers::gmac;
    h.write(g::address_low(0), static_cast<std::uint32_t>(own_address));
    h.write(g::address_high(0), static_cast<std::uint32_t>(own_address >> 32));
    h.write(g::tx_size(0), log2);
    h.write(g::rx_size(0), log2);
    h.write(g::tx_base(0), tx_ring / 128);
    h.write(g::rx_base(0), rx_ring / 128);
    h.write(g::control(0), g::control_tx_enable.mask | g::control_rx_enable.mask);
    h.run(20);  // until the receiver knows
  }

  /// Puts a frame, without check sequence, into the next descriptor; tail() tells the hardware.
  void send(const Bytes& frame, bool own = true) {
    const std::uint64_t at = tx_buffers + buffer_bytes * (tx_tail % count_);
    std::copy(frame.begin(), frame.end(), &h_.memory[at]);
    descriptor(tx_ring, tx_tail % count_, at, frame.size(), own);
    ++tx_tail;
  }
  void tx_go() { h_.write(ht::qpace::registers::gmac::tx_tail(0), tx_tail % count_); }
  /// Gives the next `n` receive descriptors to the hardware.
  void give(unsigned n, bool own = true) {
    for (unsigned i = 0; i < n; ++i, ++rx_tail)
      descriptor(rx_ring, rx_tail % count_, rx_buffers + buffer_bytes * (rx_tail % count_), 0, own);
    h_.write(ht::qpace::registers::gmac::rx_tail(0), rx_tail % count_);
  }
  std::uint32_t word1(std::uint64_t ring, unsigned index) const {
    std::uint32_t w = 0;
    std::memcpy(&w, &h_.memory[ring + 16 * (index % count_) + 4], 4);
    return w;
  }
  bool ready(unsigned index) const { return (word1(rx_ring, index) >> 31) == 0; }
  /// The frame in receive buffer `index`, without check sequence.
  Bytes frame(unsigned index) const {
    const std::size_t n = word1(rx_ring, index) & 0x3FFF;
    const auto at = static_cast<std::ptrdiff_t>(rx_buffers + buffer_bytes * (index % count_));
    return {h_.memory.begin() + at, h_.memory.begin() + at + static_cast<std::ptrdiff_t>(n)};
  }
  std::uint32_t count(std::uint32_t address) { return h_.read(address); }

  unsigned tx_tail = 0, rx_tail = 0;

 private:
  void descriptor(std::uint64_t ring, unsigned index, std::uint64_t buffer, std::size_t bytes,
                  bool own) {
    const std::uint32_t words[4] = {static_cast<std::uint32_t>(buffer / 128),
                                    static_cast<std::uint32_t>(bytes) | (own ? 1U << 31 : 0), 0, 0};
    std::memcpy(&h_.memory[ring + 16 * index], words, 16);
  }

  IoHarness& h_;
  unsigned count_;
};

/// Without its check sequence.
inline Bytes bare(Bytes frame) {
  frame.resize(frame.size() - 4);
  return frame;
}

}  // namespace ht::test
