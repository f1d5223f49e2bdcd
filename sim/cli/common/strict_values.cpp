// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/strict_values.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace ht::cli {
namespace {

bool is_whole_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text.front() != '0');
}

bool fits_64_bits(std::string_view text) {
  std::uint64_t value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

bool is_real_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// What is wrong with `text` as a value of the library's type `kind`; empty: nothing.
std::string problem(const std::string& kind, const std::string& text) {
  if (text.empty()) return "no value is given";
  if (kind == "UINT" && !(is_whole_number(text) && fits_64_bits(text)))
    return fmt::format("{} is no whole number from 0 to 2^64 - 1 in decimal digits", text);
  if (kind == "INT" && !is_whole_number(text.front() == '-' ? text.substr(1) : text))
    return fmt::format("{} is no whole number in decimal digits", text);
  if (kind == "FLOAT" && !is_real_number(text)) return fmt::format("{} is no number", text);
  return {};
}

}  // namespace

void require_strict_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const std::string kind = option->get_type_name();
    option->check([kind](const std::string& text) { return problem(kind, text); }, "");
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    require_strict_values(*sub);
}

}  // namespace ht::cli
