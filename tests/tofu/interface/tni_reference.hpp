// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "tests/tofu/interface/tni_device.hpp"
#include "verif/model/tofu/tni.hpp"

class VerilatedContext;

namespace ht::test {

/// A Verilated network interface and the reference of one, told the same, with another node beside
/// them that is the reference's. Memory has an area for each use, so that what happens at once
/// gives the same in any order.
class TniInStep {
  std::unique_ptr<VerilatedContext> context_;  // outlives the device

 public:
  explicit TniInStep(std::uint64_t seed);
  ~TniInStep();

  /// Something, and what both make of it. Fails the test where they differ.
  void event();
  /// Until nothing is under way.
  void finish();

  struct Seen {
    std::array<unsigned, 16> completions{}, notices{};  ///< by cause
    std::array<unsigned, 9> errors{};                   ///< bits of ERROR
    std::array<unsigned, 2> sent{};                     ///< packets, by class
    Seen& operator+=(const Seen& other);
  };
  Seen seen;

 private:
  using Frame = model::tofu::Packet;
  /// A ring as software reads it.
  struct Ring {
    std::uint64_t base = 0;
    unsigned log2 = 0, bytes = 0;
    std::uint16_t count = 0;
    /// Cause of the next entry; -1 if there is none.
    int next(const std::vector<std::byte>& memory);
  };

  std::uint32_t below(std::uint32_t n) {
    return n == 0 ? 0 : static_cast<std::uint32_t>(random_() % n);
  }
  bool chance(unsigned of_16) { return random_() % 16 < of_16; }

  void write(unsigned address, std::uint32_t value);
  void read(unsigned address);
  void open(unsigned queue);
  void settle();
  void compare();
  void compare_ring(Ring& ring, unsigned queue);
  void compare_packets(std::size_t kind);

  model::TniCommand command(bool ours);
  void commands();
  void peer_commands();
  void deliver();
  bool commands_wait();
  void arrive();
  Frame for_device(Frame frame) const;
  void to_both(const Frame& frame);
  Frame forged();
  void acknowledge(unsigned queue);
  void peer_acknowledge();
  void registers();
  void tags();
  void queues();
  void switch_on();
  bool waits(unsigned queue);
  void make_room();

  std::mt19937_64 random_;
  std::vector<std::byte> memory_, reference_memory_, peer_memory_;
  TniDevice device_;
  model::TniInterface reference_;
  model::TofuTni peer_;
  std::array<std::deque<Frame>, 2> to_peer_, from_peer_;  ///< by class
  std::array<bool, 8> open_{};
  std::array<std::uint16_t, 8> produced_{};
  std::array<std::array<Ring, 8>, 2> rings_, compared_;  ///< completions, notices
  std::array<std::uint32_t, 16> numbers_{};  ///< the device's, of the reference's messages
  unsigned forgeries_ = 0;                   ///< in this event
  bool first_ = true;                        ///< ERROR_INFO is of what ERROR says
  struct PeerQueue {
    std::uint16_t produced = 0;
    std::array<Ring, 2> rings;
  };
  std::array<std::array<PeerQueue, 2>, 4> peer_queues_;
};

}  // namespace ht::test
