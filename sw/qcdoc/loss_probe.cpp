// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/loss_probe.hpp"

#include "sw/qcdoc/registers.hpp"

namespace ht::qcdoc {
namespace {

namespace scu = registers::scu;
namespace link_regs = registers::link;

constexpr std::uint64_t top_byte = 0xD1;

constexpr std::uint32_t u(int i) {
  return static_cast<std::uint32_t>(i);
}

}  // namespace

std::uint32_t LossProbe::enabled_links() {
  std::uint32_t enabled = 0;
  for (int link = 0; link < links; ++link) {
    if (link_regs::control_enable.get(port_.read_register(link_regs::control(u(link)))) != 0)
      enabled |= bit(link);
  }
  return enabled;
}

std::uint32_t LossProbe::links_up() {
  return scu::link_status_up.get(port_.read_register(scu::link_status));
}

void LossProbe::leave(int link) {
  port_.write_register(link_regs::control(u(link)), 0);
}

// A neighbour that has not read the last word is informed later.
void LossProbe::tell(const host::SilentLink& silent) {
  telling_ = true;
  const std::uint32_t sending =
      scu::supervisor_status_sending.get(port_.read_register(scu::supervisor_status));
  const std::uint32_t free = links_up() & ~sending;
  for (int link = 0; link < links; ++link) {
    if ((free & bit(link)) == 0) continue;
    port_.write_register(link_regs::supervisor_send_low(u(link)),
                         u(silent.node) << 8 | u(silent.link));
    port_.write_register(link_regs::supervisor_send_high(u(link)),
                         static_cast<std::uint32_t>(top_byte << 24) | u(silent.node) >> 24);
  }
}

std::vector<host::SilentLink> LossProbe::heard() {
  std::vector<host::SilentLink> links_of_others;
  const auto take = [&](std::uint64_t word) {
    if (word >> 56 != top_byte) return false;
    links_of_others.push_back(
        {static_cast<int>(word >> 8 & 0xFFFFFFFF), static_cast<int>(word & 0xFF)});
    return true;
  };
  for (const std::uint64_t word : driver_.scu().take_kept(top_byte)) take(word);
  const std::uint32_t arrived =
      scu::supervisor_status_arrived.get(port_.read_register(scu::supervisor_status));
  for (int link = 0; link < links; ++link) {
    if ((arrived & bit(link)) == 0) continue;
    const std::uint64_t high = port_.read_register(link_regs::supervisor_high(u(link)));
    const bool ours = take(high << 32 | port_.read_register(link_regs::supervisor_low(u(link))));
    if (ours || telling_) port_.write_register(link_regs::supervisor_read(u(link)), 1);
  }
  return links_of_others;
}

}  // namespace ht::qcdoc
