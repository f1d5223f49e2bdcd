// SPDX-License-Identifier: Apache-2.0
// The torus as layers of z above one another, y leading backwards; of more than three axes, one
// such block beside the other along t, and one below the other along u and v. Half of a cable
// belongs to the node at its end, and shows what that node sent; where a cable leads round to the
// other side, or to another block, the halves are stubs.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/cli/report/figures.hpp"
#include "sim/cli/report/svg.hpp"

namespace ht::cli {
namespace {

struct Point {
  double x = 0, y = 0;
};
Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
Point operator*(double f, Point p) {
  return {f * p.x, f * p.y};
}
double length(Point p) {
  return std::hypot(p.x, p.y);
}

constexpr std::size_t axes = 6;

// Where nodes lie, and how far it is to their neighbours.
class Layout {
 public:
  explicit Layout(const std::vector<int>& shape) {
    for (std::size_t a = 0; a < shape.size() && a < shape_.size(); ++a) shape_[a] = shape[a];
    const double across = shape_[0] - 1 + 0.9 * (shape_[1] - 1) / shape_[1];
    const double spacing =
        std::clamp(680 / std::max(across + 1.2 * (shape_[3] - 1), 1.0), 40.0, 300.0);
    // Less than spacing / shape: no node stands straight above another of its own layer.
    const double depth = std::clamp(0.32 * spacing, 22.0, 95.0);
    step_[0] = {spacing, 0};
    step_[1] = {0.9 * spacing / shape_[1], -depth};
    step_[2] = {0, -((shape_[1] - 1) * depth + std::clamp(0.5 * spacing, 34.0, 130.0))};
    const int nodes = this->nodes();
    radius_ = nodes <= 16 ? 17 : nodes <= 128 ? 10 : 4;
    stub_ = std::clamp(0.3 * spacing, radius_ + 8, 62.0);
    const Point block =
        (shape_[0] - 1) * step_[0] + (shape_[1] - 1) * step_[1] + (shape_[2] - 1) * step_[2];
    const double apart = 2 * (stub_ + 22);
    step_[3] = {block.x + apart, 0};
    step_[4] = {0, -block.y + apart};
    step_[5] = {0, shape_[4] * step_[4].y};
    const double margin = stub_ + 30;
    const double width = block.x + (shape_[3] - 1) * step_[3].x;
    width_ = std::max(940.0, width + 2 * margin);
    origin_ = {(width_ - width) / 2, margin - block.y};
    height_ = origin_.y + (shape_[4] - 1) * step_[4].y + (shape_[5] - 1) * step_[5].y + margin + 46;
  }

  std::array<int, axes> coordinates(int rank) const {
    std::array<int, axes> c{};
    for (std::size_t a = 0; a < axes; ++a) {
      c[a] = rank % shape_[a];
      rank /= shape_[a];
    }
    return c;
  }
  Point at(int rank) const {
    Point p = origin_;
    const auto c = coordinates(rank);
    for (std::size_t a = 0; a < axes; ++a) p = p + c[a] * step_[a];
    return p;
  }
  // Whether the cable on `link` of node `rank` leaves the picture and comes back at the other side.
  bool leads_round(int rank, int link) const {
    const auto axis = static_cast<std::size_t>(link / 2);
    return coordinates(rank)[axis] == (link % 2 == 0 ? shape_[axis] - 1 : 0);
  }
  // From the node's centre to the end of its half of the cable.
  Point half(int rank, int link) const {
    const auto axis = static_cast<std::size_t>(link / 2);
    const Point step = (link % 2 == 0 ? 1.0 : -1.0) * direction(axis);
    return axis > 2 || leads_round(rank, link) ? stub_ / length(step) * step : 0.5 * step;
  }
  Point unit(std::size_t axis) const { return 1 / length(direction(axis)) * direction(axis); }
  // Axes that have an arrow in the legend.
  std::size_t shown_axes() const {
    std::size_t shown = 3;
    for (std::size_t a = 3; a < axes; ++a) {
      if (shape_[a] > 1) shown = a + 1;
    }
    return shown;
  }

  double width() const { return width_; }
  double height() const { return height_; }
  double radius() const { return radius_; }
  int nodes() const {
    return std::accumulate(shape_.begin(), shape_.end(), 1, std::multiplies<>());
  }

 private:
  // Stubs of t, u and v must not hide one another, nor a cable of x, y and z.
  Point direction(std::size_t axis) const {
    constexpr std::array<Point, 3> stubs{{{1, 0.45}, {0.45, 1}, {-0.6, 1}}};
    return axis < 3 ? step_[axis] : stubs[axis - 3];
  }

