// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/call_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ht::cli {
namespace {

constexpr std::size_t most_nodes = 64, most_pairs = 32;

double us(Picoseconds time) {
  return static_cast<double>(time) * 1e-6;
}

double percent(Picoseconds time, Picoseconds of) {
  return of > 0 ? 100 * static_cast<double>(time) / static_cast<double>(of) : 0;
}

void print_by_node(std::FILE* file, std::span<const qmp::CallProfile> nodes,
                   Picoseconds machine_time) {
  fmt::print(file, "\n{:<32}{:>10}{:>14}{:>8}{:>11}{:>14}\n", "by node", "calls", "us in them",
             "share", "messages", "bytes");
  for (std::size_t n = 0; n < std::min(nodes.size(), most_nodes); ++n) {
    const qmp::CallProfile::Calls total = nodes[n].total();
    qmp::CallProfile::Traffic sent;
    for (const auto& [to, traffic] : nodes[n].sent()) {
      sent.messages += traffic.messages;
      sent.bytes += traffic.bytes;
    }
    fmt::print(file, "    {:<28}{:>10}{:>14.3f}{:>6.1f} %{:>11}{:>14}\n", fmt::format("node {}", n),
               total.count, us(total.time), percent(total.time, machine_time), sent.messages,
               sent.bytes);
  }
  if (nodes.size() > most_nodes)
    fmt::print(file, "    ... and {} more nodes: --json has all\n", nodes.size() - most_nodes);
}

void print_by_pair(std::FILE* file, std::span<const qmp::CallProfile> nodes) {
  std::vector<PairRow> pairs = rows_by_pair(nodes);
  fmt::print(file, "\n{:<57}{:>10}{:>14}\n", "by pair", "messages", "bytes");
  if (pairs.empty()) fmt::print(file, "    no messages\n");
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &PairRow::bytes);
  for (std::size_t i = 0; i < std::min(pairs.size(), most_pairs); ++i)
    fmt::print(file, "    {:<53}{:>10}{:>14}\n",
               fmt::format("node {} to {}", pairs[i].from, pairs[i].to), pairs[i].messages,
               pairs[i].bytes);
  if (pairs.size() > most_pairs)
    fmt::print(file, "    ... and {} more pairs with fewer bytes: --json has all\n",
               pairs.size() - most_pairs);
}

}  // namespace

std::vector<CallRow> rows_by_call(std::span<const qmp::CallProfile> nodes) {
  std::map<std::string, CallRow> rows;
  for (const qmp::CallProfile& node : nodes) {
    for (const auto& [name, calls] : node.calls()) rows[name].name = name;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (auto& [name, row] : rows) {
      const auto found = nodes[n].calls().find(name);
      const auto calls =
          found == nodes[n].calls().end() ? qmp::CallProfile::Calls{} : found->second;
      row.count += calls.count;
      row.time += calls.time;
      if (n == 0 || calls.time < row.least) {
        row.least = calls.time;
        row.least_node = static_cast<int>(n);
      }
      if (n == 0 || calls.time > row.most) {
        row.most = calls.time;
        row.most_node = static_cast<int>(n);
      }
    }
  }
  std::vector<CallRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &CallRow::time);
  return sorted;
}

std::vector<PairRow> rows_by_pair(std::span<const qmp::CallProfile> nodes) {
  std::vector<PairRow> rows;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const auto& [to, traffic] : nodes[n].sent())
      rows.push_back({static_cast<int>(n), to, traffic.messages, traffic.bytes});
  }
  return rows;
}

void print_calls(std::FILE* file, std::span<const qmp::CallProfile> nodes,
                 Picoseconds machine_time) {
  if (nodes.empty()) return;
  fmt::print(file, "\n{:<32}{:>10}{:>17}{:>18}{:>18}\n", "by call", "calls", "mean us a node",
             "least us (node)", "most us (node)");
  for (const CallRow& row : rows_by_call(nodes))
    fmt::print(file, "    {:<28}{:>10}{:>17.3f}{:>18}{:>18}\n", row.name, row.count,
               us(row.time) / static_cast<double>(nodes.size()),
               fmt::format("{:.3f} ({})", us(row.least), row.least_node),
               fmt::format("{:.3f} ({})", us(row.most), row.most_node));
  print_by_node(file, nodes, machine_time);
  print_by_pair(file, nodes);
}

nlohmann::ordered_json calls_json(std::span<const qmp::CallProfile> nodes) {
  nlohmann::ordered_json calls = nlohmann::ordered_json::array(), messages = calls;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const auto& [name, made] : nodes[n].calls())
      calls.push_back({{"node", n}, {"call", name}, {"count", made.count}, {"time_ps", made.time}});
  }
  for (const PairRow& row : rows_by_pair(nodes))
    messages.push_back(
        {{"from", row.from}, {"to", row.to}, {"messages", row.messages}, {"bytes", row.bytes}});
  return {{"calls", calls}, {"messages", messages}};
}

}  // namespace ht::cli
