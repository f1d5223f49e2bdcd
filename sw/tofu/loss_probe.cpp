// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/loss_probe.hpp"

#include <cstring>

#include "sw/tofu/registers.hpp"
#include "sw/tofu/transport_layout.hpp"

namespace ht::tofu {
namespace {

namespace regs = registers::link;

/// A count that meet() never comes to: who still waits for nodes to come up goes on, and hears.
constexpr std::uint64_t met = ~std::uint64_t{0};

/// The epoch of a node whose hardware has failed.
constexpr std::uint32_t gone_epoch = 0xFFFF;

}  // namespace

std::uint32_t LossProbe::enabled_links() {
  std::uint32_t enabled = 0;
  for (const int link : transport_.links().cabled()) {
    const auto l = static_cast<std::uint32_t>(link);
    if (regs::control_enable.get(transport_.port().read_register(regs::control(l))) != 0)
      enabled |= 1U << link;
  }
  return enabled;
}

std::uint32_t LossProbe::links_up() {
  std::uint32_t up = 0;
  for (const int link : transport_.links().cabled()) {
    const auto l = static_cast<std::uint32_t>(link);
    const std::uint32_t status = transport_.port().read_register(regs::status(l));
    if (regs::status_state.get(status) != regs::status_state_up) continue;
    const std::uint32_t epoch = transport_.port().read_register(regs::peer_epoch(l));
    if (regs::peer_epoch_epoch.get(epoch) != gone_epoch) up |= 1U << link;
  }
  return up;
}

// A link that is DOWN sends idle beats, and a peer that has nothing to send would not notice: it is
// told by an epoch that no node begins with.
void LossProbe::leave(int link) {
  const auto l = static_cast<std::uint32_t>(link);
  host::HardwarePort& port = transport_.port();
  port.write_register(regs::control(l), 0);
  port.write_register(regs::error(l), port.read_register(regs::error(l)));
  port.write_register(regs::epoch(l), gone_epoch);
  port.write_register(regs::control(l), regs::control_enable.mask);
}

// A link that is disabled takes what the router has for it and drops it, so that nothing waits
// behind packets for the part that is gone. By another interface each time: one may still have to
// end what it waits for.
void LossProbe::tell(const host::SilentLink& silent) {
  const std::uint32_t bit = 1U << silent.link;
  if (silent.node == transport_.place().node && (disabled_ & bit) == 0) {
    disabled_ |= bit;
    transport_.port().write_register(regs::control(static_cast<std::uint32_t>(silent.link)), 0);
  }
  transport_.tell_loss(silent, turn_++);
}

void Transport::tell_loss(const host::SilentLink& silent, unsigned turn) {
  if (shared_ == nullptr) lay_shared_block();
  NetworkInterface& i = interface(static_cast<int>(turn % interfaces_per_node));
  while (i.take_completion(own_queue)) {
  }
  const std::uint64_t told =
      1 + (static_cast<std::uint64_t>(silent.node) << 8 | static_cast<std::uint64_t>(silent.link));
  for (const int link : icc_.links().cabled()) {
    if (!i.has_room(own_queue)) break;
    const Coordinates there = *place().machine.neighbour(here_, link);
    Descriptor d;
    d.command = TniCommand::PutImmediate;
    d.remote.node = there;
    d.remote.interface = i.number();
    d.remote.queue = own_queue;
    d.remote.path = there.address() >> 15;
    d.length = memory_beat;
    d.far.tag = i.tag(own_queue, shared_tag);
    d.far.offset = static_cast<std::uint64_t>(far_link(link)) * memory_beat;
    std::memcpy(d.data.data(), &met, 8);
    std::memcpy(d.data.data() + 8, &told, 8);
    i.submit(own_queue, d);
  }
  i.ring(own_queue);
}

std::vector<host::SilentLink> Transport::heard_losses() {
  std::vector<host::SilentLink> silent;
  for (int link = 0; shared_ != nullptr && link < links_per_node; ++link) {
    std::uint64_t told = 0;
    std::memcpy(&told, shared_ + static_cast<std::size_t>(link) * memory_beat + 8, 8);
    if (told-- == 0) continue;
    silent.push_back({static_cast<int>(told >> 8), static_cast<int>(told & 0xFF)});
  }
  return silent;
}

}  // namespace ht::tofu
