// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "sim/cli/common/command.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/common/strict_values.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/run/command.hpp"
#include "sim/cli/supervisor.hpp"
#include "sim/cli/version.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/plugin/build.hpp"
#include "sim/plugin/catalog.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/fibre.hpp"

namespace {

// Signal handlers can reach nothing but static objects.
std::atomic<bool> stop_requested{false};
std::atomic<int> direct_requests{0}, forwarded_requests{0};
ht::cli::SharedRecord* shared = nullptr;
std::terminate_handler terminate_before = std::abort;

// The first Ctrl-C ends the run in order, a second one at once. A signal that is sent to a group of
// processes comes twice, once by way of the supervisor.
void on_interrupt(int signal, siginfo_t* info, void* /*context*/) {
  const bool forwarded = info->si_code <= 0 && info->si_pid == getppid();
  ++(forwarded ? forwarded_requests : direct_requests);
  if (std::max(direct_requests.load(), forwarded_requests.load()) > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  stop_requested = true;
  if (shared != nullptr) shared->stopping = true;
}

void stop_on_interrupt() {
  struct sigaction action {};
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!ht::cli::is_ignored(signal)) sigaction(signal, &action, nullptr);
  }
}

// Leaves a message that this process cannot print any more, and the code it ends with.
int leave(ht::ExitCode code, const char* message) {
  ht::cli::SharedRecord::copy(shared->message, message);
  shared->finish(static_cast<int>(code));
  return static_cast<int>(code);
}

// Verilator's writer of waves maps its temporary files into memory, and with no room on the disk
// there is nothing behind that.
void on_bus_error(int /*signal*/) {
  _exit(leave(
      ht::ExitCode::BadData,
      "a file in memory could not be accessed (bus error): is the disk of the temporary folder, or "
      "of the waves, full, a limit of file sizes reached, or a file cut short that is being "
      "read?"));
}

// What had no memory where no exception may pass: libraries' noexcept functions and destructors,
// constructors of a library that is loaded. Of a node's own program that is its crash, as others.
void on_terminate() {
  const bool program = shared->programs.threads_used > 0 && ht::host::Fibre::current() != nullptr;
  if (!program && getpid() == shared->simulator) {
    try {
      if (std::current_exception()) std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc&) {
      if (const int said = shared->end; said > 0) _exit(said - 1);  // it had come to its end
      _exit(leave(ht::ExitCode::Usage, ht::cli::out_of_memory));
    } catch (...) {
    }
  }
  terminate_before();
}

// Errors of output are answers of write(), not signals that end the process without a word.
void prepare_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Else a file of ours would be opened in a closed one's place, and be printed into.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

// What is still in a buffer is lost if it cannot be written now.
std::string lost_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  const std::string reason = errno != 0 ? std::strerror(errno) : "an error on the way";
  return fmt::format("cannot write standard output: {}", reason);
}

// Subcommands and their lines of help. All but the first are libraries of their own.
struct Entry {
  const char* name;
  const char* help;
};
constexpr Entry commands[] = {
    {"run", "solve the Dirac equation on a simulated machine"},
    {"evolve", "hybrid Monte Carlo of a gauge field on a simulated machine"},
    {"exec", "run a QMP program on every node of a machine"},
    {"compare", "the same solve on all machines, side by side"},
    {"bench", "measure"},
    {"inject", "fault campaigns"},
    {"sweep", "grids of variants, sizes, error rates and programs"},
    {"gauge", "check, convert and generate configurations"},
    {"report", "two runs side by side"},
    {"solution", "compare solutions that runs saved"},
};

/// A command, from its library, which stays open.
struct Loaded {
  std::unique_ptr<ht::cli::Command> own;
  ht::cli::Command* command = nullptr;
};

Loaded load(const std::string& name) {
  Loaded loaded;
  if (name == commands[0].name) {
    loaded.own = ht::cli::make_run_command();
    loaded.command = loaded.own.get();
    return loaded;
  }
  const ht::machine::Plugin plugin(ht::machine::MachineCatalog::folder() /
                                   fmt::format("hypertorus-command-{}.so", name));
  loaded.command = plugin.object<ht::cli::Command>("hypertorus_command");
  return loaded;
}

// The words that follow "--", which are taken away.
std::vector<std::string> take_program(int& argc, char** argv) {
  char** const end = argv + argc;
  char** const dashes =
      std::find_if(argv, end, [](const char* word) { return std::string_view(word) == "--"; });
  if (dashes == end) return {};
  argc = static_cast<int>(dashes - argv);
  return {dashes + 1, end};
}

// What processes that mpirun starts must have in common: build, and arguments.
std::string started_as(int argc, char** argv) {
  std::string text = fmt::format("hypertorus {}", ht::machine::build_hash());
  for (int i = 1; i < argc; ++i) text += fmt::format(" {}", argv[i]);
  return text;
}

