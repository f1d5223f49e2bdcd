// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace ht::sim {

/// Cores of this computer that the process may use, at least one: mpirun and taskset leave it some.
int usable_cores();

/// Cores of this computer that nobody uses just now, at least one: those that may be used less
/// threads that others run or want to run. Takes some ten milliseconds. Threads that meet at a
/// barrier in every window are slower on cores that they share than one thread is
/// (README.md).
int free_cores();

/// Of `cores`, where /proc/loadavg holds `text` and whoever asks runs; all if it cannot be read.
int free_cores(int cores, std::string_view text);

}  // namespace ht::sim
