// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/tofu_tni_reference.hpp"

#include <verilated.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

namespace ht::test {
using model::TniCommand;
using model::TniKind;
using model::TniPacket;
namespace reg = model::tni_register;

namespace {

constexpr std::uint32_t kHere = 0x12345, kThere = 0x54321;
constexpr unsigned kNumber = 2;  // the interface in step
constexpr std::size_t kMemory = 0x20000;
// Where everything lies: the same at both nodes, but for the rings of the peer's other interfaces.
constexpr std::uint64_t kTable = 0, kLists = 0x800, kCommands = 0x2000, kCompletions = 0x4000,
                        kNotices = 0x5000;
constexpr unsigned kLog2Commands = 4, kLog2Completions = 5, kLog2Notices = 2;
constexpr std::uint64_t kPeerRings = 0x20000, kPeerMemory = 0x60000, kPeerRing = 0x4000;
constexpr unsigned kPeerLog2 = 7;
// Areas of 16 KB: sources of puts, what gets bring, targets of puts, what others get, atomics.
constexpr std::uint64_t kArea = 0x4000, kFirstArea = 0x8000;
enum Area : unsigned { kSource, kLanding, kTarget, kServed, kCounters, kAreas };
constexpr unsigned kTags = 24;
constexpr model::tofu::HeaderField kMessageField{152, 8};
constexpr unsigned kSoft = 0x80;  // ERROR.SOFT_CORRECTED: the reference has no soft errors

void store(std::vector<std::byte>& memory, std::uint64_t at, std::uint64_t word) {
  std::memcpy(memory.data() + at, &word, sizeof word);
}

/// Tags of queue q: 12 q + 2 area is one piece, the next one is in pages, in another order.
constexpr unsigned tag_of(unsigned queue, unsigned area, bool paged) {
  return 12 * queue + 2 * area + (paged ? 1 : 0);
}

/// What an area may be used for by others.
constexpr unsigned rights_of(unsigned area) {
  return area == kTarget ? 4 : area == kServed ? 2 : area == kCounters ? 8 : 0;
}

void lay_tag(std::vector<std::byte>& memory, unsigned tag, bool valid) {
  const unsigned queue = tag / 12, area = tag % 12 / 2;
  const bool paged = tag % 2 != 0;
  const std::uint64_t entry = kTable + 32 * tag, base = kFirstArea + kArea * area,
                      list = kLists + 64 * tag;
  store(memory, entry, (valid ? 1 : 0) | rights_of(area) | queue << 4 | (paged ? 12U : 63U) << 10);
  store(memory, entry + 8, kArea - 16 * queue);
  store(memory, entry + 16, (paged ? list : base) / 16);
  store(memory, entry + 24, 0);
  for (std::uint64_t page = 0; page < 4; ++page)
    store(memory, list + 8 * page, (base + 0x1000 * (page ^ (1 + queue))) / 16);
}

}  // namespace

TniInStep::Seen& TniInStep::Seen::operator+=(const Seen& other) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(completions, other.completions);
  add(notices, other.notices);
  add(errors, other.errors);
  add(sent, other.sent);
  return *this;
}

int TniInStep::Ring::next(const std::vector<std::byte>& memory) {
  std::uint32_t word = 0;
  const std::uint64_t place = count & ((1U << log2) - 1);
  std::memcpy(&word, memory.data() + base + bytes * place, sizeof word);
  if ((word >> 24 & 1) != (~(unsigned{count} >> log2) & 1)) return -1;
  ++count;
  return static_cast<int>(word >> 16 & 0xff);
}

