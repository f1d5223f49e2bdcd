// SPDX-License-Identifier: Apache-2.0
// User QMP programs on the simulated machine: each node has its own everything, the
// examples do what they say, and whatever a program does wrong is named.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::content_of;
using ht::test::lines;
using ht::test::of_node;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::shell;
using ht::test::with;
using Json = nlohmann::json;

namespace {

const std::string source = HYPERTORUS_SOURCE;
const std::string wrappers = HYPERTORUS_BIN;

}  // namespace

TEST_CASE("hello: every node is somebody, and has its own globals and arguments") {
  const ScratchFolder folder;
  const std::string hello = compile_program(folder, "examples/hello.c", "-O0");
  for (const char* network : {"functional", "rtl"}) {
    INFO(network);
    const Outcome outcome =
        run_exec({"qpace", "--nodes", "2x2x2", "--network", network}, {hello, "-v", "--nodes"});
    CHECK(outcome.code == 0);
    CHECK(lines(outcome.out).size() == 9);
    for (int node = 0; node < 8; ++node) {
      std::ostringstream line;
      line << "hello from node " << node << " of 8 at (" << node % 2 << ',' << node / 2 % 2 << ','
           << node / 4 << ") -v --nodes";
      CHECK(of_node(outcome.out, node).at(0) == line.str());
    }
    CHECK(of_node(outcome.out, 0).at(1) == "36 calls on all nodes, 1 of them mine");
  }
}

TEST_CASE("QCDOC: the same programs, on six dimensions folded into two") {
  const ScratchFolder folder;
  const Outcome hello =
      run_exec({"qcdoc", "--machine", "2x2x2", "--nodes", "4x2", "--fold", "xy,z"},
               {compile_program(folder, "examples/hello.c", "-O0")});
  REQUIRE(hello.code == 0);
  for (int node = 0; node < 8; ++node) {
    std::ostringstream line;
    line << '[' << node << "] hello from node " << node << " of 8 at (" << node % 4 << ','
         << node / 4 << ")\n";
    CHECK(hello.out.find(line.str()) != std::string::npos);
  }
  const Outcome halo = run_exec({"qcdoc", "--nodes", "2x2", "--ber", "1e-5", "--seed", "3"},
                                {compile_program(folder, "examples/halo_exchange.c", "-O0")});
  CHECK(halo.code == 0);
}

TEST_CASE("halo exchange: every site comes back, over bad cables too") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/halo_exchange.c", "-O0");
  for (const auto& [network, rate] : {std::pair{"functional", "0"}, {"rtl", "1e-5"}}) {
    const Outcome outcome = run_exec({"--nodes", "2x2x2", "--network", network, "--ber", rate},
                                     {program, "4", "4", "6", "2"});
    CHECK(outcome.code == 0);
    CHECK(of_node(outcome.out, 0).back() == "every site came back");
  }
  const Outcome outcome =
      run_exec({"--nodes", "2x2x2", "--network", "functional"}, {program, "4", "3", "5", "7"});
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.err, "[0] the nodes do not divide a lattice of 4 x 3 x 5 x 7"));
  CHECK(contains(outcome.err, "nodes 0-7: ended with exit code 3: returned from main()"));
}

TEST_CASE("ping-pong: the paper's 3 us, and a bandwidth below the link's limit") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/ping_pong.c", "-O0");
  const Outcome outcome =
      run_exec({"--nodes", "2x1x1", "--ber", "0", "--bursts", "0"}, {program, "32768"});
  REQUIRE(outcome.code == 0);
  double us = 0, bandwidth = 0, last = 0;
  int rows = 0;
  for (const std::string& line : of_node(outcome.out, 0)) {
    std::istringstream in(line);
    if (!(in >> rows >> us >> bandwidth)) continue;
    if (rows == 128) CHECK(us == Approx(3.0).epsilon(0.1));  // [QPACE2009] section 6
    CHECK(bandwidth == Approx(rows / us * 1e-3).margin(1e-3));
    CHECK(bandwidth < 0.941);  // 128 of 136 bytes at 1 GB/s
    last = bandwidth;
  }
  CHECK(rows == 32768);
  CHECK(last > 0.8);
}

