// SPDX-License-Identifier: Apache-2.0
// Programs on a machine that several processes simulate: every byte of what is printed and written
// is that of one process, and however a program or a process ends, all end, with one line.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::content_of;
using ht::test::lines;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::shell;
using ht::test::skipped_without_mpi;
using Words = std::vector<std::string>;

namespace {

/// What a run leaves behind.
struct Left {
  Outcome outcome;
  std::string json;
  std::map<std::string, std::string> files;  ///< of --output files
};

Left exec(const Words& options, const Words& command, int ranks) {
  const ScratchFolder folder;
  const std::string json = folder.file("exec.json"), output = folder.file("output");
  Words words{"exec"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--threads", "1", "--json", json});
  if (std::ranges::find(options, "files") != options.end())
    words.insert(words.end(), {"--output-dir", output});
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  Left left{run_program(words, 0, ranks), content_of(json), {}};
  if (!std::filesystem::is_directory(output)) return left;
  for (const auto& entry : std::filesystem::directory_iterator(output))
    left.files[entry.path().filename()] = content_of(entry.path());
  return left;
}

/// What mpirun has to say of a job that fails is not ours, and progress depends on the computer.
std::string without_mpirun(const std::string& text) {
  std::string ours;
  bool quoted = false;
  for (const std::string& line : lines(text)) {
    const bool rule = line.starts_with("--------");
    if (rule) quoted = !quoted;
    if (!rule && !quoted && !line.starts_with("running, ")) ours += line + "\n";
  }
  return ours;
}

void check_same(const Words& options, const Words& command, int code,
                std::initializer_list<int> ranks) {
  const Left one = exec(options, command, 1);
  INFO(one.outcome.out << one.outcome.err);
  REQUIRE(one.outcome.code == code);
  REQUIRE(!one.json.empty());
  for (const int n : ranks) {
    CAPTURE(n, options, command);
    const Left several = exec(options, command, n);
    CHECK(several.outcome.code == code);
    CHECK(several.outcome.out == one.outcome.out);
    CHECK(without_mpirun(several.outcome.err) == without_mpirun(one.outcome.err));
    CHECK(several.json == one.json);
    CHECK(several.files == one.files);
  }
}

}  // namespace

TEST_CASE("exec: 1, 2, 3 and 4 processes print and write the same bytes") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string hello = compile_program(folder, "examples/hello.c");
  check_same({"qpace", "--nodes", "2x2", "--ber", "1e-5"}, {hello, "x"}, 0, {2, 3, 4});
  check_same({"qcdoc", "--nodes", "2x2", "--output", "plain", "--ber", "1e-5"}, {hello}, 0,
             {2, 3, 4});
  check_same({"tofu", "--nodes", "2x2", "--output", "files", "--profile-calls"}, {hello}, 0,
             {2, 3, 4});
}

TEST_CASE("exec: messages, uTofu, partitions and serial lines in several processes") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string hello = compile_program(folder, "examples/hello.c");
  const ScratchFolder of_halo, of_put;
  const std::string halo = compile_program(of_halo, "examples/halo_exchange.c");
  const Words sweep{halo, "2", "2", "2", "2"};
  check_same({"qpace", "--nodes", "2", "--ber", "1e-5", "--profile-calls"}, sweep, 0, {2});
  check_same({"qcdoc", "--nodes", "2", "--ber", "1e-6"}, sweep, 0, {2});
  check_same({"tofu", "--nodes", "2"}, {compile_program(of_put, "examples/put.c"), "256", "1"}, 0,
             {2});
  check_same({"qpace", "--nodes", "2", "--console"}, {hello}, 0, {2});
  check_same({"qpace", "--nodes", "4", "--partition", "x:2+2"}, {hello}, 0, {3});
  check_same({"qcdoc", "--machine", "2x2", "--partition", "y:1+1"}, {hello}, 0, {2});
}

