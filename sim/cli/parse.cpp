// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The whole of `text` as a number, or false.
template <typename T>
bool number(std::string_view text, T& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// -1 if there is no such link on nodes of `links`.
int link_number(std::string_view name, int links) {
  constexpr std::string_view axes = "xyztuv", signs = "+-";
  if (name.size() != 2) return -1;
  const auto sign = signs.find(name[0]), axis = axes.find(name[1]);
  if (sign == std::string_view::npos || axis == std::string_view::npos) return -1;
  const int link = static_cast<int>(2 * axis + sign);
  return link < links ? link : -1;
}

}  // namespace

std::vector<int> parse_shape(const std::string& option, const std::string& text, std::size_t least,
                             std::size_t most) {
  std::vector<int> shape;
  for (const std::string_view part : split(text, 'x')) {
    int length = 0;
    if (!number(part, length) || length < 1 || length > 4096)
      throw UsageError(
          fmt::format("{} {}: '{}' is no axis length; write lengths of 1 to 4096 "
                      "joined by x, as in 2x2x2",
                      option, text, part));
    shape.push_back(length);
  }
  if (shape.size() < least || shape.size() > most)
    throw UsageError(fmt::format(
        "{} {}: {} axes, but {} are wanted", option, text, shape.size(),
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
  return shape;
}

Picoseconds parse_time(const std::string& option, const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"ps", 1.0}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  const std::string_view all = text;
  for (const auto& [unit, factor] : units) {
    if (!all.ends_with(unit)) continue;
    double value = 0;
    if (!number(all.substr(0, all.size() - unit.size()), value)) continue;
    if (!(value >= 0) || value * factor > 1e18) break;
    return static_cast<Picoseconds>(std::llround(value * factor));
  }
  throw UsageError(
      fmt::format("{} {}: not a time; write a number and ps, ns, us, ms or s, as in "
                  "10us",
                  option, text));
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count) {
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) {
    double value = 0;
    if (!number(part, value) || !std::isfinite(value))
      throw UsageError(fmt::format("{} {}: '{}' is no number", option, text, part));
    values.push_back(value);
  }
  if (values.size() != count)
    throw UsageError(
        fmt::format("{} {}: {} numbers are wanted, separated by commas", option, text, count));
  return values;
}

std::vector<int> parse_list(const std::string& option, const std::string& text, int limit) {
  std::vector<int> values;
  for (const std::string_view part : split(text, ',')) {
    const auto range = split(part, '-');
    int first = 0, last = 0;
    if (range.size() > 2 || !number(range.front(), first) || !number(range.back(), last) ||
        first < 0 || last < first || last >= limit)
      throw UsageError(
          fmt::format("{} {}: '{}' is not a node; write numbers below {}, as in 0,3 "
                      "or 0-3",
                      option, text, part, limit));
    for (int i = first; i <= last; ++i) values.push_back(i);
  }
  return values;
}

std::vector<int> parse_links(const std::string& option, const std::string& text, int links) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ',')) {
    const int link = link_number(part, links);
    if (link < 0)
      throw UsageError(
          fmt::format("{} {}: '{}' is not a link; write +x, -x, and so on to {}, separated by "
                      "commas",
                      option, text, part, links == 6 ? "-z" : "-v"));
    numbers.push_back(link);
  }
  return numbers;
}

std::vector<std::pair<int, int>> parse_ports(const std::string& option, const std::string& text,
                                             int nodes, int links) {
  std::vector<std::pair<int, int>> ports;
  for (const std::string_view part : split(text, ',')) {
    const auto words = split(part, ':');
    int first = 0, last = nodes - 1;
    bool good = words.size() <= 2;
    if (words.size() == 2) {
      good = number(words[0], first) && first >= 0 && first < nodes;
      last = first;
    }
    const int link = link_number(words.back(), links);
    if (!good || link < 0)
      throw UsageError(
          fmt::format("{} {}: '{}' is not a node's link; write +x or 0:+x, with nodes below {}",
                      option, text, part, nodes));
    for (int node = first; node <= last; ++node) ports.emplace_back(node, link);
  }
  return ports;
}

}  // namespace ht::cli