TEST_CASE("whatever a C program takes for its own, is: on any number of threads the same output") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/own.c", "-O0");
  std::string first;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--network", "functional"},
        {"--threads", "1"},
        {"--threads", "2"}}) {
    std::vector<std::string> all{"--nodes", "2x2"};
    all.insert(all.end(), options.begin(), options.end());
    const Outcome outcome = run_exec(all, {program, "Argument"});
    CHECK(outcome.code == 0);
    CHECK(lines(outcome.out).size() == 4 * 8);
    for (int node = 0; node < 4; ++node) {
      const std::string n = std::to_string(node);
      CHECK(of_node(outcome.out, node) ==
            std::vector<std::string>{"printf " + n, "fprintf " + n, "puts", "fwrite", "fputs",
                                     "write", "QMP node " + n + ": QMP_printf " + n, "unfinished"});
      CHECK(of_node(outcome.err, node) == std::vector<std::string>{"standard error " + n});
    }
    if (options.front() != "--threads") continue;
    if (first.empty()) first = outcome.out;
    CHECK(outcome.out == first);
  }
}

TEST_CASE("a program that changes the current folder, and reopens its streams") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/elsewhere.c", "-O0");
  const std::string there = folder.file("there");
  std::filesystem::create_directory(there);
  for (const char* const network : {"functional", "rtl"}) {
    INFO(network);
    for (const char* const file : {"r.json", "lines", "r.html"})
      std::filesystem::remove_all(folder.file(file));
    // Given relative to the folder in which the command begins.
    CHECK(shell("cd " + folder.path().string() +
                " && " HYPERTORUS_PROGRAM " exec qpace --nodes 2 --network " + network +
                " --json r.json --report r.html --output files --output-dir lines -- " + program +
                " there 2>/dev/null") == 0);
    CHECK(nlohmann::json::parse(content_of(folder.file("r.json")))["exit_code"] == 0);
    CHECK(std::filesystem::exists(folder.file("r.html")));
    for (const std::string node : {"0", "1"}) {
      INFO(node);
      CHECK(content_of(folder.file("lines/node" + node + ".out")) == "here " + node + "\n");
      CHECK(content_of(folder.file("lines/node" + node + ".err")) == "late " + node + "\n");
      CHECK(content_of(there + "/out" + node) == "reopened " + node + "\nand again " + node + "\n");
    }
    // Nothing but what the program wrote.
    CHECK(std::distance(std::filesystem::directory_iterator(there), {}) == 2);
  }
}

TEST_CASE("C++: streams, global objects, templates and exceptions are each node's own") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/own.cpp", "-O0");
  for (const char* network : {"functional", "rtl"}) {
    const Outcome outcome = run_exec({"--nodes", "3", "--network", network}, {program});
    CHECK(outcome.code == 0);
    for (int node = 0; node < 3; ++node) {
      const std::string n = std::to_string(node + 1);
      CHECK(of_node(outcome.out, node) == std::vector<std::string>{"constructed",
                                                                   "counted " + n + " " + n,
                                                                   "destroyed after " + n});
      CHECK(of_node(outcome.err, node) == std::vector<std::string>{"caught 1"});
    }
  }
}

TEST_CASE(
    "destructors of programs that are ended call QMP again: the first cause is what is told") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/closing.cpp", "-O0");
  // Whoever throws them away: with several threads, another one than ran them.
  for (const auto& [machine, threads] :
       {std::pair{"qpace", "1"}, {"qpace", "2"}, {"qcdoc", "2"}, {"tofu", "2"}}) {
    INFO(machine << ", threads " << threads);
    const Outcome outcome = run_exec({machine, "--nodes", "2x2", "--threads", threads}, {program});
    CHECK(outcome.code == 4);
    CHECK(contains(outcome.err, "standstill"));
    CHECK(contains(outcome.err, "node 0: receiving 128 bytes from +x"));
    CHECK_FALSE(contains(outcome.out, "closed"));
  }
  const Outcome models = run_exec({"--nodes", "2x2", "--network", "functional"}, {program});
  CHECK(models.code == 4);
  CHECK(contains(models.err, "node 0"));
}

