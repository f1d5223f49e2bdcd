// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_registers.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

namespace tbi = registers::tbi;

constexpr std::int64_t barrier_beats = 3;
constexpr std::int64_t wide_more_beats = 5;  // 120 bytes of data, not 40

model::TofuGates gates_of(const FunctionalNetwork& network, std::size_t node,
                          std::uint32_t interface) {
  const std::uint32_t address = network.shape().place(static_cast<int>(node)).address();
  return network.options().profile.wide()
             ? model::TofuGates::wide(address, static_cast<std::uint8_t>(interface))
             : model::TofuGates(address);
}

}  // namespace

FunctionalGates::FunctionalGates(FunctionalNetwork& network, std::size_t node,
                                 std::uint32_t interface, host::NodeMemory& memory)
    : network_(network),
      node_(node),
      interface_(interface),
      memory_(memory),
      gates_(gates_of(network, node, interface)) {}

std::uint32_t FunctionalGates::read(std::uint32_t address) const {
  if (address == tbi::error) return error_;
  if (address == tbi::error_info) return info_;
  for (std::uint32_t c = 0; c < tbi::channels; ++c) {
    if (address == tbi::status(c)) return status(c);
    for (std::uint32_t w = 0; w < tbi::operand_words; ++w) {
      if (address == tbi::result(c, w))
        return static_cast<std::uint32_t>(ended_[c].result[w / 2] >> (w % 2 * 32));
    }
  }
  throw HardwareError(fmt::format("no register {:#x} to read", tbi::base + address));
}

void FunctionalGates::write(std::uint32_t address, std::uint32_t value, Picoseconds now) {
  if (address == tbi::error)
    error_ &= ~value;
  else if (!write_gate(address, value) && !write_channel(address, value, now))
    throw HardwareError(fmt::format("no register {:#x} to write", tbi::base + address));
  take_errors(tbi::error_info_number.put(address));
  if (std::exchange(refused_, false))
    throw HardwareError(fmt::format("register {:#x} refused", tbi::base + address));
}

Picoseconds FunctionalGates::receive(const model::GatePacket& packet, Picoseconds due) {
  // One beat a cycle comes in: what comes at the same time as another waits.
  due = std::max(due, last_in_ + beats(packet) * network_.cycle());
  last_in_ = due;
  arrived_[packet.to.gate][packet.sequence & 1] = due;
  gates_.receive(packet);
  take_errors(tbi::error_info_number.put(packet.to.gate) |
              tbi::error_info_node.put(packet.from.node) | tbi::error_info_gate.mask);
  settle(packet.to.gate);
  return due;
}

bool FunctionalGates::show(std::uint32_t c) {
  ended_[c] = gates_.channel(c);
  if (result_address_[c] == 0) return false;
  std::byte* const at = memory_.data() + std::size_t{16} * result_address_[c];
  const std::uint64_t end = status(c) | std::uint64_t{ended_[c].sequence} << 32;
  const std::size_t bytes = sizeof(std::uint64_t) * model::kStateWords *
                            static_cast<std::size_t>(network_.options().profile.states);
  std::memcpy(at, ended_[c].result.data(), bytes);
  std::memcpy(at + bytes, &end, 8);
  return true;
}

std::uint32_t FunctionalGates::status(std::uint32_t c) const {
  const auto& channel = ended_[c];
  return tbi::status_busy.put(channel.busy) | tbi::status_done.put(channel.done) |
         tbi::status_operation.put(static_cast<std::uint32_t>(channel.operation)) |
         static_cast<std::uint32_t>(channel.status) << 8;
}

bool FunctionalGates::write_gate(std::uint32_t address, std::uint32_t value) {
  if (address < tbi::gate_control(0)) return false;
  const std::uint32_t gate = (address - tbi::gate_control(0)) / 4;
  if (gate >= tbi::gates) return false;
  if (address == tbi::gate_source(gate)) {
    source_[gate] = {tbi::gate_source_node.get(value),
                     static_cast<std::uint8_t>(tbi::gate_source_gate.get(value)),
                     static_cast<std::uint8_t>(gate_interface(value))};
  } else if (address == tbi::gate_destination(gate)) {
    destination_[gate] = value;
  } else if (address == tbi::gate_control(gate)) {
    const auto w = wiring(gate, value);
    refused_ = gates_.wire(gate, w) != 0;
    if (refused_) return true;
    wirings_[gate] = w;
    fired_[gate] = gates_.fired(gate);
  } else {
    return false;
  }
  return true;
}

std::optional<model::GateWiring> FunctionalGates::wiring(std::uint32_t gate,
                                                         std::uint32_t v) const {
  if ((v & tbi::gate_control_wired.mask) == 0) return std::nullopt;
  model::GateWiring w;
  const auto byte = [](std::uint32_t x) { return static_cast<std::uint8_t>(x); };
  w.channel = byte(tbi::gate_control_channel.get(v));
  w.group = byte(tbi::gate_control_group.get(v));
  if ((v & tbi::gate_control_local_in.mask) != 0)
    w.local_source = byte(tbi::gate_control_local_source.get(v));
  if ((v & tbi::gate_control_local_out.mask) != 0)
    w.local_destination = byte(tbi::gate_control_local_destination.get(v));
  if ((v & tbi::gate_control_remote_in.mask) != 0) w.source = source_[gate];
  if ((v & tbi::gate_control_remote_out.mask) != 0) {
    const std::uint32_t d = destination_[gate];
    w.destination =
        model::GateAddress{tbi::gate_destination_node.get(d),
                           byte(tbi::gate_destination_gate.get(d)), byte(gate_interface(d))};
    w.path = byte(tbi::gate_destination_path.get(d));
  }
  return w;
}

