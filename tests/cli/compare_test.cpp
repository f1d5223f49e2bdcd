// SPDX-License-Identifier: Apache-2.0
// `hypertorus compare`: checked against `run`, the wire formats and the papers' link rates.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::with;
using Json = nlohmann::json;

namespace {

// A short solve, and messages long enough that several packets of each machine follow another.
const std::vector<std::string> solve{"--nodes",     "2x2",  "--lattice", "4x4x2x2",
                                     "--tolerance", "1e-2", "--seed",    "3"};

const std::vector<std::string> job = with(solve, {"--ber", "2e-5"});

// GB/s of the papers' links, one way: 32 bits at 250 MHz, one at 500 MHz, 16 bytes at 312.5 MHz.
const std::map<std::string, double> wire_gbs{{"qpace", 1.0}, {"qcdoc", 0.0625}, {"tofu", 5.0}};

}  // namespace

TEST_CASE("compare: the same solve, the same bits, and what `run` says of each machine") {
  const ScratchFolder folder;
  std::vector<std::string> arguments = with({"compare"}, job);
  arguments = with(arguments, {"--largest", "2048", "--json", folder.file("compare.json")});
  const bool gnuplot = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  if (gnuplot) arguments = with(arguments, {"--plot", folder.file("compare")});
  const Outcome outcome = run_program(arguments);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  const Json all = Json::parse(std::ifstream(folder.file("compare.json")));
  CHECK(all["verdict"] == "bit-exact");
  REQUIRE(all["machines"].size() == wire_gbs.size());
  const Json alone = run_json(with({"--network", "functional"}, solve));
  for (const Json& m : all["machines"]) {
    const std::string name = m["machine"];
    INFO(name);
    const Json& run = m["run"];
    CHECK(run["verdict"] == "bit-exact");
    CHECK(run["solution_crc32"] == alone["solution_crc32"]);
    CHECK(run["errors"]["injected"] > 20);
    CHECK(run["errors"]["retransmissions"] > 0);

    // The same as `run`, which is checked elsewhere.
    const Json single = run_json(with({name, "--bursts", "0"}, job));
    CHECK(run["times_s"] == single["times_s"]);
    CHECK(run["errors"] == single["errors"]);
    CHECK(m["retransmissions"] == single["errors"]["retransmissions"]);
    std::uint64_t sent = 0;
    for (const Json& link : single["links"])
      sent += link.at(m["unit"].get<std::string>()).get<std::uint64_t>();
    CHECK(m["sent"] == sent);
    double compute = 0, solve = 0, slowest = 0;
    for (const Json& node : single["times_s"]) {
      compute += node["compute"].get<double>() / 4;
      solve += node["solve"].get<double>() / 4;
      slowest = std::max(slowest, node["solve"].get<double>());
    }
    CHECK(m["mean_s"]["compute"].get<double>() == Approx(compute));
    CHECK(m["solve_s"] == slowest);
    const double sum = m["mean_s"]["compute"].get<double>() + m["mean_s"]["halo"].get<double>() +
                       m["mean_s"]["sum"].get<double>();
    CHECK(sum == Approx(solve));

    CHECK(m["wire_gbs"].get<double>() == Approx(wire_gbs.at(name)));
    REQUIRE(m["messages"].size() == 9);
    double before = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      const Json& t = m["messages"][i];
      const double bytes = t["bytes"], ns = t["half_round_trip_ps"].get<double>() * 1e-3;
      CHECK(bytes == static_cast<double>(8 << i));
      CHECK(bytes / ns == Approx(t["gbs"].get<double>()));
      CHECK(ns > bytes / wire_gbs.at(name));
      CHECK(ns > before * 0.97);  // phases of clocks
      before = ns;
    }
  }
  CHECK(outcome.out.find("the same bits on every machine") != std::string::npos);
  if (gnuplot) {
    std::ifstream svg(folder.file("compare.svg"));
    const std::string text{std::istreambuf_iterator<char>(svg), {}};
    for (const char* title : {"QPACE", "QCDOC", "Tofu"})
      CHECK(text.find(title) != std::string::npos);
    CHECK(std::ifstream(folder.file("compare.png")).good());
  }
}

TEST_CASE("compare: what of a link's wire is payload") {
  const ScratchFolder folder;
  // 4 bytes of header and 4 of checksum; a header of 8 bits; of 1,920 bytes 32 of header and 16 of
  // trailer. Between two sizes there is no whole number of packets.
  const struct {
    const char *name, *largest;
    double share;
  } cases[] = {{"qpace", "16384", 128.0 / 136},
               {"qcdoc", "256", 64.0 / 72},
               {"tofu", "262144", 1920.0 / (1920 + 48)}};
  for (const auto& [name, largest, share] : cases) {
    INFO(name);
    const std::string file = folder.file(std::string(name) + ".json");
    REQUIRE(run_program({"compare", name, "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance",
                         "1e-1", "--largest", largest, "--json", file})
                .code == 0);
    const Json m = Json::parse(std::ifstream(file))["machines"][0];
    CHECK(m["wire_efficiency"].get<double>() == Approx(share).epsilon(5e-3));
  }
}

TEST_CASE("compare: messages too short to tell what of a wire is payload tell nothing") {
  const ScratchFolder folder;
  const std::string file = folder.file("json");
  for (const char* largest : {"8", "16", "64", "128"}) {
    INFO(largest);
    REQUIRE(run_program({"compare", "qpace", "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance",
                         "1e-1", "--largest", largest, "--json", file})
                .code == 0);
    const Json share = Json::parse(std::ifstream(file))["machines"][0]["wire_efficiency"];
    CHECK((share.is_null() || (share.get<double>() > 0 && share.get<double>() <= 1)));
  }
}

TEST_CASE("compare: an error that a machine's code misses, exit 1 and its name") {
  // Two parity bits at such a rate let some double errors through; CRCs do not.
  const Outcome outcome = run_program({"compare", "qpace", "qcdoc", "--nodes", "2x2", "--lattice",
                                       "4x4x2x2", "--tolerance", "1e-2", "--ber", "3e-4",
                                       "--largest", "8", "--seed", "3", "--quiet"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("QPACE     bit-exact: 0 of ") != std::string::npos);
  CHECK(outcome.out.find("QCDOC     mismatch: ") != std::string::npos);
  CHECK(outcome.out.find("the same bits on every machine") == std::string::npos);
}

TEST_CASE("compare: bad input is one line that names it") {
  const auto refused = [](const std::vector<std::string>& words, const std::string& what) {
    const Outcome outcome = run_program(with({"compare"}, words));
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find(what) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.out.empty());
  };
  refused({"qpcae"}, "compare qpcae: ");
  refused({"qpcae"}, "did you mean qpace?");
  refused({"qpace", "qpace"}, "name each machine once");
  refused({"--nodes", "2x2x2x2"}, "--nodes 2x2x2x2: QPACE is a torus of three axes");
  refused({"--nodes", "3x2x2"}, "3");
  refused({"--nodes", "1"}, "--nodes 1: messages need a neighbour");
  refused({"--largest", "4"}, "--largest 4: ");
  refused({"--largest", "12"}, "take 8 or 16");
  refused({"--ber", "2"}, "--ber 2: ");
  refused({"--tolerance", "0"}, "--tolerance 0: ");
  refused({"--latice", "4x4x4x4"}, "did you mean --lattice?");
}
