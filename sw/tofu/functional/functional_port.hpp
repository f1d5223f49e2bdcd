// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <deque>
#include <exception>
#include <memory>
#include <string>

#include "sw/host/fibre.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/tofu/functional/functional_gates.hpp"
#include "sw/tofu/functional/functional_interfaces.hpp"
#include "sw/tofu/links.hpp"

namespace ht::tofu {

/// A node without hardware: its program, memory, clock, and what is behind its registers. Links are
/// up as soon as both ends are enabled, and lose nothing.
class FunctionalPort final : public host::HardwarePort {
 public:
  FunctionalPort(FunctionalNetwork& network, std::size_t node);

  Picoseconds now() const override { return now_; }
  void advance(Picoseconds duration) override;
  void wait(std::string_view what) override;
  std::uint32_t read_register(std::uint32_t address) override;
  void write_register(std::uint32_t address, std::uint32_t value) override;
  bool interrupt() const override;
  host::NodeMemory& memory() override { return memory_; }

  bool link_enabled(int link) const { return enabled_[static_cast<std::size_t>(link)]; }
  /// Something comes to this node.
  void happen(const FunctionalEvent& event);
  bool can_go_on() const;

  std::unique_ptr<host::Fibre> fibre;
  std::exception_ptr failure;  ///< what its program threw
  std::string waiting_for;
  std::uint64_t accesses = 0;

 private:
  void turn(std::string_view what);
  void enter();
  void wake(Picoseconds when);
  /// The barrier interface that has this register, or null.
  FunctionalGates* gates_at(std::uint32_t address, std::uint32_t& offset);
  std::uint32_t read_link(std::uint32_t address) const;
  void write_link(std::uint32_t address, std::uint32_t value);

  FunctionalNetwork& network_;
  Coordinates here_;
  host::NodeMemory memory_;
  std::deque<FunctionalGates> gates_;  ///< of each barrier interface
  mutable FunctionalInterfaces
      interfaces_;  // whose registers are only read by calls that may write
  std::array<bool, links_per_node> enabled_{};
  Picoseconds now_ = 0;
  bool event_ = false, blocked_ = false;
};

}  // namespace ht::tofu
