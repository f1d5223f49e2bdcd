// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/tofu/functional/functional_network.hpp"

namespace ht::tofu {

class FunctionalPort;

/// A machine of Tofu nodes without any hardware: the reference models of the barrier gates and of
/// the network interfaces behind a HardwarePort for each node, and their programs as fibres that
/// take turns on the calling thread.
class FunctionalTofu final : private FunctionalNetwork {
 public:
  using Program = std::function<void(int node, host::HardwarePort& port)>;

  /// Throws UsageError for a shape that cannot be, or a failed node outside of it.
  explicit FunctionalTofu(const Shape& shape, FunctionalTofuOptions options = {});
  ~FunctionalTofu() override;

  const Shape& shape() const override { return shape_; }
  host::HardwarePort& port(int node);
  std::uint64_t register_accesses(int node) const;

  /// Runs a program on every node that has not failed until all have ended, and nothing is under
  /// way any more. If programs throw, the others get one more turn; then what the first of them, by
  /// number, threw is thrown here. Throws TimeoutError, naming who waits for what, when nothing
  /// moves any more.
  void run(const Program& program);

  /// Simulated time of the node that is farthest.
  Picoseconds elapsed() const;

  /// Look at a packet as it is sent, and may change it; false loses it.
  std::function<bool(model::GatePacket&)> tamper;
  std::function<bool(model::TniPacket&)> tamper_interface;
  /// Packets of network interfaces that were sent since the beginning.
  std::uint64_t packets() const { return packets_; }

 private:
  using Event = FunctionalEvent;
  const FunctionalTofuOptions& options() const override { return options_; }
  bool link_enabled(const Coordinates& node, int link) const override;
  std::optional<int> hops(std::uint32_t from, std::uint32_t to, std::uint32_t path) const override;
  bool leaves(model::GatePacket& packet) override { return !tamper || tamper(packet); }
  bool leaves(model::TniPacket& packet) override;
  void post(Event event) override;
  void begin(const Program& program);
  void resume(FunctionalPort& node);
  FunctionalPort* earliest(const std::vector<FunctionalPort*>& ready) const;
  std::size_t pick(std::size_t event) const;
  [[noreturn]] void give_up();

  /// Turns of programs in which nothing happened.
  struct InVain {
    std::int64_t turns = 0;
    std::clock_t since = 0;  ///< from the first look at the clock on
  };
  bool too_long(InVain& in_vain, std::size_t ready) const;

  Shape shape_;
  FunctionalTofuOptions options_;
  std::vector<std::unique_ptr<FunctionalPort>> nodes_;
  std::vector<Event> events_;  ///< a heap by time, unless shuffled
  std::uint64_t posted_ = 0, packets_ = 0;
};

}  // namespace ht::tofu