TniInStep::TniInStep(std::uint64_t seed)
    : context_(std::make_unique<VerilatedContext>()),
      random_(seed),
      memory_(kMemory),
      reference_memory_(kMemory),
      peer_memory_(kPeerMemory),
      device_(context_.get(), kHere, kNumber, memory_, seed),
      reference_(kHere, kNumber, reference_memory_),
      peer_(kThere, peer_memory_) {
  for (std::size_t i = kFirstArea; i < kFirstArea + kAreas * kArea; ++i) {
    memory_[i] = static_cast<std::byte>(random_());
    peer_memory_[i] = static_cast<std::byte>(random_());
  }
  for (unsigned tag = 0; tag < kTags; ++tag) {
    lay_tag(memory_, tag, tag % 12 < 2 * kAreas);
    lay_tag(peer_memory_, tag, tag % 12 < 2 * kAreas);
  }
  reference_memory_ = memory_;

  for (unsigned i = 0; i < 4; ++i) {
    const unsigned base = model::TofuTni::kBase + i * model::TofuTni::kStride;
    peer_.write(base + reg::kTableTags, kTags);
    peer_.write(base + reg::kControl, 1);
    for (unsigned q = 0; q < 2; ++q) {
      const std::uint64_t rings = kPeerRings + kPeerRing * (2 * i + q);
      const unsigned queue = base + reg::kQueue + 16 * q;
      const std::array<std::uint64_t, 3> at{rings, rings + 0x2000, rings + 0x3000};
      for (unsigned ring = 0; ring < 3; ++ring)
        peer_.write(queue + reg::kCommands + ring, static_cast<std::uint32_t>(at[ring] / 16));
      peer_.write(queue, 1 | kPeerLog2 << 1 | kPeerLog2 << 5 | kPeerLog2 << 9);
      peer_queues_[i][q].rings = {Ring{at[1], kPeerLog2, 16}, Ring{at[2], kPeerLog2, 32}};
    }
  }
  write(reg::kTableTags, kTags);
  open(0);
  open(1);
  write(reg::kControl, 1);
  settle();
  compare();
}

TniInStep::~TniInStep() = default;

// -------------------------------------------------------------------------------------------------
// Both are told the same

void TniInStep::write(unsigned address, std::uint32_t value) {
  const auto expected = reference_.write(address, value);
  device_.accesses.push_back(
      {true, address, value, [expected, address, value](std::uint32_t, bool refused) {
         INFO("write of " << value << " to register " << address);
         REQUIRE(refused == expected.refused);
       }});
}

void TniInStep::read(unsigned address) {
  const auto expected = reference_.read(address);
  device_.accesses.push_back(
      {false, address, 0, [expected, address](std::uint32_t value, bool refused) {
         INFO("read of register " << address);
         REQUIRE(refused == expected.refused);
         REQUIRE(value == expected.value);
       }});
}

/// As it comes to the device, whose messages have other numbers.
TniInStep::Frame TniInStep::for_device(Frame frame) const {
  const std::uint32_t message = frame.get(kMessageField);
  if (frame.get(model::tofu::header::channel) >> 1 != 0 && message < numbers_.size())
    frame.set(kMessageField, numbers_[message]);
  return frame;
}

void TniInStep::to_both(const Frame& frame) {
  const std::size_t kind = frame.get(model::tofu::header::channel) >> 1;
  device_.in[kind].push_back(for_device(frame).in_chip());
  reference_.receive(frame);
}

void TniInStep::open(unsigned q) {
  const std::array<std::uint64_t, 3> at{kCommands + 0x400 * q, kCompletions + 0x200 * q,
                                        kNotices + 0x200 * q};
  rings_[0][q] = compared_[q] = {at[1], kLog2Completions, 16, 0};
  rings_[1][q] = {at[2], kLog2Notices, 32, 0};
  for (auto* memory : {&memory_, &reference_memory_}) {
    std::fill_n(memory->begin() + static_cast<std::ptrdiff_t>(at[1]), 0x200, std::byte{0});
    std::fill_n(memory->begin() + static_cast<std::ptrdiff_t>(at[2]), 0x200, std::byte{0});
  }
  const unsigned queue = reg::kQueue + 16 * q;
  for (unsigned ring = 0; ring < 3; ++ring)
    write(queue + reg::kCommands + ring, static_cast<std::uint32_t>(at[ring] / 16));
  write(queue, 1 | kLog2Commands << 1 | kLog2Completions << 5 | kLog2Notices << 9);
  produced_[q] = 0;
  open_[q] = true;
}

void TniInStep::settle() {
  for (int i = 0; i < 200000; ++i) {
    if (device_.quiet()) return;
    device_.step();
  }
  FAIL("the interface does not come to rest");
}

// -------------------------------------------------------------------------------------------------
// Comparison

