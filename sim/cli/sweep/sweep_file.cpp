// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep/sweep_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>

#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::cli {
namespace {

using Names = std::vector<std::string>;

/// The file's tables, with errors that say where.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw DataError(fmt::format("{}:{}: {}", file_, at.source().begin.line, what));
  }
  void only(const toml::table& table, const Names& known, const std::string& of) const {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (std::ranges::find(known, name) != known.end()) continue;
      throw DataError(fmt::format("{}:{}: {} has no key {}; it takes {}{}", file_,
                                  key.source().begin.line, of, name, fmt::join(known, ", "),
                                  host::did_you_mean(name, known)));
    }
  }
  const toml::table& table(const toml::node& node, const std::string& what) const {
    if (!node.is_table()) fail(node, what + " must be a table");
    return *node.as_table();
  }
  std::string text(const toml::table& table, const char* key, const std::string& of) const {
    const toml::node* const node = table.get(key);
    if (node == nullptr) fail(table, fmt::format("{} needs {}", of, key));
    if (!node->is_string() || node->as_string()->get().empty())
      fail(*node, fmt::format("{} of {} must be a text in quotes", key, of));
    return node->as_string()->get();
  }
  Names texts(const toml::node& node, const std::string& what) const {
    const toml::array* const list = node.as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous(toml::node_type::string))
      fail(node, what + " must be a list of texts, as in [\"run\", \"--ber\", \"{ber}\"]");
    Names words;
    for (const toml::node& word : *list) words.push_back(word.as_string()->get());
    return words;
  }
  /// A number or a text, as it is written.
  std::string scalar(const toml::node& node, const std::string& what) const {
    if (const auto* s = node.as_string()) return s->get();
    if (const auto* i = node.as_integer()) return fmt::format("{}", i->get());
    // JSON has no NaN and no infinity.
    const auto* const d = node.as_floating_point();
    if (d != nullptr && std::isfinite(d->get())) return fmt::format("{}", d->get());
    fail(node, what + " must be finite numbers or texts");
  }
  /// Keys in the order of the file, not of the alphabet.
  std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table) const {
    std::vector<std::pair<std::string, const toml::node*>> all;
    for (const auto& [key, value] : table) all.emplace_back(key.str(), &value);
    std::ranges::sort(all, {}, [](const auto& entry) {
      const auto at = entry.second->source().begin;
      return std::pair(at.line, at.column);
    });
    return all;
  }
  /// The tables of [[key]].
  std::vector<const toml::table*> tables(const toml::table& top, const char* key) const {
    std::vector<const toml::table*> all;
    const toml::node* const node = top.get(key);
    if (node == nullptr) return all;
    if (!node->is_array() || !node->as_array()->is_homogeneous(toml::node_type::table))
      fail(*node, fmt::format("write [[{}]], once for each", key));
    for (const toml::node& entry : *node->as_array()) all.push_back(entry.as_table());
    return all;
  }

  std::vector<Sweep::Axis> axes(const toml::table& top);
  Sweep::Step step(const toml::table& table, const std::vector<Sweep::Axis>& axes);
  Sweep::Plot plot(const toml::table& table, const Sweep& sweep);

 private:
  /// No two have one name.
  using Taken = std::map<std::string, unsigned>;  // in which line
  void take(Taken& taken, const std::string& name, const toml::node& at, const char* what) const {
    const auto [first, added] = taken.emplace(name, at.source().begin.line);
    if (!added)
      fail(at,
           fmt::format("two {} are called {}; the other is in line {}", what, name, first->second));
  }
  // What files in the output's folder are called after.
  void take_file(Taken& taken, const std::string& name, const toml::node& at,
                 const char* what) const {
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos)
      fail(at, fmt::format("{}: files are called after it: take a to z, 0 to 9, _ and -", name));
    take(taken, name, at, what);
  }
  void take_column(const std::string& name, const toml::node& at) {
    if (name == "failed") fail(at, "the table has a column failed of its own; take another name");
    take(columns_, name, at, "axes or columns");
  }

  Sweep::Column column(const std::string& name, const toml::node& node) const;
  std::string one_of(const toml::table& table, const char* key, const Names& names,
                     const char* of) const;
  std::string file_;
  Taken columns_, steps_, plots_;
};

