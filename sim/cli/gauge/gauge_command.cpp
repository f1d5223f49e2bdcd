// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/gauge/gauge_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/cli/run/report.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/dirac/gauge/gauge_write.hpp"
#include "sw/dirac/gauge/heatbath.hpp"
#include "sw/dirac/gauge/statistics.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

using machine::parse_shape;

using nlohmann::ordered_json;

dirac::GaugeWriteOptions write_options(const GaugeArguments& a) {
  if (a.format != "nersc" && a.format != "ildg")
    throw UsageError(fmt::format("--format {}: choose nersc or ildg", a.format));
  if (a.precision != 32 && a.precision != 64)
    throw UsageError(fmt::format("--precision {}: choose 32 or 64", a.precision));
  const bool nersc = a.format == "nersc";
  if (a.rows != 3 && !(nersc && a.rows == 2))
    throw UsageError(fmt::format("--rows {}: 2 or 3 with --format nersc, else 3", a.rows));
  return {nersc ? dirac::GaugeFormat::Nersc : dirac::GaugeFormat::Ildg, a.precision, a.rows};
}

dirac::Coordinates lattice_of(const GaugeArguments& a) {
  const auto extents = parse_shape("--lattice", a.lattice, 4, 4);
  dirac::Coordinates lattice{};
  std::copy(extents.begin(), extents.end(), lattice.begin());
  return lattice;
}

dirac::FieldKind field_of(const char* option, const std::string& name) {
  const auto kind = dirac::parse_field_kind(name);
  if (!kind) throw UsageError(fmt::format("{} {}: choose weak, hot or unit", option, name));
  return *kind;
}

double worst_unitarity(const dirac::GlobalGauge& gauge) {
  double worst = 0;
  for (const dirac::SiteLinks& site : gauge.links) {
    for (const dirac::Link& u : site) worst = std::fmax(worst, dirac::unitarity_defect(u));
  }
  return worst;
}

ordered_json describe(const dirac::GlobalGauge& gauge, bool quiet) {
  const dirac::Plaquette& p = gauge.plaquette;
  const double defect = worst_unitarity(gauge);
  if (!quiet) {
    std::string verified;
    for (const std::string& what : gauge.verified) {
      verified += (verified.empty() ? "" : ", ") + what;
    }
    fmt::print("field        {}\n", gauge.description);
    fmt::print("lattice      {}\n", dirac::to_string(gauge.lattice));
    fmt::print("plaquette    {:.12g}  (space-space {:.12g}, space-time {:.12g})\n", p.average(),
               p.space_space, p.space_time);
    fmt::print("link trace   {:.12g}\n", gauge.link_trace);
    fmt::print("unitarity    {:.2g}  (largest error of U U^dagger and det U)\n", defect);
    if (!verified.empty()) fmt::print("verified     {}\n", verified);
  }
  return {{"field", gauge.description},
          {"lattice", gauge.lattice},
          {"precision", gauge.precision_bits},
          {"plaquette", p.average()},
          {"plaquette_space_space", p.space_space},
          {"plaquette_space_time", p.space_time},
          {"link_trace", gauge.link_trace},
          {"unitarity_defect", defect},
          {"verified", gauge.verified}};
}

/// Writes, reads back what was written, and describes that: it has passed every check there is.
void write_and_describe(const GaugeArguments& a, Results& results, const dirac::GlobalGauge& gauge,
                        ordered_json more = ordered_json::object()) {
  dirac::write_gauge_file(gauge, a.out, write_options(a));
  ordered_json json = describe(dirac::read_gauge_file(a.out), a.quiet);
  json.update(more);
  results.add(json);
  if (!a.quiet) fmt::print("written      {}\n", a.out);
}

int heatbath(const GaugeArguments& a, Session& session) {
  if (a.sweeps < 0 || a.thermalise < 0 || a.sweeps + a.thermalise < 1)
    throw UsageError(fmt::format("--sweeps {} --thermalize {}: counts from 0, at least 1 together",
                                 a.sweeps, a.thermalise));
  if (a.threads < 0 || a.threads > 1024)
    throw UsageError(fmt::format("--threads {}: 0 (all cores) to 1024", a.threads));
  dirac::HeatbathOptions options;
  options.beta = a.beta;
  options.overrelaxations = a.overrelaxations;
  options.seed = a.seed;
  options.threads = a.threads > 0
                        ? a.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  dirac::GlobalGauge gauge =
      dirac::generate_gauge(field_of("--start", a.start), a.seed, lattice_of(a));
  dirac::Heatbath heatbath(gauge, options);
  ProgressLine progress(a.quiet);
  std::vector<double> plaquettes;
  const int all = a.thermalise + a.sweeps;
  progress.expect_work(all, "sweeps");
  for (int i = 0; i < all; ++i) {
    if (session.stop) {
      progress.clear();
      fmt::print(stderr, "hypertorus: interrupted after {} of {} sweeps; nothing written\n", i,
                 all);
      return exit_interrupted;
    }
    heatbath.sweep();
    if (i < a.thermalise && i % 8 != 0) continue;
    dirac::measure(gauge);
    if (i >= a.thermalise) plaquettes.push_back(gauge.plaquette.average());
    progress.stage(
        fmt::format("sweep {} of {}, plaquette {:.5f}", i + 1, all, gauge.plaquette.average()));
    progress.work(i + 1);
  }
  progress.clear();
  dirac::measure(gauge);
  gauge.description = fmt::format("heat bath, beta {}, {} sweeps from {} start, seed {}", a.beta,
                                  all, a.start, a.seed);
  ordered_json more = {{"beta", a.beta}, {"sweeps", a.sweeps}, {"thermalize", a.thermalise}};
  if (plaquettes.size() >= 2) {
    const dirac::ChainMean mean = dirac::chain_mean(plaquettes);
    if (!a.quiet)
      fmt::print(
          "mean         {:.7f} +- {:.7f} over {} sweeps (autocorrelation {:.1f} sweeps{})\n",
          mean.mean, mean.error, plaquettes.size(), mean.autocorrelation,
          static_cast<double>(plaquettes.size()) < dirac::kFewTimes * mean.autocorrelation
              ? fmt::format(
                    "; fewer than {:.0f} times that: the error may be too small, allow more sweeps",
                    dirac::kFewTimes)
              : "");
    more["plaquette_mean"] = mean.mean;
    more["plaquette_error"] = mean.error;
    more["autocorrelation_sweeps"] = mean.autocorrelation;
  }
  write_and_describe(a, session.results, gauge, more);
  return 0;
}