TEST_CASE("a program that crashes on one node: the node, the call and all other nodes are named") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/trouble.c", "-O0");
  struct Case {
    const char *what, *signal, *where;
  };
  for (const Case& c : {Case{"store", "SIGSEGV", "touch_nothing()"},
                        {"memcpy", "SIGSEGV", "copy_nothing()"},
                        {"call", "SIGSEGV", "called from main()"},
                        {"recursion", "its stack, 8 MB, is full", "depth()"},
                        {"frame", "its stack, 8 MB, is full", "large_frame()"},
                        {"divide", "SIGFPE", "main()"},
                        {"free", "SIGABRT", "called from main()"},
                        {"raise", "SIGSEGV", "called from main()"}}) {
#ifdef __SANITIZE_ADDRESS__
    // It looks at what is freed itself, and ends the simulator.
    if (c.what == std::string_view("free")) continue;
#endif
    for (const char* network : {"functional", "rtl"}) {
      INFO(c.what << ' ' << network);
      const Outcome outcome =
          run_exec({"--nodes", "2x2", "--quiet", "--network", network}, {program, c.what});
      CHECK(outcome.code == 5);
      CHECK(contains(outcome.err, "node 1 crashed at"));
      CHECK(contains(outcome.err, c.signal));
      CHECK(contains(outcome.err, c.where));
      CHECK(contains(outcome.err, "QMP_get_node_number(), called from main()"));
      CHECK(contains(outcome.err, "\n  nodes 0, 2-3: "));
    }
  }
  // Inside of QMP, which on the machine looks at the message's memory.
  const Outcome outcome = run_exec({"--nodes", "2x2", "--quiet"}, {program, "send"});
  CHECK(outcome.code == 5);
  CHECK(contains(outcome.err, "node 1 crashed"));
  CHECK(contains(outcome.err, "in QMP_start(), called from send_from_nothing()"));
}

TEST_CASE("another exit code on one node, exit() and aborts are told apart and named") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/trouble.c", "-O0");
  struct Case {
    const char *what, *how;
    int code;
    bool handlers;
  };
  for (const Case& c :
       {Case{"return", "exit code 7: returned from main()", 7, true},
        {"exit", "exit code 9: called exit()", 9, true},
        {"_exit", "exit code 11: called _exit()", 11, false},
        {"abort", "aborted at", 134, false},
        {"assert", "assertion 'what == NULL' failed in main", 134, false},
        {"qmp_abort_0", "QMP_abort(0); last QMP call QMP_abort()", 0, false},
        {"qmp_abort", "QMP_abort(5): no more; last QMP call QMP_abort_string()", 5, false}}) {
    for (const char* network : {"functional", "rtl"}) {
      INFO(c.what << ' ' << network);
      const std::string json = folder.file("exec.json");
      const Outcome outcome =
          run_exec({"--nodes", "2x2", "--network", network, "--json", json}, {program, c.what});
      CHECK(outcome.code == 1);
      CHECK(contains(outcome.err, "hypertorus: node 1 failed"));
      CHECK(contains(outcome.err, c.how));
      CHECK(contains(outcome.err, "\n  nodes 0, 2-3: ended with exit code 0"));
      CHECK(of_node(outcome.out, 1).size() == (c.handlers ? 1 : 0));
      const Json run = Json::parse(std::ifstream(json));
      CHECK(run["exit_codes"] == Json({0, c.code, 0, 0}));
      CHECK(run["verdict"] == "failed");
      // Where all programs ended, the machine counted to its end.
      const bool ended = contains(c.how, "exit code");
      CHECK(run["machine_time_ps"].is_number() == ended);
      CHECK(run["errors"]["retransmissions"].is_number() == ended);
    }
  }
}

TEST_CASE("a deadlock names who is in which call, who has left, and what the network waits for") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/trouble.c", "-O0");
  for (const char* network : {"functional", "rtl"}) {
    INFO(network);
    const std::vector<std::string> options{"--nodes", "2x2", "--network", network};
    const std::string json = folder.file("exec.json");
    Outcome outcome =
        run_exec({"--nodes", "2x2", "--network", network, "--json", json}, {program, "deadlock"});
    const Json run = Json::parse(std::ifstream(json));
    CHECK(run["verdict"] == "failed");
    CHECK(run["machine_time_ps"].is_null());
    CHECK(run["errors"]["injected"].is_null());
    CHECK(run["exit_codes"] == Json({0, nullptr, 0, 0}));
    CHECK(outcome.code == 4);
    CHECK(contains(outcome.err, "receiving 128 bytes"));
    CHECK(contains(outcome.err, "\n  node 1: in QMP_wait(), called from wait_for_nobody()"));
    CHECK(contains(outcome.err, "\n  nodes 0, 2-3: ended with exit code 0"));
    outcome = run_exec(options, {program, "leave"});
    CHECK(outcome.code == 4);
    CHECK(contains(outcome.err, "\n  nodes 0, 2-3: in QMP_barrier(), called from main()"));
    CHECK(contains(outcome.err, "\n  node 1: ended with exit code 0"));
    outcome = run_exec(options, {program, "early"});
    CHECK(outcome.code == 4);
    CHECK(contains(outcome.err, "\n  node 1: ended with exit code 3: returned from main()"));
  }
}

TEST_CASE("Ctrl-C ends the nodes in order and says where they were") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/trouble.c", "-O0");
  const std::string json = folder.file("exec.json");
  const Outcome outcome =
      run_program({"exec", "--nodes", "2", "--json", json, "--", program, "forever"}, 2.0);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(Json::parse(std::ifstream(json))["exit_codes"] == Json({nullptr, nullptr}));
  CHECK(contains(outcome.err, "nodes 0-1: in QMP_barrier(), called from main()"));
}