std::vector<Sweep::Axis> Reader::axes(const toml::table& top) {
  std::vector<Sweep::Axis> axes;
  const toml::node* const grid = top.get("grid");
  if (grid == nullptr) return axes;
  for (const auto& [name, node] : in_order(table(*grid, "grid"))) {
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->empty())
      fail(*node, fmt::format("{} must be a list of what it takes in turn, as in [2, 4, 8]", name));
    if (name == "json" || name == "sweep")
      fail(*node, fmt::format("{{{}}} has a meaning of its own; call the axis otherwise", name));
    take_column(name, *node);
    Sweep::Axis& axis = axes.emplace_back(Sweep::Axis{name, {}});
    for (const toml::node& value : *list) axis.values.push_back(scalar(value, "values of " + name));
  }
  return axes;
}

Sweep::Column Reader::column(const std::string& name, const toml::node& node) const {
  if (const auto* at = node.as_string()) return {name, at->get()};
  const toml::table& entry = table(node, "column " + name);
  only(entry, {"at", "scale"}, "a column");
  Sweep::Column column{name, text(entry, "at", "column " + name)};
  if (const toml::node* const scale = entry.get("scale")) {
    if (!scale->is_number()) fail(*scale, "scale must be a number");
    column.scale = *scale->value<double>();
  }
  return column;
}

Sweep::Step Reader::step(const toml::table& entry, const std::vector<Sweep::Axis>& axes) {
  Sweep::Step step;
  step.name = text(entry, "name", "a step");
  take_file(steps_, step.name, entry, "steps");
  only(entry, {"name", "hypertorus", "program", "columns"}, "step " + step.name);
  const toml::node* const own = entry.get("hypertorus");
  const toml::node* const other = entry.get("program");
  if ((own == nullptr) == (other == nullptr))
    fail(entry, fmt::format("step {} needs either hypertorus or program", step.name));
  step.own = own != nullptr;
  const toml::node& words = step.own ? *own : *other;
  step.words = texts(words, step.own ? "hypertorus" : "program");
  if (step.own && std::ranges::find(step.words, "--json") != step.words.end())
    fail(words, "the sweep says where --json goes; leave it out");
  Names known{"sweep", "json"};
  for (const Sweep::Axis& axis : axes) known.push_back(axis.name);
  static const std::regex place(R"(\{([A-Za-z0-9_.-]+)\})");
  for (const std::string& word : step.words) {
    for (std::sregex_iterator it(word.begin(), word.end(), place), end; it != end; ++it) {
      const std::string name = (*it)[1];
      if (std::ranges::find(known, name) == known.end())
        fail(words, fmt::format("{{{}}}: the grid has no such axis; there are {}{}", name,
                                fmt::join(known, ", "), host::did_you_mean(name, known)));
    }
  }
  if (const toml::node* const columns = entry.get("columns")) {
    for (const auto& [name, node] : in_order(table(*columns, "columns"))) {
      take_column(name, *node);
      step.columns.push_back(column(name, *node));
    }
  }
  return step;
}

std::string Reader::one_of(const toml::table& entry, const char* key, const Names& names,
                           const char* of) const {
  const std::string name = text(entry, key, "a plot");
  if (std::ranges::find(names, name) == names.end())
    fail(*entry.get(key), fmt::format("{}: no {}; there are {}{}", name, of, fmt::join(names, ", "),
                                      host::did_you_mean(name, names)));
  return name;
}

