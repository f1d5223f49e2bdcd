// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace ht::test {
namespace {

Outcome run(const Surroundings& around, std::vector<std::string> words) {
  const ScratchFolder folder;
  const std::string out = around.output.empty() ? folder.file("out") : around.output;
  const std::string err = folder.file("err");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    // Whatever the tests themselves were started under, as nohup.
    for (const int one : {SIGINT, SIGTERM, SIGHUP})
      signal(one, one == around.ignored ? SIG_IGN : SIG_DFL);
    if (around.file_bytes > 0) {
      const rlimit limit{around.file_bytes, around.file_bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      // Counts of the preset coverage would be cut off, some for good.
      setenv("GCOV_PREFIX", folder.path().c_str(), 1);
      setenv("GCOV_ERROR_FILE", "/dev/null", 1);
      unsetenv("HYPERTORUS_COVERAGE_DIR");
    }
    int ends[2] = {-1, -1};
    if (around.reader_gone && pipe(ends) == 0) {
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
    } else {
      dup2(open(out.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
    }
    dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (around.signal != 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(around.signal_after));
    kill(pid, around.signal);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          around.output.empty() ? content_of(out) : std::string(), content_of(err)};
}

}  // namespace

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool skipped_without_mpi() {
  const bool skipped = std::string(HYPERTORUS_MPIEXEC).empty();
  if (skipped) WARN("SKIPPED: built without MPI");
  return skipped;
}

std::vector<Surroundings> lost_outputs() {
  Surroundings full, unread;
  full.output = "/dev/full";
  unread.reader_gone = true;
  return {full, unread};
}

Outcome run_program_in(const Surroundings& around, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{HYPERTORUS_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(around, words);
}

Outcome run_program(const std::vector<std::string>& arguments, double interrupt_after, int ranks) {
  std::vector<std::string> words;
  if (ranks > 1)
    words = {HYPERTORUS_MPIEXEC, "--oversubscribe", "--allow-run-as-root", "-n",
             std::to_string(ranks)};
  words.emplace_back(HYPERTORUS_PROGRAM);
  words.insert(words.end(), arguments.begin(), arguments.end());
  Surroundings around;
  if (interrupt_after > 0) {
    around.signal_after = interrupt_after;
    around.signal = SIGINT;
  }
  return run(around, words);
}

nlohmann::json run_json(std::vector<std::string> arguments, int code, int ranks) {
  const ScratchFolder folder;
  const std::string file = folder.file("run.json");
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--quiet", "--json", file});
  const Outcome outcome = run_program(arguments, 0, ranks);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == code);
  return nlohmann::json::parse(content_of(file));
}

int shell(const std::string& command) {
  INFO(command);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string compile_program(const ScratchFolder& folder, const std::string& file,
                            const std::string& options) {
  const bool cxx = file.ends_with(".cpp");
  const std::string program = folder.file(cxx ? "cxx_program" : "program");
  const std::string command = std::string("'" HYPERTORUS_BIN "/hypertorus-c") + (cxx ? "++" : "c") +
                              "' " + options + " -w -o '" + program + "' '" HYPERTORUS_SOURCE "/" +
                              file + "' -lm";
  REQUIRE(shell(command) == 0);
  return program;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::vector<std::string> of_node(const std::string& text, int node) {
  const std::string prefix = "[" + std::to_string(node) + "] ";
  std::vector<std::string> mine;
  for (const std::string& line : lines(text)) {
    if (line.starts_with(prefix)) mine.push_back(line.substr(prefix.size()));
  }
  return mine;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome run_exec(std::vector<std::string> options, const std::vector<std::string>& command) {
  options.insert(options.begin(), "exec");
  options.emplace_back("--");
  options.insert(options.end(), command.begin(), command.end());
  Outcome outcome = run_program(options);
  UNSCOPED_INFO(outcome.out << outcome.err);
  return outcome;
}

}  // namespace ht::test
