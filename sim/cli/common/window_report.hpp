// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace ht::machine {
class Machine;
}

namespace ht::cli {

/// What one process did between the machine's power-on and the last window's end.
struct WindowRow {
  unsigned process = 0;
  int nodes = 0;  ///< that it simulates
  std::uint64_t windows = 0;
  double seconds = 0;       ///< of this computer
  double waiting = 0;       ///< seconds of those, for other processes at windows' ends
  std::uint64_t bytes = 0;  ///< sent to other processes: what crosses between them on cables
};

/// `--window-report`, for help texts.
constexpr const char* window_report_help =
    "print for each process (mpirun) windows, time waiting for others at their ends, bytes sent";

/// Throws UsageError where there are no windows, on the functional network.
void check_window_report(bool asked, bool rtl);

/// Of all processes, by rank; every one must call it.
std::vector<WindowRow> window_rows(machine::Machine& machine);

void print_windows(std::FILE* file, std::span<const WindowRow> rows);

/// [{process, nodes, windows, seconds, waiting_seconds, bytes_sent}]
nlohmann::ordered_json windows_json(std::span<const WindowRow> rows);

}  // namespace ht::cli
