// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/supervisor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cli/common/ranks.hpp"
#include "sim/cli/version.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/results.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

/// Memory that a child process shares; what is not touched costs nothing.
class SharedMemory {
 public:
  SharedMemory()
      : memory_(mmap(nullptr, sizeof(SharedRecord), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    record_ = new (memory_) SharedRecord;
  }
  ~SharedMemory() { munmap(memory_, sizeof(SharedRecord)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  SharedRecord& record() { return *record_; }

 private:
  void* memory_;
  SharedRecord* record_ = nullptr;
};

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/// Somebody debugs it: Ctrl-C is meant for the debugger.
bool is_traced(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

/// Looks, from the first signal that asks the simulator to end, whether it can: not if a program
/// has taken the signals away, or a thread stays in one program all the time; and whether it does.
class Patience {
 public:
  explicit Patience(const SharedRecord& record) : record_(record) {}

  void signalled() {
    if (samples_ == 0) samples_ = 1;
  }
  bool awaits() const { return samples_ > 0; }

  /// Once in `period` ms after a signal. True if the simulator must be killed.
  bool is_over() {
    stay();
    if (samples_++ < most_samples_) return false;
    return Ranks::several() || !record_.stopping || !inside_.empty() || is_long();
  }
  /// Whether it had not a second to end, but ten: it may wait for somebody, as who reads a pipe.
  bool is_long() const { return samples_ * period > 10'000; }

  static constexpr long period = 40;

 private:
  using Place = std::pair<std::size_t, const void*>;

  // Threads that are in the same program as at every sample before.
  void stay() {
    const auto& programs = record_.programs;
    std::vector<Place> now;
    const std::size_t threads =
        std::min<std::size_t>(programs.threads_used, program::RunRecord::most_threads);
    for (std::size_t t = 0; t < threads; ++t) {
      if (const void* const fibre = programs.threads[t].fibre; fibre != nullptr)
        now.emplace_back(t, fibre);
    }
    if (samples_ == 1) inside_ = now;
    std::erase_if(inside_, [&](const Place& place) {
      return std::find(now.begin(), now.end(), place) == now.end();
    });
  }

  // Of several processes: mpirun kills all a while after it has asked them to end (one second,
  // unless it was told another), and what a process waits for in MPI may never come. Half of that
  // is for the document, on a busy computer too.
  static int most_samples() {
    constexpr long usual = 20;
    if (!Ranks::several()) return usual;
    const char* const seconds = std::getenv("OMPI_MCA_odls_base_sigkill_timeout");
    const long given = seconds == nullptr ? 1 : std::strtol(seconds, nullptr, 10);
    return static_cast<int>(std::clamp(given, 1L, 86400L) * 500 / period);
  }

  const int most_samples_ = most_samples();
  const SharedRecord& record_;
  int samples_ = 0;
  std::vector<Place> inside_;
};

struct Ended {
  int status = 0;
  /// Within so long it did not end when it was asked to, and was killed; or null.
  const char* killed_after = nullptr;
};

/// Waits for the process `child`, passing signals on.
Ended wait_for(pid_t child, const sigset_t& signals, const SharedRecord& record) {
  Patience patience(record);
  const char* killed_after = nullptr;
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == child)
        return {status, killed_after};  // others are what its programs left behind
    }
    siginfo_t info{};
    const timespec period{0, Patience::period * 1'000'000};
    const int signal = patience.awaits() && killed_after == nullptr
                           ? sigtimedwait(&signals, &info, &period)
                           : sigwaitinfo(&signals, &info);
    if (asks_to_end(signal)) {
      // What a terminal sends, it sends to both.
      if (info.si_code != SI_KERNEL) kill(child, signal);
      patience.signalled();
    } else if (signal < 0 && errno == EAGAIN && patience.is_over() && !is_traced(child)) {
      kill(child, SIGKILL);
      killed_after = patience.is_long() ? "ten seconds" : "a second";
    }
  }
}

// Here as many bytes as a buffer takes; without taking memory, as there may be none.
std::string_view content_of(const char* file, std::span<char> buffer) {
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t bytes = read(descriptor, buffer.data(), buffer.size() - 1);
  close(descriptor);
  buffer[static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))] = '\0';
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

// "pid (name) state ppid ...": the name may hold anything.
pid_t parent_of(pid_t process) {
  std::array<char, 64> file{};
  std::array<char, 512> buffer{};
  std::snprintf(file.data(), file.size(), "/proc/%d/stat", process);
  const std::string_view text = content_of(file.data(), buffer);
  const std::size_t end = text.rfind(')');
  if (end == std::string_view::npos || end + 4 > text.size()) return 0;
  return static_cast<pid_t>(std::strtol(text.data() + end + 4, nullptr, 10));
}

/// Calls `see` with the number of every process of this computer. Takes no memory.
template <class See>
void each_process(See see) {
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 8192> entries{};
  ssize_t bytes = 0;
  while ((bytes = getdents64(folder, entries.data(), entries.size())) > 0) {
    for (ssize_t at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name.find_first_not_of("0123456789") == std::string_view::npos)
        see(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  close(folder);
}

/// Ends the processes that the simulator's programs started: orphans become this process' children.
void kill_children() {
  for (bool more = true; more;) {
    each_process([](pid_t process) {
      if (parent_of(process) == getpid()) kill(process, SIGKILL);
    });
    // When one is gone, its own children may have become ours.
    more = waitpid(-1, nullptr, 0) > 0 || errno == EINTR;
  }
}

/// The name of a function, out of memory that a program may have damaged.
std::string call_of(const program::RunRecord::Node& node) {
  std::string name;
  for (const char c : node.call) {
    if (c == '\0') break;
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += good || c == '_' ? c : '?';
  }
  return name.empty() ? "before any call of the network" : "last call " + name + "()";
}

/// "; running: node 3, last call QMP_wait(); node 5, ...": whose programs the threads were in. Out
/// of memory that a program may have damaged: more than a node a thread is damage, and is not
/// listed.
std::string running(const program::RunRecord& programs) {
  using Record = program::RunRecord;
  const std::size_t threads = std::min<std::size_t>(programs.threads_used, Record::most_threads);
  const std::span used(programs.threads.data(), threads);
  std::string text;
  std::size_t found = 0;
  for (std::size_t n = 0; n < Record::most_nodes; ++n) {
    const void* const fibre = programs.nodes[n].fibre;
    if (fibre == nullptr) continue;
    if (std::ranges::none_of(used, [&](const auto& t) { return t.fibre == fibre; })) continue;
    if (++found > threads) return "; the record of what ran is damaged, too";
    text += fmt::format("{} node {}, {}", text.empty() ? "; running:" : ";", n,
                        call_of(programs.nodes[n]));
  }
  if (text.empty() && threads > 0) text = "; no node's program was running just then";
  return text;
}

std::string name_of(int signal) {
  const char* const name = sigabbrev_np(signal);  // none of those that are called by number
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

bool came_to_its_end(const SharedRecord& record, int status) {
  const int said = record.end;
  return said > 0 && WIFEXITED(status) && WEXITSTATUS(status) == said - 1;
}

/// The exit code of a simulator that came to its end and has no document to write; else nothing.
std::optional<int> own_end(const SharedRecord& record, int status) {
  if (!came_to_its_end(record, status) || !record.no_json()) return std::nullopt;
  return WEXITSTATUS(status);
}

End end_of(const SharedRecord& record, const Ended& ended) {
  const int status = ended.status;
  if (came_to_its_end(record, status))
    return {WEXITSTATUS(status), std::string(SharedRecord::text(record.message))};
  constexpr const char* by_mpirun = "ended by mpirun: interrupted, or another process has died";
  if (WIFSIGNALED(status) && asks_to_end(WTERMSIG(status)))
    return {exit_interrupted,
            Ranks::several() && WTERMSIG(status) == SIGTERM ? by_mpirun : "interrupted"};
  const bool killed =
      ended.killed_after != nullptr && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (killed && Ranks::several()) return {exit_interrupted, by_mpirun};
  if (killed)
    return {exit_interrupted,
            fmt::format("interrupted, and killed since it did not end within {}{}",
                        ended.killed_after, running(record.programs))};
  std::string how = WIFSIGNALED(status)
                        ? "it was ended by " + name_of(WTERMSIG(status))
                        : fmt::format("it ended with exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) how += ", maybe for lack of memory";
  return {
      static_cast<int>(ExitCode::Protocol),
      fmt::format("the simulator did not come to its end: {}{}", how, running(record.programs))};
}

// In place of the simulator.
int write_json(const SharedRecord& record, const End& end) {
  const auto file = record.json_file();
  if (!file) {
    say("the name of the file of --json is damaged, too: no document is written");
    return end.code;
  }
  Results results;
  try {
    results.open(*file);
  } catch (const Error& e) {
    say(e.what());
    return end.code == 0 ? static_cast<int>(e.exit_code()) : end.code;
  }
  results.add({{"verdict", end.code == exit_interrupted ? "interrupted" : "failed"}});
  return close_results(results, std::string(SharedRecord::text(record.command)), end);
}

void become_simulator(pid_t supervisor, const sigset_t& signals_before) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(static_cast<int>(ExitCode::Protocol));
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
}

}  // namespace

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void say(std::string_view text) {
  // {fmt} would throw where nothing can be written, or there is no memory.
  if (!text.empty())
    std::fprintf(stderr, "hypertorus: %.*s\n", static_cast<int>(text.size()), text.data());
}

int close_results(Results& results, const std::string& command, const End& end) {
  try {
    results.close(command, version(), end.code, end.error);
    return end.code;
  } catch (const Error& e) {
    say(e.what());
    return end.code == 0 ? static_cast<int>(e.exit_code()) : end.code;
  }
}

int supervise(const std::function<int(SharedRecord&)>& simulator) {
  SharedMemory memory;
  SharedRecord& record = memory.record();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t supervisor = getpid();
  const pid_t child = fork();
  if (child < 0) throw DataError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    become_simulator(supervisor, before);
    record.simulator = getpid();
    return simulator(record);
  }
  const Ended ended = wait_for(child, signals, record);
  kill_children();
  if (const auto code = own_end(record, ended.status)) {
    // Mostly, and then no memory is needed: it has written its document itself.
    if (const auto message = SharedRecord::text(record.message); !message.empty())
      say(Ranks::name() + std::string(message));
    return *code;
  }
  try {
    const End end = end_of(record, ended);
    // Of the processes that mpirun ends, the one that died has said why, if one has.
    const bool others = Ranks::several() && (ended.killed_after != nullptr || !Ranks::reports());
    if (!others || end.code != exit_interrupted) say(Ranks::name() + end.error);
    return write_json(record, end);
  } catch (const std::bad_alloc&) {
    say(out_of_memory);
    return static_cast<int>(ExitCode::Usage);
  }
}

}  // namespace ht::cli
