// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace ht::program {

/// Starts gdb on this process, with the symbols of `file`, which is loaded at `base`, and returns
/// when gdb lets the process go on to `main`, where it stops it. Reads commands where the process
/// reads. Throws UsageError if there is no gdb, or it gives up.
void start_debugger(const std::string& file, std::uintptr_t base, std::uintptr_t main);

}  // namespace ht::program
