// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/gate_packet.hpp"

namespace ht::model {
namespace {

using tofu::wire::gate::kFrom, tofu::wire::gate::kFromInterface, tofu::wire::gate::kGroup,
    tofu::wire::gate::kOperation, tofu::wire::gate::kSequence, tofu::wire::gate::kStatus,
    tofu::wire::gate::kTo;
constexpr std::uint32_t kKind = tofu::wire::kind::kGate;

/// Two words a beat.
constexpr std::size_t beats_of(std::size_t states) {
  return (kStateWords * states + 1) / 2;
}

constexpr unsigned kMostInterfaces = 6;
constexpr std::uint32_t code_of(unsigned interface) {
  using namespace tofu::wire::interface;
  return interface == 0 ? kBarrier : kMoreBarriers + interface;
}

}  // namespace

tofu::Packet to_frame(const GatePacket& packet, std::size_t states) {
  namespace header = tofu::header;
  tofu::Packet f;
  const bool data = packet.operation != GateOperation::Barrier;
  f.set(header::kind, kKind);
  f.set(header::beats, data ? static_cast<std::uint32_t>(beats_of(states)) : 0);
  f.set(header::to, packet.to.node);
  f.set(header::path, packet.path);
  f.set(header::from, packet.from.node);
  f.set(header::interface, code_of(packet.to.interface));
  f.set(kTo, packet.to.gate);
  f.set(kFrom, packet.from.gate);
  f.set(kFromInterface, packet.from.interface);
  f.set(kGroup, packet.group);
  f.set(kSequence, packet.sequence);
  f.set(kOperation, static_cast<std::uint32_t>(packet.operation));
  f.set(kStatus, packet.status);
  if (data) {
    f.payload.resize(beats_of(states));
    for (std::size_t i = 0; i < kStateWords * states; ++i) f.payload[i / 2][i % 2] = packet.data[i];
  }
  return f;
}

std::optional<GatePacket> from_frame(const tofu::Packet& f, std::size_t states) {
  namespace header = tofu::header;
  GatePacket p;
  p.operation = static_cast<GateOperation>(f.get(kOperation));
  const std::size_t beats = p.operation == GateOperation::Barrier ? 0 : beats_of(states);
  unsigned interface = 0;
  while (interface < kMostInterfaces && f.get(header::interface) != code_of(interface)) ++interface;
  if (f.nullified || f.get(header::kind) != kKind || interface == kMostInterfaces ||
      f.get(header::beats) != beats || f.payload.size() != beats)
    return std::nullopt;
  p.to = {f.get(header::to), static_cast<std::uint8_t>(f.get(kTo)),
          static_cast<std::uint8_t>(interface)};
  p.from = {f.get(header::from), static_cast<std::uint8_t>(f.get(kFrom)),
            static_cast<std::uint8_t>(f.get(kFromInterface))};
  p.path = static_cast<std::uint8_t>(f.get(header::path));
  p.group = static_cast<std::uint8_t>(f.get(kGroup));
  p.sequence = f.get(kSequence);
  p.status = static_cast<std::uint8_t>(f.get(kStatus));
  if (beats != 0) {
    for (std::size_t i = 0; i < kStateWords * states; ++i) p.data[i] = f.payload[i / 2][i % 2];
  }
  return p;
}

}  // namespace ht::model
