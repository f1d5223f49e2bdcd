// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/functional_interfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/tofu/registers.hpp"

namespace ht::tofu {
namespace {

using model::TniPacket;
using model::TofuTni;

/// Of a packet beside its payload: a header of two, and one for what ends it.
constexpr std::int64_t frame_beats = 3, beat_bytes = 16;

std::int64_t beats(const TniPacket& packet) {
  return frame_beats +
         (static_cast<std::int64_t>(packet.payload.size()) + beat_bytes - 1) / beat_bytes;
}

model::TniReach reach(host::NodeMemory& memory) {
  model::TniReach by;
  by.read = [&memory](std::uint64_t at, std::span<std::byte> to) { memory.read(at, to); };
  by.write = [&memory](std::uint64_t at, std::span<const std::byte> from) {
    memory.write(at, from);
  };
  by.size = memory.size();
  return by;
}

}  // namespace

FunctionalInterfaces::FunctionalInterfaces(FunctionalNetwork& network, std::size_t node,
                                           host::NodeMemory& memory)
    : network_(network),
      interfaces_(network.shape().place(static_cast<int>(node)).address(), reach(memory),
                  static_cast<unsigned>(network.options().profile.interfaces)) {}

bool FunctionalInterfaces::has(std::uint32_t address) const {
  return address >= TofuTni::kBase &&
         address < TofuTni::kBase + interfaces_.size() * TofuTni::kStride;
}

std::uint32_t FunctionalInterfaces::read(std::uint32_t address) {
  const auto answer = interfaces_.read(address);
  if (answer.refused) throw HardwareError(fmt::format("no register {:#x} to read", address));
  return answer.value;
}

bool FunctionalInterfaces::write(std::uint32_t address, std::uint32_t value, Picoseconds now) {
  const std::uint64_t before = interfaces_.entries();
  if (interfaces_.write(address, value).refused)
    throw HardwareError(fmt::format("register {:#x} refused", address));
  send(now + network_.options().interfaces.command * network_.cycle());
  return interfaces_.entries() != before;
}

bool FunctionalInterfaces::interrupt() {
  for (unsigned i = 0; i < interfaces_.size(); ++i) {
    if (interfaces_.interface(i).read(registers::tni::error(0) - TofuTni::kBase).value != 0)
      return true;
  }
  return false;
}

Picoseconds FunctionalInterfaces::receive(const TniPacket& packet, Picoseconds due) {
  const InterfaceTiming& t = network_.options().interfaces;
  const Picoseconds cycle = network_.cycle();
  Picoseconds& in = ways_[packet.interface].in;
  in = std::max(due, in + beats(packet) * cycle);
  due = in + t.receive * cycle;
  interfaces_.receive(packet);
  send(due + t.answer * cycle);
  return due;
}

void FunctionalInterfaces::send(Picoseconds now) {
  const BarrierTiming& t = network_.options().timing;
  const Picoseconds cycle = network_.cycle();
  for (; !interfaces_.sent.empty(); interfaces_.sent.pop_front()) {
    TniPacket& packet = interfaces_.sent.front();
    Picoseconds& out = ways_[packet.source_interface].out;
    const Picoseconds leaves = std::max(now, out);
    out = leaves + beats(packet) * cycle;
    if (!network_.leaves(packet)) continue;
    const auto hops = network_.hops(packet.from, packet.to, packet.path);
    if (!hops || packet.interface >= interfaces_.size()) continue;
    const Picoseconds on_the_way =
        (t.injection + *hops * (t.hop + t.cable) + beats(packet) - 1) * cycle;
    const int to = network_.shape().node(Coordinates::from_address(packet.to));
    network_.post({leaves + on_the_way, static_cast<std::size_t>(to), std::move(packet)});
  }
}

}  // namespace ht::tofu
