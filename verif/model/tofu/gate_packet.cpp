// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/gate_packet.hpp"

namespace ht::model {
namespace {

using tofu::wire::gate::kFrom, tofu::wire::gate::kGroup, tofu::wire::gate::kOperation,
    tofu::wire::gate::kSequence, tofu::wire::gate::kStatus, tofu::wire::gate::kTo;
constexpr std::uint32_t kKind = tofu::wire::kind::kGate, kInterface = 4;

}  // namespace

tofu::Packet to_frame(const GatePacket& packet) {
  namespace header = tofu::header;
  tofu::Packet f;
  const bool data = packet.operation != GateOperation::Barrier;
  f.set(header::kind, kKind);
  f.set(header::beats, data ? 3 : 0);
  f.set(header::to, packet.to.node);
  f.set(header::path, packet.path);
  f.set(header::from, packet.from.node);
  f.set(header::interface, kInterface);
  f.set(kTo, packet.to.gate);
  f.set(kFrom, packet.from.gate);
  f.set(kGroup, packet.group);
  f.set(kSequence, packet.sequence);
  f.set(kOperation, static_cast<std::uint32_t>(packet.operation));
  f.set(kStatus, packet.status);
  if (data) {
    f.payload = {
        {packet.data[0], packet.data[1]}, {packet.data[2], packet.data[3]}, {packet.data[4], 0}};
  }
  return f;
}

std::optional<GatePacket> from_frame(const tofu::Packet& f) {
  namespace header = tofu::header;
  GatePacket p;
  p.operation = static_cast<GateOperation>(f.get(kOperation));
  const std::size_t beats = p.operation == GateOperation::Barrier ? 0 : 3;
  if (f.nullified || f.get(header::kind) != kKind || f.get(header::interface) != kInterface ||
      f.get(header::beats) != beats || f.payload.size() != beats)
    return std::nullopt;
  p.to = {f.get(header::to), static_cast<std::uint8_t>(f.get(kTo))};
  p.from = {f.get(header::from), static_cast<std::uint8_t>(f.get(kFrom))};
  p.path = static_cast<std::uint8_t>(f.get(header::path));
  p.group = static_cast<std::uint8_t>(f.get(kGroup));
  p.sequence = f.get(kSequence);
  p.status = static_cast<std::uint8_t>(f.get(kStatus));
  for (std::size_t i = 0; i < beats; ++i) {
    p.data[2 * i] = f.payload[i][0];
    if (i < 2) p.data[2 * i + 1] = f.payload[i][1];
  }
  return p;
}

}  // namespace ht::model
