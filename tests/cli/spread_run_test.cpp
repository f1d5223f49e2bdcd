// SPDX-License-Identifier: Apache-2.0
// What `run` and `compare` print and write is the same for any number of processes, but for times
// of this computer.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::contains;
using ht::test::content_of;
using ht::test::lines;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::skipped_without_mpi;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

namespace {

/// What a run leaves behind.
struct Left {
  std::string out;
  Json json;
  std::map<std::string, std::string> files;  ///< names of files in it stand for their folder
};

// Times of this computer, and how many threads, wherever they are.
void forget_times(Json& json) {
  if (json.is_object()) {
    json.erase("wall_seconds");
    json.erase("window_report");
    json.erase("trace");  // a file's name
  }
  if (json.is_structured()) {
    for (Json& part : json) forget_times(part);
  }
}

std::string replaced(std::string text, const std::string& what) {
  for (std::size_t at = 0; (at = text.find(what)) != std::string::npos;)
    text.erase(at, what.size());
  return text;
}

/// "FOLDER" in a word is replaced by a folder for files.
Left run(const Words& words, int ranks, int code) {
  const ScratchFolder folder;
  const std::string place = folder.file("");
  Words all = words;
  for (std::string& word : all) {
    if (const auto at = word.find("FOLDER/"); at != std::string::npos) word.replace(at, 7, place);
  }
  const std::string file = folder.file("run.json");
  all.insert(all.end(), {"--threads", "1", "--json", file});
  const Outcome o = run_program(all, 0, ranks);
  CAPTURE(ranks, words, o.out, o.err);
  REQUIRE(o.code == code);
  Left left;
  for (const std::string& line : lines(o.out)) {
    // "simulated ... in 1.2 s" is of this computer.
    if (!line.starts_with("simulation")) left.out += replaced(line, place) + "\n";
  }
  left.json = Json::parse(std::ifstream(file));
  forget_times(left.json);
  std::filesystem::remove(file);
  for (const auto& entry : std::filesystem::directory_iterator(place)) {
    const std::string name = entry.path().filename();
    // Waves have the time of day in them.
    left.files[name] = name.ends_with(".fst") ? "" : replaced(content_of(entry.path()), place);
  }
  return left;
}

void check_same(const Words& words, std::initializer_list<int> ranks, int code = 0) {
  const Left one = run(words, 1, code);
  for (const int n : ranks) {
    CAPTURE(n, words);
    const Left several = run(words, n, code);
    CHECK(several.out == one.out);
    CHECK(several.json == one.json);
    CHECK(several.files.size() == one.files.size());
    for (const auto& [name, bytes] : one.files) {
      CAPTURE(name);
      CHECK((several.files.contains(name) && several.files.at(name) == bytes));
    }
  }
}

Words job(const char* machine, const Words& more) {
  Words words{"run", machine, "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("run: packets, calls and timelines of several processes are those of one") {
  if (skipped_without_mpi()) return;
  check_same(job("qpace", {"--ber", "1e-5", "--pcap", "FOLDER/p", "--profile-calls"}), {2});
  check_same(job("tofu", {"--ber", "1e-5", "--timeline", "FOLDER/t.json"}), {2});
}

TEST_CASE("run: Ethernet, serial lines and partitions of several processes are those of one") {
  if (skipped_without_mpi()) return;
  check_same(
      job("qpace", {"--load", "ethernet", "--console", "--ethernet-pcap", "FOLDER/e.pcapng"}), {2});
  check_same({"run", "qpace", "--nodes", "4", "--lattice", "4x2x2x2", "--tolerance", "1e-2",
              "--partition", "x:2+2"},
             {2});
}

TEST_CASE("run: waves before an event are found by several processes as by one") {
  if (skipped_without_mpi()) return;
  check_same(job("qpace", {"--ber", "1e-4", "--trace", "FOLDER/w", "--trace-on", "retransmit",
                           "--trace-last", "200"}),
             {2});
}

TEST_CASE("run: nodes of a process need not follow one another in number") {
  if (skipped_without_mpi()) return;
  // Halves of the ring of four: nodes 0, 1, 4, 5 and 2, 3, 6, 7.
  Words words{"run",   "qpace", "--nodes",     "4x2",  "--lattice",      "8x4x2x2",
              "--ber", "1e-5",  "--tolerance", "1e-2", "--profile-calls"};
  words.insert(words.end(), {"--pcap", "FOLDER/p"});
  check_same(words, {2, 3});
  words.erase(words.end() - 2, words.end());
  words.insert(words.end(), {"--timeline", "FOLDER/t.json"});
  check_same(words, {2});
}

namespace {

constexpr int lost = 7;  // exit code

// On a machine of 2x2 nodes.
Words job_of_four(const char* machine, const Words& more) {
  Words words{"run", machine, "--nodes", "2x2", "--lattice", "4x4x2x2", "--tolerance", "1e-3"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("run: what is lost is said by several processes as by one") {
  if (skipped_without_mpi()) return;
  check_same(job_of_four("qpace", {"--kill", "3@30us"}), {3}, lost);
  check_same(job_of_four("qcdoc", {"--soft-errors", "200"}), {2});
  // What is left goes on, from files that all processes write and read.
  check_same(job_of_four("qpace", {"--kill", "3@60us", "--checkpoint", "2", "--checkpoint-files",
                                   "FOLDER/c"}),
             {2});
}

TEST_CASE("run: the same of all that can be lost", "[nightly]") {
  if (skipped_without_mpi()) return;
  check_same({"run", "qpace", "--nodes", "2x2x2", "--lattice", "4x4x4x4", "--tolerance", "1e-4",
              "--kill", "3@60us"},
             {2, 3, 4}, lost);
  check_same(job_of_four("qcdoc", {"--cut", "1:+x@60us"}), {2, 3, 4}, lost);
  check_same(job_of_four("qcdoc", {"--soft-errors", "30,0.5"}), {2, 3}, lost);
  check_same(job_of_four("tofu", {"--kill", "1@20us"}), {2, 3}, lost);
  check_same(job_of_four("tofu", {"--soft-errors", "2000"}), {2});
  check_same(job_of_four("tofu", {"--kill", "1@30us", "--checkpoint", "2", "--checkpoint-files",
                                  "FOLDER/c"}),
             {2});
}

TEST_CASE("run: a row a process by --window-report, and what crosses between them") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string file = folder.file("run.json");
  const auto rows_of = [&](int ranks) {
    Words words = job("qpace", {"--window-report", "--threads", "1", "--json", file});
    const Outcome o = run_program(words, 0, ranks);
    INFO(o.err);
    REQUIRE(o.code == 0);
    CHECK(contains(o.out, "us waiting a window"));
    const Json json = Json::parse(std::ifstream(file));
    for (const Json& row : json["window_report"]) CHECK(row["windows"] == json["windows"]["run"]);
    return json["window_report"];
  };
  const Json one = rows_of(1);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["nodes"] == 2);
  CHECK(one[0]["bytes_sent"] == 0);
  CHECK(one[0]["waiting_seconds"] == 0);
  CHECK(one[0]["seconds"] > 0);
  const Json two = rows_of(2);
  REQUIRE(two.size() == 2);
  for (int process : {0, 1}) {
    const Json& row = two[static_cast<std::size_t>(process)];
    CHECK(row["process"] == process);
    CHECK(row["nodes"] == 1);
    // 8 bytes of length for each of the crossing cables, and what is on them.
    CHECK(row["bytes_sent"] > 8 * row["windows"].get<int>());
    CHECK(row["waiting_seconds"] > 0);
    CHECK(row["waiting_seconds"] < row["seconds"]);
  }
  const Outcome none = run_program({"run", "--network", "functional", "--window-report"});
  CHECK(none.code == 2);
  CHECK(contains(none.err, "--window-report: the functional network has no windows"));
}

TEST_CASE("QCDOC and all machines side by side in several processes", "[nightly]") {
  if (skipped_without_mpi()) return;
  check_same(job("qcdoc", {"--ber", "1e-5", "--bursts", "0", "--timeline", "FOLDER/t.json",
                           "--timeline-events", "1000"}),
             {2});
  check_same({"run", "qcdoc", "--machine", "2x2", "--lattice", "4x2x2x2", "--tolerance", "1e-2",
              "--partition", "y:1+1"},
             {2});
  check_same({"compare", "--nodes", "2", "--lattice", "4x2x2x2", "--tolerance", "1e-2"}, {2, 3});
  check_same(job("qpace", {"--ber", "1e-5", "--timeline", "FOLDER/t.json"}), {2, 3, 4});
}
