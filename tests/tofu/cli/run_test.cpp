// SPDX-License-Identifier: Apache-2.0
// The same program over Verilated Tofu nodes: the same bits as on QPACE, whatever the cables do and
// whichever nodes are lost.
#include <catch2/catch.hpp>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using Json = nlohmann::json;

namespace {

constexpr const char* small = "4x4x4x4";
constexpr const char* few = "1e-3";  // iterations are enough here

// Between two nodes of a ring of two all go one way, over one of its cables.
void check_links(const Json& run, std::size_t count, std::size_t in_use) {
  CHECK(run["links"].size() == count);
  std::size_t used = 0;
  for (const Json& link : run["links"]) {
    INFO("node " << link["from"] << " " << link["link"]);
    used += link["packets"] > 0 ? 1 : 0;
    CHECK(link["packets"] == link["accepted"]);
    CHECK(link["tx_checksum"] == link["rx_checksum"]);
  }
  CHECK(used == in_use);
}

void check_same_answer(const Json& a, const Json& b) {
  CHECK(a["verdict"] == "bit-exact");
  CHECK(b["verdict"] == "bit-exact");
  for (const char* key :
       {"solution_crc32", "iterations", "true_residual", "correlator", "plaquette"}) {
    INFO(key);
    CHECK(a[key] == b[key]);
  }
}

}  // namespace

TEST_CASE("Tofu: eight nodes, the bits of QPACE and of one node, over bad cables") {
  const Json tofu = run_json({"tofu", "--lattice", small, "--tolerance", few, "--ber", "1e-5"});
  CHECK(tofu["options"]["machine"] == "tofu");
  CHECK(tofu["options"]["nodes"] == Json({2, 2, 2}));
  CHECK(tofu["options"]["machine_nodes"] == Json({2, 2, 2, 1, 1, 1}));
  check_links(tofu, 8 * 6, 8 * 3);
  CHECK(tofu["errors"]["injected"] > 100);
  CHECK(tofu["errors"]["undetected"] == 0);
  CHECK(tofu["errors"]["retransmissions"] > 20);
  check_same_answer(
      tofu, run_json({"qpace", "--nodes", "2x2x2", "--lattice", small, "--tolerance", few}));
}

TEST_CASE("Tofu: bad cables, any number of threads, with and without skipping: one run") {
  const auto with = [](std::vector<std::string> more) {
    std::vector<std::string> all{"tofu", "--nodes", "2x2", "--lattice",   small, "--ber",
                                 "1e-5", "--seed",  "5",   "--tolerance", few,   "--random-phases"};
    all.insert(all.end(), more.begin(), more.end());
    return run_json(all);
  };
  const Json one = with({"--threads", "1"}), two = with({"--threads", "2", "--no-skip"});
  check_same_answer(one, two);
  CHECK(one["errors"]["retransmissions"] > 5);
  check_links(one, 4 * 4, 4 * 2);
  for (const char* key : {"machine_time_ps", "errors", "links", "times_s"}) {
    INFO(key);
    CHECK(one[key] == two[key]);
  }
}

TEST_CASE("Tofu: a group of twelve nodes, whole and with one lost before the run") {
  const auto with = [](std::vector<std::string> more) {
    std::vector<std::string> all{"tofu",        "--machine", "1x1x1x2x3x2", "--lattice", "4x6x2x2",
                                 "--tolerance", few};
    all.insert(all.end(), more.begin(), more.end());
    return run_json(all);
  };
  const Json whole = with({});
  CHECK(whole["options"]["nodes"] == Json({2, 3, 2}));
  check_links(whole, 12 * 4, 12 * 4);
  // The walk round it leaves out its place in all rings of B.
  const Json lost = with({"--failed", "0,0,0,1,1,0"});
  CHECK(lost["options"]["nodes"] == Json({2, 2, 2}));
  CHECK(lost["options"]["failed_nodes"] == Json({{0, 0, 0, 1, 1, 0}}));
  check_links(lost, 12 * 4 - 2 * 4, 12 * 4 - 2 * 4);
  constexpr int number = 3;  // A, then B, then C
  for (const Json& link : lost["links"]) {
    CHECK(link["from"] != number);
    CHECK(link["to"] != number);
  }
  check_same_answer(whole, lost);
}

