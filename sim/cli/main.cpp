// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <memory>
#include <string_view>

#include "sim/cli/common/command.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/run/command.hpp"
#include "sim/cli/version.hpp"
#include "sim/plugin/catalog.hpp"
#include "sw/host/errors.hpp"

namespace {

// A signal handler can reach nothing but a static object.
std::atomic<bool> stop_requested{false};

// The first Ctrl-C ends the run in order, a second one at once.
void on_interrupt(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

void stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

// Subcommands and their lines of help. All but the first are libraries of their own.
struct Entry {
  const char* name;
  const char* help;
};
constexpr Entry commands[] = {
    {"run", "solve the Dirac equation on a simulated machine"},
    {"exec", "run a QMP program on every node of a machine"},
    {"compare", "the same solve on all machines, side by side"},
    {"bench", "measure"},
    {"inject", "fault campaigns"},
    {"gauge", "check, convert and generate configurations"},
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

int command(int argc, char** argv) {
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
    ht::cli::add_examples(app, *catalog);
    // Options of a program are none of ours.
    if (auto* const program = loaded.command->program()) *program = take_program(argc, argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help and --version
    throw ht::UsageError(ht::cli::explain(app, e));
  }
  if (loaded.command == nullptr)
    throw ht::UsageError("write the command first, as in hypertorus run --help");
  if (loaded.command->stops_in_order()) stop_on_interrupt();
  return loaded.command->run(stop_requested);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command(argc, argv);
  } catch (const ht::Error& e) {
    if (ht::cli::Ranks::reports()) fmt::print(stderr, "hypertorus: {}\n", e.what());
    return static_cast<int>(e.exit_code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "hypertorus: out of memory: take a smaller lattice or node grid\n");
    return static_cast<int>(ht::ExitCode::Usage);
  } catch (const std::exception& e) {
    fmt::print(stderr, "hypertorus: internal error: {}\n", e.what());
    return static_cast<int>(ht::ExitCode::Protocol);
  }
}
