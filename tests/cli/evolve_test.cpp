// SPDX-License-Identifier: Apache-2.0
// hypertorus evolve: the same field to the bit over bad cables, twice, and in pieces.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

Json evolve(std::vector<std::string> arguments, const std::string& json) {
  arguments.insert(arguments.begin(), "evolve");
  arguments.insert(arguments.end(), {"--json", json});
  const Outcome outcome = run_program(arguments);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  return Json::parse(std::ifstream(json));
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void check_refused(std::vector<std::string> arguments, int code, const std::string& names) {
  arguments.insert(arguments.begin(), "evolve");
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.err.find(names) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("the same evolution twice over bad cables gives the same bits") {
  const ScratchFolder folder;
  for (const std::vector<std::string>& machine :
       {std::vector<std::string>{"qpace", "--nodes", "2x1x1"},
        {"qcdoc", "--nodes", "2"},
        {"tofu", "--nodes", "2"}}) {
    std::vector<std::string> all = machine;
    const bool fermions = machine[0] == "qpace";
    const std::vector<std::string> common{"--lattice",      "4x2x2x4", "--ber",    "1e-5",
                                          "--steps",        "2",       "--length", "0.1",
                                          "--trajectories", "1"};
    all.insert(all.end(), common.begin(), common.end());
    if (fermions)
      all.insert(all.end(), {"--flavours", "2", "--kappa", "0.1", "--tolerance", "1e-3"});
    CAPTURE(machine[0]);
    const Json first = evolve(all, folder.file("first.json"));
    CHECK(first["verdict"] == "bit-exact");
    CHECK(first["errors"]["injected"] > 0);
    CHECK(first["errors"]["undetected"] == 0);
    CHECK(first["words_compared"] == 64 * 4 * 18 * 2);
    all.insert(all.end(), {"--threads", "1"});
    const Json second = evolve(all, folder.file("second.json"));
    for (const char* same : {"field_crc32", "trajectories", "errors", "links", "machine_time_ps"})
      CHECK(first[same] == second[same]);
  }
}

TEST_CASE("an evolution goes on from a field that it saved") {
  const ScratchFolder folder;
  const std::vector<std::string> common{"--network", "functional", "--nodes",    "2x2x1",
                                        "--lattice", "4x4x2x4",    "--flavours", "2",
                                        "--steps",   "3",          "--length",   "0.2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    return more;
  };
  for (const std::string format : {"ildg", "nersc"}) {
    const std::string whole = folder.file("whole." + format), rest = folder.file("rest." + format);
    const Json all = evolve(
        with({"--trajectories", "4", "--save", whole, "--save-every", "2", "--format", format}),
        folder.file("run.json"));
    REQUIRE(all["trajectories"].size() == 4);
    std::vector<std::string> go_on{"--network",  "functional", "--config",       whole + ".1",
                                   "--flavours", "2",          "--steps",        "3",
                                   "--length",   "0.2",        "--first",        "2",
                                   "--nodes",    "1x2x1",      "--save",         rest,
                                   "--format",   format,       "--trajectories", "2"};
    const Json last = evolve(go_on, folder.file("rest.json"));
    CHECK(last["trajectories"][0]["delta_h"] == all["trajectories"][2]["delta_h"]);
    CHECK(last["field_crc32"] == all["field_crc32"]);
    CHECK(content(rest) == content(whole));
    CHECK(!content(whole).empty());
    CHECK(content(whole + ".3") == content(whole));
    CHECK_FALSE(std::filesystem::exists(whole + ".2"));
  }
}

TEST_CASE("an evolution that begins with numbers of 32 bits saves a field that can be read") {
  const ScratchFolder folder;
  const std::string start = folder.file("start"), saved = folder.file("saved");
  REQUIRE(run_program({"gauge", "generate", start, "--field", "hot", "--lattice", "2x2x2x4",
                       "--format", "nersc", "--precision", "32"})
              .code == 0);
  // Steps that are too long: no trajectory is accepted, and the field is the one that was read.
  const Json j = evolve({"--network", "functional", "--nodes", "1", "--config", start, "--beta",
                         "9", "--steps", "2", "--trajectories", "2", "--save", saved},
                        folder.file("json"));
  CHECK(j["acceptance"] == 0);
  const Outcome outcome = run_program({"gauge", "info", saved});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("the twisted mass changes what is evolved") {
  const ScratchFolder folder;
  const auto field = [&](const std::string& mu) {
    return evolve({"--network", "functional", "--nodes", "1", "--lattice", "2x2x2x4", "--flavours",
                   "2", "--mu", mu, "--trajectories", "1"},
                  folder.file("json"))["trajectories"];
  };
  CHECK(field("0") != field("0.5"));
  CHECK(field("0.5") != field("-0.5"));
}

TEST_CASE("numbers that overflow are no solution") {
  const ScratchFolder folder;
  check_refused({"--network", "functional", "--nodes", "1", "--lattice", "2x2x2x2", "--flavours",
                 "2", "--boundary", "1e160,1,1,1"},
                6, "grew too large");
  const Outcome run = run_program({"run", "--network", "functional", "--nodes", "1", "--lattice",
                                   "2x2x2x2", "--boundary", "1e100,1,1,1", "--quiet"});
  INFO(run.out << run.err);
  CHECK(run.code == 6);
}

TEST_CASE("evolutions that make no sense are refused with one line") {
  check_refused({"--flavours", "1"}, 2, "--flavours");
  check_refused({"--kappa", "0.1"}, 2, "--flavours 2");
  check_refused({"--flavours", "2", "--kappa", "2"}, 2, "--kappa");
  check_refused({"--flavours", "2", "--lattice", "4x4x4x5"}, 2, "even extents");
  check_refused({"--beta", "-1"}, 2, "--beta");
  check_refused({"--steps", "1"}, 2, "--steps");
  check_refused({"--length", "0"}, 2, "--length");
  check_refused({"--integrator", "euler"}, 2, "--integrator");
  check_refused({"--trajectories", "0"}, 2, "--trajectories");
  check_refused({"--save-every", "2"}, 2, "--save");
  check_refused(
      {"--network", "functional", "--nodes", "1", "--lattice", "2x2x2x2", "--beta", "1e30"}, 2,
      "delta H is not a number");
  check_refused({"--save", "/nowhere/field"}, 3, "/nowhere/field");
  check_refused({"--config", "absent.lime"}, 3, "absent.lime");
  check_refused({"qcdoc", "--lattice", "64x64x64x64", "--nodes", "2"}, 2, "use more nodes");
  check_refused(
      {"--network", "functional", "--nodes", "1", "--flavours", "2", "--max-iterations", "2"}, 6,
      "did not converge");
}
