// SPDX-License-Identifier: Apache-2.0
// --profile-calls: calls and messages are those that the program makes, on every network; what they
// take of the machine's time is within the run's.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, Json> calls_of(const Json& document, int node) {
  std::map<std::string, Json> calls;
  for (const Json& c : document["calls"]) {
    if (c["node"] == node) calls[c["call"]] = c;
  }
  return calls;
}

const std::vector<std::vector<std::string>> networks = {
    {"qpace", "--network", "functional"}, {"qpace"}, {"qcdoc"}, {"tofu"}};

}  // namespace

TEST_CASE("calls and messages of a program are counted by node and by pair") {
  const ScratchFolder folder;
  const std::string program = ht::test::compile_program(folder, "tests/cli/programs/profiled.c");
  const std::string json = folder.file("json"), page = folder.file("page.html");
  for (const auto& network : networks) {
    INFO(network.front() << ' ' << network.size());
    auto options = network;
    options.insert(options.end(), {"--nodes", "4", "--json", json, "--report", page});
    const Outcome outcome = run_exec(options, {program});
    REQUIRE(outcome.code == 0);
    const Json document = Json::parse(text_of(json));
    for (int node = 0; node < 4; ++node) {
      const int sends = node + 1, receives = (node + 3) % 4 + 1;
      const auto calls = calls_of(document, node);
      CHECK(calls.at("QMP_start")["count"] == sends + receives);
      const int together = std::max(0, sends - receives);  // by QMP_wait_all()
      CHECK(calls.at("QMP_wait")["count"] == sends + receives - together);
      CHECK(calls.contains("QMP_wait_all") == (together > 0));
      CHECK(calls.at("QMP_sum_double")["count"] == 3);
      CHECK(calls.at("QMP_declare_send_relative")["count"] == 1);
      CHECK(calls.at("QMP_free_msghandle")["count"] == 2);
      std::int64_t time = 0;
      for (const auto& [name, call] : calls) time += call["time_ps"].get<std::int64_t>();
      CHECK(time <= document["machine_time_ps"].get<std::int64_t>());
      // Hardware takes its time; the functional network's is what its calls are charged with.
      if (network.size() == 1) CHECK(calls.at("QMP_sum_double")["time_ps"] > 0);
    }
    Json expected = Json::array();
    for (int node = 0; node < 4; ++node)
      expected.push_back({{"from", node},
                          {"to", (node + 1) % 4},
                          {"messages", node + 1},
                          {"bytes", 128 * (node + 1)}});
    CHECK(document["messages"] == expected);
    CHECK(outcome.err.find("node 3 to 0") != std::string::npos);
    CHECK(text_of(page).find("node 3 to 0: 4 messages, 512 bytes") != std::string::npos);
    CHECK(text_of(folder.file("page.messages.svg")).find("node 2 to 3: 3 messages, 384 bytes") !=
          std::string::npos);
  }
}

TEST_CASE("a profile changes no time and no bit of a run") {
  const ScratchFolder folder;
  const std::vector<std::string> job = {"--nodes",     "2x2",  "--lattice", "4x4x2x2",
                                        "--tolerance", "1e-3", "--threads", "1"};
  auto profiled = job;
  profiled.push_back("--profile-calls");
  Json plain = ht::test::run_json(job), with = ht::test::run_json(profiled);
  // All waits of halos and all sums of the solver are calls of QMP: more than what the solve
  // itself says of them, which leaves out what is not the solve.
  for (int node = 0; node < 4; ++node) {
    double in_calls = 0;
    for (const auto& [name, call] : calls_of(with, node))
      in_calls += call["time_ps"].get<double>() * 1e-12;
    const Json& split = with["times_s"][static_cast<std::size_t>(node)];
    CHECK(in_calls >= split["halo"].get<double>() + split["sum"].get<double>());
  }
  for (const char* key : {"calls", "messages"}) {
    CHECK(!plain.contains(key));
    with.erase(key);
  }
  for (Json* document : {&plain, &with}) document->erase("wall_seconds");
  CHECK(plain == with);
}

TEST_CASE("a profile of what has none is refused") {
  const Outcome partitions =
      ht::test::run_program({"run", "--nodes", "1x1x4", "--partition", "z:2+2", "--lattice",
                             "4x4x4x4", "--profile-calls"});
  CHECK(partitions.code == 2);
  CHECK(partitions.err.find("--profile-calls") != std::string::npos);
  const Outcome page = run_exec({"--report", "page"}, {"program"});
  CHECK(page.code == 2);
  CHECK(page.err.find("--report page") != std::string::npos);
}
