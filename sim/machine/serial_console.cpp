// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/serial_console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace ht::machine {

void SerialConsole::sample(bool level, Picoseconds now) {
  if (bit_ < 0) {
    if (level) {
      hold_ = false;
    } else if (!hold_) {
      bit_ = 0;
      wait_ = bit_cycles_ / 2;
    }
    return;
  }
  if (--wait_ > 0) return;
  wait_ = bit_cycles_;
  if (bit_ == 0 && level) {
    bit_ = -1;
    return;
  }
  if (bit_ == 9) {
    bit_ = -1;
    hold_ = !level;
    if (level) {
      character(shift_, now);
    } else {
      ++damaged_;
    }
    return;
  }
  if (bit_ > 0) shift_ = shift_ >> 1 | (level ? 0x80U : 0U);
  ++bit_;
}

void SerialConsole::character(unsigned code, Picoseconds now) {
  last_ = now;
  if (code == '\n') {
    lines_.push_back({now, node_, std::exchange(text_, {})});
  } else if (code >= 0x20 && code != 0x7F) {
    text_ += static_cast<char>(code);  // UTF-8 passes
  } else if (code == '\t') {
    text_ += '\t';
  } else if (code != '\r') {
    text_ += fmt::format("\\x{:02x}", code);
  }
}

std::vector<ConsoleLine> SerialConsole::take(bool all) {
  if (all && !text_.empty()) lines_.push_back({last_, node_, std::exchange(text_, {})});
  return std::exchange(lines_, {});
}

void print_console(std::vector<ConsoleLine> lines) {
  if (lines.empty()) return;
  std::stable_sort(lines.begin(), lines.end(), [](const ConsoleLine& a, const ConsoleLine& b) {
    return std::tie(a.time, a.node) < std::tie(b.time, b.node);
  });
  for (const ConsoleLine& line : lines) fmt::print("[node {}] {}\n", line.node, line.text);
  std::fflush(stdout);
}

}  // namespace ht::machine
