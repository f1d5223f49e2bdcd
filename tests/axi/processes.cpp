// SPDX-License-Identifier: Apache-2.0
#include "tests/axi/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

extern char** environ;

namespace ht::test {
namespace {

std::filesystem::path output(const std::filesystem::path& folder, std::size_t number) {
  return folder / fmt::format("process{}.txt", number);
}

}  // namespace

Processes::~Processes() {
  for (const int id : ids_) {
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
  }
}

void Processes::start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const std::string file = output(folder_, ids_.size()).string();
  ::posix_spawn_file_actions_addopen(&actions, 2, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t id = 0;
  const int error = ::posix_spawn(&id, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", words[0], std::strerror(error)));
  ids_.push_back(id);
}

void Processes::kill(std::size_t number, int signal) {
  ::kill(ids_.at(number), signal);
}

std::vector<Processes::End> Processes::wait() {
  std::vector<End> ends;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    End end{};
    ::waitpid(ids_[i], &end.status, 0);
    std::ifstream in(output(folder_, i));
    end.said.assign(std::istreambuf_iterator<char>(in), {});
    ends.push_back(std::move(end));
  }
  ids_.clear();
  return ends;
}

}  // namespace ht::test