TEST_CASE("exec: what goes wrong on one node is said by all processes as by one") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string trouble = compile_program(folder, "tests/cli/programs/trouble.c");
  for (const auto& [what, code] :
       std::initializer_list<std::pair<const char*, int>>{{"return", 1},
                                                          {"store", 5},
                                                          {"qmp_abort", 1},
                                                          {"deadlock", 4},
                                                          {"early", 4},
                                                          {"lengths", 5},
                                                          {"kinds", 5}})
    check_same({"tofu", "--nodes", "2"}, {trouble, what}, code, {2});
  check_same({"qpace", "--nodes", "2x2"}, {trouble, "deadlock"}, 4, {3});
  check_same({"qcdoc", "--nodes", "2", "--stop-at", "3us"}, {trouble, "forever"}, 130, {2});
  check_same({"qpace", "--nodes", "4", "--partition", "x:2+2"}, {trouble, "qmp_abort"}, 1, {2});
}

TEST_CASE("exec: a process that dies ends all, with one line and exit code 5") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string escape = compile_program(folder, "tests/cli/programs/escape.c");
  // Node 1 is simulated by the last process, then by the one that reports.
  for (const char* nodes : {"2", "4"}) {
    // That of a run before is no longer true.
    const std::string json = folder.file("exec.json");
    std::ofstream(json) << R"({"schema_version": 1, "exit_code": 0, "verdict": "good"})";
    const Outcome o = run_program(
        {"exec", "qpace", "--nodes", nodes, "--threads", "1", "--json", json, "--", escape, "kill"},
        0, 2);
    CAPTURE(nodes, o.err);
    CHECK(o.code == 5);
    const auto document = nlohmann::json::parse(content_of(json));
    CHECK(document["exit_code"] != 0);
    CHECK(document["verdict"] != "good");
    const std::string err = without_mpirun(o.err);
    CHECK(contains(err, "the simulator did not come to its end: it was ended by SIGKILL"));
    CHECK(contains(err, "process 1 of 2: ") == (nodes[0] == '2'));
    CHECK(std::ranges::count(err, '\n') == 1);
  }
  // A copy that a program forked has no part in it.
  check_same({"qpace", "--nodes", "2"}, {escape, "copy"}, 0, {2});
}

TEST_CASE("exec: bad input of several processes is one line") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::string hello = compile_program(folder, "examples/hello.c");
  const auto check_refused = [](const Words& words, int code, const std::string& text) {
    const Outcome o = run_program(words, 0, 2);
    const std::string err = without_mpirun(o.err);
    CAPTURE(err);
    CHECK(o.code == code);
    CHECK(contains(err, text));
    CHECK(std::ranges::count(err, '\n') == 1);
  };
  for (const Words& option : {Words{"--network", "functional"}, {"--alone"}, {"--gdb", "1"}}) {
    Words words{"exec", "qpace"};
    words.insert(words.end(), option.begin(), option.end());
    if (option[0] != "--alone") words.insert(words.end(), {"--nodes", "2"});
    words.insert(words.end(), {"--", hello});
    check_refused(words, 2, "in one process only; start it without mpirun");
  }
  check_refused({"exec", "--nodes", "2", "--", "/bin/true"}, 3, "/bin/true");
  check_refused({"exec", "--nodes", "2", "--json", "/no/such/folder/x", "--", hello}, 3,
                "/no/such/folder/x");
  check_refused({"exec", "--nodes", "2", "--ber", "7", "--", hello}, 2, "--ber");
}

TEST_CASE("exec: a program that is another one in one of the processes is refused") {
  if (skipped_without_mpi()) return;
  const ScratchFolder folder;
  const std::filesystem::path hello = compile_program(folder, "examples/hello.c");
  const std::string name = "./" + hello.filename().string();
  const std::string command =
      " '" HYPERTORUS_PROGRAM "' exec qpace --nodes 2 --threads 1 -- " + name;
  const std::filesystem::path other = folder.file("other");
  std::filesystem::create_directory(other);
  const auto run = [&] {
    return shell("'" HYPERTORUS_MPIEXEC "' --oversubscribe --allow-run-as-root -n 1 -wdir '" +
                 folder.path().string() + "'" + command + " : -n 1 -wdir '" + other.string() + "'" +
                 command + " > '" + folder.file("out") + "' 2> '" + folder.file("err") + "'");
  };
  std::filesystem::copy(hello, other);
  CHECK(run() == 0);
  std::ofstream(other / hello.filename(), std::ios::app) << ' ';
  CHECK(run() == 2);
  const std::string err = without_mpirun(content_of(folder.file("err")));
  CHECK(err == "hypertorus: " + name +
                   ": process 1 has another file of that name than process 0; copy it "
                   "again, or take a folder that all computers share\n");
}
