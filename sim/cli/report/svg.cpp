// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/svg.hpp"

namespace ht::cli {

std::string xml_escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // XML has no place for most control characters, not even escaped.
        result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return result;
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(xml_escape(title)) {}

void Svg::text(double x, double y, std::string_view text, const char* anchor, const char* fill,
               double size) {
  add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}" font-size="{}">{}</text>)", x, y,
      anchor, fill, size, xml_escape(text));
}

void Svg::line(double x1, double y1, double x2, double y2, const char* stroke, double width) {
  add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}"/>)",
      x1, y1, x2, y2, stroke, width);
}

std::string Svg::str() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', "
      "sans-serif\">\n<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"#ffffff\"/>\n{3}</svg>\n",
      width_, height_, title_, body_);
}

}  // namespace ht::cli
