// SPDX-License-Identifier: Apache-2.0
// The same program over Verilated QCDOC nodes: the same bits as on QPACE, whatever the cables do.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

constexpr const char* small = "4x4x4x4";
constexpr const char* few = "1e-3";  // iterations are enough here

void check_links(const Json& run, std::size_t count) {
  CHECK(run["links"].size() == count);
  for (const Json& link : run["links"]) {
    INFO("node " << link["from"] << " " << link["link"]);
    CHECK(link["words"] > 0);
    CHECK(link["words"] == link["accepted"]);
    CHECK(link["tx_checksum"] == link["rx_checksum"]);
  }
}

}  // namespace

TEST_CASE("QCDOC: 16 nodes in four dimensions, the bits of QPACE and of one node") {
  const Json qcdoc =
      run_json({"qcdoc", "--nodes", "2x2x2x2", "--lattice", small, "--tolerance", few});
  CHECK(qcdoc["verdict"] == "bit-exact");
  CHECK(qcdoc["options"]["machine"] == "qcdoc");
  CHECK(qcdoc["options"]["ber"] == 1e-8);
  CHECK(qcdoc["options"]["bursts"] == 0);  // parity would let one in four pass
  check_links(qcdoc, 16 * 8);
  const Json qpace =
      run_json({"qpace", "--nodes", "2x2x2", "--lattice", small, "--tolerance", few});
  CHECK(qcdoc["solution_crc32"] == qpace["solution_crc32"]);
  CHECK(qcdoc["correlator"] == qpace["correlator"]);
  CHECK(qcdoc["true_residual"] == qpace["true_residual"]);
  CHECK(qcdoc["plaquette"] == qpace["plaquette"]);
}

TEST_CASE("QCDOC: bad cables, any number of threads, with and without skipping: one run") {
  const std::vector<std::string> job{"qcdoc",   "--nodes",     "2x2x1", "--lattice",
                                     "4x4x2x2", "--tolerance", few,     "--ber",
                                     "3e-5",    "--seed",      "5"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = job;
    all.insert(all.end(), more.begin(), more.end());
    return run_json(all);
  };
  const Json one = with({"--threads", "1"}), two = with({"--threads", "2", "--no-skip"});
  CHECK(one["verdict"] == "bit-exact");
  CHECK(one["errors"]["injected"] > 50);
  CHECK(one["errors"]["undetected"] == 0);
  CHECK(one["errors"]["retransmissions"] > 20);
  check_links(one, 4 * 4);
  for (const char* key : {"solution_crc32", "machine_time_ps", "errors", "links", "times_s"}) {
    INFO(key);
    CHECK(one[key] == two[key]);
  }
}

TEST_CASE("QCDOC: errors on cables that a job does not use are told apart") {
  const ht::test::ScratchFolder folder;
  const std::string json = folder.file("run.json");
  const Outcome run = run_program({"run", "qcdoc", "--nodes", "2", "--lattice", "4x2x2x2",
                                   "--tolerance", few, "--ber", "2e-5", "--json", json});
  CHECK(run.code == 0);
  const Json document = Json::parse(std::ifstream(json));
  int listed = 0;
  for (const Json& link : document["links"]) listed += link["errors_injected"].get<int>();
  const int all = document["errors"]["injected"];
  CHECK(listed > 0);
  REQUIRE(listed < all);
  CHECK(ht::test::contains(run.out, "\n    " + std::to_string(all - listed) +
                                        " of them on cables that the job sends nothing over\n"));
}

TEST_CASE("QCDOC: a six-dimensional machine folds into what the application wants") {
  const Json run = run_json({"qcdoc", "--machine", "2x2x2x1x2x1", "--nodes", "4x2x2", "--lattice",
                             "4x4x4x2", "--tolerance", few});
  CHECK(run["verdict"] == "bit-exact");
  CHECK(run["options"]["nodes"] == Json({4, 2, 2}));
  const Outcome bad =
      run_program({"run", "qcdoc", "--machine", "4x4", "--nodes", "2x8", "--lattice", "8x8x2x2"});
  CHECK(bad.code == 2);
  CHECK(bad.err.find("machine 4x4 cannot present itself as 2x8") != std::string::npos);
  CHECK(bad.err.find("16") != std::string::npos);  // what it can be
}