TEST_CASE("Tofu: nodes that do input and output have no rank") {
  const Json run = run_json({"tofu", "--machine", "2x1x3x1x1x1", "--io-nodes", "--nodes", "2x2",
                             "--lattice", "4x4x2x2", "--tolerance", few});
  CHECK(run["verdict"] == "bit-exact");
  CHECK(run["options"]["io_nodes"] == true);
  CHECK(run["links"].size() == 6 * 4);
}

TEST_CASE("Tofu: what cannot be is refused") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--nodes", "2x2x2x2"}, "one to three axes"},
      {{"--nodes", "2x5", "--machine", "1x1x1x2x3x2"}, "no neighbours that are adjacent"},
      {{"--nodes", "4x4x4", "--machine", "1x1x1x2x3x2"}, "12 nodes"},
      {{"--machine", "1x1x1x2x4x2"}, "B"},
      {{"--failed", "0,0,0,0,0,0"}, "--machine"},
      {{"--io-nodes"}, "--machine"},
      {{"--machine", "1x1x1x2x3x2", "--failed", "0,0,0,0,3,0"}, "no such node"},
      {{"--machine", "1x1x1x2x3x2", "--failed", "0,0,0,0"}, "--failed"},
      {{"--machine", "1x1x1x2x3x2", "--failed", "0,0,0,0,0,0.5"}, "--failed"},
      {{"--machine", "1x1x1x2x3x2", "--nodes", "2x3x2", "--failed", "0,0,0,0,0,0"}, "failed nodes"},
      {{"--machine", "2x2x2", "--failed", "0,0,0,0,0,0", "--network", "functional"}, "--failed"},
      {{"--barrier", "tree"}, "--barrier"},
      {{"--core-clock", "208"}, "--core-clock"},
      {{"--fold", "xy,z"}, "--fold"},
      {{"--partition", "z:1+1"}, "--partition"},
      {{"--boot"}, "--boot"},
      {{"--load", "ethernet"}, "--load"},
      {{"--forged", "1"}, "--forged"},
      {{"--cable-delay", "3ns"}, "--cable-delay"}};
  for (const auto& [options, names] : wrong) {
    std::vector<std::string> arguments{"run", "tofu"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome o = run_program(arguments);
    INFO(options[0] << ": " << o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find(names) != std::string::npos);
  }
  for (const char* machine : {"qpace", "qcdoc"}) {
    CHECK(run_program({"run", machine, "--failed", "0,0,0,0,0,0"}).code == 2);
    CHECK(run_program({"run", machine, "--io-nodes"}).code == 2);
  }
}

TEST_CASE("Tofu: partitions run jobs of their own side by side") {
  const Json both = run_json({"tofu", "--machine", "2x1x4", "--partition", "z:2+2", "--lattice",
                              small, "--tolerance", few, "--seed", "5"});
  REQUIRE(both["partitions"].size() == 2);
  for (const Json& job : both["partitions"]) {
    CHECK(job["verdict"] == "bit-exact");
    CHECK(job["options"]["nodes"] == Json({2, 1, 2}));
  }
  CHECK(both["partitions"][0]["solution_crc32"] != both["partitions"][1]["solution_crc32"]);
  for (const char* wrong : {"z:1+3", "z:4", "a:1+1", "y:1+1", "z:"}) {
    const Outcome o = run_program({"run", "tofu", "--machine", "2x1x4", "--partition", wrong});
    INFO(wrong << ": " << o.err);
    CHECK(o.code == 2);
    CHECK(o.err.find("--partition") != std::string::npos);
  }
}
