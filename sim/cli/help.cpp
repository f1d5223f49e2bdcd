// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sw/host/nearest.hpp"

namespace ht::cli {
namespace {

// The innermost subcommand that was given, and the words that lead to it.
const CLI::App& innermost(const CLI::App& app, std::string& path) {
  path = app.get_name();
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  return *at;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::Error& error) {
  std::string path;
  const CLI::App& command = innermost(app, path);
  const std::string read_on = fmt::format(" (see {} --help)", path);
  std::vector<std::string> unknown = app.remaining(true);
  std::erase(unknown, "--");
  const auto commands = subcommand_names(command);
  if (unknown.empty() && !commands.empty() && error.get_name() == "RequiredError")
    return fmt::format("{}: which one of {}?{}", path, fmt::join(commands, ", "), read_on);
  // What is no number was refused before (strict_values.hpp).
  static constexpr std::string_view too_large = "Could not convert: ";
  if (const std::string_view text = error.what(); text.starts_with(too_large))
    return fmt::format("{}: the number is too large{}", text.substr(too_large.size()), read_on);
  if (unknown.empty()) return error.what() + read_on;
  constexpr std::string_view of_the_tree[] = {"board", "coverage", "docs", "fpga", "test"};
  if (&command == &app && std::ranges::find(of_the_tree, unknown.front()) != std::end(of_the_tree))
    return fmt::format("{} is a command of ./hypertorus in a source tree{}", unknown.front(),
                       read_on);
  // After an unknown option its value is left over too, or was taken for a positional argument.
  const auto dashed = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.starts_with("-"); });
  if (dashed != unknown.end()) {
    const std::string option = dashed->substr(0, dashed->find('='));
    return fmt::format("unknown option {}{}{}", option,
                       host::did_you_mean(option, option_names(command)), read_on);
  }
  const std::string& word = unknown.front();
  if (commands.empty()) return fmt::format("{} is one argument too many{}", word, read_on);
  const std::string hint = host::did_you_mean(word, commands);
  return fmt::format("unknown command {}{}{}", word,
                     hint.empty() ? fmt::format("; there are {}", fmt::join(commands, ", ")) : hint,
                     read_on);
}

}  // namespace ht::cli
