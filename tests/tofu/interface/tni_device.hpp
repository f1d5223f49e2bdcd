// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "verif/model/tofu/wire.hpp"

class Vtofu_tni_top;
class VerilatedContext;

namespace ht::test {

/// A register access, and what came of it.
struct TniRegisterAccess {
  bool write = false;
  unsigned address = 0;
  std::uint32_t value = 0;
  std::function<void(std::uint32_t value, bool refused)> then;  ///< or nothing
};

/// A Verilated network interface with its register bus, its ports to the router and its node's
/// memory, which others may share.
class TniDevice {
 public:
  using Beats = std::vector<model::tofu::ChipBeat>;
  static constexpr std::size_t kRequest = 0, kResponse = 1;

  /// The memory must live as long as this.
  TniDevice(VerilatedContext* context, std::uint32_t coordinates, unsigned number,
            std::span<std::byte> memory, std::uint64_t seed = 1);
  ~TniDevice();
  TniDevice(const TniDevice&) = delete;

  const std::uint32_t coordinates;
  const unsigned number;
  std::deque<TniRegisterAccess> accesses;       ///< one after the other
  std::array<std::deque<Beats>, 2> in;          ///< packets that are to arrive, by class
  std::array<std::deque<Beats>, 2> out;         ///< packets that left, by class
  std::function<void(const Beats&)> on_packet;  ///< or what to do with one that leaves

  // How it is disturbed: cycles of 16
  unsigned router_stalls = 0;  ///< in which the router takes nothing
  unsigned memory_stalls = 0;  ///< in which memory takes nothing
  unsigned gaps = 0;           ///< in which no beat arrives
  unsigned write_latency = 0;  ///< up to so many cycles from a write's taking until it is in memory
  unsigned read_latency = 1;   ///< cycles from a read to its data, at least
  unsigned read_jitter = 0;    ///< and up to so many more
  bool skip_idle = false;      ///< leave out cycles in which nothing can happen
  bool memory_stopped = false;  ///< it has refused something, and takes nothing any more
  bool looks = false;           ///< in the next cycle: asks whether what is in hand was taken

  // What was seen
  bool seen = true;  ///< what was asked by `looks` is so
  std::uint64_t cycle = 0, skips = 0;
  std::uint64_t reads = 0, writes = 0;              ///< of 16 bytes
  std::uint64_t last_in = 0;                        ///< cycle in which a packet's last beat came in
  std::array<std::vector<std::uint64_t>, 2> began;  ///< cycles of first beats out, by class
  unsigned unstable = 0;  ///< requests that changed or went before they were taken
  unsigned refused = 0;   ///< accesses that nobody asks about
  std::function<void(std::uint64_t address)> on_write, on_read;  ///< byte address

  void step();
  /// Resets the hardware in the next cycles: what it had under way is gone, registers as well.
  void reset();
  bool quiet() const;
  bool attention() const;
  bool fault() const;
  /// obs_period: 31 if no time limit runs.
  unsigned period() const;

 private:
  struct Answer {
    std::uint64_t due;
    model::tofu::Bytes16 data;
  };
  /// A write that memory has taken, and whether a mark is behind it.
  struct Write {
    std::uint64_t due, address;
    std::uint32_t strobe;
    std::array<std::byte, 16> bytes;
    bool marked;
  };
  /// What a port asked for and did not get: it must ask the same again.
  template <class Now>
  void watch(std::optional<Now>& before, bool valid, bool ready, const Now& now);
  bool sometimes(unsigned of_16);
  void arrive();
  void memory_ports();
  void deposit(const Write& write, std::span<std::byte> to) const;
  void deposit_due();
  void leave();

  std::unique_ptr<Vtofu_tni_top> dut_;
  std::uint64_t reset_until_ = 2;  ///< cycle
  std::span<std::byte> memory_;
  std::minstd_rand random_;
  std::deque<Answer> answers_;
  std::deque<Write> writes_;  ///< on their way
  std::array<Beats, 2> packet_;
  std::optional<std::size_t> arriving_;  ///< class of the packet that is half there
  std::size_t arrived_ = 0;              ///< beats of it
  using Port = std::array<std::uint64_t, 4>;
  std::array<std::optional<Port>, 4> before_;
};

}  // namespace ht::test
