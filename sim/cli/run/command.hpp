// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"

namespace ht::cli {

/// `hypertorus run`.
std::unique_ptr<Command> make_run_command();

}  // namespace ht::cli