int run_command(int argc, char** argv, ht::cli::Results& results, ht::program::RunRecord& programs,
                ht::cli::Ranks& ranks) {
  CLI::App app{"hypertorus: lattice-QCD networks in Verilog, simulated under a Dirac solver"};
  app.name("hypertorus");
  app.set_version_flag("--version", std::string("hypertorus ") + ht::cli::version());
  app.require_subcommand(1);
  const std::string_view first = argc > 1 ? argv[1] : "";
  Loaded loaded;
  std::unique_ptr<ht::machine::MachineCatalog> catalog;
  for (const Entry& entry : commands) {
    CLI::App* const sub = app.add_subcommand(entry.name, entry.help);
    if (first != entry.name) continue;
    catalog = std::make_unique<ht::machine::MachineCatalog>();
    loaded = load(entry.name);
    loaded.command->declare(*sub, *catalog);
    ht::cli::require_strict_values(*sub);
    ht::cli::add_examples(app, *catalog);
    // Options of a program are not for this one.
    if (auto* const program = loaded.command->program()) *program = take_program(argc, argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0)  // --help and --version
      return ht::cli::Ranks::reports() ? app.exit(e) : 0;
    throw ht::UsageError(ht::cli::explain(app, e));
  }
  if (loaded.command == nullptr)
    throw ht::UsageError("write the command first, as in hypertorus run --help");
  if (ht::cli::Ranks::several() && !loaded.command->spreads())
    throw ht::UsageError(
        fmt::format("{} runs in one process: start it without mpirun; run, exec, compare, inject "
                    "and bench of a machine are spread",
                    argc > 1 ? argv[1] : ""));
  if (loaded.command->stops_in_order()) stop_on_interrupt();
  catalog->watch_builds(!ht::cli::Ranks::reports(), stop_requested);
  ht::cli::Session session{stop_requested, results, programs, ranks};
  return loaded.command->run(session);
}

using ht::cli::End;

End run(int argc, char** argv, ht::cli::Results& results, ht::program::RunRecord& programs,
        std::optional<ht::cli::Ranks>& ranks) {
  try {
    ranks.emplace(started_as(argc, argv));
    return {run_command(argc, argv, results, programs, *ranks), {}};
  } catch (const ht::Error& e) {
    return {static_cast<int>(e.exit_code()), e.what()};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(ht::ExitCode::Usage), ht::cli::out_of_memory};
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::resource_unavailable_try_again)
      return {static_cast<int>(ht::ExitCode::BadData),
              fmt::format("cannot start a thread: {}; take fewer --threads, or raise the limit of "
                          "processes",
                          e.what())};
    // {fmt}'s, of an output that takes no more; or the computer has not enough of something.
    const std::string lost = lost_output();
    return {static_cast<int>(ht::ExitCode::BadData), lost.empty() ? e.what() : lost};
  } catch (const std::exception& e) {
    return {static_cast<int>(ht::ExitCode::Protocol), fmt::format("internal error: {}", e.what())};
  }
}

// The command, and its JSON document with the exit code in it. `printed`: whether it has said on
// standard error how it ended.
int run_and_report(int argc, char** argv, ht::cli::SharedRecord& record, bool& printed) {
  using ht::cli::SharedRecord;
  const std::string name = argc > 1 ? argv[1] : "";
  SharedRecord::copy(record.command, name);
  ht::cli::Results results([&record](const std::string& file) { record.name_json(file); });
  std::optional<ht::cli::Ranks> ranks;
  End end = run(argc, argv, results, record.programs, ranks);
  if (getpid() != record.simulator) _exit(end.code);  // a copy that a program forked
  bool says = ht::cli::Ranks::reports();
  if (ranks && !end.error.empty()) {
    const auto verdict = ranks->fail(end.code, end.error);
    end = {verdict.code, verdict.error};
    says = verdict.says;
  }
  if (const std::string lost = lost_output(); !lost.empty()) {
    if (end.error.empty()) end.error = lost;
    if (end.code == 0) end.code = static_cast<int>(ht::ExitCode::BadData);
  }
  if (says) ht::cli::say(end.error);
  printed = !end.error.empty();
  // mpirun takes the exit code of the process that says it.
  if (!says) end.code = 0;
  // Whoever was interrupted had not failed.
  if (end.code == ht::cli::exit_interrupted && results.document().value("verdict", "") == "failed")
    results.add({{"verdict", "interrupted"}});
  end.code = ht::cli::close_results(results, name, end);
  record.name_json("");
  record.finish(end.code);
  return end.code;
}

int simulate(int argc, char** argv, ht::cli::SharedRecord& record) {
  shared = &record;
  std::signal(SIGBUS, on_bus_error);
  if (const auto before = std::set_terminate(on_terminate)) terminate_before = before;
  // That there is no memory may come up anywhere, while an error is being reported, too.
  bool printed = false;
  try {
    return run_and_report(argc, argv, record, printed);
  } catch (const std::bad_alloc&) {
    return leave(ht::ExitCode::Usage, printed ? "" : ht::cli::out_of_memory);
  } catch (const std::exception& e) {
    return leave(ht::ExitCode::Protocol, printed ? "" : e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_output();
  try {
    return ht::cli::supervise(
        [&](ht::cli::SharedRecord& record) { return simulate(argc, argv, record); });
  } catch (const std::bad_alloc&) {
    ht::cli::say(ht::cli::out_of_memory);
    return static_cast<int>(ht::ExitCode::Usage);
  } catch (const std::exception& e) {
    ht::cli::say(e.what());
    return static_cast<int>(ht::ExitCode::Protocol);
  }
}