TEST_CASE("QCDOC: partitions run jobs of their own side by side") {
  const ScratchFolder folder;
  const Outcome o = run_program({"run", "qcdoc", "--machine", "2x2", "--partition", "y:1+1",
                                 "--lattice", "4x2x2x2", "--json", folder.file("run.json")});
  INFO(o.out << o.err);
  REQUIRE(o.code == 0);
  const Json jobs = Json::parse(std::ifstream(folder.file("run.json")))["partitions"];
  REQUIRE(jobs.size() == 2);
  for (const Json& job : jobs) {
    CHECK(job["verdict"] == "bit-exact");
    CHECK(job["options"]["nodes"] == Json({2}));
  }
  CHECK(jobs[0]["solution_crc32"] != jobs[1]["solution_crc32"]);  // seeds of their own
}

TEST_CASE("QCDOC: what it has no hardware for is refused") {
  for (const auto& [option, value] :
       {std::pair{"--barrier", "tree"}, std::pair{"--load", "ethernet"},
        std::pair{"--partition", "y:1+1"}}) {
    const Outcome o = run_program({"run", "qcdoc", option, value});
    INFO(option << ": " << o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(option) != std::string::npos);
  }
  // One wire has no other to be exchanged with.
  const Outcome lanes = run_program({"run", "qcdoc", "--exchanged", "3"});
  CHECK(lanes.code == 2);
  CHECK(
      lanes.err.find("--exchanged 3: that takes 2 lanes, and a cable of this machine has 1; leave "
                     "it out") != std::string::npos);
  const Outcome kinds = run_program({"inject", "qcdoc", "--kinds", "bits,exchanged"});
  CHECK(kinds.code == 2);
  CHECK(kinds.err.find("--kinds bits,exchanged: exchanged takes 2 lanes") != std::string::npos);
  CHECK(run_program({"run", "qpace", "--fold", "xy"}).code == 2);
  CHECK(run_program({"run", "qcdoc", "--nodes", "2x2x2x2x2"}).code == 2);
}

TEST_CASE("QCDOC: where no unit is routed, --far is refused before one is built") {
  const auto refused = [](std::vector<std::string> options, const char* why) {
    std::vector<std::string> words{"run", "qcdoc", "--far"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome o = run_program(words);
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(why) != std::string::npos);
  };
  refused({"netlits"}, "--far netlits: choose one of netlist, spoilt");
  refused({"netlist", "--set", "CABLE_BITS=64"}, "leave --set out");
  refused({"netlist", "--phy", "lanes"}, "leave --phy out");
  refused({"netlist", "--network", "functional"}, "--far: the functional network has no hardware");
}

TEST_CASE("QCDOC: two errors in one parity group pass the link, and the run names it") {
  const ScratchFolder folder;
  const Outcome o = run_program({"run", "qcdoc", "--nodes", "2x2", "--lattice", "4x4x2x2",
                                 "--tolerance", few, "--ber", "0", "--bursts", "0", "--forged", "1",
                                 "--json", folder.file("run.json")});
  INFO(o.out << o.err);
  CHECK(o.code == 1);
  const Json run = Json::parse(std::ifstream(folder.file("run.json")));
  CHECK(run["verdict"] == "mismatch");
  CHECK(run["errors"]["undetected"] == 1);
  std::string named;
  for (const Json& link : run["links"]) {
    if (link["tx_checksum"] != link["rx_checksum"])
      named = "node " + link["from"].dump() + " " + link["link"].get<std::string>();
  }
  REQUIRE(!named.empty());
  CHECK(o.out.find("checksums disagree: " + named) != std::string::npos);
  REQUIRE(run["undetected"].size() == 1);
  CHECK(o.out.find("went undetected: " + run["undetected"][0].get<std::string>()) !=
        std::string::npos);
}
