// SPDX-License-Identifier: Apache-2.0
#include "sw/program/debugger.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "sw/host/errors.hpp"

namespace ht::program {
namespace {

bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

}  // namespace

void start_debugger(const std::string& file, std::uintptr_t base, std::uintptr_t main) {
  // The copy that is loaded has no name any more.
  const std::string symbols =
      fmt::format("add-symbol-file '{}' -o {:#x}", std::filesystem::absolute(file).string(), base);
  std::vector<std::string> words = {"gdb", "-q", "-p", std::to_string(getpid()),
                                    // Stays as it is where commands come from a file.
                                    "-ex", "set confirm off", "-ex", symbols, "-ex",
                                    fmt::format("tbreak *{:#x}", main), "-ex", "continue"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t debugger = fork();
  if (debugger < 0) throw UsageError("--gdb: no process can be started");
  if (debugger == 0) {
    execvp(argv[0], argv.data());
    _exit(127);
  }
  prctl(PR_SET_PTRACER, debugger);
  // From attaching to `continue` nothing here runs.
  while (!is_traced()) {
    if (waitpid(debugger, nullptr, WNOHANG) != 0)
      throw UsageError(
          "--gdb: gdb did not start; install it (Debian: gdb), and see whether this computer lets "
          "processes be traced");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace ht::program
