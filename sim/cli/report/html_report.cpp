// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/html_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sim/cli/report/calls_page.hpp"
#include "sim/cli/report/figures.hpp"
#include "sim/cli/report/page.hpp"
#include "sim/cli/report/report_library.hpp"
#include "sim/cli/report/svg.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/output/document.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using Json = nlohmann::ordered_json;

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

/// The report_figures, empty where the run has none.
std::array<std::string, report_figures.size()> draw(const RunResult& r) {
  return {residual_figure(r), time_figure(r), torus_figure(r), correlator_figure(r),
          message_matrix(r.calls)};
}

}  // namespace

void check_report_writable(const std::string& file) {
  if (!file.ends_with(".html"))
    throw UsageError(
        fmt::format("--report {}: the page's name ends in .html, as in run.html", file));
  check_writable(file);
  for (const char* figure : report_figures) check_writable(report_figure_file(file, figure));
}

void write_report(const RunResult& r, const std::string& file) {
  const Json d = run_document(r);
  const auto figures = draw(r);
  std::string page = page_begin("hypertorus run: " + r.verdict());
  page += head(r, d) + tiles(r, d);
  page += section("Residual", figures[0]);
  page += section("Time in the machine", figures[1],
                  "Of the solves: computing (starting messages included), waiting for halos, and "
                  "global sums.");
  page += section("Traffic", figures[2],
                  "The half of a cable next to a node shows the " + r.data_unit +
                      " that node sent; a red disc "
                      "counts those it had to send again.");
  page += section("Errors on the cables, and what became of them", errors_table(r, d),
                  "Harmless: it hit nothing that mattered, as an idle symbol. Undetected: a frame "
                  "with it was accepted; one of these makes the verdict a mismatch.");
  page += section("Pion correlator", figures[3]);
  page += section("Columns", columns_table(r, d["columns"]));
  page +=
      section("Links", links_table(d["links"]),
              "Counters of both ends of every direction of every cable; both checksums are over "
              "the payload.");
  page += calls_sections(r.calls, r.machine_time);
  page += section("Options", options_table(d["options"]));
  page += page_end();
  host::write_file(file, page);
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (!figures[i].empty())
      host::write_file(report_figure_file(file, report_figures[i]), figures[i]);
}

}  // namespace ht::cli
