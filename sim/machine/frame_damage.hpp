// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <string>

namespace ht::machine {

/// "3 words changed, 1 word lost" for unit "word"; empty if nothing is damaged.
inline std::string damage_text(const char* unit, unsigned changed, unsigned lost,
                               unsigned inserted) {
  std::string text;
  const auto add = [&](unsigned count, const char* what) {
    if (count > 0)
      text += fmt::format("{}{} {}{} {}", text.empty() ? "" : ", ", count, unit,
                          count == 1 ? "" : "s", what);
  };
  add(changed, "changed");
  add(lost, "lost");
  add(inserted, "inserted");
  return text;
}

}  // namespace ht::machine
