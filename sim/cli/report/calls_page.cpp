// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/calls_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/cli/common/call_report.hpp"
#include "sim/cli/report/page.hpp"
#include "sim/cli/report/report_library.hpp"
#include "sim/cli/report/svg.hpp"
#include "sim/output/document.hpp"

namespace ht::cli {
namespace {

std::string us(Picoseconds time) {
  return fmt::format("{:.3f}", static_cast<double>(time) * 1e-6);
}

std::string cell(const nlohmann::ordered_json& value, std::string_view shown) {
  return "<td>" + data("", value, shown) + "</td>";
}

std::string calls_table(std::span<const qmp::CallProfile> nodes) {
  std::string text =
      "<table><thead><tr><th class=\"l\">call</th><th>calls</th><th>us, mean of the nodes</th>"
      "<th>us, least</th><th>node</th><th>us, most</th><th>node</th></tr></thead>\n<tbody>\n";
  for (const CallRow& row : rows_by_call(nodes)) {
    text += fmt::format("<tr><td class=\"l\">{}</td>", xml_escape(row.name));
    text += cell(row.count, grouped(row.count));
    text += cell(row.time, us(row.time / static_cast<Picoseconds>(nodes.size())));
    text += cell(row.least, us(row.least)) + fmt::format("<td>{}</td>", row.least_node);
    text += cell(row.most, us(row.most)) + fmt::format("<td>{}</td></tr>\n", row.most_node);
  }
  return text + "</tbody></table>\n";
}

std::string nodes_table(std::span<const qmp::CallProfile> nodes, Picoseconds machine_time) {
  std::string text =
      "<table><thead><tr><th>node</th><th>calls</th><th>us in them</th><th>of the run</th>"
      "<th>messages</th><th>bytes</th></tr></thead>\n<tbody>\n";
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto total = nodes[n].total();
    qmp::CallProfile::Traffic sent;
    for (const auto& [to, traffic] : nodes[n].sent()) {
      sent.messages += traffic.messages;
      sent.bytes += traffic.bytes;
    }
    const double share =
        machine_time > 0 ? 100 * static_cast<double>(total.time) / static_cast<double>(machine_time)
                         : 0;
    text += fmt::format("<tr><td>{}</td>", n) + cell(total.count, grouped(total.count)) +
            cell(total.time, us(total.time)) + fmt::format("<td>{:.1f} %</td>", share) +
            cell(sent.messages, grouped(sent.messages)) + cell(sent.bytes, grouped(sent.bytes)) +
            "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string message_matrix(std::span<const qmp::CallProfile> nodes) {
  const std::vector<PairRow> pairs = rows_by_pair(nodes);
  if (pairs.empty()) return {};
  const std::uint64_t most = std::ranges::max_element(pairs, {}, &PairRow::bytes)->bytes;
  const auto size = static_cast<double>(nodes.size());
  const double side = std::clamp(640 / size, 3.0, 40.0), left = 70, top = 48;
  Svg svg(left + size * side + 250, top + size * side + 20, "Messages between nodes");
  svg.text(left, 16, "to node", "start", colour::muted);
  svg.text(left - 12, top - 6, "from", "end", colour::muted);
  const int every = std::max(1, static_cast<int>(std::ceil(26 / side)));
  for (int n = 0; n < static_cast<int>(nodes.size()); n += every) {
    const double middle = (n + 0.5) * side;
    svg.text(left + middle, top - 6, fmt::format("{}", n), "middle", colour::ink, 11);
    svg.text(left - 8, top + middle + 4, fmt::format("{}", n), "end", colour::ink, 11);
  }
  svg.add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f8fafc\" stroke=\"{}\"/>",
          left, top, size * side, size * side, colour::grid);
  for (const PairRow& pair : pairs) {
    // Equal ratios of bytes are equal steps of colour: one large pair does not hide the others.
    const double shade = std::log1p(static_cast<double>(pair.bytes)) /
                         std::log1p(static_cast<double>(std::max<std::uint64_t>(most, 1)));
    svg.add(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
        "fill-opacity=\"{:.3f}\"><title>node {} to {}: {} messages, {} bytes</title></rect>",
        left + pair.to * side, top + pair.from * side, side, side, colour::blue,
        0.08 + 0.92 * shade, pair.from, pair.to, pair.messages, pair.bytes);
  }
  const double key = left + size * side + 24;
  svg.text(key, top + 12, fmt::format("darkest: {} bytes", grouped(most)));
  svg.text(key, top + 32, fmt::format("{} pairs with messages", grouped(pairs.size())), "start",
           colour::muted);
  return svg.str();
}

std::string calls_sections(std::span<const qmp::CallProfile> nodes, Picoseconds machine_time) {
  if (nodes.empty()) return {};
  return section("Calls of the network", calls_table(nodes),
                 "Time in the machine from the call to its return, waiting included.") +
         section("Calls by node", nodes_table(nodes, machine_time)) +
         section("Messages between nodes", message_matrix(nodes),
                 "Rows send, columns receive: what programs send by messages, not what sums, "
                 "broadcasts and barriers are made of.");
}

void write_calls_page(const nlohmann::ordered_json& d, std::span<const qmp::CallProfile> nodes,
                      const std::string& file) {
  const auto verdict = d["verdict"].get<std::string>();
  const auto machine_time = d["machine_time_ps"].get<Picoseconds>();
  std::string command;
  for (const auto& word : d["command"])
    command += (command.empty() ? "" : " ") + word.get<std::string>();
  std::string page = page_begin("hypertorus exec: " + verdict);
  page += fmt::format("<header><h1>{}</h1><span class=\"verdict {}\">{}</span></header>\n",
                      xml_escape(command), verdict == "good" ? "good" : "bad",
                      data("verdict", d["verdict"], verdict));
  page += fmt::format("<p class=\"sub\">{} nodes, {} us in the machine</p>\n", nodes.size(),
                      data("machine_time_ps", d["machine_time_ps"], us(machine_time)));
  page += calls_sections(nodes, machine_time);
  page += section("Links", links_table(d["links"]),
                  "Counters of both ends of every direction of every cable; both checksums are "
                  "over the payload.");
  host::write_file(file, page + page_end());
  if (const std::string matrix = message_matrix(nodes); !matrix.empty())
    host::write_file(report_figure_file(file, "messages"), matrix);
}

}  // namespace ht::cli