Sweep::Plot Reader::plot(const toml::table& entry, const Sweep& sweep) {
  only(entry, {"file", "x", "y", "by", "base"}, "a plot");
  Names axes, columns;
  for (const auto& axis : sweep.axes) axes.push_back(axis.name);
  for (const auto& step : sweep.steps) {
    for (const auto& column : step.columns) columns.push_back(column.name);
  }
  Sweep::Plot plot;
  plot.file = text(entry, "file", "a plot");
  take_file(plots_, plot.file, entry, "plots");
  Names abscissas = axes;
  abscissas.insert(abscissas.end(), columns.begin(), columns.end());
  plot.x = one_of(entry, "x", abscissas, "axis or column");
  if (entry.contains("by")) plot.by = one_of(entry, "by", axes, "axis");
  const toml::node* const y = entry.get("y");
  if (y != nullptr && y->is_array()) {
    plot.y = texts(*y, "y");
    for (const std::string& name : plot.y) {
      if (std::ranges::find(columns, name) == columns.end())
        fail(*y, fmt::format("{}: no column; there are {}{}", name, fmt::join(columns, ", "),
                             host::did_you_mean(name, columns)));
    }
  } else {
    plot.y = {one_of(entry, "y", columns, "column")};
  }
  if (const toml::node* const base = entry.get("base")) {
    if (!base->is_integer() || *base->value<int>() < 2) fail(*base, "base is 2, 10 or the like");
    plot.base = *base->value<int>();
  }
  return plot;
}

}  // namespace

Sweep read_sweep(const std::string& file) {
  if (!std::filesystem::exists(file))
    throw DataError(fmt::format("{}: no such file{}", file, host::did_you_mean_file(file)));
  if (!std::filesystem::is_regular_file(file))
    throw DataError(fmt::format("{}: is not a regular file; write the sweep to one", file));
  toml::table top;
  try {
    top = toml::parse_file(file);
  } catch (const toml::parse_error& e) {
    throw DataError(fmt::format("{}:{}: no TOML: {}", file, e.source().begin.line,
                                std::string(e.description())));
  }
  Reader reader(file);
  reader.only(top, {"grid", "step", "plot"}, "a sweep");
  Sweep sweep;
  sweep.file = file;
  sweep.axes = reader.axes(top);
  for (const toml::table* entry : reader.tables(top, "step"))
    sweep.steps.push_back(reader.step(*entry, sweep.axes));
  if (sweep.steps.empty())
    throw DataError(fmt::format("{}: nothing to run: write a [[step]]", file));
  // Each is kept in memory, and has a line of the table.
  constexpr double most = 1'000'000;
  double points = 1;
  for (const Sweep::Axis& axis : sweep.axes) points *= static_cast<double>(axis.values.size());
  if (points > most)
    throw DataError(
        fmt::format("{}: [grid] has {:.6g} points, and a sweep at most {:.0f}: leave out "
                    "values, or make several sweeps of it",
                    file, points, most));
  for (const toml::table* entry : reader.tables(top, "plot"))
    sweep.plots.push_back(reader.plot(*entry, sweep));
  return sweep;
}

std::vector<SweepPoint> points_of(const Sweep& sweep) {
  std::vector<SweepPoint> points{{}};
  for (const Sweep::Axis& axis : sweep.axes) {
    std::vector<SweepPoint> more;
    for (const SweepPoint& point : points) {
      for (const std::string& value : axis.values) {
        more.push_back(point);
        more.back().push_back(value);
      }
    }
    points = std::move(more);
  }
  return points;
}

std::vector<std::string> words_at(const Sweep& sweep, const Sweep::Step& step,
                                  const SweepPoint& point, const std::string& json) {
  const auto put = [](std::string& word, const std::string& name, const std::string& value) {
    const std::string place = "{" + name + "}";
    for (std::size_t at = word.find(place); at != std::string::npos;
         at = word.find(place, at + value.size()))
      word.replace(at, place.size(), value);
  };
  std::filesystem::path folder = std::filesystem::path(sweep.file).parent_path();
  std::vector<std::string> words = step.words;
  for (std::string& word : words) {
    for (std::size_t i = 0; i < point.size(); ++i) put(word, sweep.axes[i].name, point[i]);
    put(word, "sweep", folder.empty() ? "." : folder.string());
    put(word, "json", json);
  }
  return words;
}

}  // namespace ht::cli
