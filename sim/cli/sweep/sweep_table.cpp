// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/sweep_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "sim/bench/gnuplot.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_text(const std::string& text) {
  const char* const end = text.data() + text.size();
  long whole = 0;
  if (const auto r = std::from_chars(text.data(), end, whole); r.ec == std::errc() && r.ptr == end)
    return whole;
  double real = 0;
  if (const auto r = std::from_chars(text.data(), end, real); r.ec == std::errc() && r.ptr == end)
    return real;
  return text;
}

// What the column takes of a result; null if it has no such thing, or no number to be scaled.
Json taken(const Json& result, const Sweep::Column& column) {
  Json value;
  try {
    if (column.at.starts_with('/')) {
      value = result.value(Json::json_pointer(column.at), Json());
    } else if (result.contains("rows")) {
      for (const Json& row : result.at("rows")) {
        if (row.value("id", "") == column.at) value = row.value("value", Json());
      }
    }
  } catch (const Json::exception&) {
    return {};
  }
  if (column.scale == 1) return value;
  return value.is_number() ? Json(value.get<double>() * column.scale) : Json();
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string place(const Sweep& sweep, const SweepPoint& point) {
  std::string text;
  for (std::size_t i = 0; i < point.size(); ++i)
    text += fmt::format(" {}={}", sweep.axes[i].name, point[i]);
  return text.empty() ? text : " at" + text;
}

}  // namespace

SweepTable::SweepTable(const Sweep& sweep, const SweepRuns& runs) : sweep_(sweep) {
  for (const auto& axis : sweep.axes) columns_.push_back(axis.name);
  for (const auto& step : sweep.steps) {
    for (const auto& column : step.columns) columns_.push_back(column.name);
  }
  std::set<std::string> said;
  for (std::size_t p = 0; p < runs.points().size(); ++p) {
    Row& row = rows_.emplace_back();
    for (const std::string& value : runs.points()[p]) row.cells.push_back(number_or_text(value));
    for (std::size_t s = 0; s < sweep.steps.size(); ++s) {
      const SweepRun& run = runs.at(p, s);
      std::string wrong;
      if (!run.document.is_null() && !run.good()) {
        const std::string error = run.document.value("error", "");
        wrong = fmt::format("exit code {}{}{}", run.exit_code(), error.empty() ? "" : ": ", error);
      }
      for (const Sweep::Column& column : run.step->columns) {
        row.cells.push_back(run.good() ? taken(run.document.at("result"), column) : Json());
        if (run.good() && row.cells.back().is_null() && wrong.empty())
          wrong =
              fmt::format("its result has no {}{}", column.scale == 1 ? "" : "number ", column.at);
      }
      if (wrong.empty()) continue;
      row.failed += fmt::format("{}{}: {}", row.failed.empty() ? "" : "; ", run.step->name, wrong);
      if (said.insert(run.stem.string()).second)
        failed_.push_back(fmt::format("{}{}: {} (log: {}.log)", run.step->name,
                                      place(sweep, runs.points()[p]), wrong, run.stem.string()));
    }
  }
}

std::string SweepTable::text(const Json& cell) const {
  if (cell.is_null()) return "-";
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

void SweepTable::print() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].size();
    for (const Row& row : rows_) width = std::max(width, text(row.cells[c]).size());
    widths.push_back(width);
    fmt::print("{:>{}}{}", columns_[c], width, c + 1 < columns_.size() ? "  " : "\n");
  }
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      fmt::print("{}{:>{}}", c > 0 ? "  " : "", text(row.cells[c]), widths[c]);
    fmt::print("{}{}\n", row.failed.empty() ? "" : "  failed: ", row.failed);
  }
  std::fflush(stdout);
}

void SweepTable::write_csv(const std::filesystem::path& file) const {
  std::string lines;
  for (const std::string& name : columns_) lines += quoted(name) + ",";
  lines += "failed\r\n";
  for (const Row& row : rows_) {
    for (const Json& cell : row.cells) lines += quoted(cell.is_null() ? "" : text(cell)) + ",";
    lines += quoted(row.failed) + "\r\n";
  }
  host::write_file(file.string(), lines);
}

Json SweepTable::document() const {
  Json rows = Json::array();
  for (const Row& row : rows_) {
    Json object;
    for (std::size_t c = 0; c < columns_.size(); ++c) object[columns_[c]] = row.cells[c];
    object["failed"] = row.failed;
    rows.push_back(std::move(object));
  }
  return {{"columns", columns_}, {"rows", rows}, {"failed", failed_}};
}

std::size_t SweepTable::draw(const std::filesystem::path& folder) const {
  std::size_t drawn = 0;
  const auto number = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
  };
  for (const Sweep::Plot& plot : sweep_.plots) {
    GnuplotFigure figure{.title = std::filesystem::path(sweep_.file).stem().string(),
                         .x_label = plot.x,
                         .y_label = fmt::format("{}", fmt::join(plot.y, ", ")),
                         .log_base = plot.base,
                         .curves = {}};
    std::size_t off_axis = 0;
    for (const std::string& y : plot.y) {
      for (const Row& row : rows_) {
        const Json& x = row.cells[number(plot.x)];
        const Json& value = row.cells[number(y)];
        if (!value.is_number()) continue;
        if (!x.is_number() || x.get<double>() <= 0) {
          ++off_axis;
          continue;
        }
        std::string name = y;
        if (!plot.by.empty())
          name += fmt::format(", {} {}", plot.by, text(row.cells[number(plot.by)]));
        auto it = std::ranges::find(figure.curves, name, &GnuplotFigure::Curve::name);
        if (it == figure.curves.end()) it = figure.curves.insert(it, {name, "linespoints", {}});
        it->points.emplace_back(x.get<double>(), value.get<double>());
      }
    }
    for (auto& curve : figure.curves) std::ranges::sort(curve.points);
    if (off_axis > 0)
      fmt::print(
          stderr,
          "hypertorus: warning: {}: {} points are not drawn: {} is no number above 0 there, and "
          "its axis is logarithmic\n",
          plot.file, off_axis, plot.x);
    if (figure.curves.empty()) continue;
    draw_with_gnuplot(figure, (folder / plot.file).string());
    ++drawn;
  }
  return drawn;
}

}  // namespace ht::cli
