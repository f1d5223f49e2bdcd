// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/window_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/machine/gather.hpp"
#include "sim/machine/machine.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {

void check_window_report(bool asked, bool rtl) {
  if (asked && !rtl)
    throw UsageError(
        "--window-report: the functional network has no windows; use --network rtl, or leave it "
        "out");
}

std::vector<WindowRow> window_rows(machine::Machine& machine) {
  int nodes = 0;
  for (int node = 0; node < machine.size(); ++node) nodes += machine.is_local(node) ? 1 : 0;
  const sim::Kernel::Statistics s = machine.kernel().statistics();
  sim::RankExchange* const ranks = machine.ranks();
  const unsigned own = ranks == nullptr ? 0 : ranks->rank();
  nlohmann::json mine = nlohmann::json::array();
  mine.push_back({own, nodes, s.windows, s.seconds, s.waiting_seconds, s.bytes_sent});
  std::vector<WindowRow> rows;
  for (const auto& r : machine::gather_lists(ranks, std::move(mine)))
    rows.push_back({r[0], r[1], r[2], r[3], r[4], r[5]});
  return rows;
}

void print_windows(std::FILE* file, std::span<const WindowRow> rows) {
  if (rows.empty()) return;
  fmt::print(file, "\n{:<11}{:>8}{:>12}{:>11}{:>18}{:>12}{:>20}\n", "by process", "nodes",
             "windows", "s", "s waiting, share", "MB sent", "us waiting a window");
  for (const WindowRow& r : rows) {
    const double share = r.seconds > 0 ? 100 * r.waiting / r.seconds : 0;
    const double each = r.windows > 0 ? 1e6 * r.waiting / static_cast<double>(r.windows) : 0;
    fmt::print(file, "    {:<7}{:>8}{:>12}{:>11.3f}{:>18}{:>12.3f}{:>20.1f}\n", r.process, r.nodes,
               r.windows, r.seconds, fmt::format("{:.3f}, {:.0f} %", r.waiting, share),
               static_cast<double>(r.bytes) * 1e-6, each);
  }
}

nlohmann::ordered_json windows_json(std::span<const WindowRow> rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const WindowRow& r : rows)
    all.push_back({{"process", r.process},
                   {"nodes", r.nodes},
                   {"windows", r.windows},
                   {"seconds", r.seconds},
                   {"waiting_seconds", r.waiting},
                   {"bytes_sent", r.bytes}});
  return all;
}

}  // namespace ht::cli
