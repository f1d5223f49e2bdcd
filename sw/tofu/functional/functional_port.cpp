// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_port.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_registers.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace icc = registers::icc;
namespace link = registers::link;
namespace tbi = registers::tbi;

}  // namespace

FunctionalPort::FunctionalPort(FunctionalNetwork& network, std::size_t node)
    : network_(network),
      here_(network.shape().place(static_cast<int>(node))),
      memory_(network.options().memory_bytes, fmt::format("node {}", node)),
      interfaces_(network, node, memory_) {
  for (int i = 0; i < network.options().profile.gate_interfaces; ++i)
    gates_.emplace_back(network, node, static_cast<std::uint32_t>(i), memory_);
}

FunctionalGates* FunctionalPort::gates_at(std::uint32_t address, std::uint32_t& offset) {
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const std::uint32_t base = barrier_base(static_cast<int>(i));
    offset = address - base;
    if (address >= base && offset < barrier_stride) return &gates_[i];
  }
  return nullptr;
}

void FunctionalPort::advance(Picoseconds duration) {
  now_ += duration;
  turn("time");
}

void FunctionalPort::wait(std::string_view what) {
  blocked_ = !event_ && !interrupt();
  turn(what);
  event_ = blocked_ = false;
}

bool FunctionalPort::interrupt() const {
  const auto wrong = [](const FunctionalGates& gates) { return gates.interrupt(); };
  return std::any_of(gates_.begin(), gates_.end(), wrong) || interfaces_.interrupt();
}

std::uint32_t FunctionalPort::read_register(std::uint32_t address) {
  enter();
  if (interfaces_.has(address)) return interfaces_.read(address);
  std::uint32_t offset = 0;
  const FunctionalGates* const gates = gates_at(address, offset);
  return gates != nullptr ? gates->read(offset) : read_link(address);
}

void FunctionalPort::write_register(std::uint32_t address, std::uint32_t value) {
  enter();
  std::uint32_t offset = 0;
  if (interfaces_.has(address))
    event_ = interfaces_.write(address, value, now_) || event_;
  else if (FunctionalGates* const gates = gates_at(address, offset); gates != nullptr)
    gates->write(offset, value, now_);
  else
    write_link(address, value);
}

std::uint32_t FunctionalPort::read_link(std::uint32_t address) const {
  if (address == icc::coordinates) return here_.address();
  if (address == icc::shape) return network_.shape().register_value();
  if (address == icc::router_error || address == icc::router_strayed)
    return 0;  // nothing goes wrong in it, and its ports let everything pass
  const std::uint32_t window = icc::link_window(0);
  const std::uint32_t number = (address - window) / link::window;
  if (address < window || number >= icc::links)
    throw HardwareError(fmt::format("no register {:#x} to read", address));
  const int l = static_cast<int>(number);
  const auto peer = network_.shape().neighbour(here_, l);
  if (address == link::status(number)) {
    const bool both = link_enabled(l) && peer && network_.link_enabled(*peer, far_link(l));
    return link::status_state.put(both              ? link::status_state_up
                                  : link_enabled(l) ? link::status_state_train
                                                    : link::status_state_down);
  }
  if (address == link::peer(number)) return static_cast<std::uint32_t>(far_link(l));
  if (address == link::peer_node(number)) return peer ? peer->address() : 0;
  return 0;  // nothing was lost, counted or wrong
}

void FunctionalPort::write_link(std::uint32_t address, std::uint32_t value) {
  if (address == icc::coordinates && value != here_.address())
    throw HardwareError(fmt::format("this node is at {}", text(here_)));
  if (address == icc::coordinates || address == icc::shape || address == icc::router_error) return;
  if (address >= icc::port_group(0) && address < icc::port_group(icc::links)) return;
  const std::uint32_t window = icc::link_window(0);
  const std::uint32_t number = (address - window) / link::window;
  if (address < window || number >= icc::links)
    throw HardwareError(fmt::format("no register {:#x} to write", address));
  if (address == link::control(number)) enabled_[number] = (value & link::control_enable.mask) != 0;
}

void FunctionalPort::happen(const FunctionalEvent& event) {
  if (const auto* const result = std::get_if<FunctionalResult>(&event.what)) {
    if (gates_[result->interface].show(result->channel)) wake(event.due);
  } else if (const auto* const packet = std::get_if<model::GatePacket>(&event.what)) {
    if (packet->to.interface >= gates_.size()) return;
    const Picoseconds in = gates_[packet->to.interface].receive(*packet, event.due);
    if (blocked_ && interrupt()) now_ = std::max(now_, in);
  } else {
    wake(interfaces_.receive(std::get<model::TniPacket>(event.what), event.due));
  }
}

void FunctionalPort::wake(Picoseconds when) {
  if (blocked_) now_ = std::max(now_, when);
  event_ = true;
}

bool FunctionalPort::can_go_on() const {
  return fibre && !fibre->finished() && (!blocked_ || event_ || interrupt());
}

void FunctionalPort::turn(std::string_view what) {
  waiting_for = what;
  host::Fibre::suspend();
}

void FunctionalPort::enter() {
  ++accesses;
  now_ += network_.options().register_cost;
  turn("register access");
}

}  // namespace ht::tofu
