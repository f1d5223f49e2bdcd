// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/plugin/catalog.hpp"

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace ht::cli {

/// Puts examples under the help of every subcommand, from the table in help_examples.cpp and the
/// machines' own: every option of a command appears in one of them (a test sees to it).
void add_examples(CLI::App& app, const machine::MachineCatalog& catalog);

/// The message, one line, for a command line that `app` refused with `error`: an unknown option or
/// subcommand is named, with the nearest known one; else the error's own text. Ends with where to
/// read on.
std::string explain(const CLI::App& app, const CLI::Error& error);

}  // namespace ht::cli
