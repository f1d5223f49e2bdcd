// SPDX-License-Identifier: Apache-2.0
#include "sw/program/source_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

namespace ht::program {
namespace {

// What `addr2line` prints, or nothing if there is no such program.
std::optional<std::string> ask(const std::string& file, const std::string& address) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"addr2line", "-e", file, address};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = -1;
  const bool started =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t got = 0; started;) {
    got = read(ends[0], part, sizeof part);
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  close(ends[0]);
  int status = 0;
  while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!started || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace

std::string source_line(const std::string& file, std::uint64_t offset) {
  const auto answer = ask(file, fmt::format("{:#x}", offset));
  if (!answer) return "line unknown: addr2line (binutils) is not there";
  // "/home/me/halo.c:12 (discriminator 3)\n"
  std::string line = answer->substr(0, answer->find_first_of("\n("));
  while (line.ends_with(' ')) line.pop_back();
  const std::size_t colon = line.rfind(':');
  if (line.starts_with("?") || colon == std::string::npos || line.ends_with(":?") ||
      line.ends_with(":0"))
    return "line unknown: compile with -g";
  return std::filesystem::path(line.substr(0, colon)).filename().string() + line.substr(colon);
}

}  // namespace ht::program
