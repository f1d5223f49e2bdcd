// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/qmp/capabilities.hpp"

namespace ht::qpace {

/// Packets of a line of 128 bytes between neighbours, on a virtual channel of their own. A line
/// begins with the number of packets its sender has taken from its receiver, modulo 2^32, and the
/// length of the packet; lines of length 0 only carry that number. A neighbour may have `window`
/// packets that were not taken, and each is reported by one line at most: all of them find room in
/// the channel's receive buffer, so that they never keep a link from other channels, whether the
/// processor looks or not.
class PacketLines final : public qmp::PacketPort {
 public:
  static constexpr std::uint32_t window = 4;          ///< packets not taken
  static constexpr std::uint32_t lines = 2 * window;  ///< with those that only report them
  static constexpr std::uint32_t credits = 4;         ///< what a channel's queue takes

  struct Registers {
    std::function<void(std::uint32_t address, std::uint32_t value)> write;
    /// Credits of the link's packet channel that are complete, modulo 2^32.
    std::function<std::uint32_t(int link)> completed;
  };
  PacketLines(host::HardwarePort& port, Registers registers, Picoseconds start_cost);

  /// Posts a receive on a link, and more when something comes; again, after they were cancelled:
  /// what was under way is forgotten.
  void open(int link);
  bool is_open(int link) const { return links_[static_cast<std::size_t>(link)].open; }
  void close(int link) { at(link).open = false; }

  std::size_t packet_bytes() const override;
  bool try_send(qmp::Direction way, std::span<const std::byte> packet) override;
  std::size_t try_receive(qmp::Direction from, std::span<std::byte> packet) override;
  void flush() override;

 private:
  struct Link {
    bool open = false;
    std::byte* memory = nullptr;        ///< `credits` lines that receive, `lines` that send
    std::uint32_t base = 0;             ///< credits that were complete when it was opened
    std::uint32_t posted = 0;           ///< credits since then
    std::uint32_t received = 0;         ///< lines of all kinds, looked at
    std::uint32_t taken = 0, told = 0;  ///< packets, and of how many the neighbour knows
    std::uint32_t written = 0;          ///< lines of all kinds
    std::uint32_t sent = 0, taken_there = 0;
    std::array<std::uint64_t, lines> tickets{};
    std::deque<std::vector<std::byte>> waiting;  ///< packets that came and were not taken
  };

  Link& at(int link) { return links_[static_cast<std::size_t>(link)]; }
  void post(int link);
  void look(int link);
  bool can_write(int link);
  void write(int link, std::span<const std::byte> packet);

  host::HardwarePort& port_;
  Registers registers_;
  Picoseconds start_cost_;
  std::array<Link, 6> links_;
};

}  // namespace ht::qpace
