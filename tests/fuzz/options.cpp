// SPDX-License-Identifier: Apache-2.0
// Values of options: the first byte chooses whose, the rest is the text. What is taken lies in the
// bounds that its option has, and means the same when it is written again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/campaign/number_ranges.hpp"
#include "sim/cli/common/strict_values.hpp"
#include "sim/plugin/description.hpp"
#include "sim/plugin/parse.hpp"
#include "tests/fuzz/property.hpp"

using namespace ht;
using namespace ht::fuzz;

// Of all that machines say of themselves only names of links are parsed, which is not done here.
int ht::machine::MachineDescription::link_number(std::string_view /*name*/) const {
  return -1;
}

namespace {

void shape(const std::string& text) {
  const std::vector<int> lengths = machine::parse_shape("--nodes", text, 1, 6);
  require(!lengths.empty() && lengths.size() <= 6, "another number of axes");
  for (const int length : lengths) require(length >= 1 && length <= 4096, "an axis of no length");
  require(
      machine::parse_shape("--nodes", fmt::format("{}", fmt::join(lengths, "x")), 1, 6) == lengths,
      "a shape changes");
}

void time(const std::string& text) {
  const Picoseconds t = machine::parse_time("--timeout", text);
  require(t >= 0 && t <= 1'000'000'000'000'000'000, "a time out of bounds");
  // A number of 18 digits is more than a double holds.
  if (t < Picoseconds{1} << 53)
    require(machine::parse_time("--timeout", fmt::format("{}ps", t)) == t, "a time changes");
}

void noise(const std::string& text) {
  const host::OsNoise n = machine::parse_noise("--os-noise", text);
  require(n.shortest >= 0 && n.shortest <= n.longest, "an interruption that is shorter than any");
}

void numbers(const std::string& text) {
  const auto values = machine::parse_numbers("--boundary", text, 4);
  require(values.size() == 4, "another number of numbers");
  for (const double v : values) require(std::isfinite(v), "a number that is none");
  require(
      machine::parse_numbers("--boundary", fmt::format("{}", fmt::join(values, ",")), 4) == values,
      "numbers change");
}

void list(const std::string& text) {
  constexpr int limit = 500;
  for (const int v : machine::parse_list("--trace-nodes", text, limit))
    require(v >= 0 && v < limit, "a node that is not there");
}

void ranges(const std::string& text) {
  using campaign::NumberRanges;
  const NumberRanges set = NumberRanges::parse("--runs", text);
  require(NumberRanges::parse("--runs", set.text()) == set, "a set changes");
  std::uint64_t count = 0;
  for (const auto& [first, last] : set.ranges()) {
    require(first <= last && set.contains(first) && set.contains(last), "a range that is none");
    count += last - first + 1;
  }
  require(count == set.size(), "a set of another size");
}

// A command line of one command, its words separated by zeros.
void command_line(const std::string& text) {
  CLI::App app;
  app.name("program");
  std::uint64_t seed = 0;
  int count = 0;
  double rate = 0;
  bool quiet = false;
  std::string word;
  std::vector<std::string> several;
  CLI::App* const run = app.add_subcommand("run", "");
  run->add_option("--seed", seed);
  run->add_option("--count", count);
  run->add_option("--ber", rate);
  run->add_option("--kill", several);
  run->add_flag("--quiet", quiet);
  run->add_option("machine", word);
  cli::require_strict_values(app);
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError&) {
    return;
  }
  require(run->count("--seed") == 0 || seed <= UINT64_MAX, "a seed");
  for (const std::string& value : several) require(!value.empty(), "an empty value");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Draw draw({data, size});
  constexpr void (*parsers[])(const std::string&) = {shape, time,   noise,       numbers,
                                                     list,  ranges, command_line};
  const auto parse = parsers[draw.below(std::size(parsers))];
  const std::string text(text_of(draw.rest()));
  // A message has the value in it, as it was typed.
  try {
    parse(text);
  } catch (const Error& e) {
    require(std::string_view(e.what()).size() <= 500 + 3 * size, "a message without end");
  }
  return 0;
}
