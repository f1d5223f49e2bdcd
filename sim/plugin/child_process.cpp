// SPDX-License-Identifier: Apache-2.0
#include "sim/plugin/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <thread>

#include "sw/host/errors.hpp"

extern char** environ;

namespace ht::machine {
namespace {

/// What is asked of a new process, freed at the end.
struct Preparation {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  Preparation() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Preparation() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
};

void check_appendable(const std::string& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened < 0) throw DataError(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
  close(opened);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const Files& files) : pid_(-1) {
  check_appendable(files.output);
  if (!files.errors.empty()) check_appendable(files.errors);
  Preparation p;
  constexpr int mode = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&p.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&p.actions, STDOUT_FILENO, files.output.c_str(), mode, 0666);
  if (files.errors.empty()) {
    posix_spawn_file_actions_adddup2(&p.actions, STDOUT_FILENO, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&p.actions, STDERR_FILENO, files.errors.c_str(), mode, 0666);
  }
  // Signals that this program ignores or catches are the other's own affair.
  sigset_t defaults, none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&p.attributes, &defaults);
  posix_spawnattr_setsigmask(&p.attributes, &none);
  posix_spawnattr_setpgroup(&p.attributes, 0);
  posix_spawnattr_setflags(&p.attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&pid_, words.front().c_str(), &p.actions, &p.attributes,
                                 arguments.data(), environ);
  if (error != 0)
    throw UsageError(fmt::format("{}: cannot be started: {}; is it installed, and on the PATH?",
                                 words.front(), std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  if (code()) return;
  terminate();
  while (!code_within(std::chrono::seconds(1))) {
  }
}

std::optional<int> ChildProcess::code() {
  int status = 0;
  if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_)
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code_;
}

std::optional<int> ChildProcess::code_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!code() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return code_;
}

void ChildProcess::terminate() {
  if (!code_) kill(-pid_, SIGTERM);
}

}  // namespace ht::machine
