// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/cli/report/line_plot.hpp"
#include "sim/cli/report/svg.hpp"

namespace ht::cli {
namespace {

struct Row {
  std::string name;
  std::array<double, dirac::kPhases> split{};
  double whole = 0;
};

constexpr std::array<const char*, dirac::kPhases> phase_names{"compute", "halo", "sum"};
constexpr std::array<const char*, dirac::kPhases> phase_colours{colour::blue, colour::amber,
                                                                colour::green};

void draw_row(Svg& svg, const Row& row, double x, double y, double height, double scale) {
  double at = x;
  for (std::size_t p = 0; p < row.split.size(); ++p) {
    const double length = row.split[p] * scale;
    svg.add(R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="{}"><title>{}: )"
            R"({} {:.3f} us, {:.1f} %</title></rect>)",
            at, y, length, height, phase_colours[p], row.name, phase_names[p], row.split[p] * 1e6,
            row.whole > 0 ? 100 * row.split[p] / row.whole : 0.0);
    if (height >= 18 && length > 52)
      svg.text(at + length / 2, y + height / 2 + 4.5,
               fmt::format("{:.1f} %", 100 * row.split[p] / row.whole), "middle",
               p == 0 ? "#ffffff" : colour::ink, 12);
    at += length;
  }
}

}  // namespace

std::string residual_figure(const RunResult& r) {
  if (r.job.columns.empty()) return {};
  constexpr std::array<const char*, 4> by_spin{colour::blue, colour::amber, colour::green,
                                               colour::violet};
  constexpr std::array<const char*, 3> by_colour{"", "7 4", "2 3"};
  LogPlot plot;
  plot.title = "residual by iteration";
  plot.x_label = "iteration";
  plot.y_label = "|r| / |M†b|";
  plot.level = r.options.tolerance;
  plot.level_name = fmt::format("tolerance {}", r.options.tolerance);
  for (std::size_t i = 0; i < r.job.columns.size(); ++i) {
    const dirac::ColumnResult& c = r.job.columns[i];
    LogPlot::Curve curve{fmt::format("residual-{}", i),
                         fmt::format("colour {}, spin {}", c.colour, c.spin),
                         by_spin[static_cast<std::size_t>(c.spin) % by_spin.size()],
                         by_colour[static_cast<std::size_t>(c.colour) % by_colour.size()],
                         {}};
    for (std::size_t k = 0; k < c.history.size(); ++k)
      curve.points.emplace_back(static_cast<double>(k),
                                std::sqrt(c.history[k] / c.history.front()));
    plot.curves.push_back(std::move(curve));
  }
  return plot.svg();
}

std::string correlator_figure(const RunResult& r) {
  if (r.job.correlator.empty()) return {};
  LogPlot plot;
  plot.title = "pion correlator";
  plot.x_label = "t";
  plot.y_label = "C(t)";
  plot.marks = true;
  LogPlot::Curve curve{"correlator", "pion", colour::blue, "", {}};
  for (std::size_t t = 0; t < r.job.correlator.size(); ++t)
    curve.points.emplace_back(static_cast<double>(t), r.job.correlator[t]);
  plot.curves.push_back(std::move(curve));
  return plot.svg();
}

std::string time_figure(const RunResult& r) {
  const auto& nodes = r.job.nodes;
  const double longest = r.job.solve_seconds();
  if (nodes.empty() || !(longest > 0)) return {};
  std::vector<Row> rows{{"mean", r.job.mean_split(), longest}};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes.size() <= 64)
      rows.push_back({fmt::format("node {}", n), nodes[n].split, nodes[n].solve});
  }
  const double height = rows.size() > 17 ? 9 : 20, pitch = height + (rows.size() > 17 ? 3 : 6);
  constexpr double left = 78, top = 40, width = 940, mean_height = 32;
  const double scale = (width - left - 30) / longest;
  Svg svg(width, top + mean_height + 12 + pitch * static_cast<double>(rows.size() - 1) + 34,
          "time in the machine, by node");
  double x = left;
  for (std::size_t p = 0; p < phase_names.size(); ++p) {
    svg.add(R"(<rect x="{:.0f}" y="10" width="14" height="14" rx="3" fill="{}"/>)", x,
            phase_colours[p]);
    svg.text(x + 20, 22, phase_names[p]);
    x += 104;
  }
  double y = top;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double h = i == 0 ? mean_height : height;
    draw_row(svg, rows[i], left, y, h, scale);
    const bool named = height > 12 || i == 0 || (i - 1) % 4 == 0;
    if (named) svg.text(left - 8, y + h / 2 + 4, rows[i].name, "end", colour::muted, 12);
    y += i == 0 ? mean_height + 12 : pitch;
  }
  svg.line(left, y + 2, left + longest * scale, y + 2, colour::muted);
  svg.text(left, y + 20, "0", "middle", colour::muted, 12);
  svg.text(left + longest * scale, y + 20, fmt::format("{:.3f} us", longest * 1e6), "end",
           colour::muted, 12);
  return svg.str();
}

}  // namespace ht::cli
