// SPDX-License-Identifier: Apache-2.0
// What C++ and the C library do by themselves when a program ends (thread_local objects, functions
// marked as destructors, exceptions, threads that are left), node by node, on all networks and by
// itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::lost_outputs;
using ht::test::of_node;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::run_program_in;
using ht::test::ScratchFolder;
using ht::test::Surroundings;
using ht::test::with;
using Words = std::vector<std::string>;

namespace {

const std::vector<Words> networks = {{"--network", "functional", "--nodes", "3"},
                                     {"qpace", "--nodes", "3", "--threads", "1"},
                                     {"tofu", "--nodes", "3", "--threads", "2"}};

struct End {
  const char* what;
  int code;            ///< of the program by itself
  Words first;         ///< lines, of what ends it
  int destroyed;       ///< of thread_local object, global object and function, in this order
  const char* said{};  ///< on standard error, if anything
  bool aborts = false;
};

/// A node's lines that are expected.
Words lines_of(const End& end, int node) {
  const std::string n = std::to_string(node);
  Words lines{"local ends with " + std::to_string(100 + node)};  // of a thread that has ended
  lines.insert(lines.end(), end.first.begin(), end.first.end());
  const Words all{"local ends with " + n, "global ends with " + n, "marked, on " + n};
  lines.insert(lines.end(), all.begin(), all.begin() + end.destroyed);
  return lines;
}

}  // namespace

TEST_CASE("however a program ends, what is to run then runs on its node, and its code is right") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/ends.cpp");
  const End ends[] = {
      {"main", 0, {}, 3},
      {"exit", 0, {}, 3},
      {"_exit", 0, {}, 0},
      {"quick_exit", 0, {"quick"}, 0},
      {"7", 7, {}, 3, "ended with exit code 7"},
      {"-1", 255, {}, 3, "ended with exit code 255"},
      {"256", 0, {}, 3},
      {"1000", 232, {}, 3, "ended with exit code 232"},
      {"throw", 1, {}, 0, "an exception left main(): std::runtime_error: on ", true},
      {"throw late", 1, {}, 1, "an exception left main(): int; last", true},
      {"err", 3, {}, 3, "cxx_program: file 0: No such file or directory\n"},
      {"errx", 4, {}, 3, "cxx_program: no file\n"},
      {"error", 5, {}, 3, "cxx_program: file 0: Permission denied\n"},
      {"warn", 0, {}, 3, "cxx_program: No such file or directory\n"},
      {"streams of their own", 0, {"true", "false", "descriptor"}, 3, "descriptor\n"},
  };
  for (const End& end : ends) {
    INFO(end.what);
    for (const Words& network : networks) {
      INFO(network[0]);
      const Outcome outcome = run_exec(network, {program, end.what});
      INFO(outcome.err);
      CHECK(outcome.code == (end.code == 0 ? 0 : 1));
      // Where one aborts the others may not get there.
      for (int node = 0; node < 3 && !end.aborts; ++node)
        CHECK(of_node(outcome.out, node) == lines_of(end, node));
      if (end.said != nullptr) CHECK(contains(outcome.err, end.said));
    }
    const Outcome alone = run_exec({"--alone"}, {program, end.what});
    INFO(alone.err);
    CHECK(alone.code == end.code);
    CHECK(ht::test::lines(alone.out) == lines_of(end, 0));
    if (end.said != nullptr && end.code < 6) CHECK(contains(alone.err, end.said));
  }
}

TEST_CASE("threads that a program leaves behind end with the simulator, and call no network") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/ends.cpp");
  for (const Words& network : networks) {
    INFO(network[0]);
    for (int i = 0; i < 3; ++i) {
      const Outcome left = run_exec(network, {program, "leave a thread"});
      INFO(left.err);
      CHECK(left.code == 0);
      for (int node = 0; node < 3; ++node) {
        const Words lines = of_node(left.out, node);
        const std::string last = "marked, on " + std::to_string(node);
        CHECK(std::count(lines.begin(), lines.end(), last) == 1);
      }
    }
    const Outcome calls = run_exec(network, {program, "call from a thread"});
    CHECK(calls.code == 5);
    CHECK(contains(calls.err, "QMP_sum_double() in a thread of its own"));
  }
}

TEST_CASE("what programs print and nobody takes ends the command with one line and code 3") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, "tests/cli/programs/ends.cpp");
  for (const Words& network : networks) {
    INFO(network[0]);
    Words words = with({"exec", "--quiet"}, network);
    words.insert(words.end(), {"--", program, "print much"});
    for (const Surroundings& around : lost_outputs()) {
      const Outcome outcome = run_program_in(around, words);
      INFO(outcome.err);
      CHECK(outcome.code == 3);
      CHECK(contains(outcome.err, "hypertorus: cannot write standard output: "));
      CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
  }
}
