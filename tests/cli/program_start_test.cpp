// SPDX-License-Identifier: Apache-2.0
// What a program finds around it: its clocks, where its lines go, and what it is when nobody
// started the simulator for it.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/program.hpp"

using ht::test::compile_program;
using ht::test::contains;
using ht::test::Outcome;
using ht::test::run_exec;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::shell;

namespace {

std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

const char* const program_file = "tests/cli/programs/clocks.c";

}  // namespace

TEST_CASE("the option clock machine: every clock of a program is the machine's") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, program_file);
  for (const char* network : {"functional", "rtl"}) {
    INFO(network);
    const Outcome outcome = run_exec({"--nodes", "2", "--network", network, "--clock", "machine",
                                      "--output", "files", "--output-dir", folder.file("out")},
                                     {program});
    CHECK(outcome.code == 0);
    for (const char* node : {"/node0.out", "/node1.out"}) {
      std::istringstream in(content(folder.file("out") + node));
      long long monotonic = 0, day = 0, processor = 0, seconds = -1;
      in >> monotonic >> day >> processor >> seconds;
      // 5 us were waited for, to one look more; gettimeofday() and clock() count microseconds.
      CHECK(monotonic >= 5000);
      CHECK(monotonic < 5200);
      CHECK((day >= 4000 && day <= 6000));
      CHECK((processor >= 4 && processor <= 6));
      CHECK(seconds == 0);
    }
  }
  const Outcome host =
      run_exec({"--nodes", "1", "--network", "functional", "--output", "plain"}, {program});
  long long monotonic = 0, day = 0, processor = 0, seconds = 0;
  std::istringstream(host.out) >> monotonic >> day >> processor >> seconds;
  CHECK(seconds > 1'600'000'000);
}

TEST_CASE("the option output: lines with the node in front, as it is, or in a file for each node") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, program_file);
  const std::vector<std::string> two = {"--nodes", "2", "--clock", "machine", "--quiet"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), two.begin(), two.end());
    return more;
  };
  const Outcome prefix = run_exec(with({}), {program});
  CHECK(prefix.code == 0);
  CHECK(contains(prefix.out, "[0] and so on\n"));
  CHECK(contains(prefix.out, "[1] and so on\n"));
  CHECK(prefix.err == "[0] 1 arguments\n[1] 1 arguments\n");
  const Outcome plain = run_exec(with({"--output", "plain"}), {program});
  CHECK(plain.code == 0);
  CHECK(plain.err == "1 arguments\n1 arguments\n");
  std::string stripped;
  std::istringstream in(prefix.out);
  for (std::string line; std::getline(in, line);) stripped += line.substr(4) + '\n';
  CHECK(plain.out + '\n' == stripped);
  const std::string out = folder.file("out");
  const Outcome files = run_exec(with({"--output", "files", "--output-dir", out}), {program, "0"});
  CHECK(files.code == 0);
  CHECK(files.out.empty());
  CHECK(files.err.empty());
  for (const char* node : {"0", "1"}) {
    INFO(node);
    CHECK(content(out + "/node" + node + ".out").ends_with("\nand so on"));
    CHECK(content(out + "/node" + node + ".err") == "2 arguments\n");
    const std::string first = content(out + "/node" + node + ".out");
    CHECK(contains(prefix.out,
                   std::string("[") + node + "] " + first.substr(0, first.find('\n') + 1)));
  }
  // Another run writes there: its lines stay.
  const std::string said = content(out + "/node1.out");
  const int held = open((out + "/node0.out").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(held, LOCK_EX) == 0);
  const Outcome both = run_exec(with({"--output", "files", "--output-dir", out}), {program});
  close(held);
  INFO(both.err);
  CHECK(both.code == 3);
  CHECK(contains(both.err, "node0.out: another run writes it, too; give each a file of its own"));
  CHECK(content(out + "/node1.out") == said);
  // What is wrong is said before anything runs; a folder that cannot be made, with code 3.
  CHECK(run_exec({"--output", "nowhere"}, {program}).code == 2);
  CHECK(run_exec({"--output-dir", out}, {program}).code == 2);
  CHECK(run_exec({"--clock", "wall"}, {program}).code == 2);
  const Outcome full =
      run_exec(with({"--output", "files", "--output-dir", "/proc/none"}), {program});
  CHECK(full.code == 3);
  CHECK(contains(full.err, "/proc/none/node0.out"));
}

#if defined(__x86_64__)
TEST_CASE("a program that is started by itself is one functional node") {
  const ScratchFolder folder;
  const std::string program = compile_program(folder, program_file);
  const std::string quoted = "'" + program + "'", out = folder.file("said"),
                    err = folder.file("err");
  const std::string to = " >'" + out + "' 2>'" + err + "'";
  CHECK(shell(quoted + to) == 0);
  CHECK(content(out).ends_with("\nand so on"));
  CHECK(content(err) == "1 arguments\n");
  // Its exit code is the program's, its arguments too; any descriptor or folder it is started from.
  CHECK(shell("cd / && exec " + quoted + " 7 a ' b ' --nodes" + to) == 7);
  CHECK(content(err) == "5 arguments\n");
  CHECK(shell("env -i " + quoted + " 255" + to) == 255);
  // A machine's own interface is there, too.
  const std::string own = compile_program(folder, "tests/cli/programs/to_itself.c");
  CHECK(shell("'" + own + "'" + to) == 0);
  CHECK(content(out) == "put 42 to myself; the sum of one is 7\n");
  // Nothing of it that fails is good.
  const std::string refused = compile_program(folder, "tests/cli/programs/refused.c");
  CHECK(shell("'" + refused + "' handle" + to) == 1);
  CHECK(contains(content(err), "refused: QMP_start: no such message handle"));
  CHECK(shell("'" + refused + "'" + to) == 0);
  // The simulator is found beside the wrapper, or where HYPERTORUS says; else it says so.
  CHECK(shell("HYPERTORUS='" HYPERTORUS_PROGRAM "' '" + refused + "'" + to) == 0);
  CHECK(shell("HYPERTORUS=/no/such/file '" + refused + "'" + to) == 2);
  CHECK(contains(content(err), "/no/such/file"));
  CHECK(contains(content(err), "hypertorus exec"));
  CHECK(run_exec({"--alone", "--nodes", "2"}, {refused}).code == 2);
}
#endif
