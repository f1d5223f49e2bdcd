// SPDX-License-Identifier: Apache-2.0
// The two in step: what comes to them from the other node, and from nobody that keeps the rules.
#include <cstring>

#include "tests/tofu/interface/tni_reference.hpp"
#include "tests/tofu/interface/tni_reference_layout.hpp"

namespace ht::test {
using namespace in_step;
using model::TniCommand;
using model::TniKind;
using model::TniPacket;
namespace reg = model::tni_register;

void TniInStep::peer_commands() {
  const unsigned i = below(4), q = below(2);
  peer_acknowledge();
  PeerQueue& queue = peer_queues_[i][q];
  const std::uint64_t rings = kPeerRings + kPeerRing * (2 * i + q);
  const unsigned base = model::TofuTni::kBase + i * model::TofuTni::kStride + reg::kQueue + 16 * q;
  for (unsigned n = 1 + below(4); n > 0; --n) {
    TniCommand c = command(false);
    c.local_tag = tag_of(q, c.local_tag, chance(8));
    const auto words = c.to_bytes();
    const std::uint64_t place = queue.produced++ & ((1U << kPeerLog2) - 1);
    std::memcpy(peer_memory_.data() + rings + 64 * place, words.data(), 64);
    peer_.write(base + reg::kProducer, queue.produced);
  }
}

void TniInStep::peer_acknowledge() {
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned q = 0; q < 2; ++q) {
      auto& rings = peer_queues_[i][q].rings;
      for (unsigned which = 0; which < 2; ++which) {
        while (rings[which].next(peer_memory_) >= 0) {
        }
        peer_.write(model::TofuTni::kBase + i * model::TofuTni::kStride + reg::kQueue + 16 * q +
                        reg::kCompleted + which,
                    rings[which].count);
      }
    }
  }
}

/// The peer gets some of what we sent.
void TniInStep::deliver() {
  for (unsigned n = below(40); n > 0; --n) {
    const std::size_t kind = below(2);
    if (to_peer_[kind].empty()) continue;
    peer_.receive(*model::tni_packet(to_peer_[kind].front()));
    to_peer_[kind].pop_front();
  }
}

/// Commands that wait for a number or for room in a ring go on in the order in which they come:
/// then one thing at a time.
bool TniInStep::commands_wait() {
  bool waits = reference_.waiting();
  for (unsigned q = 0; q < 2; ++q)
    waits = waits || reference_.read(reg::kQueue + 16 * q + reg::kConsumer).value != produced_[q];
  return waits;
}

/// Some of what the peer sent comes; now and then one of them damaged, twice, or not at all.
void TniInStep::arrive() {
  for (; !peer_.sent.empty(); peer_.sent.pop_front())
    from_peer_[peer_.sent.front().response() ? 1 : 0].push_back(
        model::to_frame(peer_.sent.front()));
  bool spoilt = false;
  const bool waiting = commands_wait();
  for (unsigned n = waiting ? 1 : below(24); n > 0; --n) {
    const std::size_t kind = below(2);
    if (from_peer_[kind].empty()) continue;
    const Frame frame = from_peer_[kind].front();
    from_peer_[kind].pop_front();
    const auto packet = *model::tni_packet(frame);
    if (!spoilt && chance(1)) {
      spoilt = true;
      auto beats = for_device(frame).in_chip();
      const std::size_t at = below(static_cast<std::uint32_t>(beats.size()));
      switch (below(4)) {
        case 0:  // two wrong bits, and check bits to match: the CRC tells. It does not cover all of
                 // the header and the trailer.
          beats[at].data[at == 1 || at + 1 == beats.size() ? 0 : below(2)] ^= std::uint64_t{5}
                                                                              << (32 + below(29));
          beats[at] = model::tofu::ChipBeat::make(beats[at].data, beats[at].first, beats[at].last);
          device_.in[kind].push_back(beats);
          reference_.receive(Frame{frame.header, frame.payload, true});
          break;
        case 1:  // void: as if it had not been sent
          device_.in[kind].push_back(for_device({frame.header, frame.payload, true}).in_chip());
          break;
        case 2:  // one wrong bit is corrected
          beats[at].data[below(2)] ^= std::uint64_t{1} << below(64);
          device_.in[kind].push_back(beats);
          reference_.receive(frame);
          continue;
        default:  // twice, but not where the number of its message would be another's by then
          if (!waiting) to_both(frame);
      }
      // Data and puts may be lost: then the command says so at its end.
      if ((packet.kind == TniKind::Data || packet.kind == TniKind::Put) && !packet.last &&
          chance(8))
        continue;
    }
    to_both(frame);
  }
}

