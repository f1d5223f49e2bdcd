// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "sim/machine/serial_console.hpp"
#include "sim/qpace/cable.hpp"
#include "sw/host/memory.hpp"

class Vqpace_nwp;

namespace ht::machine {

/// What is around a node's serial ports and Ethernet interface: the clocks io_clk and eth_rx_clk,
/// the Ethernet cable's plugs, the memory behind the interface's DMA, the console at serial port 0.
///
/// Both clocks have the edges of link_clk, and stand still while the devices are at rest: nodes
/// that use none of this pay nothing for it.
class NwpDevices {
 public:
  /// Times of the processor's link, as in NwpNodeOptions; cycles a bit of the serial console.
  struct Options {
    Picoseconds read_latency = 2'500'000;
    Picoseconds report_latency = 1'250'000;  ///< a descriptor's, until software can see it
    int console_bit_cycles = 16;
  };

  NwpDevices(Vqpace_nwp& top, host::NodeMemory& memory, int rank, const Options& options);

  void connect(sim::EthernetCable& out, sim::EthernetCable& in);

  /// Edge number `edge` of the clocks is next, at time `now`, with inputs to be set before it: true
  /// if the clocks turn.
  bool before_edge(std::int64_t edge, Picoseconds now, bool reset);
  /// After the edge, if they did. True if something happened that a waiting program may wait for.
  bool after_edge(std::int64_t edge, Picoseconds now);

  /// A register of theirs is about to be accessed.
  void wake() { quiet_edges_ = 0; }
  /// The devices are at rest, their clocks stand.
  bool asleep() const { return quiet_edges_ >= settle_edges && !pending(); }
  /// Edge number of the next nibble that arrives, or nothing.
  std::optional<std::int64_t> next_edge() const {
    return in_ == nullptr ? std::nullopt : in_->next_edge();
  }

  /// What is on its way to memory by `now` gets there; true if something did. Its next time.
  bool deliver(Picoseconds now);
  Picoseconds next_report() const { return reports_.empty() ? sim::kNever : reports_.front().due; }

  bool interrupt() const;
  std::uint64_t frames() const { return frames_; }  ///< descriptors given back: progress
  std::uint64_t edges() const { return edges_; }    ///< of both clocks
  SerialConsole& console() { return console_; }

 private:
  // What crosses between clocks inside has arrived after that many.
  static constexpr int settle_edges = 24;
  struct Read {
    Picoseconds due;
    std::uint64_t offset;
  };
  struct Report {
    Picoseconds due;
    std::uint64_t offset;
    std::array<std::uint32_t, 4> data;
  };

  bool pending() const { return !reads_.empty() || console_.busy(); }
  void take_memory_requests(Picoseconds now);
  void check(std::uint64_t offset, std::uint64_t bytes) const;

  Vqpace_nwp& top_;
  host::NodeMemory& memory_;
  int rank_;
  Options options_;
  sim::EthernetCable* out_ = nullptr;
  sim::EthernetCable* in_ = nullptr;
  SerialConsole console_;
  int quiet_edges_ = 0;
  std::deque<Read> reads_;
  int beat_ = 0;
  std::deque<Report> reports_;
  std::uint64_t frames_ = 0, edges_ = 0;
};

}  // namespace ht::machine