bool FunctionalGates::write_channel(std::uint32_t address, std::uint32_t value, Picoseconds now) {
  const std::uint32_t words =
      tbi::operand_words * static_cast<std::uint32_t>(network_.options().profile.states);
  for (std::uint32_t c = 0; c < tbi::channels; ++c) {
    for (std::uint32_t w = 0; w < words; ++w) {
      if (address != operand_word(c, w)) continue;
      std::uint64_t& half = operand_[c][w / 2];
      const unsigned shift = w % 2 * 32;
      half = (half & ~(std::uint64_t{0xffff'ffff} << shift)) | std::uint64_t{value} << shift;
      return true;
    }
    if (address == tbi::start(c)) {
      start(c, value, now);
      return true;
    }
    if (address == tbi::result_address(c)) {
      result_address_[c] = value;
      return true;
    }
  }
  if (address != tbi::channel_reset) return false;
  for (unsigned c = 0; c < tbi::channels; ++c) {
    if ((value >> c & 1) == 0) continue;
    gates_.reset(c);
    ended_[c] = gates_.channel(c);
  }
  return true;
}

void FunctionalGates::start(std::uint32_t c, std::uint32_t value, Picoseconds now) {
  started_[c] = fires_[c] = now + network_.options().timing.start * network_.cycle();
  const auto operation = static_cast<model::GateOperation>(tbi::start_operation.get(value));
  const auto form = static_cast<model::GateForm>(tbi::start_form.get(value));
  refused_ = gates_.start(c, operation, form, operand_[c]) != 0;
  if (refused_) return;
  ended_[c].done = false;
  ended_[c].busy = true;
  const auto& w = wirings_[c];
  settle(w && w->local_destination ? *w->local_destination : c);
  look_at_channel(c);
}

/// When the gates fired that have just done so: along the chain of signals, from `gate` on.
void FunctionalGates::settle(std::uint32_t gate) {
  const BarrierTiming& t = network_.options().timing;
  const Picoseconds cycle = network_.cycle();
  for (bool more = true; more && gates_.fired(gate) != fired_[gate];) {
    fired_[gate] = gates_.fired(gate);
    const model::GateWiring& w = *wirings_[gate];
    const std::size_t bank = (gates_.state(gate) - 1) & 1;  // of the operation before the next
    Picoseconds at = 0;
    if (w.source) at = arrived_[gate][bank] + t.gate * cycle;
    if (w.local_source) at = std::max(at, fires_[*w.local_source] + t.local * cycle);
    if (gate < tbi::channels) at = std::max(at + (t.result - t.gate) * cycle, started_[gate]);
    fires_[gate] = at;
    more = gate >= tbi::channels && w.local_destination;
    if (gate < tbi::channels) look_at_channel(gate);
    if (more) gate = *w.local_destination;
  }
  for (; !gates_.sent.empty(); gates_.sent.pop_front()) send(gates_.sent.front());
}

// `who` is what ERROR_INFO says of the first of them.
void FunctionalGates::take_errors(std::uint32_t who) {
  const std::uint32_t now = gates_.take_errors();
  if (error_ == 0 && now != 0) info_ = who;
  error_ |= now;
}

void FunctionalGates::send(model::GatePacket packet) {
  const BarrierTiming& t = network_.options().timing;
  const Picoseconds cycle = network_.cycle();
  Picoseconds leaves =
      packet.from.gate < tbi::channels ? started_[packet.from.gate] : fires_[packet.from.gate];
  if (!network_.leaves(packet)) return;
  const auto hops = network_.hops(packet.from.node, packet.to.node, packet.path);
  if (!hops) return;
  const std::int64_t length = beats(packet);
  leaves = std::max(leaves, out_free_);
  out_free_ = leaves + length * cycle;
  const Picoseconds on_the_way = (t.injection + *hops * (t.hop + t.cable) + length - 1) * cycle;
  const int to = network_.shape().node(Coordinates::from_address(packet.to.node));
  network_.post({leaves + on_the_way, static_cast<std::size_t>(to), packet});
}

std::int64_t FunctionalGates::beats(const model::GatePacket& packet) const {
  if (packet.operation == model::GateOperation::Barrier) return barrier_beats;
  const FunctionalTofuOptions& o = network_.options();
  return o.timing.beats + (o.profile.wide() ? wide_more_beats : 0);
}

void FunctionalGates::look_at_channel(std::uint32_t c) {
  if (gates_.channel(c).completed == seen_[c]) return;
  seen_[c] = gates_.channel(c).completed;
  network_.post({fires_[c], node_, FunctionalResult{interface_, c}});
}

}  // namespace ht::tofu
