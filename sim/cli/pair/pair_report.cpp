// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/pair/pair_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/read_document.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/input_file.hpp"

namespace ht::cli {
namespace {

using nlohmann::ordered_json;
using Pair = std::array<ordered_json, 2>;
/// What a table has a row of, and both runs' numbers; null where a run has no such row.
using Rows = std::map<std::string, Pair>;

ordered_json read(const std::string& file) {
  const host::InputFile input(file, "give a file that run --json or exec --json wrote");
  const auto bytes = input.content();
  auto document = read_document({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const bool object = !document.is_discarded() && document.is_object();
  const std::string from = object ? document.value("subcommand", ordered_json()).dump() : "";
  if (from != "\"run\"" && from != "\"exec\"")
    throw DataError(
        fmt::format("{}: no document of run or exec; give a file that their --json wrote", file));
  if (document.value("schema_version", ordered_json()) != json_schema_version)
    throw DataError(fmt::format(
        "{}: written by another version of hypertorus: its schema_version is {}, and this one "
        "reads {}",
        file, document.value("schema_version", ordered_json()).dump(), json_schema_version));
  // exec has their number, and run their documents.
  if (document.value("partitions", ordered_json()).is_array())
    throw DataError(fmt::format(
        "{}: of run --partition, which ran several jobs; give documents of runs with one job each",
        file));
  return document;
}

/// The value at a path of keys, or null.
ordered_json at(const ordered_json& document, const char* path) {
  const ordered_json::json_pointer place(path);
  return document.contains(place) ? document.at(place) : ordered_json();
}

std::string text(const ordered_json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return host::printable(value.is_string() ? value.get<std::string>() : value.dump(), 40);
}

/// B as a multiple of A, or empty.
std::string ratio(const Pair& pair) {
  if (!pair[0].is_number() || !pair[1].is_number() || pair[0].get<double>() == 0) return {};
  return fmt::format("{:.3f}", pair[1].get<double>() / pair[0].get<double>());
}

void print_row(const std::string& name, const Pair& pair) {
  fmt::print("{:38} {:>26} {:>26} {:>9}\n", name, text(pair[0]), text(pair[1]), ratio(pair));
}

/// Mean over the nodes of a part of times_s, in us.
ordered_json mean_time(const ordered_json& document, const char* part) {
  const ordered_json nodes = at(document, "/times_s");
  if (!nodes.is_array() || nodes.empty()) return nullptr;
  double sum = 0;
  for (const auto& node : nodes) {
    const ordered_json value = at(node, part);
    if (!value.is_number()) return nullptr;
    sum += value.get<double>();
  }
  return sum / static_cast<double>(nodes.size()) * 1e6;
}

ordered_json machine_time(const ordered_json& document) {
  const ordered_json time = at(document, "/machine_time_ps");
  return time.is_number() ? ordered_json(time.get<double>() * 1e-6) : ordered_json();
}

/// The rows that all documents may have, in order.
std::vector<std::pair<std::string, Pair>> overview(const Pair& documents) {
  using Value = std::function<ordered_json(const ordered_json&)>;
  const auto key = [](const char* path) {
    return Value([path](const ordered_json& d) { return at(d, path); });
  };
  const std::vector<std::pair<std::string, Value>> wanted = {
      {"verdict", key("/verdict")},
      {"lattice", key("/lattice")},
      {"iterations", key("/iterations")},
      {"solution's CRC-32",
       [](const ordered_json& d) {
         const ordered_json crc = at(d, "/solution_crc32");  // a name, not a quantity
         return crc.is_null() ? crc : ordered_json(crc.dump());
       }},
      {"time in the machine, us", machine_time},
      {"computing, us, mean", [](const ordered_json& d) { return mean_time(d, "/compute"); }},
      {"waiting for halos, us, mean", [](const ordered_json& d) { return mean_time(d, "/halo"); }},
      {"global sums, us, mean", [](const ordered_json& d) { return mean_time(d, "/sum"); }},
      {"errors injected", key("/errors/injected")},
      {"  detected", key("/errors/detected")},
      {"  harmless", key("/errors/harmless")},
      {"  undetected", key("/errors/undetected")},
      {"retransmissions", key("/errors/retransmissions")},
      {"replays", key("/errors/replays")}};
  std::vector<std::pair<std::string, Pair>> rows;
  for (const auto& [name, value] : wanted) {
    Pair pair{value(documents[0]), value(documents[1])};
    if (!pair[0].is_null() || !pair[1].is_null()) rows.emplace_back(name, std::move(pair));
  }
  return rows;
}

/// Of a list of objects in both documents, `value` by `name`.
Rows rows_of(const Pair& documents, const char* list,
             const std::function<std::string(const ordered_json&)>& name,
             const std::function<ordered_json(const ordered_json&)>& value) {
  Rows rows;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const auto& entry : at(documents[i], list)) rows[name(entry)][i] = value(entry);
  }
  return rows;
}

std::string link_name(const ordered_json& link) {
  return fmt::format("node {} {} to {}", text(at(link, "/from")), text(at(link, "/link")),
                     text(at(link, "/to")));
}

/// The largest of either run first; at most `most` of them.
ordered_json print_table(const std::string& title, const Rows& rows, int most) {
  const auto size = [](const Pair& p) {
    const auto number = [](const ordered_json& v) { return v.is_number() ? v.get<double>() : 0.0; };
    return std::max(number(p[0]), number(p[1]));
  };
  std::vector<std::pair<std::string, Pair>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return size(a.second) > size(b.second); });
  std::erase_if(sorted, [&](const auto& row) { return size(row.second) == 0; });
  ordered_json all = ordered_json::array();
  for (const auto& [name, pair] : sorted) all.push_back({{"what", name}, {"values", pair}});
  if (sorted.empty()) return all;
  fmt::print("\n{}\n", title);
  const auto shown = std::min(sorted.size(), static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < shown; ++i) print_row("  " + sorted[i].first, sorted[i].second);
  if (shown < sorted.size()) fmt::print("  and {} more\n", sorted.size() - shown);
  return all;
}

}  // namespace