/// A packet with a good CRC, of a kind that there is, or not quite.
TniInStep::Frame TniInStep::forged() {
  TniPacket p;
  p.kind = static_cast<TniKind>(below(5));
  p.to = chance(1) ? static_cast<std::uint32_t>(below(0x80000)) : kHere;
  p.from = kThere;
  p.path = static_cast<std::uint8_t>(below(16));
  p.interface = chance(1) ? static_cast<std::uint8_t>(below(8)) : kNumber;
  p.queue = static_cast<std::uint8_t>(chance(1) ? below(64) : below(2));
  p.source_queue = static_cast<std::uint8_t>(below(64));
  p.source_interface = 3;
  p.group = static_cast<std::uint8_t>(chance(1) ? below(64) : in_step::kGroup);
  p.message = static_cast<std::uint8_t>(p.response() ? below(20) : below(3));
  // A number that nobody has at either.
  if (p.response() && !reference_.awaits(p.message)) p.message |= 16;
  p.edata = static_cast<std::uint16_t>(random_());
  p.first = chance(8);
  p.last = p.answer = chance(8);
  p.notice = chance(4);
  const unsigned area = p.kind == TniKind::Get      ? kServed
                        : p.kind == TniKind::Atomic ? kCounters
                                                    : kTarget;
  p.tag = chance(1)
              ? below(0x40000)
              : tag_of(chance(2) ? below(2) : p.queue % 2, chance(2) ? below(6) : area, chance(8));
  p.offset = chance(1) ? random_() & 0xffffffffffU : below(0x3000);
  p.length = chance(1) ? below(1U << 24) : below(3000);
  if (p.kind == TniKind::Get && p.length > 5000) p.offset = 0xff00000000;
  if (p.kind == TniKind::Put || p.kind == TniKind::Data)
    p.payload.resize(chance(8) ? below(40) : below(1921));
  if (p.kind == TniKind::Put && !chance(2)) {
    // As it is of a message that begins; of one that is open, now and then.
    p.first = p.first || chance(12);
    p.length = static_cast<std::uint32_t>(p.payload.size());
  }
  if (p.kind == TniKind::Atomic) p.payload.resize(16 - (chance(2) ? below(16) : 0));
  if (p.kind == TniKind::Response && chance(4)) p.payload.resize(1 + below(16));
  for (auto& b : p.payload) b = static_cast<std::byte>(random_());
  if (p.kind == TniKind::Atomic || p.kind == TniKind::Get) {
    p.first = true;
    p.last = p.answer = !chance(1);
    p.operation = static_cast<std::uint8_t>(p.kind == TniKind::Atomic ? below(16) : 0);
    if (p.kind == TniKind::Atomic && !chance(2)) p.offset &= ~7ULL;
  }
  if (p.response()) p.cause = static_cast<model::TniCause>(below(9));
  if (p.kind == TniKind::Put && chance(1)) p.answer = !p.last;
  Frame frame = model::to_frame(p);
  if (chance(1)) frame.set(model::tofu::header::kind, below(16));
  if (chance(1)) {
    frame.payload.resize(below(126));
    frame.set(model::tofu::header::beats, static_cast<std::uint32_t>(frame.payload.size()));
  }
  return frame;
}

}  // namespace ht::test
