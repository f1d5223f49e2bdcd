// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/transfers.hpp"

#include <algorithm>
#include <stdexcept>

namespace ht::qcdoc {

std::vector<Descriptor> contiguous(std::uint64_t address, std::uint64_t words) {
  constexpr std::uint64_t most = 65535;
  std::vector<Descriptor> pieces;
  if (words > most) {
    const std::uint64_t blocks = std::min(words / most, most);
    pieces.push_back({address, most, static_cast<std::uint32_t>(blocks),
                      static_cast<std::int64_t>(most * word_bytes)});
    address += blocks * most * word_bytes;
    words -= blocks * most;
  }
  if (words > 0) pieces.push_back({address, static_cast<std::uint32_t>(words), 1, 0});
  return pieces;
}

void InstructionStore::place_if_room(Transfer& t) {
  int room = 0;
  for (int slot = 0; slot < slots; ++slot) room += owner(t.engine, slot) == nullptr;
  if (room >= static_cast<int>(t.pieces.size())) place(t);
}

void InstructionStore::place(Transfer& t) {
  if (t.slots.empty()) write(t, -1);
  t.last_use = ++clock_;
}

// A slot for a piece: `wanted`, or any; its owner makes way.
int InstructionStore::free_slot(int engine, int wanted) {
  int best = wanted;
  for (int slot = 0; slot < slots && wanted < 0; ++slot) {
    const Transfer* const other = owner(engine, slot);
    if (other == nullptr) return slot;
    if (other->running) continue;
    if (best < 0 || other->last_use < owner(engine, best)->last_use) best = slot;
  }
  if (best < 0) throw std::logic_error("all stored instructions of an engine are in use");
  if (Transfer* const other = owner(engine, best)) forget(*other);
  return best;
}

void InstructionStore::write(Transfer& t, int first) {
  for (std::size_t i = 0; i < t.pieces.size(); ++i) {
    const int slot = free_slot(t.engine, i == 0 ? first : -1);
    owner(t.engine, slot) = &t;
    t.slots.push_back(slot);
    t.last_use = ++clock_;  // pieces of one transfer do not drive one another out
    t.running = true;
  }
  t.running = false;
  for (std::size_t i = 0; i < t.pieces.size(); ++i) {
    scu_.store(t.engine, t.slots[i], t.pieces[i],
               i + 1 < t.pieces.size() ? std::optional<int>(t.slots[i + 1]) : std::nullopt);
    ++stored_;
  }
}

void InstructionStore::forget(Transfer& t) {
  for (const int slot : t.slots) owner(t.engine, slot) = nullptr;
  t.slots.clear();
}

void InstructionStore::align(std::span<Transfer* const> transfers) {
  if (transfers.size() < 2) return;
  int best = -1;
  std::ptrdiff_t most = -1;
  for (int slot = 0; slot < slots; ++slot) {
    // Where a transfer's own later piece or one that is running lies, it cannot begin.
    const bool possible = std::all_of(transfers.begin(), transfers.end(), [&](Transfer* t) {
      const Transfer* there = owner(t->engine, slot);
      return there == nullptr || there == t || !there->running;
    });
    if (!possible) continue;
    const auto there = std::count_if(transfers.begin(), transfers.end(), [&](const Transfer* t) {
      return !t->slots.empty() && t->slots.front() == slot;
    });
    if (there > most) {
      most = there;
      best = slot;
    }
  }
  if (best < 0) return;
  for (Transfer* t : transfers) {
    if (!t->slots.empty() && t->slots.front() == best) continue;
    forget(*t);
    write(*t, best);
  }
}

}  // namespace ht::qcdoc
