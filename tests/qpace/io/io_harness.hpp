// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class Vqpace_io;
class VerilatedContext;

namespace ht::test {

using Bytes = std::vector<std::uint8_t>;

/// A frame as it stood on the transmit side of RGMII.
struct WireFrame {
  std::int64_t start = 0;  ///< io_clk cycle of its first nibble
  std::int64_t end = 0;    ///< cycle after its last
  std::vector<std::uint8_t> nibbles;

  /// What follows the start delimiter, check sequence included; throws if there is no good preamble
  /// or half a byte.
  Bytes bytes() const;
};

struct IoReply {
  std::uint32_t value = 0;
  bool refused = false;
};

/// One Verilated qpace_io: register access, memory that answers late, both sides of RGMII, and the
/// lines of the serial ports. Times are cycles of io_clk (4 ns); clk is 4.8 ns, eth_rx_clk 4 ns
/// with a phase.
class IoHarness {
 public:
  explicit IoHarness(int rx_phase = 1000);
  ~IoHarness();

  void step();  ///< to the next edge of any clock
  void run(std::int64_t cycles);
  void run_until(const std::function<bool()>& done, std::int64_t cycles, const std::string& what);
  std::int64_t cycle() const { return io_cycles_; }

  IoReply access(bool write, std::uint32_t address, std::uint32_t value = 0);
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);

  // Memory: 16-byte words; the line and word numbers of the port count from 0.
  Bytes memory = Bytes(std::size_t{4} << 20);
  int read_latency = 625;  ///< cycles from a line's request to its first beat: 2.5 us
  std::function<bool()> write_ready = [] { return true; };
  std::function<bool()> read_ready = [] { return true; };
  /// Whether the next beat of a line comes, which is that number of eight.
  std::function<bool(int)> data_ready = [](int) { return true; };
  std::vector<std::uint64_t> descriptors_written;  ///< byte addresses, in order

  // RGMII
  std::vector<WireFrame> sent;
  bool loopback = false;             ///< what is sent is received
  std::deque<std::uint8_t> receive;  ///< nibbles for the receive side; bit 4: valid. Empty: quiet.
  std::vector<std::int64_t> rx_starts, rx_oks, rx_errors;  ///< eth_rx_clk cycles of the pulses
  std::int64_t rx_cycle() const { return rx_cycles_; }
  /// Queues a frame with preamble; `bytes` has its check sequence; then `gap` quiet nibbles.
  void queue(const Bytes& bytes, int gap = 24);

  // Serial lines
  std::array<std::vector<std::uint8_t>, 2> line;  ///< txd after every io_clk edge
  void set_rxd(int port, bool level);
  unsigned irq() const;
  bool idle() const;

 private:
  void io_edge_before();
  void io_edge_after();
  void rx_edge_after();

  struct Line {
    std::int64_t due;
    std::uint64_t address;
  };
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vqpace_io> top_;
  int rx_phase_;
  std::int64_t core_cycles_ = 0, io_cycles_ = 0, rx_cycles_ = 0;
  /// A request on the memory port that was not taken: it must stand.
  struct Offer {
    bool waits = false;
    std::uint64_t place = 0;
    std::array<std::uint32_t, 4> data{};
    bool last = false;
    bool operator==(const Offer&) const = default;
  };
  static void check_offer(Offer& before, bool valid, bool ready, Offer now, const char* what);
  Offer read_offer_, write_offer_;
  std::deque<Line> lines_;
  int beat_ = 0;
  bool in_frame_ = false;
  bool acked_ = false;
  IoReply reply_;
};

/// The frame with its check sequence (CRC-32 by zlib), padded with zeros to 64 bytes.
Bytes with_fcs(Bytes frame);
/// A frame to `to` of `length` bytes in all, check sequence included, filled from `seed`.
Bytes make_frame(std::uint64_t to, std::size_t length, unsigned seed);

}  // namespace ht::test
