// SPDX-License-Identifier: Apache-2.0
// A call of the network that fails is reported, once for a node and cause, with its place in the
// program; a program that goes on regardless does not end well.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

const std::vector<std::vector<std::string>> networks = {{"qpace", "--network", "functional"},
                                                        {"qpace"},
                                                        {"qcdoc"},
                                                        {"tofu"},
                                                        {"tofu", "--network", "functional"}};

}  // namespace

TEST_CASE("a call that fails is told once for a node and a cause, and the verdict is not good") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/refused.c");
  struct Case {
    const char *what, *call, *function, *why;
  };
  for (const Case& c :
       {Case{"before", "QMP_barrier", "main", "QMP_init_msg_passing() comes first"},
        {"after", "QMP_get_node_number", "main", "QMP_init_msg_passing()"},
        {"many", "QMP_declare_send_to", "many", "no node 99 of 4"},
        {"length", "QMP_declare_msgmem", "main", "-8"},
        {"memory", "QMP_declare_send_relative", "main", "the node's memory is full"},
        {"free", "QMP_free_memory", "free_early", "receiving 128 bytes from itself"},
        {"axis", "QMP_declare_send_relative", "main", "no axis 7"},
        {"handle", "QMP_start", "main", "no such message handle"},
        {"sum", "QMP_sum_double_array", "main", "-1"},
        {"alone", "QMP_init_msg_passing", "main", "twice"},
        {"queue", "utofu_create_vcq", "main", "UTOFU_ERR_"},
        {"receive", "QMP_finalize_msg_passing", "left_behind", "receiving 128 bytes from +x"}}) {
    for (const auto& network : networks) {
      INFO(c.what << " on " << network.front() << ' ' << network.size());
      // A machine that stays in touch with a message that was left behind may say that, too.
      auto options = network;
      const std::string json = folder.file("json");
      options.insert(options.end(), {"--nodes", "2x2", "--json", json});
      const Outcome outcome = run_exec(options, {program, c.what, "3"});
      const bool all = std::string(c.what) == "before" || std::string(c.what) == "after";
      CHECK(outcome.code == 1);
      CHECK(count(outcome.err, "refused: ") == (all ? 4 : 1));
      const std::string call = std::string("hypertorus: refused: ") + c.call;
      const std::string place = std::string("; called from ") + c.function + "(), refused.c:";
      CHECK(count(outcome.err, "[3] " + call) == 1);
      CHECK(count(outcome.err, place) == (all ? 4 : 1));
      // Tofu has a limit below its memory's.
      const bool long_on_tofu = std::string(c.what) == "memory" && network.front() == "tofu";
      CHECK(count(outcome.err, long_on_tofu ? "536870912 at most" : c.why) == (all ? 4 : 1));
      CHECK(count(outcome.err, "calls of the network failed on node") == 1);
      CHECK(count(outcome.err, all ? "failed on nodes 0-3," : "failed on node 3,") == 1);
      const Json run = Json::parse(std::ifstream(json));
      CHECK(run["verdict"] == "refused");
      CHECK(run["exit_code"] == 1);
      REQUIRE(run["refusals"].size() == (all ? 4 : 1));
      CHECK(run["refusals"].back()["node"] == 3);
      CHECK(count(run["refusals"].back()["what"], place) == 1);
    }
  }
}

TEST_CASE("what a program leaves under way when it ends is told, what is complete is not") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/refused.c");
  for (const auto& network : networks) {
    INFO(network.front() << ' ' << network.size());
    auto options = network;
    options.insert(options.end(), {"--nodes", "2x2"});
    const Outcome left = run_exec(options, {program, "receive, exit", "3"});
    CHECK(left.code == 1);
    CHECK(count(left.err,
                "[3] hypertorus: refused: the end of main(): a message is "
                "under way: receiving 128 bytes from +x") == 1);
    CHECK(run_exec(options, {program, "complete"}).code == 0);
    CHECK(run_exec(options, {program, "ask"}).code == 0);
  }
}
