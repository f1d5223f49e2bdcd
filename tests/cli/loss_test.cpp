// SPDX-License-Identifier: Apache-2.0
// Nodes that stop permanently and cables that are cut in mid-job: all that are left say what is
// gone within a millisecond, nobody hangs, and with checkpoints the solve ends in the same bits on
// what remains.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using ht::test::Outcome;
using ht::test::run_json;
using ht::test::run_program;
using ht::test::ScratchFolder;
using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t millisecond_ps = 1'000'000'000;
constexpr int lost = 7;  // exit code

// Small where a cycle costs most; every node has other nodes that are not its neighbours.
struct Machine {
  const char* name;
  const char* grid;
  int nodes;
  const char* lattice;
  Words links;  ///< of a node that have a cable
  int times;    ///< of draw_time() that lie before its programs' end
};
const std::vector<Machine> all_machines{
    {"qpace", "2x2x2", 8, "4x4x4x4", {"+x", "-x", "+y", "-y", "+z", "-z"}, 4},
    {"qcdoc", "2x2", 4, "4x4x2x2", {"+x", "-x", "+y", "-y"}, 4},
    {"tofu", "2x2", 4, "4x4x2x2", {"X+", "X-", "Y+", "Y-"}, 2}};
// The others' runs take minutes: nightly.
const std::vector<Machine> machines(all_machines.begin(),
                                    all_machines.begin() + (ALL_MACHINES ? 3 : 1));

// Rates of soft errors, by machine's place in the list. QPACE's memories have no code; Tofu solves
// in a tenth of the time.
using Rates = std::initializer_list<std::tuple<std::size_t, const char*>>;
#if ALL_MACHINES
constexpr Rates one_bit{{1, "200"}, {2, "2000"}}, two_bits{{1, "30,0.5"}, {2, "100,0.5"}};
#else
constexpr Rates one_bit{{1, "200"}}, two_bits{{1, "30,0.5"}};
#endif

