// SPDX-License-Identifier: Apache-2.0
// The two in step: what their own host does with queues, tags and registers.
#include <algorithm>
#include <cstring>

#include "tests/tofu/interface/tni_reference.hpp"
#include "tests/tofu/interface/tni_reference_layout.hpp"

namespace ht::test {
using namespace in_step;
using model::TniCommand;
namespace reg = model::tni_register;

int TniInStep::Ring::next(const std::vector<std::byte>& memory) {
  std::uint32_t word = 0;
  const std::uint64_t place = count & ((1U << log2) - 1);
  std::memcpy(&word, memory.data() + base + bytes * place, sizeof word);
  if ((word >> 24 & 1) != (~(unsigned{count} >> log2) & 1)) return -1;
  ++count;
  return static_cast<int>(word >> 16 & 0xff);
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
  // When the interface is switched on, what waits in two queues begins in an order that is a matter
  // of time: it waits in one.
  const std::uint32_t others = reference_.read(reg::kQueue + 16 * (1 - q) + reg::kConsumer).value;
  if (reference_.read(reg::kControl).value == 0 &&
      (produced_[1 - q] != others || reference_.waiting()))
    return;
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
    if (address == reg::kTableBase || address == reg::kInject || address == reg::kError ||
        address == reg::kTableForget)
      continue;
    if (address == reg::kTimeLimit) value |= 32;  // never over here
    if (address == reg::kGroup) value |= 64;      // stays
    if (address == reg::kGeneration) value |= 16;
    if (address == reg::kTableTags && value <= 0x40000) value = 0x40001;
    if (queue && (word == reg::kProducer || word == reg::kCompleted || word == reg::kNoticed) &&
        value <= 0xffff) {
      // Too far, or behind what was said before; or no index at all.
      const bool far = q < 2 && open_[q];
      value = far ? (reference_.read(address).value + 0x1000 + value % 0xe000) & 0xffff
                  : value + 0x10000;
    }
    // A queue that is enabled refuses; others here may be set to anything but enabled.
    if (queue && word == reg::kWorking) {
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
  if (reference_.read(reg::kTableForget).value != 0) return;  // still busy with another
  const unsigned tag = below(kTags);
  const bool valid = !chance(6) && tag % 12 < 2 * kAreas;
  lay_tag(memory_, tag, valid);
  lay_tag(reference_memory_, tag, valid);
  write(reg::kTableForget, chance(4) ? 1U << 31 : tag);
}

/// Commands of this queue are not fetched yet.
bool TniInStep::waits(unsigned q) {
  return open_[q] && reference_.read(reg::kQueue + 16 * q + reg::kConsumer).value != produced_[q];
}

/// An answer may give one queue room for a completion and another the number that it waited for:
/// which command is begun is then a matter of time. Where two queues wait there is room in both.
void TniInStep::make_room() {
  const bool both = waits(0) && waits(1);
  if (!both && !(reference_.waiting() && (waits(0) || waits(1)))) return;
  for (unsigned q = 0; q < 2; ++q) {
    acknowledge(q);
    settle();
  }
}

/// Commands of two queues that wait for the interface to be switched on begin in an order that is a
/// matter of time, and there may be a number for one of them only: it is switched on when one queue
/// waits at most, the other is disabled.
void TniInStep::switch_on() {
  if (reference_.read(reg::kControl).value == 0 && waits(0) && waits(1)) {
    const unsigned q = below(2);
    write(reg::kQueue + 16 * q, 0);
    open_[q] = false;
  }
  write(reg::kControl, 1);
}

void TniInStep::queues() {
  if (chance(3)) {
    if (reference_.read(reg::kControl).value == 0)
      switch_on();
    else
      write(reg::kControl, 0);
    return;
  }
  const unsigned q = below(2);
  if (open_[q]) {
    write(reg::kQueue + 16 * q, 0);
    open_[q] = false;
    // The number that was kept for it is another's until it is enabled again.
    settle();
  }
  if (chance(12)) open(q);
}

}  // namespace ht::test