  std::array<int, axes> shape_{1, 1, 1, 1, 1, 1};
  std::array<Point, axes> step_;
  Point origin_;
  double radius_, stub_, width_, height_;
};

// From light to dark blue.
std::string shade(double share) {
  constexpr std::array<int, 3> light{0xc3, 0xd5, 0xf7}, dark{0x17, 0x2f, 0x85};
  std::string text = "#";
  for (std::size_t i = 0; i < 3; ++i)
    text += fmt::format("{:02x}", light[i] + static_cast<int>(share * (dark[i] - light[i])));
  return text;
}

struct Scale {
  std::uint64_t most_packets = 1, most_retransmissions = 1;
};

void draw_link(Svg& svg, const Layout& layout, const machine::LinkReport& l, const Scale& scale,
               const std::string& unit) {
  const double share = static_cast<double>(l.sent) / static_cast<double>(scale.most_packets);
  const Point from = layout.at(l.from), half = layout.half(l.from, l.link);
  const Point end = from + half;
  const double thick = (layout.radius() > 12 ? 2.0 : 1.0) + layout.radius() * 0.25 * share;
  const bool agree = l.checksums_agree();
  svg.add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
          R"(stroke-width="{:.2f}"{}><title>node {} {} to node {}: {} {}, {} retransmissions, )"
          R"({} errors injected, checksums {:08x} {:08x}{}</title></line>)",
          from.x, from.y, end.x, end.y, agree ? shade(share) : colour::red, thick,
          agree ? "" : " stroke-dasharray=\"3 2\"", l.from, l.name, l.to, l.sent, unit,
          l.retransmitted, l.errors.injected, l.tx_checksum, l.rx_checksum, agree ? "" : " DIFFER");
  if (l.link > 5 || layout.leads_round(l.from, l.link)) {
    const Point tail = end + 14 / length(half) * half;
    svg.add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
            R"(stroke-width="2" stroke-dasharray="2 3"/>)",
            end.x, end.y, tail.x, tail.y, "#94a3b8");
  }
}

void draw_retransmissions(Svg& svg, const Layout& layout, const machine::LinkReport& l,
                          const Scale& scale) {
  if (l.retransmitted == 0) return;
  const Point half = layout.half(l.from, l.link);
  const bool numbered = layout.nodes() <= 16;
  // Clear of the node, and on its half.
  const double clear = layout.radius() + (numbered ? 14 : 6);
  const Point at = layout.at(l.from) + std::min(1.0, std::max(0.55, clear / length(half))) * half;
  const double share =
      static_cast<double>(l.retransmitted) / static_cast<double>(scale.most_retransmissions);
  const double radius = numbered ? 7.5 + 3 * std::sqrt(share) : 1.5 + 4.5 * std::sqrt(share);
  svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}" stroke="#ffffff" )"
          R"(stroke-width="1"><title>node {} {} to node {}: {} retransmissions</title></circle>)",
          at.x, at.y, radius, colour::red, l.from, l.name, l.to, l.retransmitted);
  if (numbered)
    svg.text(at.x, at.y + 3.5, fmt::format("{}", l.retransmitted), "middle", "#ffffff",
             l.retransmitted > 99 ? 8 : 10);
}

void draw_nodes(Svg& svg, const Layout& layout) {
  for (int rank = layout.nodes() - 1; rank >= 0; --rank) {
    const Point p = layout.at(rank);
    const auto c = layout.coordinates(rank);
    svg.add(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="#ffffff" stroke="{}" )"
        R"(stroke-width="1.5"><title>node {} at {}</title></circle>)",
        p.x, p.y, layout.radius(), colour::ink, rank,
        fmt::join(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(layout.shown_axes()), ","));
    if (layout.radius() > 8)
      svg.text(p.x, p.y + 0.28 * layout.radius(), fmt::format("{}", rank), "middle", colour::ink,
               layout.radius() > 12 ? 14 : 9);
  }
}

void draw_legend(Svg& svg, const Layout& layout, const Scale& scale, const std::string& unit,
                 const std::vector<std::string>& names) {
  const double y = layout.height() - 26;
  double x = 24;
  svg.text(x, y + 4, unit + "  0", "start", colour::muted, 12);
  x += 66;
  for (int i = 0; i < 40; ++i)
    svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="3.2" height="{:.1f}" fill="{}"/>)", x + 3 * i,
            y - 0.5 - 5.0 * i / 40, 1 + 10.0 * i / 40, shade(i / 39.0));
  x += 130;
  svg.text(x, y + 4, fmt::format("{}", scale.most_packets), "start", colour::muted, 12);
  x += 80;
  svg.add(R"(<circle cx="{}" cy="{}" r="6" fill="{}"/>)", x, y, colour::red);
  svg.text(x + 12, y + 4, "retransmissions", "start", colour::muted, 12);
  x += 130;
  svg.add(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="#94a3b8" stroke-width="2" )"
          R"(stroke-dasharray="2 3"/>)",
          x, y, x + 22, y);
  svg.text(x + 30, y + 4, "leads round to the other side, or to another block", "start",
           colour::muted, 12);
  // The axes.
  const Point origin{layout.width() - 110, y + 4};
  for (std::size_t a = 0; a < layout.shown_axes(); ++a) {
    const Point tip = origin + 34 * layout.unit(a);
    svg.line(origin.x, origin.y, tip.x, tip.y, colour::muted, 1.5);
    const Point label = origin + 44 * layout.unit(a);
    svg.text(label.x, label.y + 4, names[a], "middle", colour::muted, 12);
  }
}

}  // namespace

std::string torus_figure(const RunResult& r) {
  if (r.links.empty()) return {};
  const machine::FigureAxes drawn = r.options.type->figure_axes(r.options, r.links);
  const Layout layout(drawn.lengths);
  Scale scale;
  for (const auto& l : drawn.links) {
    scale.most_packets = std::max<std::uint64_t>(scale.most_packets, l.sent);
    scale.most_retransmissions =
        std::max<std::uint64_t>(scale.most_retransmissions, l.retransmitted);
  }
  Svg svg(layout.width(), layout.height(), "traffic and retransmissions on the torus");
  for (const auto& l : drawn.links) draw_link(svg, layout, l, scale, r.data_unit);
  draw_nodes(svg, layout);
  for (const auto& l : drawn.links) draw_retransmissions(svg, layout, l, scale);
  draw_legend(svg, layout, scale, r.data_unit, drawn.names);
  return svg.str();
}

}  // namespace ht::cli
