// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/cli/report/svg.hpp"
#include "sim/cli/version.hpp"

namespace ht::cli {
namespace {

constexpr const char* style = R"(
body { margin: 0; background: #f1f5f9; color: #1f2937; font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1010px; margin: 0 auto; padding: 28px 16px 60px; }
h1 { font-size: 24px; margin: 0; }
h2 { font-size: 17px; margin: 0 0 10px; }
section { background: #fff; border: 1px solid #e2e8f0; border-radius: 10px; padding: 20px 22px; margin-top: 18px; }
header { display: flex; align-items: center; gap: 16px; flex-wrap: wrap; }
.verdict { padding: 3px 14px; border-radius: 99px; color: #fff; font-weight: 600; }
.good { background: #047857; } .bad { background: #b91c1c; } .open { background: #b45309; }
.sub { color: #64748b; margin: 4px 0 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin-top: 18px; }
.tile { background: #fff; border: 1px solid #e2e8f0; border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 21px; font-weight: 600; }
.tile span { color: #64748b; font-size: 13px; }
svg { display: block; max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th { text-align: right; color: #64748b; font-weight: 500; border-bottom: 1px solid #cbd5e1; vertical-align: bottom; }
td { text-align: right; border-bottom: 1px solid #f1f5f9; }
th, td { padding: 3px 9px; } .l { text-align: left; } .crc { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.hot { color: #b91c1c; font-weight: 600; }
#links { font-size: 12.5px; } #links td { white-space: nowrap; } #links th, #links td { padding: 3px 6px; }
tfoot td { border-top: 1px solid #cbd5e1; font-weight: 600; }
.note { color: #64748b; font-size: 13px; margin: 8px 0 0; }
)";

}  // namespace

std::string data(std::string_view id, const nlohmann::ordered_json& value, std::string_view shown) {
  return fmt::format(
      R"(<data{} value="{}">{}</data>)", id.empty() ? "" : fmt::format(" id=\"{}\"", id),
      xml_escape(value.is_string() ? value.get<std::string>() : value.dump()), xml_escape(shown));
}

std::string grouped(std::uint64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, "\u202f");
  return text;
}

std::string tile(const std::string& value, std::string_view what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value,
                     xml_escape(what));
}

std::string section(std::string_view title, const std::string& content, std::string_view note) {
  if (content.empty()) return {};
  return fmt::format(
      "<section>\n<h2>{}</h2>\n<div class=\"wide\">{}</div>\n{}</section>\n", xml_escape(title),
      content, note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", xml_escape(note)));
}

std::string links_table(const nlohmann::ordered_json& links) {
  if (links.empty()) return {};
  // Each machine's links have some of these.
  static constexpr std::array<std::array<const char*, 2>, 18> titles{
      {{"packets", "packets"},
       {"words", "words"},
       {"retransmissions", "sent again"},
       {"nacks", "nacks"},
       {"busy", "busy"},
       {"timeouts", "timeouts"},
       {"retrains", "retrains"},
       {"crc_errors", "CRC errors"},
       {"code_errors", "code errors"},
       {"framing_errors", "framing"},
       {"command_errors", "command"},
       {"header_errors", "header errors"},
       {"gaps", "gaps"},
       {"parity_errors", "parity errors"},
       {"marker_errors", "marker errors"},
       {"requests", "requests"},
       {"bursts", "bursts"},
       {"errors_injected", "injected"}}};
  std::vector<std::array<const char*, 2>> counters;
  for (const auto& title : titles) {
    if (links[0].contains(title[0])) counters.push_back(title);
  }
  std::string text =
      "<table id=\"links\"><thead><tr><th class=\"l\">from</th><th class=\"l\">to</th>";
  for (const auto& [key, title] : counters) text += fmt::format("<th>{}</th>", title);
  text +=
      "<th>first sent again</th><th>checksum sent</th><th>received</th></tr></thead>\n<tbody>\n";
  for (const nlohmann::ordered_json& l : links) {
    text += fmt::format("<tr><td class=\"l\">{} {}</td><td class=\"l\">{}</td>", l["from"].dump(),
                        l["link"].get<std::string>(), l["to"].dump());
    for (const auto& [key, title] : counters)
      text += "<td>" + data("", l[key], grouped(l[key].get<std::uint64_t>())) + "</td>";
    const nlohmann::ordered_json& first = l["first_retransmission_ps"];
    text += first.is_null() ? "<td></td>"
                            : fmt::format("<td>{:.3f} us</td>", first.get<double>() * 1e-6);
    const bool agree = l["tx_checksum"] == l["rx_checksum"];
    for (const char* end : {"tx_checksum", "rx_checksum"})
      text += fmt::format("<td class=\"crc{}\">{}</td>", agree ? "" : " hot",
                          data("", l[end], fmt::format("{:08x}", l[end].get<std::uint32_t>())));
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string page_begin(std::string_view title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
      xml_escape(title), style);
}

std::string page_end() {
  return fmt::format("<p class=\"note\">hypertorus {}</p>\n</main>\n</body>\n</html>\n",
                     xml_escape(version()));
}

}  // namespace ht::cli
