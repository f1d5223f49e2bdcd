// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace ht::cli {

/// Text with the characters that XML keeps for itself replaced.
std::string xml_escape(std::string_view text);

/// Colours that all figures of a report share.
namespace colour {
constexpr const char* ink = "#1f2937";
constexpr const char* muted = "#64748b";
constexpr const char* grid = "#e2e8f0";
constexpr const char* blue = "#2563eb";
constexpr const char* amber = "#f59e0b";
constexpr const char* green = "#10b981";
constexpr const char* violet = "#9333ea";
constexpr const char* red = "#dc2626";
}  // namespace colour

/// A drawing that needs nothing from outside: a file by itself, or a part of an HTML page. Pixels,
/// y downwards.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  /// Adds elements, formatted as by fmt.
  template <typename... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<T>(values)...);
    body_ += '\n';
  }
  /// `anchor`: start, middle or end. `text` is escaped.
  void text(double x, double y, std::string_view text, const char* anchor = "start",
            const char* fill = colour::ink, double size = 13);
  void line(double x1, double y1, double x2, double y2, const char* stroke, double width = 1);

  std::string str() const;

 private:
  double width_, height_;
  std::string title_, body_;
};

}  // namespace ht::cli
