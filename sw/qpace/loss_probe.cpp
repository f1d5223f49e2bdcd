// SPDX-License-Identifier: Apache-2.0
#include "sw/qpace/loss_probe.hpp"

#include "sw/qpace/driver.hpp"
#include "sw/qpace/driver_layout.hpp"
#include "sw/qpace/registers.hpp"

namespace ht::qpace {
namespace {

namespace nwp = registers::nwp;
namespace link_regs = registers::link;

constexpr std::uint32_t is_link = 0x8000;
constexpr int most_nodes = 1 << 12;

}  // namespace

std::uint32_t LossProbe::enabled_links() {
  std::uint32_t enabled = 0;
  for (int link = 0; link < links; ++link) {
    const std::uint32_t control = port_.read_register(link_regs::control(unsigned_of(link)));
    if (link_regs::control_enable.get(control) != 0) enabled |= 1U << link;
  }
  return enabled;
}

std::uint32_t LossProbe::links_up() {
  return nwp::link_status_up.get(port_.read_register(nwp::link_status));
}

void LossProbe::leave(int link) {
  port_.write_register(link_regs::control(unsigned_of(link)), 0);
}

void LossProbe::tell(const host::SilentLink& silent) {
  if (told_ || silent.node >= most_nodes) return;
  told_ = true;
  const auto number = is_link | unsigned_of(silent.node) << 3 | unsigned_of(silent.link);
  port_.write_register(nwp::signal_kill, nwp::signal_kill_number.put(number));
}

std::vector<host::SilentLink> LossProbe::heard() {
  if (nwp::signal_event_killed.get(port_.read_register(nwp::signal_event)) == 0) return {};
  const std::uint32_t killer = port_.read_register(nwp::signal_killer);
  const std::uint32_t number = nwp::signal_killer_number.get(killer);
  if (nwp::signal_killer_valid.get(killer) == 0 || (number & is_link) == 0) return {};
  return {{static_cast<int>(number & ~is_link) >> 3, static_cast<int>(number & 7)}};
}

}  // namespace ht::qpace
