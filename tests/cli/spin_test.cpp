// SPDX-License-Identifier: Apache-2.0
// Programs that wait by polling memory: time passes for them, the others get their turns, and
// one that waits for nothing is named or ends when it is asked to.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/program.hpp"

using ht::test::contains;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::shell;
using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

std::string compile(const ScratchFolder& folder, const std::string& name,
                    const std::string& options = "-g -O0", const std::string& before = "") {
  const std::string program = folder.file(name);
  REQUIRE(shell(before + " '" HYPERTORUS_BIN "/hypertorus-cc' " + options + " -w -o '" + program +
                "' '" HYPERTORUS_SOURCE "/tests/cli/programs/" + name + ".c' -lm") == 0);
  return program;
}

Outcome exec(Words words, const Words& command) {
  words.insert(words.begin(), "exec");
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  Outcome outcome = run_program(words);
  UNSCOPED_INFO(outcome.out << outcome.err);
  return outcome;
}

// Picoseconds that the program says its work took, without the 10 ns of looking at its clock.
double took(const Outcome& outcome) {
  const std::size_t at = outcome.out.find("[1] took ");
  REQUIRE(at != std::string::npos);
  return std::stod(outcome.out.substr(at + 9)) - 10'000;
}

// Starts it, and sends `signal` when `marker` is there. Returns the exit code.
int interrupt(Words words, const std::string& marker, int signal, const std::string& err) {
  words.insert(words.begin(), HYPERTORUS_BIN "/hypertorus");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    ::signal(signal, SIG_DFL);  // whatever the tests were started under
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (!std::filesystem::exists(marker)) {
    if (waitpid(pid, &status, WNOHANG) == pid) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(pid, signal);
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string content(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

const std::vector<Words> machines = {
    {"qpace", "--nodes", "2x1x1"}, {"qcdoc", "--nodes", "2"}, {"tofu", "--nodes", "2"}};
// On which the network writes memory without hardware.
const Words models = {"tofu", "--nodes", "2", "--network", "functional"};

// Blocks that pass between two turns, and what a turn is charged with (sw/host/README.md).
constexpr double blocks_a_turn = 65536, turn = 20'000;

}  // namespace

TEST_CASE("a program that looks at its memory sees what the network writes there") {
  const ScratchFolder folder;
  const std::string program = compile(folder, "message");
  std::vector<Words> all = machines;
  all.push_back(models);
  for (const Words& machine : all) {
    INFO(machine.front() << ' ' << machine.size());
    const Outcome outcome = exec(machine, {program, "3"});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == "[0] received 3 times\n");
  }
}

TEST_CASE("a flag that a program resets comes again, wherever its memory lies") {
  const ScratchFolder folder;
  for (const char* options : {"-O0", "-O2"}) {
    const std::string program = compile(folder, "reset", options);
    for (const char* where : {"global", "stack", "heap", "large", "allocated"}) {
      for (const char* threads : {"1", "2"}) {
        INFO(options << ' ' << where << ' ' << threads);
        const Outcome outcome =
            exec({"tofu", "--nodes", "2", "--threads", threads}, {program, where});
        CHECK(outcome.code == 0);
        CHECK(outcome.out == "[0] reset 15 times\n[1] reset 15 times\n");
      }
      INFO(options << ' ' << where);
      const Outcome without = exec(models, {program, where});
      CHECK(without.code == 0);
      CHECK(without.out == "[0] reset 15 times\n[1] reset 15 times\n");
    }
  }
}

TEST_CASE("OpenMP on a node is a team of one, and regions of nodes do not meet") {
  const ScratchFolder folder;
  for (const char* options : {"-fopenmp -O0", "-O2 -fopenmp -lgomp"}) {
    const std::string program = compile(folder, "team", options);
    for (const Words& network :
         {Words{"tofu", "--nodes", "3", "--threads", "2"}, {"--network", "functional"}}) {
      const Outcome outcome = exec(network, {program});
      CHECK(outcome.code == 0);
      std::istringstream lines(outcome.out);
      int count = 0;
      for (std::string line; std::getline(lines, line); ++count)
        CHECK(line.ends_with("] 2870 2870 2870 2870 3 111 55 1 0"));
      CHECK(count == (network.front() == "tofu" ? 3 : 8));
    }
    // libgomp itself, whose threads nodes would share, is not there.
    CHECK(shell("readelf -d '" + program + "' | grep -q libgomp") != 0);
  }
}

TEST_CASE("every 65,536 blocks of a node cost it one look, whatever the threads") {
  const ScratchFolder folder;
  const std::string program = compile(folder, "spin");
  for (const Words& machine : machines) {
    INFO(machine.front());
    double first = 0;
    for (const double rounds : {100, 200}) {
      const std::string n = std::to_string(static_cast<long>(rounds * blocks_a_turn));
      const double time = took(exec(machine, {program, "compute", n}));
      // Whole turns, and as many for each round of the loop: one or two blocks.
      CHECK(std::fmod(time, turn) == 0);
      if (first == 0) first = time;
      const double turns = time / turn;
      CHECK((std::abs(turns - rounds) <= 1 || std::abs(turns - 2 * rounds) <= 1));
    }
    for (const Words& more : {Words{"--threads", "1"}, {"--threads", "2"}, {"--no-skip"}}) {
      Words words = machine;
      words.insert(words.end(), more.begin(), more.end());
      CHECK(took(exec(words, {program, "compute", "6553600"})) == first);
    }
    CHECK(took(exec(machine, {program, "compute", "1000"})) == 0);
    CHECK(took(exec(machine, {program, "thread"})) == 0);
  }
  const std::string kernel = compile(folder, "spin", "--no-yield -O0");
  CHECK(took(exec(machines.back(), {kernel, "compute", "6553600"})) == 0);
}

TEST_CASE("other compilers, C++, and programs without information for debuggers take turns") {
  const ScratchFolder folder;
  const std::string clang =
      "$(for c in clang clang-14 clang-16 clang-19; do command -v $c && break; done)";
  if (shell("test -n \"" + clang + "\"") != 0) {
    std::puts("SKIPPED: clang is not installed");
    return;
  }
  const std::string program = compile(folder, "spin", "-O1", "HYPERTORUS_CC=\"" + clang + "\"");
  CHECK(took(exec(machines.back(), {program, "compute", "6553600"})) >= 100 * turn);
  const Outcome outcome = exec({"tofu", "--nodes", "2", "--timeout", "10us"}, {program, "flag"});
  CHECK(outcome.code == 4);
  CHECK(contains(outcome.err, "line unknown: compile with -g"));
}

TEST_CASE("a loop that waits for nothing is named by --timeout with node, function and line") {
  const ScratchFolder folder;
  struct Case {
    const char *options, *what, *function;
  };
  for (const Case& c :
       {Case{"-g -O0", "flag", "wait_for_flag()"}, {"-g -O0", "plain", "wait_for_plain_flag()"}}) {
    const std::string program = compile(folder, "spin", c.options);
    for (Words machine : machines) {
      INFO(c.options << ' ' << c.what << ' ' << machine.front());
      machine.insert(machine.end(), {"--timeout", "10us"});
      const Outcome outcome = exec(machine, {program, c.what});
      CHECK(outcome.code == 4);
      CHECK(contains(outcome.err, "node 1: computes, or looks at memory, in " +
                                      std::string(c.function) + ", spin.c:"));
      CHECK(contains(outcome.err, "node 0: in QMP_barrier(), called from main()"));
    }
  }
}

TEST_CASE("a loop that never gives up its turn is named by --processor-timeout") {
  const ScratchFolder folder;
  struct Case {
    const char *options, *what, *function;
  };
  for (const Case& c : {Case{"--no-yield -g -O0", "flag", "wait_for_flag(), spin.c:"},
                        {"-g -O2", "still", "spin.c:"},
                        {"--no-yield -g -O0", "scan", "scan()"}}) {
    const std::string program = compile(folder, "spin", c.options);
    for (const Words& machine : {Words{"tofu", "--nodes", "2", "--threads", "1"},
                                 {"qcdoc", "--nodes", "2", "--threads", "2"},
                                 {"--network", "functional", "--nodes", "2x1x1"},
                                 models}) {
      INFO(c.options << ' ' << c.what << ' ' << machine.front());
      const std::string json = folder.file("json");
      Words words = machine;
      words.insert(words.end(), {"--processor-timeout", "300ms", "--json", json});
      const Outcome outcome = exec(words, {program, c.what});
      CHECK(outcome.code == 4);
      CHECK(contains(outcome.err, "node 1 kept its turn for 0.3 s of processor time"));
      CHECK(contains(outcome.err, "node 1: does not give up its turn in "));
      CHECK(contains(outcome.err, c.function));
      CHECK(contains(outcome.err, "node 0: in QMP_"));
      CHECK(Json::parse(std::ifstream(json))["exit_code"] == 4);
    }
  }
}

TEST_CASE("on the functional network a loop that waits for nothing is named, too") {
  const ScratchFolder folder;
  const std::string program = compile(folder, "spin", "-g -O0");
  for (Words words : {Words{"--network", "functional", "--nodes", "2x1x1"}, models}) {
    words.insert(words.end(), {"--processor-timeout", "300ms"});
    const Outcome outcome = exec(words, {program, "flag"});
    CHECK(outcome.code == 4);
    CHECK(
        contains(outcome.err, "node 1: computes, or looks at memory, in wait_for_flag(), spin.c:"));
    CHECK(contains(outcome.err, "node 0: in QMP_barrier(), called from main()"));
  }
}

TEST_CASE("exec --stop-at ends where the programs are then") {
  const ScratchFolder folder;
  const std::string json = folder.file("json");
  const std::string program = compile(folder, "spin", "-g -O0");
  for (Words words : machines) {
    INFO(words.front());
    words.insert(words.end(), {"--stop-at", "40us", "--json", json});
    const Outcome outcome = exec(words, {program, "flag"});
    CHECK(outcome.code == 130);
    CHECK(contains(outcome.err, "hypertorus: stopped at 40.0"));
    CHECK(contains(outcome.err, "node 0: in QMP_barrier(), called from main()"));
    CHECK(contains(outcome.err, "wait_for_flag(), spin.c:"));
    CHECK(contains(outcome.err, "the machine:\n  node 0"));
    const Json document = Json::parse(std::ifstream(json));
    CHECK(document["verdict"] == "stopped");
    CHECK(document["exit_code"] == 130);
    CHECK(document["machine_time_ps"] == 40'000'000);
  }
}

TEST_CASE("SIGTERM and Ctrl-C end programs that spin, sleep or take no signals") {
  const ScratchFolder folder;
  const std::string json = folder.file("json"), err = folder.file("err");
  const std::string yields = folder.file("with_turns");
  std::filesystem::rename(compile(folder, "spin"), yields);
  const std::string kernel = compile(folder, "spin", "--no-yield -g -O0");
  struct Case {
    const char* what;
    const std::string& program;
    bool in_order;
  };
  for (const Case& c : {Case{"flag", yields, true},
                        {"atexit", yields, true},
                        {"flag", kernel, false},
                        {"block", kernel, false},
                        {"ignore", yields, false},
                        {"sleep", yields, true}}) {
    for (const int signal : {SIGTERM, SIGINT}) {
      INFO(c.what << ' ' << c.in_order << ' ' << signal);
      const std::string marker = folder.file("marker");
      std::filesystem::remove(marker);
      const int code = interrupt({"exec", "tofu", "--nodes", "2", "--threads", "1", "--timeout",
                                  "1s", "--json", json, "--", c.program, c.what, "0", marker},
                                 marker, signal, err);
      INFO(content(err));
      CHECK(code == 130);
      CHECK(contains(content(err), "interrupted"));
      CHECK(contains(content(err), "did not end within a second") == !c.in_order);
      // What takes turns may have given up its own just then.
      if (&c.program == &kernel) CHECK(contains(content(err), "running: node 1, last call QMP_"));
      CHECK(Json::parse(std::ifstream(json))["verdict"] == "interrupted");
    }
  }
}

TEST_CASE("registered memory stays the program's own: what it may do with it, it may") {
  const ScratchFolder folder;
  const std::string program = compile(folder, "registered", "-g -O1", "");
  for (const char* const network : {"functional", "rtl"}) {
    for (const char* const what :
         {"fork", "run", "moved", "zeroed", "beside", "semaphore", "file"}) {
      INFO(network << ' ' << what);
      const Outcome outcome = exec({"tofu", "--nodes", "2", "--network", network}, {program, what});
      CHECK(outcome.code == 0);
      CHECK(contains(outcome.out, "[1] all words are there\n"));
    }
    INFO(network);
    const Outcome gone = exec({"tofu", "--nodes", "2", "--network", network}, {program, "gone"});
    CHECK(gone.code == 5);
    CHECK(contains(gone.err, "node 1: the network writes to registered memory at 0x"));
    CHECK(contains(gone.err, "which is not there any more"));
    const Outcome constant =
        exec({"tofu", "--nodes", "2", "--network", network}, {program, "constant"});
    CHECK(constant.code == 5);
    CHECK(contains(constant.err, "cannot be written; register what is only read as such"));
    const Outcome refused =
        exec({"tofu", "--nodes", "2", "--network", network}, {program, "refused"});
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, "utofu_reg_mem(): UTOFU_ERR_INVALID_ADDRESS"));
  }
}
