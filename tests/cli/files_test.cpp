// SPDX-License-Identifier: Apache-2.0
// The commands around files: gauge, solution, run --save-solution; and bench cell.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;

namespace {

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Outcome good(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_program(arguments);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}

void check_refused(const std::vector<std::string>& arguments, int code, const std::string& names) {
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.err.find(names) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

nlohmann::json info(const std::string& file, const ScratchFolder& folder) {
  const std::string json = folder.file("info.json");
  good({"gauge", "info", file, "--quiet", "--json", json});
  return nlohmann::json::parse(content(json));
}

}  // namespace

TEST_CASE("gauge convert goes round through every format") {
  const ScratchFolder folder;
  const std::string first = folder.file("first");
  good({"gauge", "generate", first, "--field", "hot", "--lattice", "2x4x3x2", "--seed", "9"});
  const auto wanted = info(first, folder);
  CHECK(wanted["lattice"] == nlohmann::json({2, 4, 3, 2}));
  struct Way {
    const char *format, *precision, *rows;
    const char* kind;
  };
  for (const Way& w : {Way{"nersc", "64", "3", "4D_SU3_GAUGE_3x3, float64"},
                       Way{"nersc", "64", "2", "4D_SU3_GAUGE, float64"},
                       Way{"nersc", "32", "3", "4D_SU3_GAUGE_3x3, float32"},
                       Way{"nersc", "32", "2", "4D_SU3_GAUGE, float32"},
                       Way{"ildg", "32", "3", "ILDG/LIME, float32"},
                       Way{"ildg", "64", "3", "ILDG/LIME, float64"}}) {
    CAPTURE(w.kind);
    const std::string there = folder.file("there"), back = folder.file("back");
    good({"gauge", "convert", first, there, "--format", w.format, "--precision", w.precision,
          "--rows", w.rows});
    const auto got = info(there, folder);
    CHECK(got["field"].get<std::string>().find(w.kind) != std::string::npos);
    CHECK(std::fabs(got["plaquette"].get<double>() - wanted["plaquette"].get<double>()) < 1e-7);
    good({"gauge", "convert", there, back});
    const bool same = std::string(w.precision) == "64" && std::string(w.rows) == "3";
    if (same) CHECK(content(back) == content(first));
  }
}

TEST_CASE("gauge heatbath writes the field it measured, whatever the threads") {
  const ScratchFolder folder;
  const std::string a = folder.file("a"), b = folder.file("b"), json = folder.file("json");
  const std::vector<std::string> options = {
      "--beta", "5.9", "--lattice", "4x4x2x4", "--seed", "3", "--thermalize", "5", "--sweeps", "3"};
  for (const auto& [file, threads] : {std::pair{a, "1"}, std::pair{b, "3"}}) {
    std::vector<std::string> words = {"gauge", "heatbath", file, "--threads",
                                      threads, "--json",   json};
    words.insert(words.end(), options.begin(), options.end());
    good(words);
  }
  CHECK(content(a) == content(b));
  const auto rows = nlohmann::json::parse(content(json));
  CHECK(rows["plaquette"] == info(a, folder)["plaquette"]);
  CHECK(rows["plaquette"].get<double>() > 0.4);
  CHECK(rows["plaquette"].get<double>() < 0.75);
  CHECK(rows["sweeps"] == 3);
  // The field can be run on.
  good({"run", "qpace", "--network", "functional", "--nodes", "2", "--config", a, "--kappa", "0.1",
        "--tolerance", "1e-6", "--quiet"});
}

TEST_CASE("an interrupted heat bath writes nothing") {
  const ScratchFolder folder;
  const std::string file = folder.file("field");
  const Outcome outcome = run_program(
      {"gauge", "heatbath", file, "--lattice", "4x4x4x4", "--sweeps", "100000000"}, 1.0);
  CHECK(outcome.code == 130);
  CHECK(outcome.err.find("interrupted") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("gauge refuses bad input") {
  const ScratchFolder folder;
  const std::string out = folder.file("out"), text = folder.file("text");
  std::ofstream(text) << "no field";
  check_refused({"gauge", "info", folder.file("missing")}, 3, "missing");
  check_refused({"gauge", "info", text}, 3, "text");
  check_refused({"gauge", "convert", text, out}, 3, "text");
  for (const char* none : {"/dev/stdout", "/dev/null"})
    check_refused({"gauge", "generate", none, "--lattice", "2x2x2x2"}, 2, none);
  check_refused({"gauge", "generate", out, "--format", "hdf5"}, 2, "--format");
  check_refused({"gauge", "generate", out, "--precision", "16"}, 2, "--precision");
  check_refused({"gauge", "generate", out, "--rows", "2"}, 2, "--rows");
  check_refused({"gauge", "generate", out, "--field", "cold"}, 2, "--field");
  check_refused({"gauge", "generate", out, "--lattice", "4x4"}, 2, "--lattice");
  check_refused({"gauge", "generate", folder.file("no/out")}, 3, "no/out");
  check_refused({"gauge", "heatbath", out, "--lattice", "4x4x4x5"}, 2, "even");
  check_refused({"gauge", "heatbath", out, "--beta", "-1"}, 2, "beta");
  check_refused({"gauge", "heatbath", out, "--sweeps", "-1"}, 2, "--sweeps");
  check_refused({"gauge", "heatbath", out, "--start", "warm"}, 2, "--start");
  check_refused({"gauge"}, 2, "which one of");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("saved solutions are compared") {
  const ScratchFolder folder;
  const auto run = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = {"run",
                                      "qpace",
                                      "--lattice",
                                      "4x4x2x2",
                                      "--field",
                                      "hot",
                                      "--kappa",
                                      "0.1",
                                      "--quiet",
                                      "--columns",
                                      "2",
                                      "--save-solution",
                                      folder.file(name)};
    words.insert(words.end(), more.begin(), more.end());
    const bool single = std::count(more.begin(), more.end(), "single") > 0;
    words.insert(words.end(), {"--tolerance", single ? "1e-5" : "1e-8"});
    good(words);
    return folder.file(name);
  };
  const std::string one = run("one", {"--network", "functional", "--nodes", "1"});
  const std::string four = run("four", {"--network", "functional", "--nodes", "2x2"});
  const std::string rtl = run("rtl", {"--nodes", "2x1x1"});
  const std::string other =
      run("other", {"--network", "functional", "--nodes", "1", "--seed", "2"});
  const std::string single =
      run("single", {"--network", "functional", "--nodes", "1", "--precision", "single"});
  const std::string json = folder.file("json");
  for (const std::string& same : {four, rtl}) {
    CHECK(run_program({"solution", "compare", one, same, "--json", json}).code == 0);
    CHECK(nlohmann::json::parse(content(json))["words"] == 64 * 24 * 2 * 2);
    CHECK(content(one) == content(same));
  }
  CHECK(run_program({"solution", "compare", one, other, "--json", json}).code == 1);
  CHECK(nlohmann::json::parse(content(json))["words_different"] > 64);
  CHECK(run_program({"solution", "compare", one, single}).code == 1);
  CHECK(run_program({"solution", "compare", one, single, "--tolerance", "1e-3"}).code == 0);
  CHECK(run_program({"solution", "compare", one, single, "--tolerance", "1e-12"}).code == 1);

  // Of staggered fermions there are no spins, and of other columns no difference.
  const auto staggered = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = {
        "run",     "--network", "functional",      "--nodes",        "1",        "--lattice",
        "4x4x2x2", "--quiet",   "--operator",      "staggered",      "--source", "point:1,0,0,0",
        "--mass",  "0.5",       "--save-solution", folder.file(name)};
    words.insert(words.end(), more.begin(), more.end());
    good(words);
    return folder.file(name);
  };
  const std::string colours = staggered("colours", {"--columns", "2"});
  const auto seen = run_program(
      {"solution", "compare", colours, staggered("seed", {"--columns", "2", "--seed", "2"})});
  INFO(seen.out);
  CHECK(seen.code == 1);
  CHECK(seen.out.find("first        column 0 (colour 0), site (0,0,0,0), colour 0, re") !=
        std::string::npos);
  check_refused({"solution", "compare", colours,
                 staggered("shifts", {"--solver", "multishift", "--shifts", "0,1"})},
                3, "columns");

  // One bit in the data of the last column.
  std::string damaged = content(one);
  damaged[damaged.size() - 500] ^= 1;
  std::ofstream(folder.file("damaged"), std::ios::binary) << damaged;
  check_refused({"solution", "compare", one, folder.file("damaged")}, 3, "damaged");
  check_refused({"solution", "compare", one, folder.file("missing")}, 3, "missing");
  check_refused({"solution", "compare", one}, 2, "b");
  check_refused({"run", "qpace", "--save-solution", folder.file("no/file")}, 3, "no/file");
}

TEST_CASE("bench cell prints the paper's table and agrees") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const Outcome outcome = good({"bench", "cell", "--json", json});
  CHECK(outcome.out.find("61.4 / 61") != std::string::npos);
  CHECK(outcome.out.find('!') == std::string::npos);
  const auto rows = nlohmann::json::parse(content(json))["rows"];
  REQUIRE(rows.size() == 50);
  // Entries of table 1 as the paper prints them.
  const std::map<std::string, double> paper = {{"cell.table1.ls_2x2x2x64.t_ext", 79},
                                               {"cell.table1.mm_8x8x8.t_mem", 61},
                                               {"cell.table1.mm_4x4x4.t_eib", 6.1},
                                               {"cell.table1.mm_2x2x2.efficiency", 27},
                                               {"cell.text.most_of_peak", 78},
                                               {"cell.text.caxpy_memory", 4.1},
                                               {"cell.text.sites", 79}};
  std::size_t found = 0;
  for (const auto& row : rows) {
    CHECK(std::fabs(row["value"].get<double>() - row["paper"].get<double>()) <=
          0.5 + 0.01 * row["paper"].get<double>());
    const auto at = paper.find(row["id"]);
    if (at == paper.end()) continue;
    ++found;
    CHECK(row["paper"] == at->second);
  }
  CHECK(found == paper.size());
}
