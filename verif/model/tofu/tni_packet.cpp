// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/tni_packet.hpp"

#include <cstring>

namespace ht::model {
namespace {

using tofu::HeaderField;
namespace header = tofu::header;

using namespace tofu::wire::remote;

/// Fields are read in 32 bits at most.
constexpr HeaderField kOffsetLow{kOffset.low, 32},
    kOffsetHigh{kOffset.low + 32, kOffset.width - 32};
constexpr unsigned kFirstInterfaces = 4;  ///< whose codes are their numbers
constexpr std::size_t kBeat = sizeof(tofu::Bytes16);
constexpr std::size_t kMostBeats = kTniPayload / kBeat;

bool beats_fit(const tofu::Packet& f, TniKind kind) {
  const std::size_t beats = f.payload.size();
  if (f.nullified || f.get(header::beats) != beats || beats > kMostBeats) return false;
  switch (kind) {
    case TniKind::Get:
      return beats == 0;
    case TniKind::Atomic:
      return beats == 1;
    case TniKind::Response:
      return beats <= 1;
    default:
      return true;
  }
}

/// A request asks for an answer with its last packet; gets and atomics are one packet; an atomic's
/// operation exists and its offset is a multiple of its size.
bool fields_fit(const TniPacket& p) {
  constexpr unsigned kOperations = 6, kWide = 8;
  if (!p.response() && p.answer != p.last) return false;
  if (p.kind == TniKind::Get) return p.last;
  if (p.kind != TniKind::Atomic) return true;
  const unsigned size = (p.operation & kWide) != 0 ? 8 : 4;
  return p.last && (p.operation & (kWide - 1)) < kOperations && p.offset % size == 0;
}

}  // namespace

std::uint32_t interface_code(unsigned interface) {
  return interface < kFirstInterfaces ? interface : interface + 1;
}

unsigned interface_of(std::uint32_t code) {
  using namespace tofu::wire::interface;
  if (code < kBarrier) return code;
  return code == kBarrier || code > kMoreBarriers ? kNoInterface : code - 1;
}

tofu::Packet to_frame(const TniPacket& p) {
  tofu::Packet f;
  const std::size_t beats = (p.payload.size() + kBeat - 1) / kBeat;
  f.set(header::channel, p.response() ? 2 : 0);
  f.set(header::kind, static_cast<std::uint32_t>(p.kind));
  f.set(header::beats, static_cast<std::uint32_t>(beats));
  f.set(header::to, p.to);
  f.set(header::path, p.path);
  f.set(header::from, p.from);
  f.set(header::interface, interface_code(p.interface));
  f.set(kGroup, p.group);
  f.set(kOffsetLow, static_cast<std::uint32_t>(p.offset));
  f.set(kOffsetHigh, static_cast<std::uint32_t>(p.offset >> 32));
  f.set(kTag, p.tag);
  f.set(kQueue, p.queue);
  f.set(kSourceQueue, p.source_queue);
  f.set(kSourceInterface, p.source_interface % kFirstInterfaces);
  f.set(kSourceInterfaceHigh, p.source_interface / kFirstInterfaces);
  f.set(kNumber, p.message);
  f.set(kEdata, p.edata);
  f.set(kLastBytes, beats == 0 ? 0 : static_cast<std::uint32_t>((p.payload.size() - 1) % kBeat));
  f.set(kFirst, p.first);
  f.set(kLast, p.last);
  f.set(kNotice, p.notice);
  f.set(kAnswer, p.answer);
  f.set(kCause, static_cast<std::uint32_t>(p.cause));
  f.set(kOperation, p.operation);
  f.set(kLength, p.length);
  f.payload.resize(beats);
  if (beats != 0) std::memcpy(f.payload.data(), p.payload.data(), p.payload.size());
  return f;
}

std::optional<TniPacket> tni_packet(const tofu::Packet& f) {
  const auto byte = [&](HeaderField field) { return static_cast<std::uint8_t>(f.get(field)); };
  TniPacket p;
  p.kind = static_cast<TniKind>(f.get(header::kind));
  if (p.kind > TniKind::Response || !beats_fit(f, p.kind)) return std::nullopt;
  if (p.response() != (f.get(header::channel) >> 1 != 0)) return std::nullopt;
  p.to = f.get(header::to);
  p.from = f.get(header::from);
  p.path = byte(header::path);
  p.interface = static_cast<std::uint8_t>(interface_of(f.get(header::interface)));
  p.group = byte(kGroup);
  p.offset = f.get(kOffsetLow) | std::uint64_t{f.get(kOffsetHigh)} << 32;
  p.tag = f.get(kTag);
  p.queue = byte(kQueue);
  p.source_queue = byte(kSourceQueue);
  p.source_interface = static_cast<std::uint8_t>(f.get(kSourceInterface) +
                                                 kFirstInterfaces * f.get(kSourceInterfaceHigh));
  p.message = byte(kNumber);
  p.edata = static_cast<std::uint16_t>(f.get(kEdata));
  p.first = f.get(kFirst) != 0;
  p.last = f.get(kLast) != 0;
  p.notice = f.get(kNotice) != 0;
  p.answer = f.get(kAnswer) != 0;
  p.cause = static_cast<TniCause>(f.get(kCause));
  p.operation = byte(kOperation);
  p.length = f.get(kLength);
  if (!fields_fit(p)) return std::nullopt;
  if (!f.payload.empty()) {
    p.payload.resize((f.payload.size() - 1) * kBeat + f.get(kLastBytes) + 1);
    std::memcpy(p.payload.data(), f.payload.data(), p.payload.size());
  }
  return p;
}

}  // namespace ht::model
