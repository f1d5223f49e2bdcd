// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace ht::cli {

/// Puts examples under the help of every subcommand, from the one table in help_examples.cpp: every
/// option of a command appears in one of them (a test sees to it).
void add_examples(CLI::App& app);

/// What a command line that `app` refused with `error` is told, in one line: an unknown option or
/// subcommand is named, with the nearest known one; else the error's own text. Ends with where to
/// read on.
std::string explain(const CLI::App& app, const CLI::Error& error);

}  // namespace ht::cli
