// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/qcdoc/scu.hpp"

namespace ht::qcdoc {

/// What one engine moves at one start: a chain of descriptors.
struct Transfer {
  int engine = 0;
  std::vector<Descriptor> pieces;
  std::vector<int> slots;      ///< where the pieces are stored; empty if they are not
  bool running = false;        ///< its slots may not be given away
  std::uint64_t last_use = 0;  ///< for giving them away

  std::uint64_t words() const {
    std::uint64_t sum = 0;
    for (const Descriptor& d : pieces) sum += d.words();
    return sum;
  }
};

/// Descriptors of `words` > 0 contiguous words at byte offset `address`.
std::vector<Descriptor> contiguous(std::uint64_t address, std::uint64_t words);

/// Which transfers are in the engines' stored instructions. Sixteen fit an engine; beyond that the
/// one that was not used for the longest time makes room and is stored again when it is used.
/// Transfers must stay where they are, and be forgotten before they go.
class InstructionStore {
 public:
  /// Pieces a transfer may have.
  static constexpr std::size_t most_pieces = 8;

  explicit InstructionStore(Scu& scu) : scu_(scu) {}

  /// Stores it if there is room without another one making way.
  void place_if_room(Transfer& transfer);
  /// Stores it.
  void place(Transfer& transfer);
  /// Stores transfers of different engines so that they begin in the same slot, as far as running
  /// ones allow it: then they can be started together.
  void align(std::span<Transfer* const> transfers);
  void forget(Transfer& transfer);

  /// Instructions written so far; a measure of swapping.
  std::uint64_t stored() const { return stored_; }

 private:
  Transfer*& owner(int engine, int slot) {
    return owners_[static_cast<std::size_t>(engine)][static_cast<std::size_t>(slot)];
  }
  int free_slot(int engine, int wanted);
  void write(Transfer& transfer, int first);

  Scu& scu_;
  std::array<std::array<Transfer*, slots>, engines> owners_{};
  std::uint64_t clock_ = 0, stored_ = 0;
};

}  // namespace ht::qcdoc
