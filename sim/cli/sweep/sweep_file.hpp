// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ht::cli {

/// A sweep as its TOML file has it (docs/howto/what-if.md). Everything is in the file's order.
struct Sweep {
  /// One direction of the grid.
  struct Axis {
    std::string name;
    std::vector<std::string> values;  ///< as they are put into words
  };
  /// What is taken of a result: a number or a text by its JSON pointer, or the value of a bench's
  /// row by its id.
  struct Column {
    std::string name;
    std::string at;
    double scale = 1;
  };
  /// What is run at every point of the grid; points with equal words share a run.
  struct Step {
    std::string name;
    bool own = true;  ///< a command of this program, which is given --json
    std::vector<std::string> words;
    std::vector<Column> columns;
  };
  struct Plot {
    std::string file;  ///< stem of the figure's name
    std::string x, by;
    std::vector<std::string> y;
    int base = 10;  ///< of the logarithmic x axis
  };

  std::string file;
  std::vector<Axis> axes;
  std::vector<Step> steps;
  std::vector<Plot> plots;
};

/// Reads and checks it. Throws DataError, one line that begins with FILE:LINE and names the nearest
/// of what there is.
Sweep read_sweep(const std::string& file);

/// Values of the axes at one point of the grid, by axis.
using SweepPoint = std::vector<std::string>;

/// All of them; the last axis changes first.
std::vector<SweepPoint> points_of(const Sweep& sweep);

/// The step's words at that point: {NAME} is an axis' value, {sweep} the file's folder, and {json}
/// the file that a program is to write.
std::vector<std::string> words_at(const Sweep& sweep, const Sweep::Step& step,
                                  const SweepPoint& point, const std::string& json);

}  // namespace ht::cli