void add_output(CLI::App& app, GaugeArguments& a) {
  app.add_option("out", a.out, "file to write")->required()->type_name("OUT");
  app.add_option("--format", a.format, "nersc or ildg")->capture_default_str();
  app.add_option("--precision", a.precision, "32 or 64 bits")->capture_default_str();
  app.add_option("--rows", a.rows, "nersc: 2 (4D_SU3_GAUGE) or 3 (4D_SU3_GAUGE_3x3)")
      ->capture_default_str();
}

CLI::App& add(CLI::App& app, GaugeArguments& a, const std::string& name, const std::string& what) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->callback([&a, name] { a.action = name; });
  sub->add_option("--json", a.json, "write the numbers to FILE");
  sub->add_flag("--quiet", a.quiet, "print nothing");
  return *sub;
}

}  // namespace

void declare_gauge_options(CLI::App& app, GaugeArguments& a) {
  app.require_subcommand(1);
  CLI::App& info = add(app, a, "info", "check a configuration and measure it");
  info.add_option("file", a.in, "NERSC, ILDG/LIME or MILC v5")->required()->type_name("FILE");

  CLI::App& convert = add(app, a, "convert", "write a configuration in another format");
  convert.add_option("in", a.in, "NERSC, ILDG/LIME or MILC v5")->required()->type_name("IN");
  add_output(convert, a);

  CLI::App& generate = add(app, a, "generate", "write a weak, hot or unit field");
  add_output(generate, a);
  generate.add_option("--field", a.field, "weak, hot or unit")->capture_default_str();
  generate.add_option("--lattice", a.lattice, "x first")->capture_default_str();
  generate.add_option("--seed", a.seed, "of the field")->capture_default_str();

  CLI::App& heat = add(app, a, "heatbath", "generate an SU(3) field of the Wilson action");
  add_output(heat, a);
  heat.add_option("--beta", a.beta, "6 / g^2")->capture_default_str();
  heat.add_option("--lattice", a.lattice, "x first, even extents")->capture_default_str();
  heat.add_option("--start", a.start, "hot, unit or weak")->capture_default_str();
  heat.add_option("--thermalize", a.thermalise, "sweeps before measurements")
      ->capture_default_str();
  heat.add_option("--sweeps", a.sweeps, "sweeps measured; the last field is written")
      ->capture_default_str();
  heat.add_option("--overrelax", a.overrelaxations, "over-relaxations in a sweep")
      ->capture_default_str();
  heat.add_option("--seed", a.seed, "of start and heat bath")->capture_default_str();
  heat.add_option("--threads", a.threads, "0: all cores; changes no bit")->capture_default_str();
}

int gauge_command(const GaugeArguments& a, Session& session) {
  check_distinct({{"--json", a.json}, {"the output", a.out}}, {{"the gauge file", a.in}});
  session.results.open(a.json);
  if (!a.out.empty()) {
    write_options(a);
    // What is written is read back; and what is printed must not come between it.
    if (std::filesystem::exists(a.out) && (!std::filesystem::is_regular_file(a.out) ||
                                           std::filesystem::equivalent(a.out, "/dev/stdout")))
      throw UsageError(fmt::format(
          "{}: what is written is read back, so it is no device or pipe; name a file", a.out));
    check_writable(a.out);
  }
  if (a.action == "info") {
    session.results.add(describe(dirac::read_gauge_file(a.in), a.quiet));
  } else if (a.action == "convert") {
    write_and_describe(a, session.results, dirac::read_gauge_file(a.in));
  } else if (a.action == "generate") {
    write_and_describe(a, session.results,
                       dirac::generate_gauge(field_of("--field", a.field), a.seed, lattice_of(a)));
  } else {
    return heatbath(a, session);
  }
  return 0;
}

}  // namespace ht::cli