void TniInStep::compare_packets(std::size_t kind) {
  auto& out = device_.out[kind];
  for (const TniPacket& packet : reference_.sent) {
    if (packet.response() != (kind == TniDevice::kResponse)) continue;
    Frame frame = model::to_frame(packet);
    const Frame sent = frame;
    INFO("packet of kind " << static_cast<int>(packet.kind) << ", message " << int{packet.message}
                           << ", offset " << packet.offset);
    REQUIRE_FALSE(out.empty());
    const auto left = Frame::from_chip(out.front());
    REQUIRE(left);
    // Which number is free first is a matter of time.
    if (kind == TniDevice::kRequest) {
      numbers_[packet.message] = left->get(kMessageField);
      frame.set(kMessageField, numbers_[packet.message]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(i, left->header[i], frame.header[i]);
      REQUIRE(left->header[i] == frame.header[i]);
    }
    for (std::size_t i = 0; i < frame.payload.size() && i < left->payload.size(); ++i) {
      CAPTURE(i, left->payload[i], frame.payload[i]);
      REQUIRE(left->payload[i] == frame.payload[i]);
    }
    REQUIRE(out.front() == frame.in_chip());
    out.pop_front();
    ++seen.sent[kind];
    to_peer_[kind].push_back(sent);
  }
  REQUIRE(out.empty());
}

/// Commands that end at once may end in another order.
void TniInStep::compare_completions(unsigned q) {
  using Entry = std::array<std::uint64_t, 2>;
  Ring& ring = compared_[q];
  const std::uint16_t begin = ring.count;
  std::array<std::vector<Entry>, 2> entries;
  const auto at = [&](std::uint16_t n) {
    return static_cast<std::ptrdiff_t>(ring.base + 16 * (n & ((1U << ring.log2) - 1)));
  };
  while (ring.next(reference_memory_) >= 0) {
    std::size_t side = 0;
    for (const auto* memory : {&memory_, &reference_memory_}) {
      Entry& e = entries[side++].emplace_back();
      std::memcpy(e.data(), memory->data() + at(static_cast<std::uint16_t>(ring.count - 1)), 16);
      INFO("completion " << ring.count << " of queue " << q);
      REQUIRE((e[0] >> 24 & 1) == (~(static_cast<unsigned>(ring.count - 1) >> ring.log2) & 1));
      e[0] &= ~(std::uint64_t{1} << 24);
    }
  }
  for (auto& side : entries) std::sort(side.begin(), side.end());
  REQUIRE(entries[0] == entries[1]);
  for (std::uint16_t n = begin; n != ring.count; ++n)
    std::copy_n(memory_.begin() + at(n), 16, reference_memory_.begin() + at(n));
}

void TniInStep::compare() {
  compare_packets(TniDevice::kRequest);
  compare_packets(TniDevice::kResponse);
  reference_.sent.clear();
  for (unsigned q = 0; q < 2; ++q) compare_completions(q);
  if (memory_ != reference_memory_) {
    const auto at = std::mismatch(memory_.begin(), memory_.end(), reference_memory_.begin());
    INFO("memory differs at " << at.first - memory_.begin());
    REQUIRE(*at.first == *at.second);
  }
  for (const unsigned r :
       {reg::kControl, reg::kTableBase, reg::kTableTags, reg::kSent, reg::kReceived, reg::kFaults})
    read(r);
  for (unsigned q = 0; q < 8; ++q) {
    for (const unsigned word :
         {reg::kQueueControl, reg::kProducer, reg::kConsumer, reg::kCompleted, reg::kNoticed})
      read(reg::kQueue + 16 * q + word);
  }
  const std::uint32_t errors = reference_.read(reg::kError).value;
  const auto info = reference_.read(reg::kErrorInfo);
  // Only of one cause it is sure which came first; a corrected error may have been before it, and
  // one forgery of another class before the other.
  device_.accesses.push_back({false, reg::kError, 0, [this, errors](std::uint32_t value, bool) {
                                REQUIRE((value & ~kSoft) == errors);
                                first_ = forgeries_ < 2 && value == errors && errors != 0 &&
                                         (errors & (errors - 1)) == 0;
                              }});
  device_.accesses.push_back({false, reg::kErrorInfo, 0, [this, info](std::uint32_t value, bool) {
                                if (first_) REQUIRE(value == info.value);
                              }});
  for (std::size_t bit = 0; bit < seen.errors.size(); ++bit) seen.errors[bit] += errors >> bit & 1;
  write(reg::kError, 0x1ff);
  settle();
  REQUIRE(device_.unstable == 0);
  REQUIRE(device_.refused == 0);
  REQUIRE_FALSE(device_.fault());
  REQUIRE_FALSE(device_.attention());
  forgeries_ = 0;
}

// -------------------------------------------------------------------------------------------------
// Events

void TniInStep::event() {
  device_.router_stalls = chance(8) ? 0 : below(12);
  device_.memory_stalls = chance(8) ? 0 : below(12);
  device_.gaps = chance(8) ? 0 : below(12);
  device_.read_latency = 1 + (chance(8) ? 0 : below(60));
  device_.read_jitter = chance(8) ? 0 : below(30);
  switch (below(16)) {
    case 0:
      registers();
      break;
    case 1:
      if (chance(8)) queues();
      break;
    case 2:
      tags();
      break;
    case 3:
    case 4:
    case 5:
    case 6:
      commands();
      break;
    case 7:
    case 8:
    case 9:
      peer_commands();
      break;
    case 10:
      forgeries_ = commands_wait() ? 1 : 1 + below(3);
      for (unsigned n = 0; n < forgeries_; ++n) to_both(forged());
      break;
    case 11:
      acknowledge(below(2));
      break;
    case 12:
      deliver();
      break;
    default:
      deliver();
      arrive();
  }
  settle();
  compare();
}

void TniInStep::finish() {
  device_.router_stalls = device_.memory_stalls = device_.gaps = 0;
  for (unsigned q = 0; q < 2; ++q) {
    if (!open_[q]) open(q);
  }
  write(reg::kControl, 1);
  settle();
  compare();
  const auto under_way = [&] {
    return to_peer_[0].size() + to_peer_[1].size() + from_peer_[0].size() + from_peer_[1].size();
  };
  for (int i = 0; i < 2000; ++i) {
    for (unsigned q = 0; q < 2; ++q) {
      acknowledge(q);
      settle();
      compare();
    }
    peer_acknowledge();
    deliver();
    arrive();
    settle();
    compare();
    if (under_way() == 0 && i > 50) break;
  }
  CHECK(under_way() == 0);
}

/// A command, of ours to the peer or the other way; mostly one that can be done.
TniCommand TniInStep::command(bool ours) {
  using Kind = TniCommand::Kind;
  TniCommand c;
  c.kind = static_cast<Kind>(chance(1) ? below(7) : 1 + below(4));
  c.flags = static_cast<std::uint8_t>(below(16) | (ours ? 0U : 1U));
  c.interface = static_cast<std::uint8_t>(ours ? below(4) : kNumber);
  c.queue = static_cast<std::uint8_t>(chance(1) ? below(64) : below(2));
  c.path = static_cast<std::uint8_t>(below(16));
  c.to = ours ? kThere : kHere;
  c.edata = static_cast<std::uint16_t>(random_());
  for (auto& word : c.data) word = chance(4) ? below(4) : random_();
  c.operation = static_cast<std::uint8_t>(chance(1) ? below(256) : below(6));
  switch (below(8)) {
    case 0:
      c.length = below(5000);
      break;
    case 1:
      c.length = 1910 + below(20);
      break;
    case 2:
      c.length = 0;
      break;
    default:
      c.length = below(c.kind == Kind::PutDirect ? 34 : 200);
  }
  if (c.kind == Kind::PutDirect && !chance(1)) c.length = std::min(c.length, 32U);
  const unsigned far = c.kind == Kind::Get ? kServed : c.kind == Kind::Atomic ? kCounters : kTarget;
  const unsigned near = c.kind == Kind::Get ? kLanding : kSource;
  c.remote_tag =
      chance(1) ? below(0x40000)
                : tag_of(chance(1) ? below(2) : c.queue % 2, chance(1) ? below(6) : far, chance(8));
  c.remote_offset = chance(1) ? random_() & 0xffffffffffU : below(chance(2) ? 0x5000 : 0x2800);
  if (c.kind == Kind::Atomic && !chance(1)) c.remote_offset &= chance(2) ? ~3ULL : ~7ULL;
  // Of what the data areas hold, the atomics' is small, so that they meet.
  if (c.kind == Kind::Atomic && chance(8)) c.remote_offset &= 0x3f;
  c.local_tag = near;
  c.local_offset = below(chance(2) ? 0x5000 : 0x2800);
  return c;
}

void TniInStep::commands() {
  const unsigned q = below(2);
  if (!open_[q]) return;
  const std::uint32_t consumer = reference_.read(reg::kQueue + 16 * q + reg::kConsumer).value;
  // A place may be used again when its command was fetched.
  const auto pending = static_cast<std::uint16_t>(produced_[q] - consumer);
  const unsigned count = std::min<unsigned>(1 + below(6), (1U << kLog2Commands) - pending);
  for (unsigned i = 0; i < count; ++i) {
    TniCommand c = command(true);
    c.local_tag =
        chance(1) ? below(0x40000) : tag_of(chance(1) ? 1 - q : q, c.local_tag, chance(8));
    const auto words = c.to_bytes();
    const std::uint64_t place = produced_[q]++ & ((1U << kLog2Commands) - 1);
    for (auto* memory : {&memory_, &reference_memory_})
      std::memcpy(memory->data() + kCommands + 0x400 * q + 64 * place, words.data(), 64);
  }
  write(reg::kQueue + 16 * q + reg::kProducer, produced_[q]);
}

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
  bool waits = reference_.under_way() > model::TniInterface::kMessages;
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
      // Data may be lost: then the get says so at its end.
      if (packet.kind == TniKind::Data && !packet.last && chance(8)) continue;
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

void TniInStep::acknowledge(unsigned q) {
  for (unsigned which = 0; which < 2; ++which) {
    Ring& ring = rings_[which][q];
    for (int cause = ring.next(memory_); cause >= 0; cause = ring.next(memory_))
      ++(which == 0 ? seen.completions : seen.notices)[static_cast<std::size_t>(cause) % 16];
    if (open_[q]) write(reg::kQueue + 16 * q + reg::kCompleted + which, ring.count);
  }
}

/// Accesses to any register that do not change where anything lies.
void TniInStep::registers() {
  for (unsigned n = 1 + below(6); n > 0; --n) {
    const unsigned address = below(256);
    const bool counters = address == reg::kCacheHits || address == reg::kCacheMisses;
    const bool queue = address >= reg::kQueue && address < reg::kQueue + 128;
    const unsigned word = address % 16, q = (address - reg::kQueue) / 16;
    if (chance(8)) {
      if (!counters && address != reg::kError && address != reg::kErrorInfo) read(address);
      continue;
    }
    std::uint32_t value = chance(8) ? static_cast<std::uint32_t>(random_()) : below(0x2000);
    if (address == reg::kControl && value <= 1) value = 2;
    if (address == reg::kTableBase || address == reg::kInject || address == reg::kError) continue;
    if (address == reg::kTableTags && value <= 0x40000) value = 0x40001;
    if (queue && (word == reg::kProducer || word == reg::kCompleted || word == reg::kNoticed) &&
        value <= 0xffff)
      value += 0x10000;
    // A queue that is enabled refuses; others here may be set to anything but enabled.
    if (queue && word == reg::kQueueControl) {
      if (q < 2 && open_[q])
        value |= 1;
      else
        value &= ~1U;
    }
    write(address, value);
  }
}

/// A tag becomes invalid, or valid again, and is forgotten.
void TniInStep::tags() {
  const unsigned tag = below(kTags);
  const bool valid = !chance(6) && tag % 12 < 2 * kAreas;
  lay_tag(memory_, tag, valid);
  lay_tag(reference_memory_, tag, valid);
  write(reg::kTableForget, chance(4) ? 1U << 31 : tag);
}

void TniInStep::queues() {
  if (chance(3)) {
    write(reg::kControl, reference_.read(reg::kControl).value ^ 1);
    return;
  }
  const unsigned q = below(2);
  if (open_[q]) {
    write(reg::kQueue + 16 * q, 0);
    open_[q] = false;
  }
  if (chance(12)) open(q);
}

}  // namespace ht::test
