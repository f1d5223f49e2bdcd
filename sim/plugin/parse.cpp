// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sim/plugin/description.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/nearest.hpp"

namespace ht::machine {
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

// The whole of `text` as a number, or false. Whole numbers do not begin with a zero: to some that
// would make them octal.
template <typename T>
bool number(std::string_view text, T& value) {
  if (std::is_integral_v<T> && text.size() > 1 && text.front() == '0') return false;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
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

std::string choose(const char* option, const std::string& value,
                   std::initializer_list<const char*> choices) {
  const std::vector<std::string> known(choices.begin(), choices.end());
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  throw UsageError(fmt::format("{} {}: choose one of {}{}", option, value, fmt::join(known, ", "),
                               host::did_you_mean(value, known)));
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

host::OsNoise parse_noise(const std::string& option, const std::string& text) {
  const auto times = split(text, ',');
  if (times.size() != 3)
    throw UsageError(fmt::format(
        "{} {}: give three times, as in 1ms,20us,50us: mean interval, shortest, longest", option,
        text));
  host::OsNoise noise;
  noise.mean_interval = parse_time(option, std::string(times[0]));
  noise.shortest = parse_time(option, std::string(times[1]));
  noise.longest = parse_time(option, std::string(times[2]));
  noise.check();
  return noise;
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

std::vector<int> parse_links(const std::string& option, const std::string& text,
                             const MachineDescription& machine) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, ',')) {
    const int link = machine.link_number(part);
    if (link < 0)
      throw UsageError(
          fmt::format("{} {}: '{}' is not a link; write {}, {}, and so on to {}, separated by "
                      "commas",
                      option, text, part, machine.link_name(0), machine.link_name(1),
                      machine.link_name(machine.traits().links - 1)));
    numbers.push_back(link);
  }
  return numbers;
}

std::vector<std::pair<int, int>> parse_ports(const std::string& option, const std::string& text,
                                             int nodes, const MachineDescription& machine) {
  std::vector<std::pair<int, int>> ports;
  for (const std::string_view part : split(text, ',')) {
    const auto words = split(part, ':');
    int first = 0, last = nodes - 1;
    bool good = words.size() <= 2;
    if (words.size() == 2) {
      good = number(words[0], first) && first >= 0 && first < nodes;
      last = first;
    }
    const int link = machine.link_number(words.back());
    if (!good || link < 0)
      throw UsageError(
          fmt::format("{} {}: '{}' is not a node's link; write {} or 0:{}, with nodes below {}",
                      option, text, part, machine.link_name(0), machine.link_name(0), nodes));
    for (int node = first; node <= last; ++node) ports.emplace_back(node, link);
  }
  return ports;
}

}  // namespace ht::machine
