// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/line_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/cli/report/svg.hpp"

namespace ht::cli {
namespace {

constexpr double width = 940, height = 380;
constexpr double left = 78, right = 30, top = 20, bottom = 54;

// "10" with the exponent in raised digits.
std::string power_of_ten(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

// 1, 2 or 5 times a power of ten, whole, so that about `count` fit into `range`.
double tick_step(double range, int count) {
  const double rough = std::max(range / count, 1.0);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

}  // namespace

std::string LogPlot::svg() const {
  Range xs, ys;
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      if (!(y > 0) || !std::isfinite(y)) continue;
      xs.include(x);
      ys.include(std::log10(y));
    }
  }
  if (level > 0) ys.include(std::log10(level));
  if (!(xs.low <= xs.high)) xs = {0, 1};
  if (!(ys.low <= ys.high)) ys = {0, 1};
  if (xs.high == xs.low) xs.high = xs.low + 1;
  const int low = static_cast<int>(std::floor(ys.low));
  const int high = std::max(low + 1, static_cast<int>(std::ceil(ys.high)));
  const double x_scale = (width - left - right) / (xs.high - xs.low);
  const double y_scale = (height - top - bottom) / (high - low);
  const auto at_x = [&](double x) { return left + (x - xs.low) * x_scale; };
  const auto at_y = [&](double log_y) { return height - bottom - (log_y - low) * y_scale; };

  Svg svg(width, height, title);
  const int decades = 1 + (high - low) / 8;
  for (int y = low; y <= high; y += decades) {
    svg.line(left, at_y(y), width - right, at_y(y), colour::grid);
    svg.text(left - 8, at_y(y) + 4, power_of_ten(y), "end", colour::muted);
  }
  const double step = tick_step(xs.high - xs.low, 10);
  for (double x = std::ceil(xs.low / step) * step; x <= xs.high; x += step) {
    svg.line(at_x(x), height - bottom, at_x(x), height - bottom + 5, colour::muted);
    svg.text(at_x(x), height - bottom + 20, fmt::format("{:g}", x), "middle", colour::muted);
  }
  svg.line(left, height - bottom, width - right, height - bottom, colour::muted);
  svg.text((left + width - right) / 2, height - 12, x_label, "middle");
  svg.add(
      "<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\" fill=\"{}\" "
      "font-size=\"13\">{}</text>",
      (top + height - bottom) / 2, colour::ink, xml_escape(y_label));
  if (level > 0) {
    const double y = at_y(std::log10(level));
    svg.add(R"(<line x1="{}" y1="{:.2f}" x2="{}" y2="{:.2f}" stroke="{}" stroke-dasharray="6 4"/>)",
            left, y, width - right, y, colour::red);
    svg.text(left + 8, y - 6, level_name, "start", colour::red, 12);
  }
  for (const Curve& curve : curves) {
    std::string points, dots;
    for (const auto& [x, y] : curve.points) {
      if (!(y > 0) || !std::isfinite(y)) continue;
      const double px = at_x(x), py = at_y(std::log10(y));
      points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", px, py);
      if (marks)
        dots += fmt::format(
            "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"{}\"><title>{}: "
            "{}</title></circle>\n",
            px, py, curve.stroke, x, y);
    }
    svg.add(
        R"(<polyline id="{}" fill="none" stroke="{}" stroke-width="2" )"
        R"(stroke-linejoin="round" stroke-dasharray="{}" points="{}"><title>{}</title></polyline>)",
        curve.id, curve.stroke, *curve.dashes == '\0' ? "none" : curve.dashes, points,
        xml_escape(curve.name));
    if (marks) svg.add("{}", dots);
  }
  // The upper right corner is free: the curves fall.
  double y = top + 14;
  for (const Curve& curve : curves) {
    if (curves.size() < 2) break;
    const double x = width - right - 170;
    svg.add(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="2" )"
            R"(stroke-dasharray="{}"/>)",
            x, y - 4, x + 34, y - 4, curve.stroke, *curve.dashes == '\0' ? "none" : curve.dashes);
    svg.text(x + 42, y, curve.name, "start", colour::ink, 12);
    y += 17;
  }
  return svg.str();
}

}  // namespace ht::cli
