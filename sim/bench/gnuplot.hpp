// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace ht::cli {

/// Curves for gnuplot, over a logarithmic x axis.
struct GnuplotFigure {
  struct Curve {
    std::string name;                               ///< in the legend
    std::string style;                              ///< "lines dt 2 lc 1" and the like
    std::vector<std::pair<double, double>> points;  ///< x > 0
  };
  std::string title, x_label, y_label;
  int log_base = 10;      ///< of the x axis
  std::string more = "";  ///< further commands before the plot
  std::vector<Curve> curves;
};

/// Throws UsageError that says what to install unless there is a gnuplot on the PATH.
void require_gnuplot(const std::string& wanted_by);

/// Draws `figure` as STEM.svg and STEM.png. Throws DataError if gnuplot cannot.
void draw_with_gnuplot(const GnuplotFigure& figure, const std::string& stem);

}  // namespace ht::cli
