// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace ht::cli {

/// A plot of curves over a linear x axis and a logarithmic y axis, as SVG. Written here, not by
/// gnuplot, so that a report needs no program at run time.
struct LogPlot {
  struct Curve {
    std::string id;    ///< of its polyline, for whoever looks for it
    std::string name;  ///< in the legend, if there are several
    const char* stroke;
    const char* dashes;                             ///< SVG's stroke-dasharray, or ""
    std::vector<std::pair<double, double>> points;  ///< y <= 0 is left out
  };
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  bool marks = false;  ///< a dot at every point
  double level = 0;    ///< a dashed horizontal line there, if positive
  std::string level_name;

  std::string svg() const;
};

}  // namespace ht::cli