Words job(const Machine& machine, const Words& more) {
  Words words{machine.name,    "--nodes",     machine.grid, "--lattice",
              machine.lattice, "--tolerance", "1e-6",       "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Before links are up, while they come up, while messages go, later.
std::string draw_time(std::mt19937& draw, int which) {
  static constexpr int from[] = {0, 1'000, 20'000, 100'000},
                       to[] = {1'000, 20'000, 100'000, 300'000};
  return std::to_string(std::uniform_int_distribution(from[which], to[which])(draw)) + "ns";
}

// What must be true of a run that lost something.
void check_lost(const Json& json, int left) {
  CHECK(json["verdict"] == "lost");
  CHECK(json["exit_code"] == lost);
  const Json& losses = json["losses"];
  CHECK(losses["left"] == left);
  CHECK(losses["named"] == left);
  CHECK(losses["longest_ps"].get<std::int64_t>() < millisecond_ps);
  for (const Json& node : losses["nodes"]) {
    if (node["lost"] == false) CHECK_FALSE(node["text"].get<std::string>().empty());
  }
}

}  // namespace

TEST_CASE("all nodes that are left name one that stops", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  const int when = GENERATE_REF(range(0, machine.times));
  std::mt19937 draw(static_cast<unsigned>(when) * 7 + static_cast<unsigned>(machine.name[1]));
  const std::string node =
      std::to_string(std::uniform_int_distribution(0, machine.nodes - 1)(draw));
  const std::string time = draw_time(draw, when);
  const std::string seed = std::to_string(draw() % 1000 + 1);
  CAPTURE(machine.name, node, time, seed);
  const Json json = run_json(job(machine, {"--kill", node + "@" + time, "--seed", seed}), lost);
  check_lost(json, machine.nodes - 1);
  CHECK(json["losses"]["gone"][0]["node"] == std::stoi(node));
}

TEST_CASE("all nodes name a cable that is cut", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  const int when = GENERATE_REF(range(0, machine.times));
  std::mt19937 draw(static_cast<unsigned>(when) * 11 + static_cast<unsigned>(machine.name[1]));
  const std::string node =
      std::to_string(std::uniform_int_distribution(0, machine.nodes - 1)(draw));
  const std::string cable = node + ":" + machine.links[draw() % machine.links.size()];
  const std::string time = draw_time(draw, when);
  CAPTURE(machine.name, cable, time);
  const Json json = run_json(job(machine, {"--cut", cable + "@" + time}), lost);
  check_lost(json, machine.nodes);
}

TEST_CASE("the same from any number of threads", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  const auto run = [&](const char* threads) {
    return run_json(job(machine, {"--kill", "1@60us", "--threads", threads}), lost)["losses"];
  };
  CHECK(run("1") == run("2"));
}

TEST_CASE("what comes after the end takes nothing away", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  const Json json =
      run_json(job(machine, {"--kill", "1@100ms", "--cut", "0:" + machine.links[0] + "@1s"}));
  CHECK(json["verdict"] == "bit-exact");
  CHECK(json["losses"].is_null());
}

TEST_CASE("a run that is stopped after a loss does not say that there was none", "[loss]") {
  const Outcome o = run_program({"run", "qpace", "--nodes", "2x2", "--lattice", "4x4x2x2", "--kill",
                                 "3@50us", "--kill", "2@1s", "--stop-at", "200us"});
  CHECK(o.code == 130);
  CHECK(o.out.find("losses         1 of 2 until then") != std::string::npos);
}

TEST_CASE("where nothing is left to go on with, the run is lost", "[loss]") {
  const ScratchFolder folder;
  const Outcome o = run_program({"run", "qpace", "--nodes", "2", "--lattice", "4x2x2x2", "--kill",
                                 "0@50us", "--kill", "1@50us", "--checkpoint", "2",
                                 "--checkpoint-files", folder.file("c"), "--quiet"});
  CHECK(o.code == lost);
  CHECK(o.err.find("it cannot go on: nothing is left of the machine") != std::string::npos);
}

TEST_CASE("with checkpoints the solve goes on to the same bits", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  const char* const what = GENERATE("--kill", "--cut");
  const char* const time = GENERATE("5us", "400us");
  const ScratchFolder folder;
  const std::string place = what == std::string("--kill") ? "3" : "3:" + machine.links[1];
  CAPTURE(machine.name, what, place, time);
  const Json json =
      run_json(job(machine, {what, place + "@" + time, "--checkpoint", "2", "--checkpoint-files",
                             folder.file("state"), "--columns", "2"}));
  CHECK(json["verdict"] == "bit-exact");
  CHECK(json["losses"]["gone"][0]["node"] == 3);
  CHECK_FALSE(json["continued"].is_null());
  // As without hardware and without a loss, on one node.
  const Json whole =
      run_json({machine.name, "--network", "functional", "--lattice", machine.lattice,
                "--tolerance", "1e-6", "--quiet", "--columns", "2"});
  CHECK(json["solution_crc32"] == whole["solution_crc32"]);
  CHECK(json["iterations"] == whole["iterations"]);
  CHECK(json["columns"][0]["residual_norm2"] == whole["columns"][0]["residual_norm2"]);
  CHECK(json["columns"][1]["residual_norm2"] == whole["columns"][1]["residual_norm2"]);
}

// With this seed two bits of a word were wrong before the node was lost, and none after.
TEST_CASE("errors that came before a loss are counted, and judged, after it", "[loss]") {
  const ScratchFolder folder;
  Words words{"qcdoc", "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-1", "--quiet"};
  words.insert(words.end(), {"--kill", "3@250us", "--ber", "2e-4", "--seed", "1"});
  const Json before = run_json(words, lost);
  REQUIRE(before["errors"]["undetected"] > 0);
  words.insert(words.end(), {"--checkpoint", "100", "--checkpoint-files", folder.file("state")});
  const Json all = run_json(words, 1);
  CHECK(all["verdict"] == "mismatch");
  CHECK(all["errors"]["undetected"] == before["errors"]["undetected"]);
  CHECK(all["errors"]["injected"] > before["errors"]["injected"]);
  CHECK(all["continued"]["time_before_ps"] == before["machine_time_ps"]);
}

TEST_CASE("packets and waves are those of the machine that goes on", "[loss]") {
  const Machine& machine = GENERATE(from_range(machines));
  CAPTURE(machine.name);
  const ScratchFolder folder;
  const auto went_on = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "--kill", "3@5us", "--checkpoint", "2", "--checkpoint-files", folder.file("state")};
    words.insert(words.end(), more.begin(), more.end());
    const Json json = run_json(job(machine, words));
    CHECK(json["verdict"] == "bit-exact");
    CHECK_FALSE(json["continued"].is_null());
  };
  went_on({"--pcap", folder.file("packets")});
  CHECK(std::filesystem::file_size(folder.file("packets.pcapng")) > 10'000);
  went_on({"--trace", folder.file("waves"), "--trace-to", "1us"});
  went_on({"--trace", folder.file("of_3"), "--trace-nodes", "3", "--trace-to", "1us"});
}

TEST_CASE("soft errors of one bit are corrected, and change no bit of the answer", "[loss]") {
  const auto [which, rate] = GENERATE(table<std::size_t, const char*>(one_bit));
  const Machine& machine = all_machines.at(which);
  const char* const seed = GENERATE("1", "2");
  CAPTURE(machine.name, seed);
  const Json json =
      run_json(job(machine, {"--soft-errors", rate, "--seed", seed, "--ber", "1e-5"}));
  CHECK(json["verdict"] == "bit-exact");
  CHECK(json["soft_errors"]["made"] > 50);
  CHECK(json["soft_errors"]["two_bits"] == 0);
  CHECK(json["soft_errors"]["corrected"] > 10);
  CHECK(json["losses"].is_null());
}

TEST_CASE("two flipped bits of a word stop their node, and the others name it", "[loss]") {
  const auto [which, rate] = GENERATE(table<std::size_t, const char*>(two_bits));
  const Machine& machine = all_machines.at(which);
  const char* const seed = GENERATE("1", "2", "3");
  CAPTURE(machine.name, seed);
  const Json json =
      run_json(job(machine, {"--soft-errors", rate, "--seed", seed, "--ber", "0"}), lost);
  CHECK(json["verdict"] == "lost");
  const Json& losses = json["losses"];
  REQUIRE(losses["gone"].size() >= 1);
  CHECK(losses["named"] == losses["left"]);
  CHECK(losses["longest_ps"].get<std::int64_t>() < millisecond_ps);
}

TEST_CASE("what cannot be lost is refused", "[loss]") {
  const Words words =
      GENERATE(Words{"--kill", "8@1us"}, Words{"--kill", "3"}, Words{"--kill", "0-1@1us"},
               Words{"--cut", "3@1us"}, Words{"--cut", "+x@1us"}, Words{"--cut", "0:+q@1us"},
               Words{"--kill", "3@1us", "--network", "functional"}, Words{"--checkpoint", "0"},
               Words{"--checkpoint", "1.5"}, Words{"--checkpoint-files", "state"});
  Words line{"run"};
  for (const std::string& word : job(machines[0], words)) line.push_back(word);
  const Outcome outcome = run_program(line);
  CAPTURE(words, outcome.err);
  CHECK(outcome.code == 2);
}