int pair_report(const PairArguments& arguments, Results& results) {
  if (arguments.rows < 1)
    throw UsageError(fmt::format("--rows {}: write how many, from 1", arguments.rows));
  check_distinct({{"--json", arguments.json}}, {{"A", arguments.a}, {"B", arguments.b}});
  results.open(arguments.json);
  const Pair documents{read(arguments.a), read(arguments.b)};
  fmt::print("{:38} {:>26} {:>26} {:>9}\n", "", "A", "B", "B / A");
  print_row("file", {arguments.a, arguments.b});
  ordered_json rows = ordered_json::array();
  for (const auto& [name, pair] : overview(documents)) {
    print_row(name, pair);
    rows.push_back({{"what", name}, {"values", pair}});
  }
  const auto load = [](const ordered_json& link) {
    const ordered_json packets = at(link, "/packets");
    return packets.is_null() ? at(link, "/words") : packets;
  };
  const auto again = [](const ordered_json& link) { return at(link, "/retransmissions"); };
  const auto pair_name = [](const ordered_json& m) {
    return fmt::format("node {} to {}", text(at(m, "/from")), text(at(m, "/to")));
  };
  const auto bytes = [](const ordered_json& m) { return at(m, "/bytes"); };
  const int most = arguments.rows;
  const auto loads = print_table("links by load: packets, or words",
                                 rows_of(documents, "/links", link_name, load), most);
  const auto resent =
      print_table("links by retransmission", rows_of(documents, "/links", link_name, again), most);
  const auto messages = print_table("messages: bytes by pair (--profile-calls)",
                                    rows_of(documents, "/messages", pair_name, bytes), most);
  results.add({{"overview", rows},
               {"load", loads},
               {"retransmissions", resent},
               {"message_bytes", messages}});
  return static_cast<int>(ExitCode::Ok);
}

}  // namespace ht::cli
