// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sw/host/time.hpp"

namespace ht::machine {

/// Something that was put on a cable as a whole, and what arrived of it.
template <class SymbolType>
struct Frame {
  using Symbol = SymbolType;
  static constexpr int symbol_edges = 1;  ///< of the sender's clock, that a symbol of it takes

  Picoseconds time = 0;         ///< when its first symbol was put on the line
  std::vector<Symbol> sent;     ///< idle symbols in between left out
  std::vector<Symbol> arrived;  ///< the same, at the receiver; equal unless damaged
  bool cut_short = false;       ///< the sender gave it up before its end
  unsigned changed = 0, lost = 0, inserted = 0;  ///< symbols

  /// Its sender did not end it well: the receiver takes nothing of it.
  bool given_up() const { return cut_short; }
  bool damaged() const { return sent != arrived; }

 protected:
  /// "3 words changed, 1 word lost" for `symbol` "word"; empty if nothing is damaged.
  std::string damage_of(const char* symbol) const {
    std::string text;
    const auto add = [&](unsigned count, const char* what) {
      if (count > 0)
        text += fmt::format("{}{} {}{} {}", text.empty() ? "" : ", ", count, symbol,
                            count == 1 ? "" : "s", what);
    };
    add(changed, "changed");
    add(lost, "lost");
    add(inserted, "inserted");
    return text;
  }
};

}  // namespace ht::machine