TEST_CASE("what is not a program of ours is refused with exit code 3") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/hello.c", "-O0");
  const auto refused = [](const std::string& file, const std::string& why) {
    const Outcome outcome = run_exec({"--nodes", "2"}, {file});
    CHECK(outcome.code == 3);
    CHECK(contains(outcome.err, "hypertorus: " + file + ": "));
    CHECK(contains(outcome.err, why));
    CHECK(lines(outcome.err).size() == 1);
  };
  refused(folder.file("missing"), "there is no such program");
  refused(folder.path().string(), "not a file");
  refused(source + "/examples/hello.c", "hypertorus-cc");
  refused(wrappers + "/hypertorus", "not a program built for hypertorus");
  REQUIRE(shell("'" + wrappers + "/hypertorus-cc' -c -o '" + folder.file("hello.o") + "' '" +
                source + "/examples/hello.c'") == 0);
  refused(folder.file("hello.o"), "object file");
  std::filesystem::resize_file(program, std::filesystem::file_size(program) / 2);
  refused(program, "truncated");
}

TEST_CASE("the command line of exec is checked") {
  for (const auto& [options, names] :
       {std::pair<std::vector<std::string>, std::string>{{"exec"}, "which program"},
        {{"exec", "./program"}, "which program"},
        {{"exec", "tofa", "--", "x"}, "tofu"},
        {{"exec", "--nodes", "2x0", "--", "x"}, "--nodes"},
        {{"exec", "--kappa", "0.1", "--", "x"}, "--kappa"}}) {
    const Outcome outcome = run_program(options);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, names));
  }
}

TEST_CASE("all that decides what happens is among the options of a document") {
  const ScratchFolder folder;
  const std::string hello = compile_program(folder, "examples/hello.c", "-O0");
  const std::string json = folder.file("exec.json");
  const auto options = [&](std::vector<std::string> words) {
    const Outcome outcome =
        run_exec(with({"qpace", "--nodes", "2", "--json", json}, std::move(words)), {hello});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    Json all = Json::parse(std::ifstream(json))["options"];
    all.erase("threads");  // as many as there are free cores
    return all;
  };
  const Json plain = options({});
  struct Case {
    std::vector<std::string> words;
    std::string key;
    Json value;
  };
  for (const Case& c : {Case{{"--cable-delay", "77ns"}, "cable_delay_ps", 77'000},
                        {{"--cable-spread", "5ns"}, "cable_spread_ps", 5'000},
                        {{"--memory-latency", "200ns"}, "memory_latency_ps", 200'000},
                        {{"--core-clock", "166"}, "core_period_ps", 6'024},
                        {{"--barrier", "torus"}, "barrier", "torus"},
                        {{"--random-phases"}, "random_phases", true},
                        {{"--seed", "77"}, "seed", 77},
                        {{"--any-lengths"}, "any_lengths", true},
                        {{"--clock", "machine"}, "clock", "machine"},
                        {{"--lost", "3"}, "lost", 3}}) {
    INFO(c.key);
    Json changed = options(c.words);
    CHECK(plain[c.key] != c.value);
    CHECK(changed[c.key] == c.value);
    changed[c.key] = plain[c.key];
    CHECK(changed == plain);
  }
}

TEST_CASE("files of nodes take no other file's place") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "examples/hello.c", "-O0");
  const std::string own = folder.file("node0.out");
  std::filesystem::copy_file(program, own);
  const std::vector<std::string> files{"--nodes",  "2",     "--network",    "rtl",
                                       "--output", "files", "--output-dir", folder.path().string()};
  const auto refused = [&](const std::vector<std::string>& more, const std::string& command,
                           const std::string& file, const std::string& said) {
    const Outcome outcome = run_exec(with(files, more), {command});
    CHECK(outcome.code == 2);
    CHECK(outcome.err == "hypertorus: --output files " + folder.file(file) + ": " + said +
                             " names the same file; name another one\n");
    CHECK(std::filesystem::file_size(own) == std::filesystem::file_size(program));
  };
  refused({}, own, "node0.out", "the program");
  refused({"--json", folder.file("node1.err")}, program, "node1.err", "--json");
  refused({"--timeline", folder.file("node1.out")}, program, "node1.out", "--timeline");
  // Nodes that are not there have no files.
  CHECK(run_exec(with(files, {"--json", folder.file("node2.out")}), {program}).code == 0);
}
