// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/html_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sim/cli/report/figures.hpp"
#include "sim/cli/report/svg.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/cli/version.hpp"
#include "sim/output/document.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using Json = nlohmann::ordered_json;

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

// A number as people read it, with the exact value of the JSON file beside it.
std::string data(std::string_view id, const Json& value, std::string_view shown) {
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

std::string section(std::string_view title, const std::string& content,
                    std::string_view note = "") {
  if (content.empty()) return {};
  return fmt::format(
      "<section>\n<h2>{}</h2>\n<div class=\"wide\">{}</div>\n{}</section>\n", xml_escape(title),
      content, note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", xml_escape(note)));
}

std::string head(const RunResult& r, const Json& d) {
  const RunOptions& o = r.options;
  const std::string machine =
      o.rtl ? fmt::format("{} torus {}", o.type->title(), fmt::join(o.nodes, "x"))
            : fmt::format("functional network {}", fmt::join(o.nodes, "x"));
  const char* kind = r.interrupted ? "open" : r.bit_exact() ? "good" : "bad";
  std::string text =
      fmt::format("<header><h1>{}</h1><span class=\"verdict {}\">{}</span></header>\n",
                  xml_escape(machine), kind, data("verdict", d["verdict"], r.verdict()));
  if (r.interrupted) return text + "<p class=\"sub\">The run was interrupted before its end.</p>\n";
  text += fmt::format("<p class=\"sub\">{}, lattice {}, {} on each node; {}</p>\n",
                      xml_escape(r.job.field), fmt::join(r.job.lattice, "x"),
                      fmt::join(r.job.local_lattice, "x"), xml_escape(r.grounds()));
  return text;
}

std::string tiles(const RunResult& r, const Json& d) {
  std::string text = "<div class=\"tiles\">\n";
  if (!r.interrupted) {
    int iterations = 0;
    for (const auto& c : r.job.columns) iterations += c.iterations;
    const std::size_t columns = r.job.columns.size();
    text += tile(data("iterations", iterations, fmt::format("{}", iterations)),
                 fmt::format("iterations, {} column{}", columns, columns == 1 ? "" : "s"));
    text += tile(data("true_residual", d["true_residual"],
                      fmt::format("{:.3g}", d["true_residual"].get<double>())),
                 "|b - M x| / |b|");
    text +=
        tile(data("plaquette", d["plaquette"], fmt::format("{:.9g}", r.job.plaquette.average())),
             "plaquette");
    text += tile(
        data("solution_crc32", d["solution_crc32"], fmt::format("{:08x}", r.job.solution_crc32)),
        "CRC-32 of the solution");
  }
  if (r.options.rtl) {
    text += tile(data("machine_time_ps", d["machine_time_ps"],
                      fmt::format("{:.1f} us", static_cast<double>(r.machine_time) * 1e-6)),
                 "in the machine");
    text += tile(
        data("wall_seconds", d["wall_seconds"], fmt::format("{:.1f} s", r.wall_seconds)),
        fmt::format("here, {} thread{}", r.options.threads, r.options.threads == 1 ? "" : "s"));
    if (const double solve = r.job.solve_seconds(); solve > 0 && r.peak_gflops > 0) {
      const double gflops =
          r.job.solve_flops / solve * 1e-9 / static_cast<double>(r.job.nodes.size());
      text += tile(fmt::format("{:.2f} %", 100 * gflops / r.peak_gflops),
                   fmt::format("of peak: {:.2f} of {:.1f} Gflop/s a node", gflops, r.peak_gflops));
    }
    text += tile(data("errors-injected", d["errors"]["injected"], grouped(r.errors.injected)),
                 "errors injected");
    text += tile(data("errors-undetected", d["errors"]["undetected"], grouped(r.errors.undetected)),
                 "errors undetected");
    if (!r.links.empty())  // an interrupted run ends before the counters are read
      text += tile(
          data("retransmissions", d["errors"]["retransmissions"], grouped(r.retransmissions())),
          "retransmissions");
  }
  return text + "</div>\n";
}

std::string errors_table(const RunResult& r, const Json& d) {
  if (!r.options.rtl) return {};
  constexpr std::array<const char*, 4> fates{"injected", "detected", "harmless", "undetected"};
  const auto row = [&](const std::string& name, const Json& counts) {
    std::string text = fmt::format("<tr><td class=\"l\">{}</td>", xml_escape(name));
    for (const char* fate : fates) {
      const auto count = counts[fate].get<std::uint64_t>();
      const bool hot = count > 0 && std::string_view(fate) == "undetected";
      text +=
          fmt::format("<td{}>{}</td>", hot ? " class=\"hot\"" : "",
                      data(fmt::format("errors-{}-{}", name, fate), counts[fate], grouped(count)));
    }
    return text + "</tr>\n";
  };
  std::string text = "<table><thead><tr><th class=\"l\">kind</th>";
  for (const char* fate : fates) text += fmt::format("<th>{}</th>", fate);
  text += "</tr></thead>\n<tfoot>" + row("all", d["errors"]) + "</tfoot>\n<tbody>";
  for (const auto& [kind, counts] : d["errors"]["by_kind"].items()) text += row(kind, counts);
  if (d["errors"]["by_kind"].empty()) text += "<tr><td class=\"l\" colspan=\"5\">none</td></tr>";
  return text + "</tbody></table>\n";
}

std::string links_table(const Json& links) {
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
  for (const Json& l : links) {
    text += fmt::format("<tr><td class=\"l\">{} {}</td><td class=\"l\">{}</td>", l["from"].dump(),
                        l["link"].get<std::string>(), l["to"].dump());
    for (const auto& [key, title] : counters)
      text += "<td>" + data("", l[key], grouped(l[key].get<std::uint64_t>())) + "</td>";
    const Json& first = l["first_retransmission_ps"];
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

std::string columns_table(const RunResult& r, const Json& columns) {
  if (columns.empty()) return {};
  std::string text =
      "<table><thead><tr><th>colour</th><th>spin</th><th>|source|²</th><th>iterations</th>"
      "<th>|b - M x| / |b|</th><th></th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Json& c = columns[i];
    text += "<tr>";
    for (const char* key : {"colour", "spin", "source_norm2", "iterations", "true_residual"})
      text += "<td>" + data("", c[key], c[key].dump()) + "</td>";
    text += r.job.columns[i].converged ? "<td></td></tr>\n"
                                       : "<td class=\"hot\">not converged</td></tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string options_table(const Json& options, const std::string& prefix = "") {
  std::string rows;
  for (const auto& [key, value] : options.items()) {
    if (value.is_object()) {
      rows += options_table(value, prefix + key + ".");
      continue;
    }
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    rows += fmt::format("<tr><td class=\"l\">{}</td><td class=\"l\">{}</td></tr>\n",
                        xml_escape(prefix + key),
                        data("option-" + prefix + key, value, shown.empty() ? "-" : shown));
  }
  return prefix.empty() ? "<table><tbody>\n" + rows + "</tbody></table>\n" : rows;
}

struct Figure {
  const char* name;
  std::string svg;
};

std::array<Figure, 4> draw(const RunResult& r) {
  return {{{"residual", residual_figure(r)},
           {"time", time_figure(r)},
           {"torus", torus_figure(r)},
           {"correlator", correlator_figure(r)}}};
}

std::string stem_of(const std::string& file) {
  return file.substr(0, file.rfind(".html"));
}

}  // namespace

void check_report_writable(const std::string& file) {
  if (!file.ends_with(".html"))
    throw UsageError(
        fmt::format("--report {}: the page's name ends in .html, as in run.html", file));
  check_writable(file);
  for (const char* figure : {"residual", "time", "torus", "correlator"})
    check_writable(fmt::format("{}.{}.svg", stem_of(file), figure));
}

void write_report(const RunResult& r, const std::string& file) {
  const Json d = run_document(r);
  const auto figures = draw(r);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>hypertorus run: {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
      r.verdict(), style);
  page += head(r, d) + tiles(r, d);
  page += section("Residual", figures[0].svg);
  page += section("Time in the machine", figures[1].svg,
                  "Of the solves: computing (starting messages included), waiting for halos, and "
                  "global sums.");
  page += section("Traffic", figures[2].svg,
                  "The half of a cable next to a node shows the " + r.data_unit +
                      " that node sent; a red disc "
                      "counts those it had to send again.");
  page += section("Errors on the cables, and what became of them", errors_table(r, d),
                  "Harmless: it hit nothing that mattered, as an idle symbol. Undetected: a frame "
                  "with it was accepted; one of these makes the verdict a mismatch.");
  page += section("Pion correlator", figures[3].svg);
  page += section("Columns", columns_table(r, d["columns"]));
  page +=
      section("Links", links_table(d["links"]),
              "Counters of both ends of every direction of every cable; both checksums are over "
              "the payload.");
  page += section("Options", options_table(d["options"]));
  page += fmt::format("<p class=\"note\">hypertorus {}</p>\n</main>\n</body>\n</html>\n",
                      xml_escape(version()));
  host::write_file(file, page);
  for (const Figure& figure : figures) {
    if (!figure.svg.empty())
      host::write_file(fmt::format("{}.{}.svg", stem_of(file), figure.name), figure.svg);
  }
}

}  // namespace ht::cli
