// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace ht::cli {

/// Has every option of `app` and its subcommands refuse what is no value of its kind: nothing at
/// all, and of numbers what the library would read as another one (-1 as 2^64 - 1, 010 as 8).
void require_strict_values(CLI::App& app);

}  // namespace ht::cli
